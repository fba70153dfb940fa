package kernel

import (
	"fmt"
	"maps"
	"math/big"
)

// A Refusal is the reason why a certificate or a program is not accepted.
type Refusal struct{ reason string }

func (r *Refusal) Error() string { return r.reason }

// Refuse gives up; Try turns it into an error.
func Refuse(format string, args ...any) { panic(&Refusal{fmt.Sprintf(format, args...)}) }

// Try calls f and returns the Refusal that ended it, if any.
func Try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Refusal:
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// A State is what is known at one point of a run: of some locations, and of
// the variables.
type State struct {
	Regs map[Loc]*Word
	Ctx  *Context
}

// Clone returns an independent copy.
func (s *State) Clone() *State { return &State{maps.Clone(s.Regs), s.Ctx.Clone()} }

// Get returns the word that a source stands for, or nil if it is not known.
func (s *State) Get(x Src) *Word {
	if x.Loc == 0 {
		return ConstWord(x.Imm)
	}
	return s.Regs[x.Loc]
}

func (s *State) need(x Src) *Word {
	w := s.Get(x)
	if w == nil {
		Refuse("location %d is read before it is written", x.Loc)
	}
	return w
}

// MustFunc returns the word at l as a function of a bit.
func (s *State) MustFunc(l Loc) *Func {
	if w := s.Regs[l]; w != nil {
		if f := w.Func(); f != nil {
			return f
		}
	}
	Refuse("the word at location %d is not known to be a function of a bit", l)
	return nil
}

// BitOp returns the function that a logical operation computes.
func BitOp(op Op) func(x, y *big.Int) *big.Int {
	return func(x, y *big.Int) *big.Int {
		switch op {
		case And:
			return new(big.Int).And(x, y)
		case Or:
			return new(big.Int).Or(x, y)
		}
		return new(big.Int).Xor(x, y)
	}
}

// lowMask returns k if z is 2^k - 1.
func lowMask(z *big.Int) (k uint, ok bool) {
	t := add(z, one)
	k = uint(t.BitLen() - 1)
	return k, t.TrailingZeroBits() == k
}

// highMask returns k if z is 2^64 - 2^k, and not 0.
func highMask(z *big.Int) (k uint, ok bool) {
	if z == nil || z.Sign() <= 0 || z.Cmp(WordMax) > 0 {
		return 0, false
	}
	return lowMask(sub(WordMax, z))
}

// Dividend returns the word that the operation divides by 2^k, or nil if it
// divides none.
func (s *State) Dividend(i *Instr) (w *Word, k uint) {
	switch i.Op {
	case Mul:
		return MulWords(s.need(i.A), s.need(i.B)), 64
	case Adc:
		return AddWords(AddWords(s.need(i.A), s.need(i.B)), s.need(i.C)), 64
	case Sbb:
		return AddWords(SubWords(s.need(i.A), s.need(i.B)), ScaleWord(mone, s.need(i.C))), 64
	case Shr:
		return s.need(i.A), i.N
	case Shl:
		return s.need(i.A), 64 - i.N
	case And:
		a, b := s.need(i.A), s.need(i.B)
		z := b.Const()
		if Apply2(BitOp(And), a, b) != nil || z == nil || !a.IsWord() || !b.IsWord() {
			return nil, 0
		}
		if k, ok := lowMask(z); ok {
			if k == 0 || k == 64 {
				return nil, 0
			}
			return a, k
		}
		if k, ok := highMask(z); ok && !i.B.isLoc() {
			return a, k
		}
	case Or:
		a, b := s.need(i.A), s.need(i.B)
		if k, ok := highMask(i.B.Imm); ok && Apply2(BitOp(Or), a, b) == nil && a.IsWord() {
			return a, k
		}
	}
	return nil, 0
}

// Step performs operation number pc. Fresh reports that its result became two
// variables.
func (s *State) Step(pc int, i *Instr, h Hint) (fresh bool) {
	if w, k := s.Dividend(i); w != nil {
		low, high, fresh := s.split(pc, k, w, h)
		switch i.Op {
		case Mul, Adc:
			s.Regs[i.D] = low
			s.Regs[i.D2] = high
		case Sbb:
			s.Regs[i.D] = low
			s.Regs[i.D2] = ScaleWord(mone, high)
		case Shr:
			s.Regs[i.D] = high
		case Shl:
			s.Regs[i.D] = ScaleWord(pow2(i.N), low)
		case And:
			if _, ok := lowMask(s.need(i.B).Const()); ok {
				s.Regs[i.D] = low
			} else {
				s.Regs[i.D] = ScaleWord(pow2(k), high)
			}
		case Or:
			s.Regs[i.D] = AddWords(low, ConstWord(i.B.Imm))
		}
		return fresh
	}
	switch i.Op {
	case Mov:
		if w := s.Get(i.A); w != nil {
			s.Regs[i.D] = w
		} else {
			delete(s.Regs, i.D)
		}
	case Cmov:
		c, a, b := s.need(i.A), s.need(i.B), s.need(i.C)
		switch z := c.Const(); {
		case z == nil:
			Refuse("operation %d: the condition is not known", pc)
		case z.Sign() == 0:
			s.Regs[i.D] = b
		default:
			s.Regs[i.D] = a
		}
	case IsZero:
		s.isZero(pc, i)
	case And, Or, Xor:
		s.logic(pc, i)
	case Bzhi:
		Refuse("operation %d: a variable number of low bits", pc)
	default:
		Refuse("operation %d: unknown operation %d", pc, i.Op)
	}
	return false
}

func (s *State) isZero(pc int, i *Instr) {
	a := s.need(i.A)
	w := apply1(func(x *big.Int) *big.Int {
		if x.Sign() == 0 {
			return one
		}
		return zero
	}, a)
	if w == nil {
		v := Var(2 * pc)
		w = VarWord(v, zero, one)
		s.Ctx.bound(v, Interval{zero, one})
		s.Ctx.Zeros[v] = a
	}
	s.Regs[i.D] = w
}

// Disjoint reports whether no bits of the words coincide: b < 2^n, and a is a
// multiple of 2^n.
func Disjoint(a, b *Word) bool { return a.A.divisible(pow2(uint(b.Hi.BitLen()))) }

// logic handles the logical operations that do not divide.
func (s *State) logic(pc int, i *Instr) {
	c := s.Ctx
	a, b := s.need(i.A), s.need(i.B)
	if w := Apply2(BitOp(i.Op), a, b); w != nil {
		s.Regs[i.D] = w
		return
	}
	if !a.IsWord() || !b.IsWord() {
		Refuse("operation %d: an operand may not fit in 64 bits", pc)
	}
	z := b.Const()
	v := Var(2 * pc)
	w := VarWord(v, zero, WordMax)
	switch {
	case i.Op == And && z != nil && z.Sign() == 0:
		w = ConstWord(zero)
	case i.Op == And && z != nil && z.Cmp(WordMax) == 0, i.Op == Xor && z != nil && z.Sign() == 0:
		w = a
	case i.Op == And && z == nil && i.B.Loc != 0:
		c.bound(v, Interval{zero, WordMax})
		e := SubWords(w, a) // w ≤ b, w ≤ a, w ≥ a + b - (2^64 - 1)
		c.addC(Key(4*int(v)), SubWords(b, w), zero, Radix)
		c.addC(Key(4*int(v)+2), e, neg(Radix), zero)
		c.addC(Key(8*int(v)+4), SubWords(AddWords(ConstWord(WordMax), e), b), zero, Radix)
	case i.Op == Xor && z != nil && z.Cmp(WordMax) == 0:
		w = SubWords(ConstWord(WordMax), a)
	case i.Op == Xor && z == nil && i.B.Loc != 0:
		c.bound(v, Interval{zero, WordMax})
		c.Xors[v] = [2]*Word{a, b}
	case i.Op == Or && i.B.Loc != 0:
		if Disjoint(a, b) {
			w = AddWords(a, b)
			break
		}
		c.bound(v, Interval{zero, WordMax})
		d := SubWords(w, b) // w ≥ b, w ≥ a, w ≤ a + b
		e := SubWords(a, w)
		c.addC(Key(4*int(v)), d, zero, Radix)
		c.addC(Key(4*int(v)+2), e, neg(Radix), zero)
		c.addC(Key(8*int(v)+4), AddWords(b, e), zero, Radix)
	default:
		Refuse("operation %d: a logical operation on two words that is not modelled", pc)
	}
	s.Regs[i.D] = w
}
