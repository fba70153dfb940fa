package amd64_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/asmtest"
)

// A form is one instruction in the syntax of Go's assembler, and what it should
// be decoded to.
type form struct{ source, want string }

// spelled are the modelled forms that this test knows how to write down, which
// are most, and all on the allow-list.
var spelled = []amd64.Model{
	{Op: "MOV", Bits: "32 64", Forms: "rr rm mr ri mi"},
	{Op: "MOVZX", Bits: "32 64", Forms: "rr rm"},
	{Op: "LEA", Bits: "32 64", Forms: "rm"},
	{Op: "XCHG", Bits: "32 64", Forms: "rr"},
	{Op: "PUSH", Bits: "64", Forms: "r"},
	{Op: "POP", Bits: "64", Forms: "r"},
	{Op: "CMOVcc", Bits: "32 64", Forms: "rr rm"},
	{Op: "SETcc", Bits: "8", Forms: "r m"},
	{Op: "ADD", Bits: "32 64", Forms: "rr rm mr ri mi"},
	{Op: "ADC", Bits: "32 64", Forms: "rr rm mr ri mi"},
	{Op: "SUB", Bits: "32 64", Forms: "rr rm mr ri mi"},
	{Op: "SBB", Bits: "32 64", Forms: "rr rm mr ri mi"},
	{Op: "CMP", Bits: "32 64", Forms: "rr rm mr ri mi"},
	{Op: "NEG", Bits: "32 64", Forms: "r m"},
	{Op: "INC", Bits: "32 64", Forms: "r m"},
	{Op: "DEC", Bits: "32 64", Forms: "r m"},
	{Op: "ADCX", Bits: "32 64", Forms: "rr rm"},
	{Op: "ADOX", Bits: "32 64", Forms: "rr rm"},
	{Op: "MUL", Bits: "32 64", Forms: "r m"},
	{Op: "MULX", Bits: "32 64", Forms: "rrr rrm"},
	{Op: "IMUL", Bits: "32 64", Forms: "rr rm rri rmi"},
	{Op: "AND", Bits: "32 64", Forms: "rr rm mr ri mi"},
	{Op: "ANDN", Bits: "32 64", Forms: "rrr rrm"},
	{Op: "OR", Bits: "32 64", Forms: "rr rm mr ri mi"},
	{Op: "XOR", Bits: "32 64", Forms: "rr rm mr ri mi"},
	{Op: "TEST", Bits: "8 32 64", Forms: "rr mr ri mi"},
	{Op: "BZHI", Bits: "32 64", Forms: "rrr rmr"},
	{Op: "NOT", Bits: "32 64", Forms: "r m"},
	{Op: "BT", Bits: "32 64", Forms: "rr ri"},
	{Op: "SHL", Bits: "32 64", Forms: "ri"},
	{Op: "SHR", Bits: "32 64", Forms: "ri"},
	{Op: "SAR", Bits: "32 64", Forms: "ri"},
	{Op: "SHLD", Bits: "32 64", Forms: "rri"},
	{Op: "SHRD", Bits: "32 64", Forms: "rri"},
	{Op: "SHLX", Bits: "32 64", Forms: "rrr rmr"},
	{Op: "SHRX", Bits: "32 64", Forms: "rrr rmr"},
	{Op: "SARX", Bits: "32 64", Forms: "rrr rmr"},
	{Op: "RORX", Bits: "32 64", Forms: "rri rmi"},
}

// forms writes down every spelled form, with operands that need all the prefixes
// and displacements there are. The assembler, which shares nothing with the
// decoder, says how they are encoded.
func forms() []form {
	var list []form
	for _, r := range spelled {
		for _, bits := range strings.Fields(r.Bits) {
			for _, f := range strings.Fields(r.Forms) {
				list = append(list, expand(r.Op, bits, f)...)
			}
		}
	}
	return list
}

// operands of each kind, as Go's assembler writes them, and as brief does.
// Registers come in the order in which they are handed out.
var (
	registers = []string{"AX", "R9", "SI", "R15", "BX", "R8", "DI", "R12"}
	memory    = [][2]string{
		{"(SI)", "[SI]"}, {"(R13)", "[R13]"}, {"8(SP)", "[SP+8]"}, {"(R12)", "[R12]"},
		{"127(DI)", "[DI+127]"}, {"-128(R9)", "[R9-128]"}, {"128(R8)", "[R8+128]"},
		{"16(SI)(R9*8)", "[SI+R9*8+16]"}, {"-4096(R15)(AX*1)", "[R15+AX*1-4096]"},
	}
	immediates = []string{"1", "-2", "127", "128", "-129", "305419896"}
)

// goOps maps an Intel mnemonic to the stem of Go's where they differ.
var goOps = map[string]string{"SHLD": "SHL", "SHRD": "SHR"}

func expand(op, bits, kinds string) []form {
	suffix := map[string]string{"8": "B", "32": "L", "64": "Q"}[bits]
	stem := op
	if s, ok := goOps[op]; ok {
		stem = s
	}
	if op == "IMUL" && len(kinds) == 3 {
		stem = "IMUL3"
	}
	var list []form
	add := func(source, name string, goArgs, args []string) {
		g := slices.Clone(goArgs)
		if op != "CMP" { // Go writes the operands of a comparison as Intel does
			slices.Reverse(g)
		}
		list = append(list, form{source + " " + strings.Join(g, ", "), name + " " + strings.Join(args, ", ")})
	}
	for _, choice := range choose(kinds, op) {
		goArgs, args := make([]string, len(choice)), make([]string, len(choice))
		for i, c := range choice {
			goArgs[i], args[i] = c[0], c[1]
			if kinds[i] != 'i' && op != "MOVZX" && !(kinds[i] == 'm' && op == "LEA") {
				args[i] += ":" + bits
			}
		}
		switch op {
		case "MOVZX":
			width := map[string]string{"32": "LZX", "64": "QZX"}[bits]
			dst := args[0] + ":" + bits
			add("MOVB"+width, op, goArgs, []string{dst, args[1] + ":8"})
			add("MOVW"+width, op, goArgs, []string{dst, args[1] + ":16"})
		case "CMOVcc":
			for i, c := range goConds {
				add("CMOV"+suffix+c, "CMOV"+amd64.Cond(i).String(), goArgs, args)
			}
		case "SETcc":
			for i, c := range goConds {
				add("SET"+c, "SET"+amd64.Cond(i).String(), goArgs, args)
			}
		default:
			add(stem+suffix, op, goArgs, args)
		}
	}
	return list
}

// goConds are Go's names of the conditions, in the order of the encoding.
var goConds = []string{"OS", "OC", "CS", "CC", "EQ", "NE", "LS", "HI", "MI", "PL", "PS", "PC", "LT", "GE", "LE", "GT"}

// choose returns operands of the given kinds, each written twice: for the
// assembler and as brief prints them.
func choose(kinds, op string) [][][2]string {
	reg := func(i int) [2]string { r := registers[i%len(registers)]; return [2]string{r, r} }
	var list [][][2]string
	for i := range memory {
		var ops [][2]string
		for j, k := range kinds {
			switch {
			case k == 'r':
				ops = append(ops, reg(i+3*j))
			case k == 'm':
				ops = append(ops, memory[i%len(memory)])
			case op == "BT" || strings.HasPrefix(op, "SH") || op == "SAR" || op == "RORX":
				n := fmt.Sprint([]int{1, 3, 31}[i%3])
				ops = append(ops, [2]string{"$" + n, n})
			case op == "TEST": // of 8 bits too
				n := fmt.Sprint([]int{1, 2, 127}[i%3])
				ops = append(ops, [2]string{"$" + n, n})
			default:
				n := immediates[i%len(immediates)]
				ops = append(ops, [2]string{"$" + n, n})
			}
		}
		list = append(list, ops)
	}
	return list
}

// brief prints an instruction in the notation of forms.
func brief(in amd64.Inst) string {
	name := in.Op
	if stem, ok := strings.CutSuffix(name, "cc"); ok {
		name = stem + in.Cond.String()
	}
	var args []string
	for _, a := range in.Args {
		switch a.Kind {
		case amd64.RegKind:
			args = append(args, fmt.Sprintf("%v:%d", a.Reg, a.Bits))
		case amd64.ImmKind:
			args = append(args, fmt.Sprint(a.Imm))
		case amd64.MemKind:
			s := "[" + a.Base.String()
			if a.Index != amd64.NoReg {
				s += fmt.Sprintf("+%v*%d", a.Index, a.Scale)
			}
			if a.Disp != 0 {
				s += fmt.Sprintf("%+d", a.Disp)
			}
			if s += "]"; a.Bits != 0 {
				s += fmt.Sprintf(":%d", a.Bits)
			}
			args = append(args, s)
		default:
			args = append(args, fmt.Sprintf("?%c", a.Kind))
		}
	}
	return name + " " + strings.Join(args, ", ")
}

// swapped prints the operands of an instruction in which they may be encoded
// either way round.
func swapped(s string) string {
	name, args, _ := strings.Cut(s, " ")
	if strings.HasPrefix(name, "XCHG") || strings.HasPrefix(name, "TEST") {
		if a, b, ok := strings.Cut(args, ", "); ok {
			return name + " " + b + ", " + a
		}
	}
	return s
}

func TestDecodeForms(t *testing.T) {
	list := forms()
	var body strings.Builder
	for _, f := range list {
		fmt.Fprintln(&body, f.source)
	}
	insts, err := amd64.DecodeAll(asmtest.Code(t, asmtest.Routine("f", "$0-0", body.String()+"RET"))["f"])
	if err != nil {
		t.Fatal(err)
	}
	if len(insts) != len(list)+1 {
		t.Errorf("decoded %d instructions, want %d", len(insts), len(list)+1)
	}
	decoded := make(map[string]bool)
	for i, f := range list {
		if i >= len(insts) {
			break
		}
		got := brief(insts[i])
		if got != f.want && swapped(got) != f.want {
			t.Fatalf("offset %#x: %s is decoded as %s, want %s", insts[i].Offset, f.source, got, f.want)
		}
		decoded[fmt.Sprintf("%s %d %s", insts[i].Op, insts[i].Args[0].Bits, insts[i].Form())] = true
		if err := amd64.Modelled(insts[i]); err != nil {
			t.Errorf("%s: %v", f.source, err)
		}
	}
	for _, r := range amd64.AllowList() {
		for _, bits := range strings.Fields(r.Bits) {
			for _, f := range strings.Fields(r.Forms) {
				if form := fmt.Sprintf("%s %s %s", r.Op, bits, f); !decoded[form] {
					t.Errorf("%s is on the allow-list, and no instruction here was decoded as it", form)
				}
			}
		}
	}
	t.Logf("%d instructions", len(list))
}

func TestDecodeJumps(t *testing.T) {
	body := "back: NOTQ AX\n"
	var want []string
	for i, c := range goConds {
		body += "J" + c + " back\n" + "J" + c + " end\n"
		want = append(want, "J"+amd64.Cond(i).String())
	}
	body += "JMP back\n JMP end\n end: RET"
	code := asmtest.Code(t, asmtest.Routine("f", "$0-0", body))["f"]
	insts, err := amd64.DecodeAll(code)
	if err != nil {
		t.Fatal(err)
	}
	insts = insts[1:] // NOT
	for i, in := range insts[:len(insts)-1] {
		name := "JMP"
		if i/2 < len(want) {
			name = want[i/2]
		}
		target := 0
		if i%2 == 1 {
			target = len(code) - 1
		}
		got := strings.TrimSuffix(in.Op, "cc")
		if in.Op == "Jcc" {
			got += in.Cond.String()
		}
		if got != name || len(in.Args) != 1 || in.Args[0].Kind != amd64.TargetKind || in.Args[0].Target != target {
			t.Errorf("offset %#x: decoded %s to %+v, want %s to %#x", in.Offset, got, in.Args, name, target)
		}
	}
}

// TestDecodeRefused holds encodings that must not pass for an instruction on
// the allow-list.
func TestDecodeRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		code []byte
		want string // in the error of Decode or Allow
	}{
		{"ENDBR64", []byte{0xf3, 0x0f, 0x1e, 0xfa}, "ENDBR64 is not on"},
		{"ENDBR32", []byte{0xf3, 0x0f, 0x1e, 0xfb}, "no instruction that the decoder knows"},
		{"LOCK NOP", []byte{0xf0, 0x90}, "LOCK NOP is not on"},
		{"LOCK BTS", []byte{0xf0, 0x48, 0x0f, 0xba, 0x2e, 0x01}, "LOCK BTS is not on"},
		{"ADCX cut short", []byte{0x66, 0x48, 0x0f, 0x38, 0xf6}, "no instruction that the decoder knows"},
		{"ADOX without its last byte", []byte{0xf3, 0x48, 0x0f, 0x38, 0xf6, 0x46}, "no instruction that the decoder knows"},
		{"ADCX with two prefixes", []byte{0x66, 0xf3, 0x48, 0x0f, 0x38, 0xf6, 0xc1}, "no instruction that the decoder knows"},
		{"MULX cut short", []byte{0xc4, 0xe2, 0xfb, 0xf6}, "no instruction that the decoder knows"},
		{"RORX with a register too many", []byte{0xc4, 0xe3, 0xb3, 0xf0, 0x5a, 0x10, 0x71}, "VEX.vvvv is not 1111"},
		{"invalid in 64-bit mode", []byte{0x06}, "no instruction that the decoder knows"},
		{"nothing", []byte{}, "no code"},
		{"POPCNT", []byte{0xf3, 0x48, 0x0f, 0xb8, 0xc1}, "POPCNT is not on"},
		{"LOCK ADD", []byte{0xf0, 0x48, 0x01, 0x06}, "LOCK ADD is not on"},
		{"ADD with a segment", []byte{0x64, 0x48, 0x03, 0x06}, "FS ADD is not on"},
		{"REP RET", []byte{0xf3, 0xc3}, "REP RET is not on"},
		{"32-bit address", []byte{0x67, 0x48, 0x8b, 0x06}, "MOV is not on"},
		{"16-bit ADD", []byte{0x66, 0x01, 0xc8}, "ADD is not on"},
		{"8-bit ADD", []byte{0x00, 0xc8}, "ADD of 8 bits is not on the allow-list, only of 64"},
		{"32-bit ADD", []byte{0x01, 0xc8}, "ADD of 32 bits is not on the allow-list, only of 64"},
		{"ADD to memory", []byte{0x48, 0x01, 0x06}, `ADD with operands "mr" is not on the allow-list, only "rr rm ri"`},
		{"8-bit TEST of two registers", []byte{0x84, 0xc8}, "TEST of 8 bits is not on"},
		{"second byte of a register", []byte{0x0f, 0x92, 0xc4}, "SETcc with operand AH"},
		{"XCHG with memory", []byte{0x48, 0x87, 0x06}, "XCHG is not on"},
		{"SHL by CL", []byte{0x48, 0xd3, 0xe0}, `SHL with operands "rr"`},
		{"RET with a constant", []byte{0xc2, 0x08, 0x00}, `RET with operands "i"`},
		{"indirect JMP", []byte{0xff, 0xe0}, `JMP with operands "r"`},
		{"static data", []byte{0x48, 0x8b, 0x05, 0, 0, 0, 0}, "MOV with operand static data"},
		{"static data, with VEX", []byte{0xc4, 0xe2, 0xfb, 0xf6, 0x05, 0, 0, 0, 0}, "MULX with operand static data"},
		{"DIV", []byte{0x48, 0xf7, 0xf1}, "DIV is not on"},
		{"vector", []byte{0x66, 0x0f, 0xef, 0xc1}, "PXOR is not on"},
		{"VEX vector", []byte{0xc5, 0xf9, 0xef, 0xc1}, "VPXOR is not on"},
	} {
		in, err := amd64.Decode(tt.code, 0)
		if err == nil {
			err = amd64.Allow(in)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want one about %q", tt.name, err, tt.want)
		}
	}
}

// FuzzDecode checks that no bytes make the decoder panic or leave the code.
func FuzzDecode(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		code := make([]byte, 1+rng.IntN(20))
		for i := range code {
			code[i] = byte(rng.Uint32())
		}
		f.Add(code)
	}
	f.Add([]byte{0x66, 0x4c, 0x0f, 0x38, 0xf6, 0x6e, 0x08})
	f.Add([]byte{0xc5, 0xfd, 0x70, 0xc1, 0x01}) // a constant beside registers of 256 bits
	f.Fuzz(func(t *testing.T, code []byte) {
		insts, err := amd64.DecodeAll(code)
		at := 0
		for _, in := range insts {
			if in.Offset != at || in.Len <= 0 {
				t.Fatalf("instruction %v has offset %d and length %d, want offset %d", in, in.Offset, in.Len, at)
			}
			at += in.Len
		}
		if at > len(code) || err == nil && at != len(code) {
			t.Fatalf("decoded %d of %d bytes with error %v", at, len(code), err)
		}
	})
}
