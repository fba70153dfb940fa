package amd64

// A Flag is one of the status flags that modelled instructions read.
// AF is left out: none of them reads it.
type Flag uint8

// The flags.
const (
	CF Flag = iota // carry
	PF             // parity of the low byte
	ZF             // zero
	SF             // sign
	OF             // signed overflow
)

// NumFlags is the number of flags.
const NumFlags = 5

func (f Flag) String() string { return [...]string{"CF", "PF", "ZF", "SF", "OF"}[f] }

// A Machine is one reading of the instructions: it holds the registers, flags
// and memory, and says what can be computed with words W and bits B.
//
// Operations take the width n in bits. Their operands are words of n bits,
// extended by zeros, and so are their results, unless stated otherwise. Words
// that Step passes to an operation it has obtained from Low, Load, Const or
// another operation, so a machine may look for undefined words in Low and Load
// alone; for bits, in Flag alone.
type Machine[W, B any] interface {
	Reg(r Reg) W         // all 64 bits, for Low, Insert or Store
	SetReg(r Reg, w W)   // all 64 bits
	Flag(f Flag) B       // to be used at once
	SetFlag(f Flag, b B) //
	Load(addr W, bytes int) W
	Store(addr W, bytes int, w W)

	Const(v uint64) W
	Low(n int, w W) W         // the low n bits of any word
	Insert(n int, old, w W) W // old with its low n bits replaced by w
	FromBit(b B) W            // 1 or 0
	Select(b B, w, v W) W     // w if b, else v

	Add(n int, w, v W, carry B) (sum W, c, o B)   // with unsigned carry and signed overflow
	Sub(n int, w, v W, borrow B) (diff W, c, o B) // with unsigned borrow and signed overflow
	Mul(n int, w, v W) (hi, lo W)                 // the unsigned product
	MulOverflow(n int, w, v W) B                  // whether the signed product exceeds n bits
	And(w, v W) W
	Or(w, v W) W
	Xor(w, v W) W
	Not(n int, w W) W
	Shl(n int, w, count W) W // 0 <= count < n, here and below
	Shr(n int, w, count W) W
	Sar(n int, w, count W) W

	IsZero(w W) B
	BitAt(w, i W) B // bit i, counted from the least significant one
	Parity(w W) B   // whether the low byte has an even number of ones

	Bit(v bool) B
	NotBit(b B) B
	OrBit(a, b B) B
	XorBit(a, b B) B
	Undefined() B // the value of a flag that the manual leaves undefined
}

// An ExitKind says where control goes after an instruction.
type ExitKind int

// The kinds of exit.
const (
	Next   ExitKind = iota // to the next instruction
	Jump                   // to Target
	Branch                 // to Target if Cond, else to the next instruction
	Return                 // to the caller
)

// An Exit is what an instruction does to the flow of control.
type Exit[B any] struct {
	Kind   ExitKind
	Target int
	Cond   B
}
