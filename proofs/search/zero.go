package search

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// Tests whether several words are all zero combine them by or. If the result
// is zero, so are the words; if it is not, their sum is at least 1.

// tighten derives that, where the value of a combination has become known.
func (s *searcher) tighten(p *path, w *writer) {
	if len(p.ors) == 0 {
		return
	}
	p.sync()
	if p.and {
		s.limit(p, w)
	}
	if !p.decided() {
		return
	}
	sum := k.Poly{}
	for _, x := range p.leaf {
		sum = sum.Add(x.A)
	}
	if s.positive(p, sum, w) {
		return
	}
	for n := len(p.ors) - 1; n >= 0; n-- {
		v := p.ors[n]
		aim, want := toZero, zero
		if p.and {
			aim, want = toOnes, k.WordMax
		}
		if i, ks, ok := p.attempt(k.PolyVar(v), aim); ok && i.IsPoint(want) && !isPoint(p.Ctx.Bound[v]) {
			s.learn(p, k.PolyVar(v), ks, w)
		}
	}
	for n, x := range p.leaf {
		if p.and {
			ks := []k.Comb{p.relate(x.of.A, p.atMost(n), true), p.relate(x.of.A, p.atLeast(n), false)}
			if p.Ctx.PolyRange(x.of.A, ks).IsPoint(k.WordMax) {
				s.learn(p, x.of.A, ks, w)
			}
			continue
		}
		ks := []k.Comb{p.relate(x.A, p.atMost(n), false), p.relate(x.A, p.atLeast(n), true)}
		if p.Ctx.PolyRange(x.A, ks).IsPoint(zero) {
			s.learn(p, x.A, ks, w)
		}
	}
}

func toOnes(k.Interval) (lo, hi *big.Int) { return k.WordMax, k.WordMax }

// limit derives whether the last combination of words by and is all ones.
func (s *searcher) limit(p *path, w *writer) {
	v := p.ors[len(p.ors)-1]
	if isPoint(p.Ctx.Bound[v]) {
		return
	}
	below := func(k.Interval) (lo, hi *big.Int) { return zero, sub(k.WordMax, one) }
	i, ks, ok := p.attempt(k.PolyVar(v), toOnes)
	if !ok || !i.IsPoint(k.WordMax) {
		i, ks, ok = p.attempt(k.PolyVar(v), below)
	}
	if ok && (i.IsPoint(k.WordMax) || i.Hi.Cmp(k.WordMax) < 0) {
		s.learn(p, k.PolyVar(v), ks, w)
	}
}

// positive derives that the sum of the words is at least 1, if their
// combination is not 0: it is at most the sum of each step's operands.
func (s *searcher) positive(p *path, sum k.Poly, w *writer) bool {
	c := p.Ctx
	last := p.ors[len(p.ors)-1]
	of := rats{}
	for _, v := range p.ors {
		key := k.Key(8*int(v) + 4)
		of[key] = p.unit(key, 1)
	}
	for _, key := range c.Order {
		f := c.Facts[key]
		if len(f.Poly) != 1 || f.Poly[k.Mono(last)] == nil {
			continue
		}
		if p.and && f.Hi.Cmp(k.WordMax) < 0 && f.Poly[k.Mono(last)].Cmp(one) == 0 {
			of[key] = rat(mone)
			break
		}
		if !p.and && f.Lo.Sign() > 0 {
			of[key] = new(big.Rat).SetFrac(one, f.Poly[k.Mono(last)])
			break
		}
	}
	if len(of) == len(p.ors) {
		return false
	}
	i, ok := c.Range(sum)
	if !ok {
		return false
	}
	ks := []k.Comb{p.relate(sum, of, true)}
	q, e := c.ToC(sum)
	if i = c.CombsRange(q, pow2(e), ks, i); i.Lo.Sign() <= 0 {
		return false
	}
	p.sum, p.sumE = s.learn(p, sum, ks, w), e
	return true
}

// relate returns the combination that bounds the polynomial in the A-form by
// the given multiples of facts, once the known equations are used.
func (p *path) relate(poly k.Poly, of rats, lower bool) k.Comb {
	c := p.Ctx
	q, e := c.ToC(poly)
	den := pow2(e) // so that a multiple of a fact is one of the polynomial
	for _, x := range of {
		den = mul(den, new(big.Int).Div(x.Denom(), new(big.Int).GCD(nil, nil, den, x.Denom())))
	}
	st := beamState{scale: new(big.Int).Div(den, pow2(e)), of: rats{}}
	st.poly = q.Scale(st.scale)
	if lower {
		st.poly = st.poly.Scale(mone)
	}
	for key, x := range of {
		x = new(big.Rat).Mul(x, rat(den))
		st.of[key] = x
		st.poly = st.poly.AddScaled(c.Facts[key].Poly, x.Num())
	}
	p.eliminate(&st)
	return st.comb(lower)
}

// atMost and atLeast return the multiples of facts by which word n of those
// that were combined is at most the result of its combination, and at least 0.
func (p *path) atMost(n int) rats {
	v := int(p.leaf[n].or)
	if p.leaf[n].first {
		return rats{k.Key(4*v + 2): p.unit(k.Key(4*v+2), -1)}
	}
	return rats{k.Key(4 * v): p.unit(k.Key(4*v), 1)}
}

func (p *path) atLeast(n int) rats {
	v := int(p.leaf[n].or)
	of := rats{k.Key(8*v + 4): p.unit(k.Key(8*v+4), 1)}
	if p.leaf[n].first {
		of[k.Key(4*v)] = p.unit(k.Key(4*v), 1)
	} else {
		of[k.Key(4*v+2)] = p.unit(k.Key(4*v+2), -1)
	}
	return of
}

// unit returns sign/2^E for a fact about a combination, whose range is 2^E
// times that of a word.
func (p *path) unit(key k.Key, sign int64) *big.Rat {
	f := p.Ctx.Facts[key]
	return new(big.Rat).SetFrac(big.NewInt(sign), new(big.Int).Div(sub(f.Hi, f.Lo), k.Radix))
}

// decided reports whether an equation, or a bound, speaks of a combination.
func (p *path) decided() bool {
	for _, v := range p.ors {
		if i := p.Ctx.Bound[v]; isPoint(i) || p.and && i.Hi.Cmp(k.WordMax) < 0 {
			return true
		}
		for i := range p.eqs {
			for m := range p.eqs[i].poly {
				if m.Has(v) {
					return true
				}
			}
		}
		for _, key := range p.Ctx.Order {
			if f := p.Ctx.Facts[key]; f.Lo.Cmp(one) == 0 && len(f.Poly) == 1 && f.Poly[k.Mono(v)] != nil {
				return true
			}
		}
	}
	return false
}

// decides shows that the result is 1 exactly if a congruence holds. If no run
// takes this path, it ends the certificate and says so.
func (s *searcher) decides(p *path, q *k.Claim, w *writer) (g k.Goal, absurd bool, err error) {
	z := p.Number(s.entry, q.Words).Const()
	if z == nil {
		return g, false, fmt.Errorf("the result is not known on this path")
	}
	small, eqs, absurd, err := s.small(p, q, w)
	if absurd || err != nil {
		return g, absurd, err
	}
	if z.Sign() == 0 {
		g, err = s.differs(p, q, small)
		g.Eqs = eqs
		return g, false, err
	}
	for _, v := range slices.Sorted(maps.Keys(p.Ctx.Xors)) {
		if isPoint(p.Ctx.Bound[v]) {
			d := &k.Derivation{Kind: k.DeriveXor, Key: s.newKey(), Var: v}
			p.Ctx.Derive(d)
			w.derive(d)
		}
	}
	var known []k.Term
	var polys []k.Poly
	for _, key := range p.Ctx.Order {
		if f := p.Ctx.Facts[key]; f.Lo.Cmp(f.Hi) == 0 && key >= 2*firstKey {
			known = append(known, k.Term{Fact: key})
			polys = append(polys, f.Poly.Sub(k.PolyConst(f.Lo)))
		}
	}
	coeffs, left := p.combination(small, polys, q.Mod)
	if len(left) > 0 {
		return g, false, fmt.Errorf("the result is 1: %d terms of the difference are left", len(left))
	}
	g.Eqs = eqs
	for i, c := range coeffs {
		if c.Sign() != 0 {
			g.Eqs = append(g.Eqs, k.Term{Fact: known[i].Fact, K: neg(c)})
		}
	}
	return g, false, nil
}

// small returns a polynomial to which the difference is congruent, by
// equations: if possible the number in the words that are tested, else itself.
func (s *searcher) small(p *path, q *k.Claim, w *writer) (small k.Poly, eqs []k.Term, absurd bool, err error) {
	diff := s.diff(p, q)
	var leaves []k.Poly
	for _, x := range p.leaf {
		leaves = append(leaves, x.A)
	}
	if coeffs, left := p.combination(diff, leaves, q.Mod); len(left) == 0 {
		small = k.Poly{}
		for i, c := range coeffs {
			small = small.AddScaled(leaves[i], c)
		}
		return p.Ctx.Simplify(small), nil, false, nil
	}
	if len(p.Ctx.Xors) > 0 { // the numbers themselves are compared
		return p.Ctx.Simplify(diff), nil, false, nil
	}
	small = k.Poly{}
	for i, x := range leaves {
		small = small.AddScaled(x, pow2(uint(64*i)))
	}
	small = p.Ctx.Simplify(small)
	eqs, absurd, err = s.congruence(p, diff.Sub(small), q.Mod, w)
	return small, eqs, absurd, err
}

// differs shows that the small polynomial is not 0 modulo q.Mod.
func (s *searcher) differs(p *path, q *k.Claim, small k.Poly) (g k.Goal, err error) {
	g = k.Goal{Kind: k.GoalNot, Poly: small, Key: s.newKey()}
	top := sub(q.Mod, one)
	i, ks, ok := p.attemptDeep(small, func(k.Interval) (lo, hi *big.Int) { return neg(top), top })
	if !ok || i.Lo.Cmp(neg(top)) < 0 || i.Hi.Cmp(top) > 0 {
		return g, fmt.Errorf("the result is 0: the difference is only known to be between %v and %v", i.Lo, i.Hi)
	}
	g.Combs = ks
	n := p.clone()
	n.Ctx.AssumeZero(g.Key, small)
	if err := s.equalWords(n, &g, q.Mod); err != nil {
		return g, err
	}
	if p.sum == 0 {
		return g, fmt.Errorf("the result is 0: the words are not known to be other than 0")
	}
	// the sum of the words is at least 1, and at most the number, which is 0
	_, e := n.Ctx.ToC(small)
	sum := k.Term{Fact: p.sum, K: pow2(e)}
	for _, terms := range [][]k.Term{
		{sum}, {sum, {Fact: 2*g.Key + 1, K: neg(pow2(p.sumE))}}, {sum, {Fact: 2*g.Key + 1, K: pow2(p.sumE)}},
	} {
		if g.Comb = (k.Comb{Scale: one, Terms: terms}); n.Ctx.Absurd(g.Comb) {
			return g, nil
		}
	}
	if g.Comb = p.notZero(n, &g, q.Mod); n.Ctx.Absurd(g.Comb) {
		return g, nil
	}
	return g, fmt.Errorf("the result is 0: no contradiction is found if the numbers are equal")
}

// notZero returns a combination that shows that g.Poly, a sum of positive
// multiples of words whose sum is at least 1, is not 0 as the path n assumes.
// The known equations are those of p.
func (p *path) notZero(n *path, g *k.Goal, m *big.Int) k.Comb {
	var leaves []k.Poly
	for _, x := range p.leaf {
		leaves = append(leaves, x.A)
	}
	weights, _ := p.combination(g.Poly, leaves, m)
	_, e := n.Ctx.ToC(g.Poly)
	sign := int64(1)
	if len(weights) > 0 && weights[len(weights)-1].Sign() < 0 {
		sign = -1
	}
	of := rats{p.sum: new(big.Rat).SetFrac(one, pow2(p.sumE))}
	of[2*g.Key+1] = new(big.Rat).SetFrac(big.NewInt(-sign), pow2(e))
	for i := range p.leaf {
		f := new(big.Rat).SetInt(sub(mul(weights[i], big.NewInt(sign)), one))
		of = of.plus(p.atLeast(i), f)
	}
	cb := n.relate(k.Poly{}, of, true)
	cb.Scale = one
	return cb
}

// equalWords derives that numbers that are equal have equal words, the top one
// first, and so that the exclusive ors of the words are 0.
func (s *searcher) equalWords(p *path, g *k.Goal, m *big.Int) error {
	var vars []k.Var
	var diffs []k.Poly
	for _, x := range p.leaf {
		v, _, ok := x.C.Single()
		if ws, isXor := p.Ctx.Xors[v]; ok && isXor {
			vars = append(vars, v)
			diffs = append(diffs, ws[0].A.Sub(ws[1].A))
		}
	}
	if len(vars) == 0 {
		return nil
	}
	weights, left := p.combination(g.Poly, diffs, m)
	if len(left) > 0 {
		return fmt.Errorf("the difference is not that of the words that are compared")
	}
	order := make([]int, len(vars))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return weights[b].CmpAbs(weights[a]) })
	var above []k.Term // the words that are known to be equal
	for _, i := range order {
		cb := k.Comb{Scale: abs(weights[i]), Terms: append([]k.Term{{Fact: 2*g.Key + 1, K: one}}, above...)}
		if weights[i].Sign() < 0 {
			for j := range cb.Terms {
				cb.Terms[j].K = neg(cb.Terms[j].K)
			}
		}
		eq := &k.Derivation{Kind: k.DeriveLearn, Key: s.newKey(), Poly: diffs[i], Combs: []k.Comb{cb}}
		xor := &k.Derivation{Kind: k.DeriveXor, Key: s.newKey(), Var: vars[i],
			Combs: []k.Comb{{Scale: one, Terms: []k.Term{{Fact: 2*eq.Key + 1, K: one}}}}}
		p.Ctx.Derive(eq)
		p.Ctx.Derive(xor)
		g.Steps = append(g.Steps, eq, xor)
		above = append(above, k.Term{Fact: 2*eq.Key + 1, K: neg(weights[i])})
	}
	return nil
}

// combination writes goal as a sum of multiples of the polynomials, modulo m,
// and returns the multiples and what is left.
func (p *path) combination(goal k.Poly, polys []k.Poly, m *big.Int) ([]*big.Int, k.Poly) {
	type row struct {
		poly  k.Poly
		of    []*big.Int
		pivot k.Mono
	}
	coeffs := make([]*big.Int, len(polys))
	for i := range coeffs {
		coeffs[i] = new(big.Int)
	}
	left := p.reduce(goal, m)
	var rows []row
	use := func(dst *k.Poly, of []*big.Int, r *row, sign *big.Int) {
		c := (*dst)[r.pivot]
		if c == nil {
			return
		}
		*dst = p.reduce(dst.AddScaled(r.poly, neg(c)), m)
		for i := range of {
			of[i].Mod(of[i].Add(of[i], mul(mul(sign, c), r.of[i])), m)
		}
	}
	for i, poly := range polys {
		r := row{poly: p.reduce(poly, m), of: make([]*big.Int, len(polys))}
		for j := range r.of {
			r.of[j] = new(big.Int)
		}
		r.of[i].SetInt64(1)
		for j := range rows {
			use(&r.poly, r.of, &rows[j], mone)
		}
		ms := r.poly.Monos()
		if len(ms) == 0 {
			continue
		}
		r.pivot = ms[0]
		inv := new(big.Int).ModInverse(new(big.Int).Mod(r.poly[r.pivot], m), m)
		if inv == nil {
			continue
		}
		r.poly = p.reduce(r.poly.Scale(inv), m)
		for j := range r.of {
			r.of[j].Mod(r.of[j].Mul(r.of[j], inv), m)
		}
		rows = append(rows, r)
	}
	for i := range rows {
		use(&left, coeffs, &rows[i], one)
	}
	for i := range coeffs {
		coeffs[i] = symmetric(coeffs[i], m)
	}
	return coeffs, left
}
