package emulate_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// TestRoutinesARM64 executes the assembly for arm64 from its bytes, and compares
// the results with the contracts.
func TestRoutinesARM64(t *testing.T) {
	var paths []string
	for _, p := range spec.Packages() {
		paths = append(paths, "github.com/seed-6f9cd256/fieldproof/"+p)
	}
	pkgs, err := object.LoadArch("arm64", ".", paths...)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, p := range pkgs {
		for name, c := range lint.ContractsArch("arm64", p.Name) {
			var code []byte
			for _, r := range p.Routines {
				if r.Name == name {
					code = r.Code
				}
			}
			prog, err := emulate.NewProgram(code, c, emulate.GoARM64)
			if err != nil {
				t.Errorf("%s.%s: %v", p.Name, name, err)
				continue
			}
			runs := 30
			if c.Kind == spec.KindInvert {
				runs = 2 // of some ten thousand instructions each
			}
			inputs := emulate.NewInputs(c, 1)
			if c.Kind == spec.KindInvert {
				n := executed(t, prog, inputs.Next())
				if again := executed(t, prog, inputs.Next()); again != n {
					t.Errorf("%s.%s: %d instructions for one input, %d for another", p.Name, name, n, again)
				}
				if followed := lint.RoutineArch("arm64", name, code, c).Steps; followed != n {
					t.Errorf("%s.%s: %d instructions, the lint counts %d", p.Name, name, n, followed)
				}
				if !strings.Contains(string(readme), fmt.Sprintf("%d modulo", n)) {
					t.Errorf("%s.%s: %d instructions, and README.md says otherwise", p.Name, name, n)
				}
			}
			for range runs {
				in := inputs.Next()
				if err := prog.Check(in); err != nil {
					t.Errorf("%s.%s, input %#x: %v", p.Name, name, in, err)
					break
				}
				calls++
			}
		}
	}
	t.Logf("%d calls", calls)
}

// executed returns the number of instructions that a call executes.
func executed(t *testing.T, p *emulate.Program, in emulate.Input) int {
	t.Helper()
	run, err := p.Start(in)
	for err == nil && !run.Done() {
		err = run.Step()
	}
	if err != nil {
		t.Fatal(err)
	}
	return run.Taken
}

// assemble encodes instructions of arm64.
func assemble(t *testing.T, list ...arm64.Inst) []byte {
	t.Helper()
	var code []byte
	for _, in := range list {
		in.Offset = len(code)
		b, err := encode.ARM64(in)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, b...)
	}
	return code
}

func a64(op string, args ...arm64.Operand) arm64.Inst { return arm64.Inst{Op: op, Args: args} }

func x(r arm64.Reg) arm64.Operand { return arm64.Operand{Kind: arm64.RegKind, Reg: r} }

func k(v uint64) arm64.Operand { return arm64.Operand{Kind: arm64.ImmKind, Imm: v} }

func at(r arm64.Reg, disp int64) arm64.Operand {
	return arm64.Operand{Kind: arm64.MemKind, Reg: r, Disp: disp}
}

func pre(r arm64.Reg, disp int64) arm64.Operand {
	return arm64.Operand{Kind: arm64.PreKind, Reg: r, Disp: disp}
}

// TestCallsARM64 runs a routine that is right, with a frame as the assembler makes
// it, and routines with one fault each.
func TestCallsARM64(t *testing.T) {
	load := []arm64.Inst{a64("LDR", x(0), at(arm64.SP, 8)), a64("LDR", x(1), at(arm64.SP, 16)), a64("LDR", x(2), at(arm64.SP, 24))}
	frame := []arm64.Inst{
		a64("STR", x(arm64.LR), pre(arm64.SP, -32)), a64("STUR", x(arm64.FP), at(arm64.SP, -8)), a64("SUB", x(arm64.FP), x(arm64.SP), k(8)),
		a64("LDR", x(0), at(arm64.SP, 40)), a64("LDR", x(1), at(arm64.SP, 48)), a64("LDR", x(2), at(arm64.SP, 56)),
		a64("STR", x(2), at(arm64.SP, 8)), a64("LDR", x(2), at(arm64.SP, 8)),
	}
	leave := []arm64.Inst{a64("ADD", x(arm64.FP), x(arm64.SP), k(24)), a64("ADD", x(arm64.SP), x(arm64.SP), k(32))}
	copying2 := []arm64.Inst{a64("LDP", x(3), x(4), at(1, 0)), a64("STP", x(3), x(4), at(0, 0))}
	result := []arm64.Inst{a64("STR", x(2), at(arm64.SP, 32))}
	ret := []arm64.Inst{a64("RET"), a64("UDF")}
	one := func(op string, args ...arm64.Operand) []arm64.Inst { return []arm64.Inst{a64(op, args...)} }
	cond := a64("CSEL", x(5), x(3), x(4))
	jump := a64("CBNZ", x(arm64.ZR), arm64.Operand{Kind: arm64.TargetKind, Target: 1 << 10})
	for _, tt := range []struct {
		name string
		code [][]arm64.Inst
		in   emulate.Input
		want string // in the error; none if empty
	}{
		{"right", [][]arm64.Inst{load, copying2, result, ret}, apart, ""},
		{"right, one buffer", [][]arm64.Inst{load, copying2, result, ret}, shared, ""},
		{"right, with a frame", [][]arm64.Inst{frame, copying2, leave, result, ret}, apart, ""},

		{"adds 1", [][]arm64.Inst{load, copying2, one("ADD", x(2), x(2), k(1)), result, ret}, apart, "claim r = k fails: got 0xa, want 0x9"},
		{"no result", [][]arm64.Inst{load, copying2, ret}, apart, "returns before limb 0 of r is written"},
		{"half of z", [][]arm64.Inst{load, one("STR", x(2), at(0, 0)), result, ret}, apart, "returns before limb 1 of z is written"},
		{"beyond z", [][]arm64.Inst{load, copying2, one("STR", x(2), at(0, 16)), result, ret}, apart, "writes 8 bytes at offset 16 of z, which has 16 bytes"},
		{"pair across the end of x", [][]arm64.Inst{load, copying2, one("LDP", x(3), x(4), at(1, 8)), result, ret}, apart, "reads 8 bytes at offset 16 of x, which has 16 bytes"},
		{"into x", [][]arm64.Inst{load, copying2, one("STR", x(2), at(1, 0)), result, ret}, apart, "which may only be read"},
		{"the caller's frame", [][]arm64.Inst{load, copying2, one("LDR", x(3), at(arm64.SP, 0)), result, ret}, apart, "reads 8 bytes at offset 1024 of the stack, which has 1024 bytes"},
		{"into the caller's frame", [][]arm64.Inst{load, copying2, one("STR", x(3), at(arm64.SP, 0)), result, ret}, apart, "writes 8 bytes at offset 1024 of the stack"},
		{"below SP", [][]arm64.Inst{load, copying2, one("STUR", x(3), at(arm64.SP, -16)), result, ret}, apart, "16 below SP, where 8 bytes may be used"},
		{"unwritten frame", [][]arm64.Inst{frame, one("LDR", x(3), at(arm64.SP, 16)), copying2, leave, result, ret}, apart, "before they are written"},
		{"undefined register", [][]arm64.Inst{load, copying2, one("ADD", x(2), x(2), x(9)), result, ret}, apart, "undefined here"},
		{"undefined flag", [][]arm64.Inst{load, copying2, {cond}, result, ret}, apart, "uses Z, which is undefined here"},
		{"the goroutine", [][]arm64.Inst{load, copying2, one("ADD", x(2), x(2), x(28)), result, ret}, apart, "undefined here"},
		{"changes R28", [][]arm64.Inst{load, copying2, result, one("MOVZ", x(28), k(1)), ret}, apart, "returns with another value in X28"},
		{"changes R18", [][]arm64.Inst{load, copying2, result, one("MOVZ", x(18), k(1)), ret}, apart, "returns with another value in X18"},
		{"changes R29", [][]arm64.Inst{load, copying2, result, one("MOVZ", x(29), k(1)), ret}, apart, "returns with another value in X29"},
		{"changes R30", [][]arm64.Inst{load, copying2, result, one("MOVZ", x(30), k(1)), ret}, apart, "returns with another value in X30"},
		{"keeps its frame", [][]arm64.Inst{frame, copying2, one("STR", x(2), at(arm64.SP, 64)), ret}, apart, "returns with SP -32 bytes from"},
		{"runs into the padding", [][]arm64.Inst{load, copying2, result, one("UDF")}, apart, "UDF is no instruction to execute"},
		{"runs off the end", [][]arm64.Inst{load, copying2, result}, apart, "where no instruction of the routine starts"},
		{"jumps away", [][]arm64.Inst{load, copying2, result, one("MOVZ", x(5), k(1)), one("CBNZ", x(5), jump.Args[1]), ret}, apart, "where no instruction of the routine starts"},
	} {
		var list []arm64.Inst
		for _, part := range tt.code {
			list = append(list, part...)
		}
		p, err := emulate.NewProgram(assemble(t, list...), copying(t), emulate.GoARM64)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		err = p.Check(tt.in)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestRefusesARM64 holds what has no meaning.
func TestRefusesARM64(t *testing.T) {
	for _, tt := range []struct {
		word uint32
		want string
	}{
		{0x9ac10800, "UDIV"},               // udiv x0, x0, x1
		{0x94000001, "CALL"},               // bl
		{0xd65f0020, "RET"},                // ret x1
		{0x8b010c00, "ADD"},                // add x0, x0, x1, lsl #3
		{0x0b010000, "ADDW"},               // add w0, w0, w1
		{0xd3471c20, "UBFM with"},          // ubfm x0, x1, #7, #7
		{0xa9400000, "LDP with one"},       // ldp x0, x0, [x0]
		{0xf8008c00, "STR with one"},       // str x0, [x0, #8]!
		{0x4e61d400, "FADD"},               // a vector
		{0xd5380000, "MRS"},                // mrs x0, midr_el1
		{0xffffffff, "are no instruction"}, // nothing
	} {
		_, err := emulate.NewProgram(binary.LittleEndian.AppendUint32(nil, tt.word), copying(t), emulate.GoARM64)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "offset 0x0: ") {
			t.Errorf("%#x: got error %v, want one with %q", tt.word, err, tt.want)
		}
	}
	if _, err := emulate.NewProgram(make([]byte, 3), copying(t), emulate.GoARM64); err == nil {
		t.Error("three bytes are no instruction")
	}
	if _, err := emulate.GoABI("s390x"); err == nil {
		t.Error("s390x has no emulator")
	}
}
