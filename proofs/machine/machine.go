// Package machine is what the meanings of instructions are written over, on every
// architecture: an abstract machine.
//
// A machine whose words are integers is an emulator; one whose words are labels
// follows secrets through code.
package machine

// A Machine is one reading of the instructions of an architecture with registers
// R and flags F: it holds the registers, flags and memory, and says what can be
// computed with words W and bits B.
//
// Operations take the width n in bits. Their operands are words of n bits,
// extended by zeros, and so are their results, unless stated otherwise. Words
// that Step passes to an operation it has obtained from Low, Load, Const or
// another operation, so a machine may look for undefined words in Low and Load
// alone; for bits, in Flag alone.
type Machine[R, F, W, B any] interface {
	Reg(r R) W        // all 64 bits, for Low, Insert or Store
	SetReg(r R, w W)  // all 64 bits
	Flag(f F) B       // to be used at once
	SetFlag(f F, b B) //
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

// An Inst is a decoded instruction.
type Inst interface {
	Span() (offset, length int) // in bytes, from the start of the routine
	String() string             // in the syntax of the architecture's package
}
