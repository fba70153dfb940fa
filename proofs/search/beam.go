package search

import (
	"maps"
	"math/big"
	"slices"
	"sort"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// rats is a rational combination of facts.
type rats map[k.Key]*big.Rat

func (r rats) plus(o rats, f *big.Rat) rats {
	s := maps.Clone(r)
	if s == nil {
		s = rats{}
	}
	for key, x := range o {
		y := new(big.Rat).Mul(x, f)
		if z, ok := s[key]; ok {
			y.Add(y, z)
		}
		s[key] = y
	}
	return s
}

func rat(z *big.Int) *big.Rat { return new(big.Rat).SetInt(z) }

// seen is a fact as it looks once the known equations are used: poly is the
// combination of facts, up to a constant and what is known of pivots.
type seen struct {
	poly k.Poly
	k.Interval
	of rats
}

// An equation eliminates a variable: coeff·pivot + rest = 0.
type equation struct {
	pivot k.Var
	poly  k.Poly
	coeff *big.Int // ±2^n
	of    rats
}

// eliminate returns scale·p - times·e, without the pivot.
func (e *equation) eliminate(p k.Poly) (q k.Poly, scale, times *big.Int, ok bool) {
	c, has := p[k.Mono(e.pivot)]
	if !has {
		return p, nil, nil, false
	}
	for m := range p {
		if m != k.Mono(e.pivot) && m.Has(e.pivot) {
			return p, nil, nil, false
		}
	}
	scale = abs(e.coeff)
	times = new(big.Int).Set(c)
	if e.coeff.Sign() < 0 {
		times.Neg(times)
	}
	g := new(big.Int).GCD(nil, nil, scale, abs(times))
	scale.Div(scale, g)
	times.Quo(times, g)
	return p.Scale(scale).AddScaled(e.poly, neg(times)), scale, times, true
}

func (d *seen) reduce(e *equation) {
	if q, s, t, ok := e.eliminate(d.poly); ok {
		d.of = rats(nil).plus(d.of, rat(s)).plus(e.of, rat(neg(t)))
		d.poly, d.Interval = q, k.Interval{Lo: mul(d.Lo, s), Hi: mul(d.Hi, s)}
	}
}

// inC reports whether the polynomial speaks of inputs and low words only.
func inC(p k.Poly) bool {
	for m := range p {
		for _, v := range m.Vars() {
			if isHigh(v) {
				return false
			}
		}
	}
	return true
}

// sync brings the view up to date with the facts.
func (p *path) sync() {
	c := p.Ctx
	for ; p.n < len(c.Order); p.n++ {
		key := c.Order[p.n]
		f := c.Facts[key]
		if !inC(f.Poly) {
			continue
		}
		d := seen{f.Poly, f.Interval, rats{key: big.NewRat(1, 1)}}
		for i := range p.eqs {
			d.reduce(&p.eqs[i])
		}
		p.view = append(p.view, d)
		if d.Lo.Cmp(d.Hi) == 0 {
			p.solve(d)
		}
	}
}

// solve uses an equation to eliminate its newest low word, if it can.
func (p *path) solve(d seen) {
	c := p.Ctx
	eq := d.poly.Sub(k.PolyConst(d.Lo))
	var best k.Var
	for m, x := range eq {
		v, ok := linear(m)
		if !ok || isHigh(v) || !isPow2(x) || v <= best {
			continue
		}
		if w := c.Lows[v]; w == nil || len(w.A) == 1 {
			continue // inputs stay
		}
		n := 0
		for mm := range eq {
			if mm.Has(v) {
				n++
			}
		}
		if n == 1 {
			best = v
		}
	}
	if best == 0 {
		return
	}
	e := equation{best, eq, eq[k.Mono(best)], d.of}
	p.eqs = append(p.eqs, e)
	for i := range p.view {
		p.view[i].reduce(&e)
	}
	// the range of the pivot becomes one of the rest: coeff·pivot = -rest
	rest := maps.Clone(eq)
	delete(rest, k.Mono(best))
	b := c.Bound[best]
	x, y := mul(neg(e.coeff), b.Lo), mul(neg(e.coeff), b.Hi)
	p.view = append(p.view, seen{rest, k.Interval{Lo: minInt(x, y), Hi: maxInt(x, y)}, d.of})
}

// The limits of the beam search: steps, candidates for a step, and states.
const (
	beamDepth = 6
	beamMonos = 32
	beamWidth = 4
	deepWidth = 40
)

// A state of the beam: poly = scale·p + combination, and at most bound·scale.
type beamState struct {
	poly  k.Poly
	scale *big.Int
	top   *big.Int // largest value of poly
	bound *big.Int // of p
	of    rats
}

// compare orders states by their bounds; fine does so before they are rounded.
func (s *beamState) compare(t *beamState, fine bool) int {
	if fine {
		return mul(s.top, t.scale).Cmp(mul(t.top, s.scale))
	}
	return s.bound.Cmp(t.bound)
}

// beam looks for an upper bound, or a lower one, of p/d by combining facts,
// and stops once it reaches target. Facts that rest on the key skip are left out.
func (p *path) beam(poly k.Poly, d, target *big.Int, lower bool, skip k.Key, width int) (*big.Int, k.Comb) {
	c := p.Ctx
	p.sync()
	if lower {
		poly, target = poly.Scale(mone), neg(target)
	}
	b := bounder{ctx: c, d: d, spans: map[k.Mono]k.Interval{}, polys: map[*seen]k.Poly{}}
	rests := func(of rats) bool { _, ok := of[skip]; return skip != 0 && ok }

	poly = c.Simplify(poly)
	best := beamState{poly: poly, scale: one}
	b.bound(&best)
	states := []beamState{best}
	n := best
	for i := range p.eqs {
		if e := &p.eqs[i]; !rests(e.of) {
			n.eliminate(e)
		}
	}
	if n.of != nil {
		n.poly = c.Simplify(n.poly)
		b.bound(&n)
		states = append(states, n)
		if n.bound.Cmp(best.bound) < 0 {
			best = n
		}
	}
	known := map[string]bool{}
	for depth := 0; depth < beamDepth && best.bound.Cmp(target) > 0; depth++ {
		var next []candidate
		for i := range states {
			for _, m := range b.widest(states[i].poly) {
				for fi := range p.view {
					f := &p.view[fi]
					if fc, ok := f.poly[m]; ok && !rests(f.of) {
						if t, ok := b.combine(&states[i], f, fc, m, p.fine); ok {
							next = append(next, t)
						}
					}
				}
			}
		}
		sort.SliceStable(next, func(i, j int) bool {
			if x := next[i].compare(&next[j].beamState, p.fine); x != 0 {
				return x < 0
			}
			return next[i].terms < next[j].terms
		})
		states = nil // candidates point to the old ones
		for i := range next {
			t := next[i].build()
			key := t.scale.Text(62) + t.poly.String()
			if !known[key] {
				known[key] = true
				if states = append(states, t); len(states) == width {
					break
				}
			}
		}
		if len(states) == 0 {
			break
		}
		if states[0].bound.Cmp(best.bound) < 0 {
			best = states[0]
		}
	}
	limit := best.bound
	if lower {
		limit = neg(limit)
	}
	return limit, best.comb(lower)
}

// eliminate uses an equation on the state.
func (s *beamState) eliminate(e *equation) {
	if q, f, t, ok := e.eliminate(s.poly); ok {
		s.of = rats(nil).plus(s.of, rat(f)).plus(e.of, rat(neg(t)))
		s.poly, s.scale = q, mul(s.scale, f)
	}
}

// eliminate uses every known equation on the state.
func (p *path) eliminate(s *beamState) {
	p.sync()
	for i := range p.eqs {
		s.eliminate(&p.eqs[i])
	}
}

// comb returns the state as the kernel's combination.
func (s *beamState) comb(lower bool) k.Comb {
	den := big.NewInt(1)
	for _, x := range s.of {
		g := new(big.Int).GCD(nil, nil, den, x.Denom())
		den = mul(den, new(big.Int).Div(x.Denom(), g))
	}
	cb := k.Comb{Scale: mul(s.scale, den)}
	for _, key := range slices.Sorted(maps.Keys(s.of)) {
		t := neg(new(big.Rat).Mul(s.of[key], rat(den)).Num())
		if lower {
			t.Neg(t)
		}
		if t.Sign() != 0 {
			cb.Terms = append(cb.Terms, k.Term{Fact: key, K: t})
		}
	}
	return cb
}

// lowerTop and raiseBottom sharpen the interval i of p/d until its end reaches
// target, and add the combinations that do it to ks. Deep looks longer.
func (p *path) lowerTop(poly k.Poly, d *big.Int, i *k.Interval, target *big.Int, ks *[]k.Comb, deep bool) bool {
	for _, width := range []int{beamWidth, deepWidth} {
		if i.Hi.Cmp(target) <= 0 || width > beamWidth && !deep {
			break
		}
		if b, cb := p.beam(poly, d, target, false, 0, width); b.Cmp(i.Hi) < 0 {
			p.apply(poly, d, i, cb, ks)
		}
	}
	return i.Hi.Cmp(target) <= 0
}

func (p *path) raiseBottom(poly k.Poly, d *big.Int, i *k.Interval, target *big.Int, ks *[]k.Comb, deep bool) bool {
	for _, width := range []int{beamWidth, deepWidth} {
		if i.Lo.Cmp(target) >= 0 || width > beamWidth && !deep {
			break
		}
		if b, cb := p.beam(poly, d, target, true, 0, width); b.Cmp(i.Lo) > 0 {
			p.apply(poly, d, i, cb, ks)
		}
	}
	return i.Lo.Cmp(target) >= 0
}

func (p *path) apply(poly k.Poly, d *big.Int, i *k.Interval, cb k.Comb, ks *[]k.Comb) {
	j, ok := p.Ctx.CombRange(poly, d, cb)
	if !ok {
		return
	}
	i.Lo, i.Hi = maxInt(i.Lo, j.Lo), minInt(i.Hi, j.Hi)
	if len(cb.Terms) > 0 {
		*ks = append(*ks, cb)
	}
}
