// Package arm64 decodes A64 machine code and gives its instructions their meaning.
//
// It knows the instructions of the routines of this module and no others: what
// has no meaning here is refused by name. Aliases are undone (CMP is SUBS, MUL is
// MADD), except that the shifts by a constant keep their names. The meaning of an
// instruction is written once, in Step, over a [Machine], as in package amd64; the
// source is the Arm Architecture Reference Manual for A-profile (DDI 0487), C6.2.
// [AllowList] has the reasons to believe that secrets do not change their time.
package arm64

import (
	"fmt"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// A Reg is a general register of 64 bits: X0 to X30 are 0 to 30.
type Reg uint8

// Registers with names of their own. The encoding has 31 for both of the last
// two; which it is depends on the instruction.
const (
	FP Reg = 29 // frame pointer
	LR Reg = 30 // return address
	SP Reg = 31
	ZR Reg = 32 // reads as 0; what is written to it is lost
)

// NumRegs is the number of registers that hold something.
const NumRegs = int(ZR)

func (r Reg) String() string {
	switch {
	case r < SP:
		return fmt.Sprintf("X%d", uint8(r))
	case r == SP:
		return "SP"
	case r == ZR:
		return "XZR"
	}
	return fmt.Sprintf("Reg(%d)", uint8(r))
}

// A Flag is one of the condition flags.
type Flag uint8

// The flags, under the names of their bits in PSTATE.
const (
	N Flag = iota // negative
	Z             // zero
	C             // carry; after a subtraction, no borrow
	V             // signed overflow
)

// NumFlags is the number of flags.
const NumFlags = 4

func (f Flag) String() string { return [...]string{"N", "Z", "C", "V"}[f] }

// A Machine is one reading of the instructions.
type Machine[W, B any] = machine.Machine[Reg, Flag, W, B]

// A Kind distinguishes operands. Its value is the letter that stands for it in
// forms.
type Kind byte

// The kinds of operand.
const (
	RegKind    Kind = 'r' // 64 bits of a register
	WordKind   Kind = 'w' // 32 bits of a register
	ImmKind    Kind = 'i' // a constant
	MemKind    Kind = 'm' // memory at Reg + Disp
	PreKind    Kind = 'p' // the same; Reg becomes the address
	TargetKind Kind = 't' // an offset in the routine, for jumps
)

// An Operand is one operand of an instruction.
type Operand struct {
	Kind   Kind
	Reg    Reg    // of registers; of memory, the base
	Imm    uint64 // of ImmKind
	Shift  uint   // of ImmKind: bits by which the constant is shifted left, not yet done for MOVZ, MOVN and MOVK, done for others
	Disp   int64  // of memory
	Target int    // of TargetKind, from the start of the routine; may lie outside
}

// An Inst is one decoded instruction.
type Inst struct {
	Offset int    // from the start of the routine
	Op     string // the mnemonic, without aliases other than LSL, LSR and ASR
	Cond   Cond   // of CSEL and its kin
	Args   []Operand

	text string
}

// Length is the number of bytes of an instruction.
const Length = 4

// Span returns the place of the instruction.
func (in Inst) Span() (offset, length int) { return in.Offset, Length }

// String prints the instruction in the syntax of Go's assembler.
func (in Inst) String() string { return in.text }

// Form returns the kinds of the operands, such as "rrr".
func (in Inst) Form() string {
	var b strings.Builder
	for _, a := range in.Args {
		b.WriteByte(byte(a.Kind))
	}
	return b.String()
}

// A Cond is the condition of a conditional instruction, in the numbering of the
// encoding: an odd condition is the negation of the even one before it, except
// that AL and NV both always hold.
type Cond uint8

// The conditions, under Arm's names.
const (
	EQ Cond = iota
	NE
	CS
	CC
	MI
	PL
	VS
	VC
	HI
	LS
	GE
	LT
	GT
	LE
	AL
	NV
)

var condNames = [...]string{"EQ", "NE", "CS", "CC", "MI", "PL", "VS", "VC", "HI", "LS", "GE", "LT", "GT", "LE", "AL", "NV"}

func (c Cond) String() string {
	if int(c) < len(condNames) {
		return condNames[c]
	}
	return fmt.Sprintf("Cond(%d)", uint8(c))
}
