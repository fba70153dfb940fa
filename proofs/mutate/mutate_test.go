package mutate_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/asmtest"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/mutate"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// doubling is the contract z = 2x, two limbs each, x < 2^127.
func doubling(t testing.TB) *spec.Routine {
	f, err := spec.Lookup("p25519")
	if err != nil {
		t.Fatal(err)
	}
	x := spec.Var("x")
	return &spec.Routine{Field: f, Kind: "Double", Params: []spec.Param{
		{Name: "z", Role: spec.Out, Limbs: 2},
		{Name: "x", Role: spec.In, Limbs: 2, Bound: new(big.Int).Lsh(big.NewInt(1), 127), BoundName: "2^127"},
	}, Claims: []spec.Claim{{Rel: spec.Equal, L: spec.Var("z"), R: spec.Add(x, x)}}}
}

// double satisfies doubling under System V. It doubles 2^loop times and halves
// as often, around a loop, to have jumps of both directions.
const double = `
	MOVQ (SI), AX; MOVQ 8(SI), CX; MOVL $3, DX; XORL R8, R8
	back: ADDQ $1, R8; DECQ DX; JEQ out; JMP back
	out: TESTQ R8, R8; CMOVQNE R8, DX; XORL R9, R9; ADCXQ R9, R9
	ADDQ AX, AX; ADCQ CX, CX; MOVQ AX, (DI); MOVQ CX, 8(DI); RET`

func assemble(t *testing.T, bodies ...string) [][]byte {
	t.Helper()
	var asm strings.Builder
	for i, b := range bodies {
		asm.WriteString(asmtest.Routine(fmt.Sprint("f", i), "$0-0", b))
	}
	code := asmtest.Code(t, asm.String())
	var list [][]byte
	for i := range bodies {
		list = append(list, code[fmt.Sprint("f", i)])
	}
	return list
}

// TestAll checks the mutants of one instruction of each sort against a list
// made by hand.
func TestAll(t *testing.T) {
	code := assemble(t, "ADCQ $5, AX; RET", "ADOXQ 8(SI), DX; RET", "loop: SUBL CX, (DI)(AX*8); JCS loop; RET", "CMOVQCS AX, AX; RET", "NOTQ SI; RET")
	for i, tt := range []struct {
		want  []string // without registers
		regs  int
		other []string // some of the mutants of registers
	}{
		{want: []string{
			"dropped instruction at offset 0x0: ADCQ $0x5, AX",
			"carry taken in or not at offset 0x0: ADCQ $0x5, AX -> ADDQ $0x5, AX",
			"constant off by one at offset 0x0: ADCQ $0x5, AX -> ADCQ $0x6, AX",
			"constant off by one at offset 0x0: ADCQ $0x5, AX -> ADCQ $0x4, AX",
		}, regs: 15, other: []string{"other register at offset 0x0: ADCQ $0x5, AX -> ADCQ $0x5, R15"}},
		{want: []string{
			"dropped instruction at offset 0x0: ADOXQ 0x8(SI), DX",
			"other carry chain at offset 0x0: ADOXQ 0x8(SI), DX -> ADCXQ 0x8(SI), DX",
			"other offset at offset 0x0: ADOXQ 0x8(SI), DX -> ADOXQ 0x10(SI), DX",
			"other offset at offset 0x0: ADOXQ 0x8(SI), DX -> ADOXQ 0(SI), DX",
		}, regs: 30, other: []string{"other register at offset 0x0: ADOXQ 0x8(SI), DX -> ADOXQ 0x8(R12), DX"}},
		{want: []string{
			"dropped instruction at offset 0x0: SUBL CX, 0(DI)(AX*8)",
			"carry taken in or not at offset 0x0: SUBL CX, 0(DI)(AX*8) -> SBBL CX, 0(DI)(AX*8)",
			"other offset at offset 0x0: SUBL CX, 0(DI)(AX*8) -> SUBL CX, 0x8(DI)(AX*8)",
			"other offset at offset 0x0: SUBL CX, 0(DI)(AX*8) -> SUBL CX, -0x8(DI)(AX*8)",
			"dropped instruction at offset 0x3: JB 0x0",
			"opposite condition at offset 0x3: JB 0x0 -> Jcc AE",
		}, regs: 15 + 15 + 14},
		{want: []string{
			"dropped instruction at offset 0x0: CMOVB AX, AX",
			"opposite condition at offset 0x0: CMOVB AX, AX -> CMOVAE AX, AX",
		}, regs: 30},
		{want: []string{"dropped instruction at offset 0x0: NOTQ SI"}, regs: 15},
	} {
		list, err := mutate.All(code[i])
		if err != nil {
			t.Fatal(err)
		}
		var got, regs []string
		for _, m := range list {
			if m.Kind == mutate.Register {
				regs = append(regs, m.String())
			} else {
				got = append(got, m.String())
			}
		}
		if !slices.Equal(got, tt.want) || len(regs) != tt.regs {
			t.Errorf("row %d: got %q and %d of registers, want %q and %d", i, got, len(regs), tt.want, tt.regs)
		}
		for _, o := range tt.other {
			if !slices.Contains(regs, o) {
				t.Errorf("row %d: %q is not among %q", i, o, regs)
			}
		}
		for _, m := range list {
			mutant, err := m.Apply(code[i])
			if err != nil {
				t.Errorf("%v: %v", m, err)
				continue
			}
			if bytes.Equal(mutant, code[i]) {
				t.Errorf("%v: the code is the same", m)
			}
		}
	}
	if _, err := mutate.All([]byte{0x06}); err == nil {
		t.Error("code that cannot be decoded has mutants")
	}
}

// TestApply checks that everything but the changed instruction stays, and that
// jumps still go where they did, by the text of the instructions.
func TestApply(t *testing.T) {
	far := strings.Repeat("ADDQ $1, AX; ", 31)
	codes := assemble(t, double, "JMP end; back: NOTQ CX; RET; end: "+far+"MOVQ 8(SI), DX; JNE back; RET")
	for i, code := range codes {
		list, err := mutate.All(code)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			mutant, err := m.Apply(code)
			if err != nil {
				t.Fatalf("%v: %v", m, err)
			}
			was, now := flow(t, code), flow(t, mutant)
			j := slices.IndexFunc(was, func(s string) bool { return strings.HasPrefix(s, fmt.Sprintf("%#x ", m.Was.(amd64.Inst).Offset)) })
			strip := func(list []string) []string {
				var out []string
				for _, s := range list {
					_, s, _ = strings.Cut(s, " ")
					out = append(out, s)
				}
				return out
			}
			a, b := strip(was), strip(now)
			if m.Kind == mutate.Drop {
				a = slices.Delete(a, j, j+1)
				for k := range a { // targets are counted in instructions
					var to int
					if n, _ := fmt.Sscanf(a[k][strings.LastIndex(a[k], " ")+1:], "#%d", &to); n == 1 && to > j {
						a[k] = strings.Replace(a[k], fmt.Sprint("#", to), fmt.Sprint("#", to-1), 1)
					}
				}
			} else {
				if a[j] == b[j] {
					t.Errorf("%v: the instruction did not change", m)
				}
				a, b = slices.Delete(a, j, j+1), slices.Delete(b, j, j+1)
			}
			if !slices.Equal(a, b) {
				t.Fatalf("routine %d, %v: got\n%s\nwant\n%s", i, m, strings.Join(b, "\n"), strings.Join(a, "\n"))
			}
		}
	}
	out := []byte{0xeb, 0x10, 0xf8} // JMP past the end; CLC
	list, err := mutate.All(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := list[len(list)-1].Apply(out); err == nil || !strings.Contains(err.Error(), "jump at offset 0x0 goes to offset 0x12") {
		t.Errorf("a jump out of the code: got error %v", err)
	}
}

// flow prints instructions with their offsets, and the targets of jumps as the
// number of an instruction.
func flow(t *testing.T, code []byte) []string {
	t.Helper()
	insts, err := amd64.DecodeAll(code)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, in := range insts {
		text := fmt.Sprintf("%s %v %+v", in.Op, in.Cond, in.Args)
		if in.Op == "JMP" || in.Op == "Jcc" {
			k := slices.IndexFunc(insts, func(i amd64.Inst) bool { return i.Offset == in.Args[0].Target })
			text = fmt.Sprintf("%s %v #%d", in.Op, in.Cond, k)
		}
		list = append(list, fmt.Sprintf("%#x %s", in.Offset, text))
	}
	return list
}

// TestJudge holds code with one fault each, and code without.
func TestJudge(t *testing.T) {
	const head, tail = "MOVQ (SI), AX; MOVQ 8(SI), CX; ADDQ AX, AX; ", "MOVQ AX, (DI); MOVQ CX, 8(DI); RET"
	tests := []struct {
		name, body string
		equivalent bool
		rule       bool
	}{
		{"right", double, true, false},
		{"the same in another way", head + "LEAQ (CX)(CX*1), DX; ADCQ $0, DX; MOVQ DX, CX; " + tail, true, false}, // LEA changes no flag
		{"no carry", head + "ADDQ CX, CX; " + tail, false, false},
		{"carry where there is none", "MOVQ (SI), AX; MOVQ 8(SI), CX; ADCQ AX, AX; ADCQ CX, CX; " + tail, false, true},
		{"wrong offset", head + "ADCQ CX, CX; MOVQ AX, (DI); MOVQ CX, 16(DI); RET", false, true},
		{"a store too early, which shows when buffers are one", "MOVQ (SI), AX; ADDQ AX, AX; MOVQ AX, (DI); MOVQ 8(SI), CX; ADCQ CX, CX; MOVQ CX, 8(DI); RET", true, false},
		{"reads what it has overwritten", "MOVQ (SI), AX; MOVQ AX, (DI); MOVQ (SI), DX; MOVQ 8(SI), CX; ADDQ DX, AX; ADCQ CX, CX; MOVQ AX, (DI); MOVQ CX, 8(DI); RET", true, false},
		{"zeroes its output first", "XORL DX, DX; MOVQ DX, (DI); MOVQ DX, 8(DI); " + head + "ADCQ CX, CX; " + tail, false, false},
		{"rare: wrong for x = 2^127 - 1", head + "ADCQ CX, CX; MOVQ $-2, DX; CMPQ AX, DX; SETNE R8; ADDQ $2, DX; MOVB R8, DL; ADDQ DX, AX; SUBQ $1, AX; " + tail, false, false},
	}
	var bodies []string
	for _, tt := range tests {
		bodies = append(bodies, tt.body)
	}
	for i, code := range assemble(t, bodies...) {
		tt := tests[i]
		v, err := mutate.Judge(code, doubling(t), emulate.SystemV, 2000, 3)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if v.Equivalent() != tt.equivalent || v.BrokeRule() != tt.rule || tt.equivalent && v.Inputs != 2000 {
			t.Errorf("%s: got %+v, want equivalent %t, breaks a rule %t", tt.name, v, tt.equivalent, tt.rule)
		}
	}
	if _, err := mutate.Judge([]byte{0x0f, 0x0b}, doubling(t), emulate.SystemV, 1, 1); err == nil || !strings.Contains(err.Error(), "UD2 is not modelled") {
		t.Errorf("code that cannot be run: got error %v", err)
	}
}

// TestSurvey counts with checkers that accept everything, nothing, and code
// that is not shorter.
func TestSurvey(t *testing.T) {
	code := assemble(t, double)[0]
	list, err := mutate.All(code)
	if err != nil {
		t.Fatal(err)
	}
	for name, check := range map[string]mutate.Checker{
		"all":  func([]byte, *spec.Routine) error { return nil },
		"none": func([]byte, *spec.Routine) error { return errors.New("no") },
		"long": func(c []byte, _ *spec.Routine) error {
			if len(c) < len(code) {
				return errors.New("short")
			}
			return nil
		},
	} {
		var s mutate.Survey
		if err := s.Add("f", code, doubling(t), emulate.SystemV, list, 200, check); err != nil {
			t.Fatal(err)
		}
		faulty := s.BrokeRule + s.BrokeClaim
		if s.Mutants != len(list) || faulty+s.Equivalent != len(list) || s.BrokeRule == 0 || s.BrokeClaim == 0 || s.Equivalent == 0 {
			t.Errorf("%s: %v, want %d mutants, some of each sort", name, &s, len(list))
		}
		accepted := len(s.Wrong) + len(s.Same)
		if accepted != s.Mutants-s.Rejected || s.Noticed != s.Mutants-len(s.Same) {
			t.Errorf("%s: %v, which does not add up", name, &s)
		}
		switch {
		case name == "all" && len(s.Wrong) != faulty,
			name == "none" && accepted != 0,
			name == "long" && (len(s.Wrong) == 0 || s.Rejected == 0):
			t.Errorf("%s: %v", name, &s)
		}
	}
	var s mutate.Survey
	bad := assemble(t, "RET")[0]
	for _, tt := range []struct {
		code []byte
		want string
	}{
		{[]byte{0x06}, "f: offset 0x0: bytes 06 are no instruction"},
		{bad, "f is wrong before any change: offset 0x0: RET: returns before limb 0 of z is written"},
		{append([]byte{0x90}, code...), "the code has no MOVQ 0(SI), AX at offset 0x0"},
	} {
		if err := s.Add("f", tt.code, doubling(t), emulate.SystemV, list, 1, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("code % x: got error %v, want %q", tt.code, err, tt.want)
		}
	}
}

func TestSample(t *testing.T) {
	list, err := mutate.All(assemble(t, double)[0])
	if err != nil {
		t.Fatal(err)
	}
	sample := mutate.Sample(rand.New(rand.NewPCG(1, 2)), list, 40)
	kinds, seen := make(map[mutate.Kind]int), make(map[string]bool)
	for _, m := range sample {
		kinds[m.Kind]++
		seen[m.String()] = true
	}
	if len(sample) != 40 || len(seen) != 40 {
		t.Errorf("%d mutants, %d different, want 40", len(sample), len(seen))
	}
	for _, k := range mutate.Kinds() {
		if kinds[k] == 0 {
			t.Errorf("no mutant of kind %q", k)
		}
	}
	if all := mutate.Sample(rand.New(rand.NewPCG(1, 2)), list, len(list)+7); len(all) != len(list) {
		t.Errorf("%d mutants, want all %d", len(all), len(list))
	}
}
