package kernel

import "math/big"

// A Loc is a place that holds a word: a register, a flag, or a word of a
// buffer (see Slot). 0 is none.
type Loc int

// A Src is what an operation reads: a location, or the constant Imm if Loc is 0.
type Src struct {
	Loc Loc
	Imm *big.Int
}

func at(l Loc) Src          { return Src{Loc: l} }
func imm(z *big.Int) Src    { return Src{Imm: z} }
func immInt(z int64) Src    { return Src{Imm: big.NewInt(z)} }
func (x Src) isLoc() bool   { return x.Loc != 0 }
func (x Src) is(l Loc) bool { return l != 0 && x.Loc == l }

// An Op is an operation on words; Instr.v says what each one does.
type Op int

// The operations, with the operands that they use.
const (
	Mov    Op = iota // D := A
	Mul              // D2, D := high and low word of A·B
	Adc              // D, D2 := sum and carry of A + B + C
	Sbb              // D, D2 := difference and borrow of A - B - C
	Cmov             // D := B if A is not 0, else C
	And              // D := A and B
	Or               //
	Xor              //
	Shr              // D := A shifted right by N
	Shl              // D := A shifted left by N
	IsZero           // D := 1 if A is 0, else 0
	Bzhi             // D := the low B mod 256 bits of A
)

// An Instr is one operation.
type Instr struct {
	Op      Op
	D, D2   Loc
	A, B, C Src
	N       uint
}

// Sources returns the operands that the operation reads.
func (i *Instr) Sources() []Src {
	switch i.Op {
	case Mov, Shr, Shl, IsZero:
		return []Src{i.A}
	case Mul, And, Or, Xor, Bzhi:
		return []Src{i.A, i.B}
	}
	return []Src{i.A, i.B, i.C}
}

// Results returns the locations that the operation writes.
func (i *Instr) Results() []Loc {
	switch i.Op {
	case Mul, Adc, Sbb:
		return []Loc{i.D, i.D2}
	}
	return []Loc{i.D}
}

// Reads returns the locations that the operation reads.
func (i *Instr) Reads() []Loc {
	var ls []Loc
	for _, x := range i.Sources() {
		if x.isLoc() {
			ls = append(ls, x.Loc)
		}
	}
	return ls
}
