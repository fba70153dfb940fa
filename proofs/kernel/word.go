package kernel

import "math/big"

// An Interval is the set of the integers from Lo to Hi.
type Interval struct{ Lo, Hi *big.Int }

func point(z *big.Int) Interval { return Interval{z, z} }

func (a Interval) intersect(b Interval) Interval {
	return Interval{maxInt(a.Lo, b.Lo), minInt(a.Hi, b.Hi)}
}

func (a Interval) mul(b Interval) Interval {
	w, x, y, z := mul(a.Lo, b.Lo), mul(a.Lo, b.Hi), mul(a.Hi, b.Lo), mul(a.Hi, b.Hi)
	return Interval{minInt(minInt(w, x), minInt(y, z)), maxInt(maxInt(w, x), maxInt(y, z))}
}

// scale returns the interval of k·x for x in a.
func (a Interval) scale(k *big.Int) Interval {
	if k.Sign() >= 0 {
		return Interval{mul(k, a.Lo), mul(k, a.Hi)}
	}
	return Interval{mul(k, a.Hi), mul(k, a.Lo)}
}

func (a Interval) add(b Interval) Interval { return Interval{add(a.Lo, b.Lo), add(a.Hi, b.Hi)} }

// hull returns an interval around both; empty ones are left out.
func hull(a, b Interval) Interval {
	switch {
	case a.Hi.Cmp(a.Lo) < 0:
		return b
	case b.Hi.Cmp(b.Lo) < 0:
		return a
	}
	return Interval{minInt(a.Lo, b.Lo), maxInt(a.Hi, b.Hi)}
}

// IsPoint reports whether the interval is the single integer z.
func (a Interval) IsPoint(z *big.Int) bool { return a.Lo.Cmp(z) == 0 && a.Hi.Cmp(z) == 0 }

// A Bit is a value that is 0 or 1, in both forms of a Word.
type Bit struct {
	A, C Poly
	E    uint
}

func (b *Bit) equal(c *Bit) bool { return b == c || b.E == c.E && b.C.Equal(c.C) }

// A Func says that a word is V0 where the bit is 0, and V1 where it is 1.
type Func struct {
	*Bit
	V0, V1 *big.Int
}

// A Word is an integer that a run computes, such as a register's contents or
// a sum before it is reduced. It equals A, a polynomial over inputs and over
// what operations carried out, and C/2^E, a polynomial over inputs and the low
// words of results; it lies in the interval from Lo to Hi. Words are values:
// no function changes one that it was given.
type Word struct {
	A, C   Poly
	E      uint
	Lo, Hi *big.Int
	Fn     *Func // nil unless it is known to be a function of a bit
}

// ConstWord returns the word that is z.
func ConstWord(z *big.Int) *Word { return &Word{A: PolyConst(z), C: PolyConst(z), Lo: z, Hi: z} }

// VarWord returns the word that is the variable v.
func VarWord(v Var, lo, hi *big.Int) *Word {
	return &Word{A: PolyVar(v), C: PolyVar(v), Lo: lo, Hi: hi}
}

// Const returns the word's value if it is known, else nil.
func (w *Word) Const() *big.Int {
	if w.Lo.Cmp(w.Hi) == 0 {
		return w.Lo
	}
	return nil
}

// Func returns the word as a function of a bit, or nil.
func (w *Word) Func() *Func {
	if w.Fn != nil {
		return w.Fn
	}
	if w.Lo.Sign() >= 0 && w.Hi.Cmp(one) <= 0 {
		return &Func{&Bit{w.A, w.C, w.E}, zero, one}
	}
	return nil
}

// FuncWord returns the word that is v0 or v1, by the bit b.
func FuncWord(b *Bit, v0, v1 *big.Int) *Word {
	if v0.Cmp(v1) == 0 {
		return ConstWord(v0)
	}
	d := sub(v1, v0)
	return &Word{
		A: PolyConst(v0).AddScaled(b.A, d), C: PolyConst(mul(v0, pow2(b.E))).AddScaled(b.C, d), E: b.E,
		Lo: minInt(v0, v1), Hi: maxInt(v0, v1), Fn: &Func{b, v0, v1},
	}
}

// apply1 returns f of the word if it is a function of at most one bit.
func apply1(f func(*big.Int) *big.Int, w *Word) *Word {
	if z := w.Const(); z != nil {
		return ConstWord(f(z))
	}
	if fn := w.Func(); fn != nil {
		return FuncWord(fn.Bit, f(fn.V0), f(fn.V1))
	}
	return nil
}

// Apply2 returns f of two words that are functions of at most one common bit.
func Apply2(f func(x, y *big.Int) *big.Int, a, b *Word) *Word {
	if z := a.Const(); z != nil {
		return apply1(func(y *big.Int) *big.Int { return f(z, y) }, b)
	}
	if z := b.Const(); z != nil {
		return apply1(func(x *big.Int) *big.Int { return f(x, z) }, a)
	}
	p, q := a.Func(), b.Func()
	if p == nil || q == nil || !p.equal(q.Bit) {
		return nil
	}
	return FuncWord(p.Bit, f(p.V0, q.V0), f(p.V1, q.V1))
}

// withFunc returns w, which is a function of a bit if f is.
func (w *Word) withFunc(f *Word) *Word {
	if f != nil {
		w.Fn = f.Fn
	}
	return w
}

// lift returns the C-form with exponent e, which is at least w.E.
func (w *Word) lift(e uint) Poly { return w.C.Scale(pow2(e - w.E)) }

// AddWords returns a + b, not reduced.
func AddWords(a, b *Word) *Word {
	e := max(a.E, b.E)
	w := &Word{A: a.A.Add(b.A), C: a.lift(e).Add(b.lift(e)), E: e, Lo: add(a.Lo, b.Lo), Hi: add(a.Hi, b.Hi)}
	return w.withFunc(Apply2(add, a, b))
}

// ScaleWord returns k·a.
func ScaleWord(k *big.Int, a *Word) *Word {
	i := Interval{a.Lo, a.Hi}.scale(k)
	w := &Word{A: a.A.Scale(k), C: a.C.Scale(k), E: a.E, Lo: i.Lo, Hi: i.Hi}
	if f := a.Func(); f != nil {
		w.Fn = &Func{f.Bit, mul(k, f.V0), mul(k, f.V1)}
	}
	return w
}

// SubWords returns a - b.
func SubWords(a, b *Word) *Word { return AddWords(a, ScaleWord(mone, b)) }

// MulWords returns a·b.
func MulWords(a, b *Word) *Word {
	i := Interval{a.Lo, a.Hi}.mul(Interval{b.Lo, b.Hi})
	w := &Word{A: a.A.Mul(b.A), C: a.C.Mul(b.C), E: a.E + b.E, Lo: i.Lo, Hi: i.Hi}
	return w.withFunc(Apply2(mul, a, b))
}

// IsWord reports whether the value is known to fit in 64 bits.
func (w *Word) IsWord() bool { return w.Lo.Sign() >= 0 && w.Hi.Cmp(WordMax) <= 0 }

// Radix is 2^64, and WordMax the largest word.
var (
	Radix   = pow2(64)
	WordMax = sub(Radix, one)
)
