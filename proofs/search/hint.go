package search

import (
	"maps"
	"math/big"
	"slices"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

var three = big.NewInt(3)

// settled reports whether the interval leaves one quotient by m, or two values.
func settled(i k.Interval, m *big.Int) bool {
	return floorDiv(i.Lo, m).Cmp(floorDiv(i.Hi, m)) == 0 || sub(i.Hi, i.Lo).Cmp(one) == 0
}

// hint decides how operation idx is to divide; use is false if no hint is
// needed. It may add derivations to the certificate.
func (s *searcher) hint(p *path, idx int, in *k.Instr, w *writer) (h k.Hint, use bool) {
	x0, n := p.Dividend(in)
	if x0 == nil || x0.Fn != nil {
		return
	}
	c := p.Ctx
	x := c.SimplifyWord(x0)
	i := c.WordRange(x, nil)
	m := pow2(n)
	if settled(i, m) {
		return
	}
	d := pow2(x.E)
	if n == 64 && sub(i.Hi, i.Lo).Cmp(three) <= 0 && i.Lo.Sign() < 0 && i.Hi.Sign() >= 0 {
		// a borrow and a mask: perhaps it is -1 or 0
		var ks []k.Comb
		j := i
		p.lowerTop(x.C, d, &j, zero, &ks, false)
		if j.Hi.Sign() == 0 {
			p.raiseBottom(x.C, d, &j, mone, &ks, false)
		}
		if sub(j.Hi, j.Lo).Cmp(one) <= 0 {
			return k.Hint{Combs: ks}, true
		}
	}
	if _, ok := x.A.Divide(n); ok {
		return k.Hint{Kind: k.HintExact}, true
	}
	if v, ok := p.sameLow(x, n, m); ok {
		return k.Hint{Kind: k.HintSame, Var: v}, true
	}
	if l, ok := p.lowLoc(x, n, m); ok {
		return k.Hint{Kind: k.HintLow, Loc: l}, true
	}
	if h, ok := p.maskHint(in, x, m); ok {
		return h, true
	}
	if (in.Op == k.Adc || in.Op == k.Sbb || in.Op == k.Mul) && s.dead[idx][1] {
		return s.dropped(p, in, x, i, n, w)
	}
	if in.Op == k.Shl && i.Lo.Sign() == 0 {
		// perhaps no bit is lost
		var ks []k.Comb
		j := i
		if p.lowerTop(x.C, d, &j, sub(m, one), &ks, false) {
			return k.Hint{Combs: ks}, true
		}
	}
	return
}

// sameLow finds a known word whose low part the dividend has.
func (p *path) sameLow(x *k.Word, n uint, m *big.Int) (k.Var, bool) {
	c := p.Ctx
	fits := func(y *k.Word) bool { return y.Lo.Sign() >= 0 && y.Hi.Cmp(m) < 0 }
	if n == 64 {
		v, ok := p.low[lowKey(x.A, 64)]
		if !ok || !fits(c.Lows[v]) {
			return 0, false
		}
		_, ok = x.A.Sub(c.Lows[v].A).Divide(64)
		return v, ok
	}
	var best k.Var
	for v, y := range c.Lows {
		if fits(y) && (best == 0 || v < best) {
			if _, ok := x.A.Sub(y.A).Divide(n); ok {
				best = v
			}
		}
	}
	return best, best != 0
}

// lowLoc finds a location whose word is the low part of the dividend, such as a
// bit that was put into a register's low byte.
func (p *path) lowLoc(x *k.Word, n uint, m *big.Int) (k.Loc, bool) {
	if n == 64 {
		return 0, false
	}
	for _, l := range slices.Sorted(maps.Keys(p.Regs)) {
		y := p.Regs[l]
		if y.Const() == nil && y.Lo.Sign() >= 0 && y.Hi.Cmp(m) < 0 {
			if _, ok := x.A.Sub(y.A).Divide(n); ok {
				return l, true
			}
		}
	}
	return 0, false
}

// maskHint handles a mask that is added or subtracted: the carry is its bit.
func (p *path) maskHint(in *k.Instr, x *k.Word, m *big.Int) (h k.Hint, ok bool) {
	if in.Op != k.Adc && in.Op != k.Sbb {
		return
	}
	for n, src := range []k.Src{in.A, in.B} {
		w := p.Regs[src.Loc]
		if src.Loc == 0 || w.Const() != nil || w.Fn == nil || w.Hi.Cmp(one) <= 0 || in.Op == k.Sbb && n == 0 {
			continue
		}
		z := one
		if in.Op == k.Sbb {
			z = mone
		}
		try := func(e0, e1 *big.Int) bool {
			t := k.AddWords(x, k.ScaleWord(neg(m), k.FuncWord(w.Fn.Bit, e0, e1)))
			j := p.Ctx.WordRange(t, nil)
			h = k.Hint{Kind: k.HintFunc, Loc: src.Loc, E0: e0, E1: e1}
			return j.Lo.Sign() >= 0 && j.Hi.Cmp(m) < 0
		}
		if w.Fn.V0.Sign() != 0 && try(z, zero) || w.Fn.V1.Sign() != 0 && try(zero, z) {
			return h, true
		}
	}
	return k.Hint{}, false
}

// dropped shows that a carry that nothing reads is known, so that the result
// is exact.
func (s *searcher) dropped(p *path, in *k.Instr, x *k.Word, i k.Interval, n uint, w *writer) (h k.Hint, use bool) {
	m := pow2(n)
	q0 := floorDiv(i.Lo, m)
	top := sub(mul(add(q0, one), m), one)
	var ks []k.Comb
	j := i
	if !p.lowerTop(x.C, pow2(x.E), &j, top, &ks, false) {
		p.raiseBottom(x.C, pow2(x.E), &j, mul(floorDiv(j.Hi, m), m), &ks, false)
	}
	if settled(j, m) {
		return k.Hint{Combs: ks}, true
	}
	if h, ok := p.undo(x, m); ok {
		return h, true
	}
	for _, src := range []k.Src{in.A, in.B} {
		if h, ok := s.byCases(p, src, x, m, q0, top, w); ok {
			return h, true
		}
	}
	return
}

// undo takes back a reduction whose high part was dropped.
func (p *path) undo(x *k.Word, m *big.Int) (h k.Hint, ok bool) {
	c := p.Ctx
	for n := len(p.open) - 1; n >= 0 && n >= len(p.open)-6; n-- {
		v := p.open[n]
		if _, in := x.C[k.Mono(v-1)]; !in || c.Defs[v] == nil {
			continue
		}
		t := c.SimplifyWord(k.AddWords(x, k.ScaleWord(m, c.Defs[v])))
		a := c.WordRange(t, nil)
		d := pow2(t.E)
		var ks []k.Comb
		if a.Lo.Sign() < 0 && a.Hi.Sign() >= 0 {
			p.lowerTop(t.C, d, &a, zero, &ks, false)
			p.raiseBottom(t.C, d, &a, mone, &ks, false)
		} else {
			p.lowerTop(t.C, d, &a, sub(mul(add(floorDiv(a.Lo, m), one), m), one), &ks, false)
		}
		if settled(a, m) {
			return k.Hint{Kind: k.HintAlt, Var: v, Combs: ks}, true
		}
	}
	return
}

// byCases bounds the dividend by cases on the bit of an operand, without
// splitting the rest of the run.
func (s *searcher) byCases(p *path, src k.Src, x *k.Word, m, q0, top *big.Int, w *writer) (h k.Hint, ok bool) {
	c := p.Ctx
	if src.Loc == 0 || p.Regs[src.Loc].Const() != nil {
		return
	}
	f := p.Regs[src.Loc].Func()
	if f == nil {
		return
	}
	key := s.newKey()
	var ks [2][]k.Comb
	var is [2]k.Interval
	for v := range is {
		n := p.clone()
		i0, ok := c.Range(x.A)
		if !ok {
			return h, false
		}
		n.Fork(key, f.Bit, int64(v))
		q, e := c.ToC(x.A)
		a := n.Ctx.CombsRange(q, pow2(e), nil, i0)
		n.lowerTop(q, pow2(e), &a, top, &ks[v], false)
		n.raiseBottom(q, pow2(e), &a, mul(q0, m), &ks[v], false)
		is[v] = a
	}
	all := k.Interval{Lo: minInt(is[0].Lo, is[1].Lo), Hi: maxInt(is[0].Hi, is[1].Hi)}
	if floorDiv(all.Lo, m).Cmp(floorDiv(all.Hi, m)) != 0 {
		return h, false
	}
	node := &k.Cert{Kind: k.NodeCase, Key: s.newKey(), BitKey: key, Poly: x.A, Loc: src.Loc, Combs: ks}
	w.push(node)
	c.LearnCase(node.Key, node.Poly, f.Bit, key, ks)
	_, e := c.ToC(x.A)
	scale, times := one, one
	if e >= x.E {
		scale = pow2(e - x.E)
	} else {
		times = pow2(x.E - e)
	}
	return k.Hint{Combs: []k.Comb{{Scale: scale, Terms: []k.Term{{Fact: 2*node.Key + 1, K: times}}}}}, true
}

// pinAbove learns what was dropped above a word whose highest bit the operation
// takes: if the word is the top one of a number in two's complement, it is the
// bit, up to a constant.
func (s *searcher) pinAbove(p *path, in *k.Instr, w *writer) {
	c := p.Ctx
	bit, word := p.Regs[in.D], p.Get(in.A)
	if bit == nil || bit.Const() != nil || bit.Func() == nil || word == nil {
		return
	}
	b := bit.Func().Bit
	low, _, ok := word.C.Single()
	if !ok || !slices.Contains(p.open, low+1) {
		return
	}
	for _, m := range p.telescope(low + 1) {
		for _, poly := range []k.Poly{m.Sub(b.A), m.Add(b.A)} {
			key := s.newKey()
			ks, i, ok := p.casesRange(poly, b, key)
			if !ok || !isPoint(i) {
				continue
			}
			node := &k.Cert{Kind: k.NodeCase, Key: s.newKey(), BitKey: key, Poly: poly, Loc: in.D, Combs: ks}
			w.push(node)
			c.LearnCase(node.Key, node.Poly, b, key, ks)
			return
		}
	}
}

// casesRange bounds a polynomial by cases on a bit.
func (p *path) casesRange(poly k.Poly, b *k.Bit, key k.Key) (ks [2][]k.Comb, all k.Interval, ok bool) {
	i0, ok := p.Ctx.Range(poly)
	if !ok {
		return ks, all, false
	}
	q, e := p.Ctx.ToC(poly)
	for v := range ks {
		n := p.clone()
		n.Fork(key, b, int64(v))
		i := n.Ctx.CombsRange(q, pow2(e), nil, i0)
		n.lowerTop(q, pow2(e), &i, i.Lo, &ks[v], false)
		n.raiseBottom(q, pow2(e), &i, i.Hi, &ks[v], false)
		if v == 0 {
			all = i
		} else {
			all = k.Interval{Lo: minInt(all.Lo, i.Lo), Hi: maxInt(all.Hi, i.Hi)}
		}
	}
	return ks, all, true
}
