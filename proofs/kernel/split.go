package kernel

import "math/big"

// A HintKind says which rule divides a word.
type HintKind int

// The rules. Without a hint, the high part must be known from the ranges, or
// both parts become variables.
const (
	HintComb  HintKind = iota // sharpen the range by Combs
	HintSame                  // the low part is that of Var
	HintLow                   // the low part is the word at Loc
	HintExact                 // the low part is 0
	HintFunc                  // the high part is E0 or E1, by the bit at Loc
	HintAlt                   // add to the word 2^k times Var, an earlier high part
)

// A Hint helps with one operation.
type Hint struct {
	Kind   HintKind
	Combs  []Comb
	Var    Var
	Loc    Loc
	E0, E1 *big.Int
}

// split divides the word by 2^k, at operation pc, and returns the remainder
// and the quotient. Fresh reports that both became variables.
func (s *State) split(pc int, k uint, w *Word, h Hint) (low, high *Word, fresh bool) {
	c := s.Ctx
	x := c.SimplifyWord(w)
	m := pow2(k)
	div := func(z *big.Int) *big.Int { return floorDiv(z, m) }
	if f := x.Fn; f != nil {
		return FuncWord(f.Bit, mod(f.V0, m), mod(f.V1, m)), FuncWord(f.Bit, div(f.V0), div(f.V1)), false
	}
	var ks []Comb
	if h.Kind == HintComb {
		ks = h.Combs
	}
	i := c.WordRange(x, ks)
	q0, q1 := div(i.Lo), div(i.Hi)
	if low, high = known(x, i, m); low != nil {
		return low, high, false
	}
	switch h.Kind {
	case HintExact:
		return ConstWord(zero), quotient(x, ConstWord(zero), k, q0, q1), false
	case HintSame, HintLow:
		y := c.Lows[h.Var]
		if h.Kind == HintLow {
			y = s.Regs[h.Loc]
		}
		if y == nil || y.Lo.Sign() < 0 || y.Hi.Cmp(m) >= 0 {
			Refuse("operation %d: variable %d, or location %d, is no known low part below 2^%d", pc, h.Var, h.Loc, k)
		}
		return y, quotient(x, y, k, q0, q1), false
	case HintAlt:
		y := c.Defs[h.Var]
		if y == nil {
			Refuse("operation %d: variable %d is no known high part", pc, h.Var)
		}
		t := c.SimplifyWord(AddWords(x, ScaleWord(m, y)))
		low, high = known(t, c.WordRange(t, h.Combs), m)
		if low == nil {
			Refuse("operation %d: the high part is not known with variable %d added", pc, h.Var)
		}
		return low, AddWords(high, ScaleWord(mone, y)), false
	case HintFunc:
		f := s.MustFunc(h.Loc)
		q := FuncWord(f.Bit, h.E0, h.E1)
		t := AddWords(x, ScaleWord(neg(m), q))
		j := c.WordRange(t, h.Combs)
		if j.Lo.Sign() < 0 || j.Hi.Cmp(m) >= 0 {
			Refuse("operation %d: the low part is between %v and %v, want below 2^%d", pc, j.Lo, j.Hi, k)
		}
		t.Lo, t.Hi = j.Lo, j.Hi
		return t, q, false
	}
	lv, hv := Var(2*pc), Var(2*pc+1)
	top := sub(m, one)
	low = &Word{A: x.A.AddScaled(PolyVar(hv), neg(m)), C: PolyVar(lv), Lo: zero, Hi: top}
	high = &Word{A: PolyVar(hv), C: x.C.AddScaled(PolyVar(lv), neg(pow2(x.E))), E: x.E + k, Lo: q0, Hi: q1}
	c.Bound[lv] = Interval{zero, top}
	c.Bound[hv] = Interval{q0, q1}
	c.AddFact(Key(hv), high.C, Interval{q0, q1}.scale(pow2(high.E)))
	c.Defs[hv] = high
	c.Lows[lv] = low
	return low, high, true
}

// known divides x, which lies in i, by m, if its range leaves one quotient or
// two values; else it returns nil.
func known(x *Word, i Interval, m *big.Int) (low, high *Word) {
	q0, q1 := floorDiv(i.Lo, m), floorDiv(i.Hi, m)
	if q0.Cmp(q1) == 0 {
		t := mul(q0, m)
		w := AddWords(x, ConstWord(neg(t)))
		return &Word{A: w.A, C: w.C, E: w.E, Lo: sub(i.Lo, t), Hi: sub(i.Hi, t)}, ConstWord(q0)
	}
	if sub(i.Hi, i.Lo).Cmp(one) == 0 {
		w := AddWords(x, ConstWord(neg(i.Lo)))
		b := &Bit{w.A, w.C, w.E}
		return FuncWord(b, mod(i.Lo, m), mod(i.Hi, m)), FuncWord(b, q0, q1)
	}
	return nil, nil
}

// quotient returns (x-y)/2^k, which lies between q0 and q1, if the
// coefficients of the A-form allow it.
func quotient(x, y *Word, k uint, q0, q1 *big.Int) *Word {
	d := SubWords(x, y)
	a, ok := d.A.Divide(k)
	if !ok {
		Refuse("a coefficient is not divisible by 2^%d", k)
	}
	return &Word{A: a, C: d.C, E: d.E + k, Lo: q0, Hi: q1}
}
