// Package amd64 decodes x86-64 machine code and gives its instructions their
// meaning.
//
// The meaning of an instruction is written once, in Step, over a [Machine]:
// an abstract machine that says what words and bits are. A machine whose words
// are integers is an emulator; one whose words are labels follows secrets
// through the code. Only the forms in [Models] have a meaning; everything else
// is kept by name, so that it can be refused by name. Of the modelled forms,
// those on the allow-list ([AllowList]) may stand in code that handles secrets.
package amd64

import (
	"fmt"
	"strings"
)

// A Reg is a general register, numbered as in the encoding of instructions.
type Reg uint8

// The general registers, under the names of Go's assembler. NoReg stands for
// an absent base or index.
const (
	AX Reg = iota
	CX
	DX
	BX
	SP
	BP
	SI
	DI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	NoReg
)

// NumRegs is the number of general registers.
const NumRegs = int(NoReg)

var regNames = [...]string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15", "none"}

func (r Reg) String() string {
	if int(r) < len(regNames) {
		return regNames[r]
	}
	return fmt.Sprintf("Reg(%d)", uint8(r))
}

// A Kind distinguishes operands. Its value is the letter that stands for it in
// the forms of the allow-list.
type Kind byte

// The kinds of operand.
const (
	RegKind    Kind = 'r' // a general register
	MemKind    Kind = 'm' // memory at Base + Index·Scale + Disp
	ImmKind    Kind = 'i' // a constant
	TargetKind Kind = 't' // an offset in the routine, for jumps
	OtherKind  Kind = '?' // anything else, such as a vector register
)

// An Operand is one explicit operand of an instruction.
type Operand struct {
	Kind Kind
	Bits int // width of a register, or of the access to memory; 0 for LEA

	Reg         Reg   // of RegKind
	Base, Index Reg   // of MemKind; NoReg when absent
	Scale       int64 // of MemKind: 1, 2, 4 or 8
	Disp        int64 // of MemKind

	Imm    int64  // of ImmKind, sign-extended
	Target int    // of TargetKind, from the start of the routine; may lie outside
	Other  string // of OtherKind: the operand in words
}

// An Inst is one decoded instruction.
type Inst struct {
	Offset int // from the start of the routine
	Len    int // in bytes

	// Op is the mnemonic in Intel's spelling. Conditional instructions have
	// the Op CMOVcc, SETcc or Jcc and the condition in Cond.
	Op   string
	Cond Cond
	Args []Operand // destination first, as Intel writes them

	text string
}

// String prints the instruction in the syntax of Go's assembler.
func (in Inst) String() string { return in.text }

// Span returns the place of the instruction.
func (in Inst) Span() (offset, length int) { return in.Offset, in.Len }

// Form returns the kinds of the operands, such as "rm", in Intel's order.
func (in Inst) Form() string {
	var b strings.Builder
	for _, a := range in.Args {
		b.WriteByte(byte(a.Kind))
	}
	return b.String()
}

// A Cond is the condition of a conditional instruction, in the numbering of
// the encoding: an odd condition is the negation of the even one before it.
type Cond uint8

// The conditions, under Intel's names.
const (
	CondO Cond = iota
	CondNO
	CondB
	CondAE
	CondE
	CondNE
	CondBE
	CondA
	CondS
	CondNS
	CondP
	CondNP
	CondL
	CondGE
	CondLE
	CondG
)

// condNames spells the conditions as the disassembler does.
var condNames = [...]string{"O", "NO", "B", "AE", "E", "NE", "BE", "A", "S", "NS", "P", "NP", "L", "GE", "LE", "G"}

func (c Cond) String() string {
	if int(c) < len(condNames) {
		return condNames[c]
	}
	return fmt.Sprintf("Cond(%d)", uint8(c))
}

// splitCond separates a mnemonic such as CMOVAE into CMOVcc and its condition.
func splitCond(op string) (string, Cond) {
	for _, prefix := range []string{"CMOV", "SET", "J"} {
		rest, ok := strings.CutPrefix(op, prefix)
		if !ok {
			continue
		}
		for c, name := range condNames {
			if rest == name {
				return prefix + "cc", Cond(c)
			}
		}
	}
	return op, 0
}
