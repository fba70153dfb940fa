package search

import (
	"fmt"
	"math/big"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// goals settles every claim at the end of a path.
func (s *searcher) goals(p *path, w *writer) error {
	end := &k.Cert{Kind: k.NodeEnd}
	for i := range s.ct.Claims {
		q := &s.ct.Claims[i]
		s.claim = i + 1
		var g k.Goal
		var err error
		switch q.Kind {
		case k.ClaimCong:
			var absurd bool
			if g.Eqs, absurd, err = s.congruence(p, s.diff(p, q), q.Mod, w); absurd {
				return nil
			}
		case k.ClaimRange:
			g.Kind = k.GoalRange
			g.Combs, err = s.within(p, p.Number(s.entry, q.Words), q.Interval)
		case k.ClaimEq:
			if left := p.Ctx.Simplify(s.diff(p, q)); len(left) > 0 {
				err = &Leftover{"the two sides differ by", left}
			}
		case k.ClaimIs:
			var absurd bool
			if g, absurd, err = s.decides(p, q, w); absurd {
				return nil
			}
		}
		if err != nil {
			return err
		}
		end.Goals = append(end.Goals, g)
	}
	s.claim = 0
	w.push(end)
	return nil
}

func (s *searcher) diff(p *path, q *k.Claim) k.Poly {
	return p.Eval(s.entry, q.L).Sub(p.Eval(s.entry, q.R))
}

// within bounds a number.
func (s *searcher) within(p *path, x *k.Word, want k.Interval) (ks []k.Comb, err error) {
	i := p.Ctx.WordRange(x, nil)
	d := pow2(x.E)
	if !p.lowerTop(x.C, d, &i, want.Hi, &ks, true) {
		return nil, fmt.Errorf("range: at most %#x is known, want %#x", i.Hi, want.Hi)
	}
	if !p.raiseBottom(x.C, d, &i, want.Lo, &ks, true) {
		return nil, fmt.Errorf("range: at least %#x is known, want %#x", i.Lo, want.Lo)
	}
	return ks, nil
}

// symmetric returns c modulo m, between -m/2 and m/2.
func symmetric(c, m *big.Int) *big.Int {
	r := new(big.Int).Mod(c, m)
	if r.Cmp(new(big.Int).Rsh(m, 1)) > 0 {
		r.Sub(r, m)
	}
	return r
}

// reduce returns the polynomial modulo m.
func (p *path) reduce(g k.Poly, m *big.Int) k.Poly {
	left := k.Poly{}
	for mono, c := range p.Ctx.Simplify(g) {
		left.AddTerm(mono, symmetric(c, m))
	}
	return left
}

// attempt looks for the range of a polynomial in the A-form.
func (p *path) attempt(poly k.Poly, aim func(i k.Interval) (lo, hi *big.Int)) (i k.Interval, ks []k.Comb, ok bool) {
	return p.rangeOf(poly, aim, false)
}

func (p *path) attemptDeep(poly k.Poly, aim func(i k.Interval) (lo, hi *big.Int)) (i k.Interval, ks []k.Comb, ok bool) {
	return p.rangeOf(poly, aim, true)
}

func (p *path) rangeOf(poly k.Poly, aim func(i k.Interval) (lo, hi *big.Int), deep bool) (i k.Interval, ks []k.Comb, ok bool) {
	c := p.Ctx
	if i, ok = c.Range(poly); !ok {
		return i, nil, false
	}
	q, e := c.ToC(poly)
	d := pow2(e)
	i = c.CombsRange(q, d, nil, i)
	lo, hi := aim(i)
	p.lowerTop(q, d, &i, hi, &ks, deep)
	p.raiseBottom(q, d, &i, lo, &ks, deep)
	return i, ks, true
}

func toZero(k.Interval) (lo, hi *big.Int)    { return zero, zero }
func toSide(k.Interval) (lo, hi *big.Int)    { return zero, mone }
func toPoint(i k.Interval) (lo, hi *big.Int) { return i.Hi, i.Lo }
func isPoint(i k.Interval) bool              { return i.Lo.Cmp(i.Hi) == 0 }
func isEmpty(i k.Interval) bool              { return i.Lo.Cmp(i.Hi) > 0 }

// A settler looks for the equations that make a congruence hold.
type settler struct {
	*searcher
	*path
	*writer
	m       *big.Int
	goal    k.Poly // what remains, with the equations that were found
	left    k.Poly // goal modulo m
	eqs     []k.Term
	changed bool
}

// congruence shows that goal ≡ 0 (mod m), or that no run takes this path.
func (s *searcher) congruence(p *path, goal k.Poly, m *big.Int, w *writer) (eqs []k.Term, absurd bool, err error) {
	t := &settler{searcher: s, path: p, writer: w, m: m, goal: goal, left: p.reduce(goal, m)}
	for round := 0; round < 4 && len(t.left) > 0; round++ {
		t.changed = false
		if t.singles() {
			return nil, true, nil
		}
		if len(t.left) == 0 {
			break
		}
		done, absurd := t.multiple()
		if absurd {
			return nil, true, nil
		}
		if !done {
			t.guess()
			t.left = p.reduce(t.goal, m)
		}
		if !done && !t.changed {
			break
		}
	}
	if len(t.left) > 0 {
		return nil, false, &Leftover{"the two sides differ, apart from multiples of the modulus, by", t.left}
	}
	return t.eqs, false, nil
}

// contradiction ends the path if the range of what was learned is empty.
func (t *settler) contradiction(poly k.Poly, ks []k.Comb) bool {
	key := t.learn(t.path, poly, ks, t.writer)
	cb := t.absurd(key)
	if cb != nil {
		t.push(&k.Cert{Kind: k.NodeAbsurd, Comb: *cb})
	}
	return cb != nil
}

// singles looks for the values of single carries that are left.
func (t *settler) singles() (absurd bool) {
	for _, m := range t.left.Monos() {
		v, ok := linear(m)
		if !ok || !isHigh(v) || t.Ctx.Defs[v] == nil {
			continue
		}
		i, ks, ok := t.attempt(k.PolyVar(v), toPoint)
		if ok && isEmpty(i) && t.contradiction(k.PolyVar(v), ks) {
			return true
		}
		if ok && isPoint(i) {
			t.learn(t.path, k.PolyVar(v), ks, t.writer)
			t.changed = true
			if t.left = t.reduce(t.goal, t.m); len(t.left) == 0 {
				return false
			}
		}
	}
	return false
}

// maxCoeff is the size of the coefficients of a polynomial that may be 0 as an
// integer.
const maxCoeff = 80

// multiple shows that what is left is a multiple of a small polynomial that is 0.
func (t *settler) multiple() (done, absurd bool) {
	for _, at := range t.left.Monos() {
		c := t.left[at]
		inv := new(big.Int).ModInverse(new(big.Int).Mod(c, t.m), t.m)
		if inv == nil {
			continue
		}
		small := k.Poly{}
		fits := true
		for m, x := range t.left {
			y := symmetric(mul(x, inv), t.m)
			fits = fits && y.BitLen() <= maxCoeff
			small.AddTerm(m, y)
		}
		if !fits {
			continue
		}
		i, ks, ok := t.attempt(small, toZero)
		if ok && isEmpty(i) && t.contradiction(small, ks) {
			return false, true
		}
		if ok && !i.IsPoint(zero) && i.Hi.Cmp(one) <= 0 && i.Lo.Cmp(mone) >= 0 && t.parity(small) {
			i, ks, ok = t.attempt(small, toZero)
		}
		if ok && i.IsPoint(zero) {
			key := t.learn(t.path, small, ks, t.writer)
			t.eqs = append(t.eqs, k.Term{Fact: key - 1, K: neg(c)})
			t.goal = t.goal.AddScaled(small, neg(c))
			t.left = t.reduce(t.goal, t.m)
			t.zeroed = append(t.zeroed, small)
			return true, false
		}
	}
	return false, false
}

// pin learns the value of a polynomial if its range is one integer.
func (t *settler) pin(poly k.Poly, aim func(k.Interval) (lo, hi *big.Int)) bool {
	i, ks, ok := t.attempt(poly, aim)
	if !ok || !isPoint(i) {
		return false
	}
	t.learn(t.path, poly, ks, t.writer)
	t.changed = true
	return true
}

// guess tries polynomials that are likely to have one value: what was 0 on
// another path, give or take a dropped carry, and sums of limbs.
func (t *settler) guess() {
	for _, m := range t.zeroed {
		t.pin(m, toSide)
		for _, v := range t.open {
			t.pin(m.Add(k.PolyVar(v)), toSide)
			t.pin(m.Sub(k.PolyVar(v)), toSide)
		}
	}
	for _, v := range t.open {
		if t.changed {
			return
		}
		if isPoint(t.Ctx.Bound[v]) {
			continue
		}
		for _, m := range t.telescope(v) {
			if t.pin(m, func(i k.Interval) (lo, hi *big.Int) {
				if i.Lo.Sign() < 0 && i.Hi.Sign() >= 0 {
					return zero, mone
				}
				return i.Hi, i.Lo
			}) {
				break
			}
		}
	}
}

// parity uses that an integer that is even and between -1 and 1 is 0.
func (t *settler) parity(small k.Poly) bool {
	cands := []k.Poly{small}
	for _, key := range t.Ctx.Order {
		f := t.Ctx.Facts[key]
		if f.Lo.Cmp(f.Hi) != 0 || len(f.Poly) > 12 || key < k.Key(2*firstKey) || key%2 == 1 {
			continue
		}
		rel := f.Poly.Sub(k.PolyConst(f.Lo))
		var newest k.Var
		for m := range rel {
			newest = max(newest, k.Var(m))
		}
		late := k.Poly{}
		for m, c := range small {
			if m != 0 && k.Var(m) <= newest {
				late.AddTerm(m, c)
			}
		}
		for _, z := range []*big.Int{one, mone} {
			cands = append(cands, small.AddScaled(rel, z), late.AddScaled(rel, z))
		}
	}
	for _, cand := range cands {
		var odd []k.Mono
		for _, m := range cand.Monos() {
			if cand[m].Bit(0) == 1 {
				odd = append(odd, m)
			}
		}
		if len(odd) > 4 {
			continue
		}
		for signs := range 1 << len(odd) {
			even := cand.Scale(one).Add(k.Poly{})
			for i, m := range odd {
				even.AddTerm(m, big.NewInt(int64(1-2*(signs>>i&1))))
			}
			if half, ok := even.Divide(1); ok && len(half) > 0 && t.pin(half, toSide) {
				return true
			}
		}
	}
	return false
}

// telescope adds carries to v so that the low words in the C-form cancel.
func (p *path) telescope(v k.Var) (cands []k.Poly) {
	c := p.Ctx
	width := func(m k.Poly) *big.Rat {
		q, e := c.ToC(m)
		i, ok := c.Range(q)
		if !ok {
			return nil
		}
		return new(big.Rat).SetFrac(sub(i.Hi, i.Lo), pow2(e))
	}
	m := k.PolyVar(v)
	w := width(m)
	cands = append(cands, m)
	falling := false
	for n := 0; n < 12 && w != nil; n++ {
		next := p.cancel(m)
		if next == nil {
			break
		}
		w2 := width(next)
		if w2 == nil {
			break
		}
		if falling && w2.Cmp(w) > 0 { // a local minimum
			cands = append(cands, m)
		}
		falling = w2.Cmp(w) < 0
		m, w = next, w2
	}
	if falling {
		cands = append(cands, m)
	}
	return cands
}

// cancel adds to m the high part that cancels its newest low word.
func (p *path) cancel(m k.Poly) k.Poly {
	c := p.Ctx
	q, e := c.ToC(m)
	var best k.Poly
	var newest k.Var
	for mono, x := range q {
		v, ok := linear(mono)
		if !ok || isHigh(v) || v <= newest {
			continue
		}
		d := c.Defs[v+1]
		if _, in := m[k.Mono(v+1)]; d == nil || in || d.C[mono] == nil {
			continue
		}
		// y·coefficient/2^d.E = -x/2^e
		y, r := new(big.Int).QuoRem(neg(mul(x, pow2(d.E))), mul(d.C[mono], pow2(e)), new(big.Int))
		if r.Sign() != 0 || y.Sign() == 0 || y.BitLen() > 8 {
			continue
		}
		newest = v
		best = m.AddScaled(k.PolyVar(v+1), y)
	}
	return best
}
