package arm64

import (
	"fmt"
	"slices"
	"strings"
)

// A Rule admits one instruction in code that handles secrets.
type Rule struct {
	Op     string
	Forms  string // kinds of the operands, as in Inst.Form, separated by spaces
	DIT    bool   // whether the page of Arm's manual that says so was read; see AllowList
	Reason string // why its time should not depend on the values of its operands
}

// AllowList returns the instructions that arm64 code which handles secrets may use:
// those of the routines. What is not on it is refused, divisions above all, whose
// time depends on their operands.
//
// That these take the same time for all operands is relied on, and not measured
// here: there was no arm64 hardware. What speaks for it:
//
//   - PSTATE.DIT (FEAT_DIT, from Armv8.4 on). While it is 1, the execution time of an
//     instruction for which the manual says so is independent of the values in its
//     registers and of the condition flags; of loads and stores, of the value that is
//     loaded or stored. Go sets the bit inside of crypto/subtle.WithDataIndependentTiming;
//     the routines do not set it. While it is 0, and on older cores, nothing is promised.
//   - Arm's software optimization guides give these instructions one latency each, where
//     they have a table. They name early ends of multiplications for cores that are not
//     built for these routines (Cortex-A53 and older, for 32-bit operands).
//
// The manual itself was not at hand, only a public copy of some of its pages, of which
// each has these words. Rule.DIT says for which instructions the page was read (LSL, LSR
// and ASR stand for UBFM and SBFM). For the others there is what all pages of their kind
// have in common: of UMADDL, for example, that of SMADDL was read.
func AllowList() []Rule { return slices.Clone(allowList) }

const (
	alu     = "one pass through the integer unit, of fixed latency"
	aluC    = alu + ", the carry being one more input"
	wide    = "the constant is in the code"
	mul     = "the multiplier is pipelined, and takes the same number of cycles for all operands"
	condBit = "both sources are read and the flags select in the integer unit: no prediction"
	barrel  = "a shift by a count that is in the code"
	copying = "a copy, independent of the value; the address is checked apart"
	flow    = "where control may go is checked apart"
)

var allowList = []Rule{
	{"ADD", "rrr rri", false, alu},
	{"ADDS", "rrr rri", false, alu},
	{"SUB", "rrr rri", false, alu},
	{"SUBS", "rrr rri", true, alu},
	{"ADC", "rrr", true, aluC},
	{"ADCS", "rrr", false, aluC},
	{"SBC", "rrr", true, aluC},
	{"SBCS", "rrr", false, aluC},
	{"AND", "rrr rri", false, alu},
	{"ANDS", "rrr rri", true, alu},
	{"ORR", "rrr rri", false, alu},
	{"EOR", "rrr", false, alu},
	{"EON", "rrr", false, alu},
	{"MOVZ", "ri", false, wide},
	{"MOVN", "ri", true, wide},
	{"MOVK", "ri", false, wide},
	{"LSL", "rri", true, barrel},
	{"LSR", "rri", true, barrel},
	{"ASR", "rri", true, barrel},
	{"EXTR", "rrri", true, barrel},
	{"MADD", "rrrr", true, mul},
	{"UMADDL", "rwwr", false, mul},
	{"UMULH", "rrr", true, mul},
	{"CSEL", "rrr", true, condBit},
	{"CSINC", "rrr", true, condBit},
	{"CSINV", "rrr", false, condBit},
	{"CSNEG", "rrr", false, condBit},
	{"LDR", "rm", true, copying},
	{"LDP", "rrm", false, copying},
	{"STR", "rm rp", true, copying},
	{"STUR", "rm", true, copying},
	{"STP", "rrm", true, copying},
	{"CBNZ", "rt", false, flow + ", as is what it depends on"},
	{"RET", "", false, flow},
	{"UDF", "", false, "fills the space behind a routine; it is never reached, which is checked apart"},
}

var rules = func() map[string][]string {
	m := make(map[string][]string)
	for _, r := range allowList {
		m[r.Op] = strings.Split(r.Forms, " ")
	}
	return m
}()

// Allow returns nil if the instruction is on the allow-list, else an error that
// says what is not.
func Allow(in Inst) error {
	forms, ok := rules[in.Op]
	if !ok {
		return fmt.Errorf("%s is not on the allow-list", in.Op)
	}
	if !slices.Contains(forms, in.Form()) {
		return fmt.Errorf("%s with operands %q is not on the allow-list, only %q", in.Op, in.Form(), forms)
	}
	return nil
}
