package search

import (
	"math/big"
	"slices"
	"sort"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// A bounder bounds the many polynomials that one beam search tries. It keeps what
// they share: the ranges of products, and facts in their simplified form.
type bounder struct {
	ctx   *k.Context
	d     *big.Int // the polynomial in question is d times what is to be bounded
	spans map[k.Mono]k.Interval
	polys map[*seen]k.Poly

	coeff, part, top big.Int // for sums in progress
}

// span returns the range of a product.
func (b *bounder) span(m k.Mono) k.Interval {
	i, ok := b.spans[m]
	if !ok {
		if i, ok = b.ctx.MonoRange(m); !ok {
			k.Refuse("a variable of %v has no range", k.Poly{m: one})
		}
		b.spans[m] = i
	}
	return i
}

// add adds the largest value of coeff·m to top, and reports whether there is any.
func (b *bounder) add(m k.Mono) bool {
	switch b.coeff.Sign() {
	case 0:
		return false
	case 1:
		b.top.Add(&b.top, b.part.Mul(&b.coeff, b.span(m).Hi))
	default:
		b.top.Add(&b.top, b.part.Mul(&b.coeff, b.span(m).Lo))
	}
	return true
}

// bound fills in the bounds of a state, from its polynomial and scale.
func (b *bounder) bound(s *beamState) {
	b.top.SetInt64(0)
	for m, x := range s.poly {
		b.coeff.Set(x)
		b.add(m)
	}
	s.top = new(big.Int).Set(&b.top)
	s.bound = floorDiv(s.top, mul(s.scale, b.d))
}

// A candidate is a state of which only the bounds are computed yet: times·from
// plus factor·fact plus limit.
type candidate struct {
	beamState
	from                 *beamState
	fact                 *seen
	poly                 k.Poly // of the fact, simplified
	times, factor, limit *big.Int
	terms                int // of the polynomial
}

// combine adds to a state the fact times what cancels the product m, in which the
// fact has the coefficient fc. It reports whether the bound is not worse than before.
func (b *bounder) combine(cur *beamState, f *seen, fc *big.Int, m k.Mono, fine bool) (t candidate, ok bool) {
	pc := cur.poly[m]
	x, y := abs(fc), abs(pc)
	g := new(big.Int).GCD(nil, nil, x, y)
	x.Div(x, g)
	y.Div(y, g)
	limit := neg(mul(y, f.Lo)) // y·(f - lo) ≥ 0
	if fc.Sign() == pc.Sign() {
		limit = mul(y, f.Hi) // y·(hi - f) ≥ 0
		y.Neg(y)
	}
	poly, ok := b.polys[f]
	if !ok {
		poly = b.ctx.Simplify(f.poly)
		b.polys[f] = poly
	}
	t = candidate{from: cur, fact: f, poly: poly, times: x, factor: y, limit: limit}
	t.scale = mul(cur.scale, x)
	b.sum(&t)
	t.top = &b.top // until it is known that the candidate stays
	t.bound = floorDiv(t.top, mul(t.scale, b.d))
	if t.compare(cur, fine) > 0 {
		return t, false
	}
	t.top = new(big.Int).Set(t.top)
	return t, true
}

// sum computes in b.top the largest value of the candidate's polynomial, and counts
// its terms.
func (b *bounder) sum(t *candidate) {
	b.top.SetInt64(0)
	last := func(m k.Mono) {
		if m == 0 {
			b.coeff.Add(&b.coeff, t.limit)
		}
		if b.add(m) {
			t.terms++
		}
	}
	for m, x := range t.from.poly {
		b.coeff.Mul(t.times, x)
		if y, ok := t.poly[m]; ok {
			b.coeff.Add(&b.coeff, b.part.Mul(t.factor, y))
		}
		last(m)
	}
	for m, y := range t.poly {
		if _, ok := t.from.poly[m]; !ok {
			b.coeff.Mul(t.factor, y)
			last(m)
		}
	}
	if t.from.poly[0] == nil && t.poly[0] == nil {
		b.coeff.SetInt64(0)
		last(0)
	}
}

// build computes the polynomial and the combination of facts.
func (t *candidate) build() beamState {
	s := t.beamState
	s.poly = t.from.poly.Scale(t.times).AddScaled(t.poly, t.factor).Add(k.PolyConst(t.limit))
	s.of = rats(nil).plus(t.from.of, rat(t.times)).plus(t.fact.of, rat(t.factor))
	return s
}

// widest returns the products that contribute most to the range of p.
func (b *bounder) widest(p k.Poly) []k.Mono {
	ms := p.Monos()
	width := make(map[k.Mono]*big.Int, len(ms))
	for _, m := range ms {
		i := b.span(m)
		width[m] = mul(abs(p[m]), sub(i.Hi, i.Lo))
	}
	ms = slices.DeleteFunc(ms, func(m k.Mono) bool { return m == 0 })
	sort.SliceStable(ms, func(i, j int) bool { return width[ms[i]].Cmp(width[ms[j]]) > 0 })
	return ms[:min(len(ms), beamMonos)]
}
