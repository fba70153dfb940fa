package kernel

import (
	"maps"
	"math/big"
)

// A Key names a known fact.
type Key int

// A Fact says that the value of a polynomial lies in an interval.
type Fact struct {
	Poly
	Interval
}

// A Context is what is known of the variables.
type Context struct {
	Bound map[Var]Interval
	Facts map[Key]Fact
	Defs  map[Var]*Word    // the high part that a variable stands for
	Lows  map[Var]*Word    // the low part or input word that a variable stands for
	Zeros map[Var]*Word    // the variable is 1 where the word is 0, else 0
	Xors  map[Var][2]*Word // the variable is the exclusive or of two words

	// Order lists the keys of Facts, oldest first.
	Order []Key
}

// NewContext returns a context in which nothing is known.
func NewContext() *Context {
	return &Context{
		Bound: map[Var]Interval{}, Facts: map[Key]Fact{}, Defs: map[Var]*Word{},
		Lows: map[Var]*Word{}, Zeros: map[Var]*Word{}, Xors: map[Var][2]*Word{},
	}
}

// Clone returns a copy to which facts can be added.
func (c *Context) Clone() *Context {
	return &Context{
		Bound: maps.Clone(c.Bound), Facts: maps.Clone(c.Facts), Defs: maps.Clone(c.Defs), Lows: maps.Clone(c.Lows),
		Zeros: maps.Clone(c.Zeros), Xors: maps.Clone(c.Xors), Order: append([]Key(nil), c.Order...),
	}
}

// AddFact records that p lies in i.
func (c *Context) AddFact(key Key, p Poly, i Interval) {
	if _, ok := c.Facts[key]; !ok {
		c.Order = append(c.Order, key)
	}
	c.Facts[key] = Fact{p, i}
}

// addC records that the word lies between lo and hi, in its C-form.
func (c *Context) addC(key Key, w *Word, lo, hi *big.Int) {
	c.AddFact(key, w.C, Interval{lo, hi}.scale(pow2(w.E)))
}

// bound records that the variable lies in i.
func (c *Context) bound(v Var, i Interval) {
	if j, ok := c.Bound[v]; ok {
		i = j.intersect(i)
	}
	c.Bound[v] = i
}

// MonoRange returns an interval that holds the product.
func (c *Context) MonoRange(m Mono) (Interval, bool) {
	i := point(one)
	for ; m != 0; m >>= 16 {
		j, ok := c.Bound[Var(m)]
		if !ok {
			return Interval{}, false
		}
		i = j.mul(i)
	}
	return i, true
}

// Range returns an interval that holds the polynomial.
func (c *Context) Range(p Poly) (Interval, bool) {
	lo, hi := new(big.Int), new(big.Int)
	t := new(big.Int)
	for m, k := range p {
		i, ok := c.MonoRange(m)
		if !ok {
			return Interval{}, false
		}
		if k.Sign() < 0 {
			i.Lo, i.Hi = i.Hi, i.Lo
		}
		lo.Add(lo, t.Mul(k, i.Lo))
		hi.Add(hi, t.Mul(k, i.Hi))
	}
	return Interval{lo, hi}, true
}

// Simplify replaces the variables whose value is known, and v·v by v for v in {0, 1}.
func (c *Context) Simplify(p Poly) Poly {
	var r Poly // nil while there is nothing to replace
	for m := range p {
		if k, n := c.simplifyMono(m); k != nil || n != m {
			r = make(Poly, len(p))
			break
		}
	}
	if r == nil {
		return p
	}
	for m, k := range p {
		f, n := c.simplifyMono(m)
		if f != nil {
			k = mul(k, f)
		}
		r.AddTerm(n, k)
	}
	return r
}

// simplifyMono returns a factor, nil for 1, and what remains of the product.
func (c *Context) simplifyMono(m Mono) (k *big.Int, rest Mono) {
	shift := 0
	last := Var(0)
	for ; m != 0; m >>= 16 {
		v := Var(m)
		if i, ok := c.Bound[v]; ok {
			if i.Lo.Cmp(i.Hi) == 0 {
				if k == nil {
					k = one
				}
				k = mul(k, i.Lo)
				continue
			}
			if v == last && i.Lo.Sign() == 0 && i.Hi.Cmp(one) == 0 {
				continue
			}
		}
		rest |= Mono(v) << shift
		shift += 16
		last = v
	}
	return k, rest
}

// SimplifyWord simplifies both forms.
func (c *Context) SimplifyWord(w *Word) *Word {
	r := *w
	r.A, r.C = c.Simplify(w.A), c.Simplify(w.C)
	return &r
}

// A Term is a fact times K.
type Term struct {
	Fact Key
	K    *big.Int
}

// A Comb bounds a polynomial p by facts: Scale·p is the sum of the terms and
// of a rest, which is bounded by the ranges of its variables.
type Comb struct {
	Scale *big.Int
	Terms []Term
}

// CombRange returns the interval of x where p = d·x, by the combination.
func (c *Context) CombRange(p Poly, d *big.Int, k Comb) (Interval, bool) {
	ad := mul(k.Scale, d)
	if ad.Sign() <= 0 {
		return Interval{}, false
	}
	f := Poly{}
	sum := point(zero)
	for _, t := range k.Terms {
		if q, ok := c.Facts[t.Fact]; ok {
			f = f.AddScaled(q.Poly, t.K)
			sum = sum.add(q.Interval.scale(t.K))
		}
	}
	j, ok := c.Range(c.Simplify(p.Scale(k.Scale).Sub(f)))
	if !ok {
		return Interval{}, false
	}
	j = j.add(sum)
	return Interval{ceilDiv(j.Lo, ad), floorDiv(j.Hi, ad)}, true
}

// CombsRange returns the interval of x, which lies in i, where p = d·x.
func (c *Context) CombsRange(p Poly, d *big.Int, ks []Comb, i Interval) Interval {
	if j, ok := c.CombRange(p, d, Comb{Scale: one}); ok {
		i = i.intersect(j)
	}
	for _, k := range ks {
		if j, ok := c.CombRange(p, d, k); ok {
			i = i.intersect(j)
		}
	}
	return i
}

// WordRange returns the interval of the word.
func (c *Context) WordRange(w *Word, ks []Comb) Interval {
	i := Interval{w.Lo, w.Hi}
	if j, ok := c.Range(w.A); ok {
		i = j.intersect(i)
	}
	return c.CombsRange(w.C, pow2(w.E), ks, i)
}
