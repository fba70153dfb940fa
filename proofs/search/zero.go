package search

import (
	"fmt"
	"math/big"

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
	if !p.decided() {
		return
	}
	sum := k.Poly{}
	for _, x := range p.leaf {
		sum = sum.Add(x.A)
	}
	if i, ks, ok := p.attempt(sum, func(i k.Interval) (lo, hi *big.Int) { return one, i.Hi }); ok && i.Lo.Sign() > 0 {
		s.learn(p, sum, ks, w)
		return
	}
	zero := func(poly k.Poly) {
		i, ks, ok := p.attempt(poly, func(i k.Interval) (lo, hi *big.Int) { return i.Lo, i.Lo })
		if ok && i.IsPoint(i.Lo) {
			s.learn(p, poly, ks, w)
		}
	}
	for n := len(p.ors) - 1; n >= 0; n-- {
		if v := p.ors[n]; !isPoint(p.Ctx.Bound[v]) {
			zero(k.PolyVar(v))
		}
	}
	for _, x := range p.leaf {
		zero(x.A)
	}
}

// decided reports whether an equation, or a bound, speaks of a combination.
func (p *path) decided() bool {
	for _, v := range p.ors {
		if isPoint(p.Ctx.Bound[v]) {
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

// decides shows that the result is 1 exactly if a congruence holds.
func (s *searcher) decides(p *path, q *k.Claim, w *writer) (g k.Goal, err error) {
	z := p.Number(s.entry, q.Words).Const()
	if z == nil {
		return g, fmt.Errorf("the result is not known on this path")
	}
	diff := s.diff(p, q)
	if z.Cmp(one) == 0 {
		for v := range p.Ctx.Xors {
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
		coeffs, left := p.combination(diff, polys, q.Mod)
		if len(left) > 0 {
			return g, fmt.Errorf("the result is 1: %d terms of the difference are left", len(left))
		}
		for i, c := range coeffs {
			if c.Sign() != 0 {
				g.Eqs = append(g.Eqs, k.Term{Fact: known[i].Fact, K: neg(c)})
			}
		}
		return g, nil
	}
	return s.differs(p, q, diff)
}

// differs shows that the difference is not 0 modulo q.Mod.
func (s *searcher) differs(p *path, q *k.Claim, diff k.Poly) (g k.Goal, err error) {
	var leaves []k.Poly
	for _, x := range p.leaf {
		leaves = append(leaves, x.A)
	}
	small := diff
	if coeffs, left := p.combination(diff, leaves, q.Mod); len(left) == 0 {
		small = k.Poly{}
		for i, c := range coeffs {
			small = small.AddScaled(leaves[i], c)
		}
	}
	small = p.Ctx.Simplify(small)
	g = k.Goal{Kind: k.GoalNot, Poly: small, Key: s.newKey()}
	top := sub(q.Mod, one)
	i, ks, ok := p.attempt(small, func(k.Interval) (lo, hi *big.Int) { return neg(top), top })
	if !ok || i.Lo.Cmp(neg(top)) < 0 || i.Hi.Cmp(top) > 0 {
		return g, fmt.Errorf("the result is 0: the difference is only known to be between %v and %v", i.Lo, i.Hi)
	}
	g.Combs = ks
	n := p.clone()
	n.Ctx.AssumeZero(g.Key, small)
	// words that are equal as a number are equal one by one, the top one first
	for j := len(p.leaf) - 1; j >= 0; j-- {
		v, _, ok := p.leaf[j].C.Single()
		ws, isXor := n.Ctx.Xors[v]
		if !ok || !isXor {
			continue
		}
		d := k.SubWords(ws[0], ws[1])
		i := n.Ctx.WordRange(d, nil)
		var ks []k.Comb
		n.lowerTop(d.C, pow2(d.E), &i, zero, &ks, false)
		n.raiseBottom(d.C, pow2(d.E), &i, zero, &ks, false)
		if !i.IsPoint(zero) {
			return g, fmt.Errorf("the result is 0: words %d are not known to be equal where the numbers are", j)
		}
		// the equality, for the words below, then the exclusive or
		eq := &k.Derivation{Kind: k.DeriveLearn, Key: s.newKey(), Poly: d.A, Combs: ks}
		xor := &k.Derivation{Kind: k.DeriveXor, Key: s.newKey(), Var: v, Combs: ks}
		n.Ctx.Derive(eq)
		n.Ctx.Derive(xor)
		g.Steps = append(g.Steps, eq, xor)
	}
	var keys []k.Key
	for _, key := range n.Ctx.Order {
		if f := n.Ctx.Facts[key]; f.Lo.Sign() > 0 {
			keys = append(keys, key)
		}
	}
	cb := n.absurd(append(keys, 2*g.Key+1)...)
	if cb == nil {
		return g, fmt.Errorf("the result is 0: no contradiction is found if the numbers are equal")
	}
	g.Comb = *cb
	return g, nil
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
