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
	Reason string // why its time does not depend on the values of its operands
}

// AllowList returns the instructions that generated amd64 code may use. What
// is not on it is refused: divisions and square roots, whose time depends on
// their operands on most CPUs; floating-point and vector instructions, which no
// routine needs yet; string instructions, rotates through carry and bit scans;
// shifts by CL, which set flags depending on the count; anything with a LOCK
// prefix; and calls.
//
// The starting point is Intel's "Data Operand Independent Timing Instruction
// Set Architecture (ISA) Guidance" (document 768873) and the list of
// instructions that goes with it. Memory forms take as long as the cache says,
// which the address decides and not the data: addresses are checked apart.
func AllowList() []Rule { return slices.Clone(allowList) }

const (
	wide = "32 64"

	alu     = "one pass through the integer unit, of fixed latency"
	aluCF   = alu + ", the carry being one more input"
	mul     = "the multiplier is pipelined and takes the same number of cycles for all operands on every 64-bit x86 CPU"
	condBit = "both sources are read and the flag selects in the integer unit: no prediction"
	barrel  = "barrel shifter with a count that is in the code"
	barrelX = "barrel shifter: latency does not depend on the count, and no flags are merged"
	double  = "fixed sequence of shifts with a count that is in the code"
	copying = "a copy, independent of the value"
	flow    = "no data operand; where control may go is checked apart"
	ownBP   = "saves and restores the caller's BP around a frame; other registers are refused apart"
)

var allowList = []Rule{
	{"MOV", wide, "rr rm mr ri mi", copying},
	{"MOVZX", wide, "rr rm", copying},
	{"LEA", wide, "rm", alu + "; no access to memory"},
	{"XCHG", wide, "rr", copying + "; the memory form locks the bus and is left out"},
	{"PUSH", "64", "r", ownBP},
	{"POP", "64", "r", ownBP},
	{"CMOVcc", wide, "rr rm", condBit},
	{"SETcc", "8", "r m", condBit},

	{"ADD", wide, "rr rm mr ri mi", alu},
	{"ADC", wide, "rr rm mr ri mi", aluCF},
	{"SUB", wide, "rr rm mr ri mi", alu},
	{"SBB", wide, "rr rm mr ri mi", aluCF},
	{"CMP", wide, "rr rm mr ri mi", alu},
	{"NEG", wide, "r m", alu},
	{"INC", wide, "r m", alu},
	{"DEC", wide, "r m", alu},
	{"ADCX", wide, "rr rm", aluCF},
	{"ADOX", wide, "rr rm", aluCF},

	{"MUL", wide, "r m", mul},
	{"MULX", wide, "rrr rrm", mul},
	{"IMUL", wide, "rr rm rri rmi", mul},

	{"AND", wide, "rr rm mr ri mi", alu},
	{"ANDN", wide, "rrr rrm", alu},
	{"OR", wide, "rr rm mr ri mi", alu},
	{"XOR", wide, "rr rm mr ri mi", alu},
	{"TEST", "8 " + wide, "rr mr ri mi", alu},
	{"BZHI", wide, "rrr rmr", alu + ", for all indexes"},
	{"NOT", wide, "r m", alu},
	{"BT", wide, "rr ri", alu + "; the memory form with a register index is microcoded and left out"},

	{"SHL", wide, "ri", barrel},
	{"SHR", wide, "ri", barrel},
	{"SAR", wide, "ri", barrel},
	{"SHLD", wide, "rri", double},
	{"SHRD", wide, "rri", double},
	{"SHLX", wide, "rrr rmr", barrelX},
	{"SHRX", wide, "rrr rmr", barrelX},
	{"SARX", wide, "rrr rmr", barrelX},
	{"RORX", wide, "rri rmi", barrelX},

	{"NOP", "", "", "does nothing; the assembler aligns loops with it"},
	{"JMP", "", "t", flow},
	{"Jcc", "", "t", flow + ", as is what its condition depends on"},
	{"RET", "", "", flow},
}

var rules = func() map[string]*pattern {
	m := make(map[string]*pattern)
	for _, r := range allowList {
		m[r.Op] = newPattern(r.Bits, r.Forms)
	}
	return m
}()

const notAllowed = "is not on the allow-list"

// Allow returns nil if the instruction is on the allow-list, else an error
// that says what is not.
func Allow(in Inst) error {
	p, ok := rules[in.Op]
	if !ok {
		return fmt.Errorf("%s %s", in.Op, notAllowed)
	}
	return p.match(in, notAllowed)
}
