package amd64

import (
	"fmt"
	"slices"
)

// A Rule admits one instruction in code that handles secrets.
type Rule struct {
	Op     string
	Bits   string // widths of the first operand, separated by spaces
	Forms  string // kinds of the operands, destination first, separated by spaces; see Kind
	Intel  bool   // whether the copy of Intel's list has it; see AllowList
	Reason string // why its time should not depend on the values of its operands
	Unused string // why it is listed although no routine has it; empty if one has
}

// AllowList returns the instructions that amd64 code which handles secrets may
// use: those of the routines, and a few more for the reasons given there. What
// is not on it is refused: divisions and square roots, whose time depends on
// their operands on most CPUs; floating-point and vector instructions, which no
// routine needs yet; string instructions, rotates through carry and bit scans;
// shifts by CL, which set flags depending on the count; anything with a LOCK
// prefix; and calls.
//
// That these take the same time for all operands is relied on, and not measured
// here. What speaks for it:
//
//   - Intel's "Data Operand Independent Timing Instruction Set Architecture (ISA)
//     Guidance" and the list of instructions that goes with it. From Ice Lake on,
//     Intel guarantees them only while DOITM is set in IA32_UARCH_MISC_CTL, which
//     a kernel can do and a user program cannot. CPUs of Intel without that bit
//     are to behave as if it were set.
//   - For AMD, and for what is not on that list, common knowledge and the tables
//     of latencies that others have measured (Agner Fog's "Instruction tables",
//     uops.info): one latency for each of these instructions, whatever the
//     operands. It is evidence about the CPUs that were measured and no promise.
//
// Neither the guidance nor its list was at hand in Intel's own form, so none of
// the entries is checked against it. Rule.Intel says what a public copy of the
// list has: doit-ins.hpp of github.com/CharlieQiu2017/doit-enforcer at commit
// 91ea9534. Of the instructions that compute with secrets, the copy lacks BZHI
// and SHRD, so for these two there are only the measurements.
//
// Memory forms take as long as the cache says, which the address decides and
// not the data: addresses are checked apart.
func AllowList() []Rule { return slices.Clone(allowList) }

const (
	alu     = "one pass through the integer unit, of fixed latency"
	aluCF   = alu + ", the carry being one more input"
	mul     = "the multiplier is pipelined, and takes the same number of cycles for all operands"
	condBit = "both sources are read and the flag selects in the integer unit: no prediction"
	barrel  = "barrel shifter with a count that is in the code"
	double  = "fixed sequence of shifts with a count that is in the code"
	copying = "a copy, independent of the value"
	flow    = "no data operand; where control may go is checked apart"
	ownBP   = "saves and restores the caller's BP around a frame; other registers are refused apart"

	binary = "rr rm ri" // what the generator emits of arithmetic

	emitted = "the generator emits it for programs that need it; those of the fields do not at present"
	jumps   = "joins the ways that a public condition has parted, in code by hand"
	padding = "the assembler aligns loops with it"
	halves  = "half a limb, as it occurs in encodings"
	flagOut = "turns a flag into a number, which the routines do by CMOVcc between constants"
	counter = "counts turns of a loop in a register, where the routines have the count in the frame"
)

var allowList = []Rule{
	{"MOV", "64", "rr rm mr ri mi", true, copying, ""},
	{"MOV", "32", "ri", true, copying, ""},
	{"MOV", "32", "rr rm mr mi", true, copying, halves},
	{"LEA", "64", "rm", true, alu + "; no access to memory", ""},
	{"PUSH", "64", "r", true, ownBP, ""},
	{"POP", "64", "r", true, ownBP, ""},
	{"CMOVcc", "64", "rr rm", true, condBit, ""},
	{"SETcc", "8", "r m", true, condBit, flagOut},

	{"ADD", "64", binary, true, alu, ""},
	{"ADC", "64", binary, true, aluCF, ""},
	{"SUB", "64", binary, true, alu, ""},
	{"SBB", "64", binary, true, aluCF, ""},
	{"CMP", "64", binary, true, alu, emitted},
	{"DEC", "64", "m", true, alu, ""},
	{"DEC", "64", "r", true, alu, counter},
	{"ADCX", "64", "rr rm", true, aluCF, ""},
	{"ADOX", "64", "rr rm", true, aluCF, ""},

	{"MUL", "64", "r m", true, mul, ""},
	{"MULX", "64", "rrr rrm", true, mul, ""},
	{"IMUL", "64", "rr rm rri rmi", true, mul, ""},

	{"AND", "64", binary, true, alu, ""},
	{"OR", "64", binary, true, alu, ""},
	{"XOR", "64", binary, true, alu, ""},
	{"XOR", "32", "rr", true, alu, ""},
	{"TEST", "64", "rr", true, alu, ""},
	{"TEST", "8", "ri", true, alu, ""},
	{"TEST", "32", "ri", true, alu, emitted},
	{"BZHI", "64", "rrr rmr", false, alu + ", for all indexes", ""},

	{"SHL", "64", "ri", true, barrel, ""},
	{"SHR", "64", "ri", true, barrel, ""},
	{"SAR", "64", "ri", true, barrel, ""},
	{"SHRD", "64", "rri", false, double, ""},

	{"NOP", "", "", false, "does nothing", padding},
	{"JMP", "", "t", false, flow, jumps},
	{"Jcc", "", "t", false, flow + ", as is what its condition depends on", ""},
	{"RET", "", "", false, flow, ""},
}

// rules holds the patterns of each instruction.
var rules = func() map[string][]*pattern {
	m := make(map[string][]*pattern)
	for _, r := range allowList {
		m[r.Op] = append(m[r.Op], newPattern(r.Bits, r.Forms))
	}
	return m
}()

const notAllowed = "is not on the allow-list"

// Allow returns nil if the instruction is on the allow-list, else an error
// that says what is not.
func Allow(in Inst) error {
	patterns := rules[in.Op]
	if len(patterns) == 0 {
		return fmt.Errorf("%s %s", in.Op, notAllowed)
	}
	var first error
	for _, p := range patterns {
		err := p.match(in, notAllowed)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}
