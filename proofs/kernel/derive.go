package kernel

import "math/big"

// A DeriveKind says which rule derives a fact from facts.
type DeriveKind int

// The rules.
const (
	DeriveLearn DeriveKind = iota // the range of Poly, by Combs
	DeriveProd                    // the product of the facts I and J
	DeriveXor                     // an exclusive or, Var, is 0 exactly if its operands are equal
)

// A Derivation is a step that looks at no operation.
type Derivation struct {
	Kind  DeriveKind
	Key   Key
	Poly  Poly
	Combs []Comb
	I, J  Key
	Var   Var
}

// ToC returns the C-form of an A-form: q and e such that q = 2^e·p.
func (c *Context) ToC(p Poly) (q Poly, e uint) {
	for m := range p {
		if d := c.Defs[Var(m)]; m>>16 == 0 && d != nil {
			e = max(e, d.E)
		}
	}
	q = Poly{}
	for m, k := range p {
		if d := c.Defs[Var(m)]; m>>16 == 0 && d != nil {
			q = q.AddScaled(d.C, mul(k, pow2(e-d.E)))
		} else {
			q.AddTerm(m, mul(k, pow2(e)))
		}
	}
	return q, e
}

// learnA records p = z, in the A-form.
func (c *Context) learnA(key Key, p Poly, z *big.Int) {
	v, k, ok := p.Single()
	switch {
	case ok && k.Cmp(one) == 0:
		c.bound(v, point(z))
	case ok && k.Cmp(mone) == 0:
		c.bound(v, point(neg(z)))
	default:
		c.AddFact(key, p, point(z))
	}
}

// Assume records that the bit is v.
func (c *Context) Assume(key Key, b *Bit, v int64) {
	z := big.NewInt(v)
	c.learnA(2*key, b.A, z)
	c.AddFact(2*key+1, b.C, point(mul(pow2(b.E), z)))
	x, k, ok := b.C.Single()
	if !ok || k.Cmp(one) != 0 || b.E != 0 {
		return
	}
	w := c.Zeros[x]
	switch {
	case w == nil:
	case v == 1:
		c.addC(4*key, w, zero, zero)
		c.learnA(4*key+2, w.A, zero)
	case w.Lo.Sign() >= 0:
		c.addC(4*key, w, one, w.Hi)
	}
}

// Learn records the range of p.
func (c *Context) Learn(key Key, p Poly, ks []Comb) Interval {
	i := c.PolyRange(p, ks)
	q, e := c.ToC(p)
	if v, k, ok := p.Single(); ok && k.Cmp(one) == 0 {
		c.bound(v, i)
	} else {
		c.AddFact(2*key, p, i)
	}
	c.AddFact(2*key+1, q, i.scale(pow2(e)))
	return i
}

// PolyRange returns the range of a polynomial in the A-form.
func (c *Context) PolyRange(p Poly, ks []Comb) Interval {
	i, ok := c.Range(p)
	if !ok {
		Refuse("a variable of %v has no range", p)
	}
	q, e := c.ToC(p)
	return c.CombsRange(q, pow2(e), ks, i)
}

// LearnCase records the range of p, by cases on a bit.
func (c *Context) LearnCase(key Key, p Poly, b *Bit, bitKey Key, ks [2][]Comb) {
	var is [2]Interval
	for v := range is {
		n := c.Clone()
		i0, ok := c.Range(p)
		if !ok {
			Refuse("a variable of %v has no range", p)
		}
		q, e := c.ToC(p)
		n.Assume(bitKey, b, int64(v))
		is[v] = n.CombsRange(q, pow2(e), ks[v], i0)
	}
	i := hull(is[0], is[1])
	q, e := c.ToC(p)
	c.AddFact(2*key, p, i)
	c.AddFact(2*key+1, q, i.scale(pow2(e)))
}

// Derive performs one step.
func (c *Context) Derive(d *Derivation) {
	switch d.Kind {
	case DeriveLearn:
		c.Learn(d.Key, d.Poly, d.Combs)
	case DeriveProd:
		f, ok := c.Facts[d.I]
		g, ok2 := c.Facts[d.J]
		if !ok || !ok2 {
			Refuse("a product of facts %d and %d, of which one is not known", d.I, d.J)
		}
		c.AddFact(d.Key, f.Poly.Mul(g.Poly), f.Interval.mul(g.Interval))
	case DeriveXor:
		ws, ok := c.Xors[d.Var]
		if !ok {
			Refuse("variable %d is no exclusive or", d.Var)
		}
		w := SubWords(ws[0], ws[1])
		if c.WordRange(w, d.Combs).IsPoint(zero) {
			c.bound(d.Var, point(zero))
			return
		}
		if i, ok := c.Bound[d.Var]; !ok || !i.IsPoint(zero) {
			Refuse("the exclusive or %d is not known to be 0, nor its operands to be equal", d.Var)
		}
		c.AddFact(2*d.Key, w.A, point(zero))
		c.AddFact(2*d.Key+1, w.C, point(zero))
	default:
		Refuse("unknown derivation %d", d.Kind)
	}
}

// Absurd reports whether the combination shows that no run has these facts.
func (c *Context) Absurd(k Comb) bool {
	i, ok := c.CombRange(Poly{}, one, k)
	return ok && (i.Lo.Sign() > 0 || i.Hi.Sign() < 0)
}

// Fork assumes that the bit is v, and replaces the words that it decides.
func (s *State) Fork(key Key, b *Bit, v int64) {
	s.Ctx.Assume(key, b, v)
	for l, w := range s.Regs {
		if w.Const() != nil {
			continue
		}
		f := w.Func()
		if f == nil || !b.equal(f.Bit) {
			continue
		}
		if v == 0 {
			s.Regs[l] = ConstWord(f.V0)
		} else {
			s.Regs[l] = ConstWord(f.V1)
		}
	}
}
