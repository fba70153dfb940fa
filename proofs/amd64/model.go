package amd64

import (
	"fmt"
	"slices"
	"strings"
)

// A Model names forms of one instruction that have a meaning (Step). Which of
// them code that handles secrets may use is another question: see [Rule].
type Model struct {
	Op    string
	Bits  string // widths of the first operand, separated by spaces
	Forms string // kinds of the operands, as in Rule
}

// Models returns every form that Step executes: those that the generators use,
// and the common integer instructions of hand-written code.
func Models() []Model { return slices.Clone(modelList) }

const (
	wide   = "32 64"
	narrow = "8 " + wide
)

var modelList = []Model{
	{"MOV", narrow, "rr rm mr ri mi"},
	{"MOVZX", wide, "rr rm"},
	{"MOVSX", wide, "rr rm"},
	{"MOVSXD", "64", "rr rm"},
	{"LEA", wide, "rm"},
	{"XCHG", wide, "rr mr"},
	{"PUSH", "64", "r m"},
	{"POP", "64", "r"},
	{"CMOVcc", wide, "rr rm"},
	{"SETcc", "8", "r m"},

	{"ADD", narrow, "rr rm mr ri mi"},
	{"ADC", narrow, "rr rm mr ri mi"},
	{"SUB", narrow, "rr rm mr ri mi"},
	{"SBB", narrow, "rr rm mr ri mi"},
	{"CMP", narrow, "rr rm mr ri mi"},
	{"NEG", narrow, "r m"},
	{"INC", narrow, "r m"},
	{"DEC", narrow, "r m"},
	{"ADCX", wide, "rr rm"},
	{"ADOX", wide, "rr rm"},
	{"CLC", "", ""},
	{"STC", "", ""},
	{"CMC", "", ""},

	{"MUL", wide, "r m"},
	{"MULX", wide, "rrr rrm"},
	{"IMUL", wide, "r m rr rm rri rmi"},

	{"AND", narrow, "rr rm mr ri mi"},
	{"ANDN", wide, "rrr rrm"},
	{"OR", narrow, "rr rm mr ri mi"},
	{"XOR", narrow, "rr rm mr ri mi"},
	{"TEST", narrow, "rr mr ri mi"},
	{"NOT", narrow, "r m"},
	{"BT", wide, "rr ri mi"},
	{"BTS", wide, "rr ri mi"},
	{"BTR", wide, "rr ri mi"},
	{"BTC", wide, "rr ri mi"},

	// Where the last operand is a register that is not a destination, it is CL.
	{"SHL", wide, "ri mi rr mr"},
	{"SHR", wide, "ri mi rr mr"},
	{"SAR", wide, "ri mi rr mr"},
	{"ROL", wide, "ri mi"},
	{"ROR", wide, "ri mi"},
	{"SHLD", wide, "rri mri rrr mrr"},
	{"SHRD", wide, "rri mri rrr mrr"},
	{"SHLX", wide, "rrr rmr"},
	{"SHRX", wide, "rrr rmr"},
	{"SARX", wide, "rrr rmr"},
	{"RORX", wide, "rri rmi"},
	{"BZHI", wide, "rrr rmr"},

	{"NOP", "", ""},
	{"ENDBR64", "", ""},
	{"JMP", "", "t"},
	{"Jcc", "", "t"},
	{"RET", "", ""},
}

// A pattern is the width and form of operands, in a shape that is quick to
// compare: emulation looks at one for every instruction it executes.
type pattern struct {
	bits   int // the widths, which are powers of 2, added up; 0 for any
	forms  []uint32
	text   string
	widths string
}

func newPattern(bits, forms string) *pattern {
	p := &pattern{text: forms, widths: strings.ReplaceAll(bits, " ", " or ")}
	for _, b := range strings.Fields(bits) {
		var n int
		fmt.Sscan(b, &n)
		p.bits |= n
	}
	for _, f := range strings.Split(forms, " ") {
		var w uint32
		for _, k := range []byte(f) {
			w = w<<8 | uint32(k)
		}
		p.forms = append(p.forms, w)
	}
	return p
}

// match returns nil if the operands of the instruction fit the pattern, else an
// error that says which do not; what is the status they lack.
func (p *pattern) match(in Inst, what string) error {
	var form uint32
	for _, a := range in.Args {
		if a.Kind == OtherKind {
			return fmt.Errorf("%s with operand %s %s", in.Op, a.Other, what)
		}
		form = form<<8 | uint32(a.Kind)
	}
	if len(in.Args) > 3 || !slices.Contains(p.forms, form) {
		return fmt.Errorf("%s with operands %q %s, only %q", in.Op, in.Form(), what, p.text)
	}
	if p.bits != 0 && (in.Args[0].Bits == 0 || p.bits&in.Args[0].Bits != in.Args[0].Bits) {
		return fmt.Errorf("%s of %d bits %s, only of %s", in.Op, in.Args[0].Bits, what, p.widths)
	}
	return nil
}

var models = func() map[string]*pattern {
	m := make(map[string]*pattern)
	for _, l := range modelList {
		m[l.Op] = newPattern(l.Bits, l.Forms)
	}
	return m
}()

const notModelled = "is not modelled"

// Modelled returns nil if the instruction has a meaning, else an error that
// names it and says what has none.
func Modelled(in Inst) error {
	p, ok := models[in.Op]
	if !ok {
		return fmt.Errorf("%s %s", in.Op, notModelled)
	}
	if err := p.match(in, notModelled); err != nil {
		return err
	}
	if p.bits == 0 {
		return nil
	}
	return in.widths()
}

// widths checks the width of every operand against that of the first.
func (in Inst) widths() error {
	n := in.Args[0].Bits
	for i, a := range in.Args[1:] {
		i++
		want := n
		switch {
		case a.Kind == ImmKind:
			continue
		case in.Op == "LEA":
			want = 0
		case in.Op == "MOVZX" || in.Op == "MOVSX":
			if a.Bits == 8 || a.Bits == 16 {
				continue
			}
			return fmt.Errorf("%s of %d bits %s, only of 8 or 16", in.Op, a.Bits, notModelled)
		case in.Op == "MOVSXD":
			want = 32
		case in.byCL() && i == len(in.Args)-1:
			if want = 8; a.Reg != CX {
				return fmt.Errorf("%s by %v %s, only by CL", in.Op, a.Reg, notModelled)
			}
		}
		if a.Bits != want {
			return fmt.Errorf("%s with operand %d of %d bits %s, only of %d", in.Op, i, a.Bits, notModelled, want)
		}
	}
	return nil
}

// byCL reports whether the instruction is a shift whose count is in CL.
func (in Inst) byCL() bool {
	switch in.Op {
	case "SHL", "SHR", "SAR", "SHLD", "SHRD":
		return in.Args[len(in.Args)-1].Kind == RegKind
	}
	return false
}
