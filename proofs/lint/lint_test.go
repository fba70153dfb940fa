package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/asmtest"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

func ptr(name string, role spec.Role) spec.Param {
	return spec.Param{Name: name, Role: role, Limbs: 4, Secret: true}
}

func param(name string, role spec.Role, secret bool) spec.Param {
	return spec.Param{Name: name, Role: role, Limbs: 1, Secret: secret}
}

// contracts are small ones of every shape, by the letter with which the names
// of the test routines begin.
var contracts = map[byte]*spec.Routine{
	// func(z, x *[4]uint64): z at 8(SP), x at 16(SP)
	'u': contract(ptr("z", spec.Out), ptr("x", spec.In)),
	// func(z, x *[4]uint64), both of which may be written
	'w': contract(ptr("z", spec.Out), ptr("x", spec.InOut)),
	// func(x *[4]uint64, n, k uint64) (r uint64), k secret
	'v': contract(ptr("x", spec.InOut), param("n", spec.Value, false), param("k", spec.Value, true), param("r", spec.Result, true)),
	// func(k, n uint64) (r uint64), with a public result
	'p': contract(param("k", spec.Value, true), param("n", spec.Value, false), param("r", spec.Result, false)),
	// func(z, x *[4]uint64), nothing secret
	'o': contract(
		spec.Param{Name: "z", Role: spec.Out, Limbs: 1}, spec.Param{Name: "x", Role: spec.In, Limbs: 1},
		param("k", spec.Value, true)),
}

func contract(params ...spec.Param) *spec.Routine {
	return &spec.Routine{Field: spec.Fields()[0], Kind: "Test", Params: params}
}

// Pieces of test routines with contract 'u'.
const (
	load = "MOVQ z+0(FP), DI; MOVQ x+8(FP), SI;" // pointers
	fill = "MOVQ $0, AX; MOVQ AX, (DI); MOVQ AX, 8(DI); MOVQ AX, 16(DI); MOVQ AX, 24(DI);"
)

// A routine is a test routine: its frame and argument size, its body, and the
// problems that it has, as "instruction | kind | reason", in order. Of the
// instruction, the beginning is enough; it is the last one like that.
type routine struct {
	name, size, body string
	want             []string
}

func checkRoutines(t *testing.T, routines []routine) {
	t.Helper()
	var asm strings.Builder
	for _, r := range routines {
		asm.WriteString(asmtest.Routine(r.name, r.size, r.body))
	}
	code := asmtest.Code(t, asm.String())
	for _, r := range routines {
		got := lint.Routine("pkg."+r.name, code[r.name], contracts[r.name[0]])
		if len(got.Problems) != len(r.want) {
			t.Errorf("%s: got problems %v, want %q", r.name, got.Problems, r.want)
			continue
		}
		for i, w := range r.want {
			part := strings.SplitN(w, " | ", 3)
			in := last(t, code[r.name], part[0])
			want := fmt.Sprintf("pkg.%s+%#x: %v: %s: ", r.name, in.Offset, in, part[1])
			if p := got.Problems[i].String(); !strings.HasPrefix(p, want) || !strings.Contains(p, part[2]) {
				t.Errorf("%s: got problem\n\t%v\nwant\n\t%s...%s", r.name, p, want, part[2])
			}
		}
	}
}

// last returns the last instruction of the code that is printed with the given
// beginning.
func last(t *testing.T, code []byte, text string) amd64.Inst {
	t.Helper()
	insts, err := amd64.DecodeAll(code)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(insts) - 1; i >= 0; i-- {
		if strings.HasPrefix(insts[i].String(), text) {
			return insts[i]
		}
	}
	t.Fatalf("no instruction %q in %v", text, insts)
	return amd64.Inst{}
}

func TestCleanRoutines(t *testing.T) {
	checkRoutines(t, []routine{
		{name: "uCopy", size: "$0-16", body: load + `
			MOVQ (SI), AX; MOVQ 8(SI), BX; MOVQ 16(SI), CX; MOVQ 24(SI), DX
			MOVQ AX, (DI); MOVQ BX, 8(DI); MOVQ CX, 16(DI); MOVQ DX, 24(DI); RET`},
		// The carry's mask is made in a register that holds nothing yet, and a
		// secret is chosen by it.
		{name: "uMasks", size: "$0-16", body: load + fill + `
			MOVQ (SI), AX; ADDQ 8(SI), AX; SBBQ R9, R9; ANDQ R9, AX
			SUBQ R10, R10; SETCS AL; MOVL AX, R11; CMOVQCS AX, R10; MOVQ R10, (DI); RET`},
		{name: "uChains", size: "$0-16", body: load + fill + `
			MOVQ (SI), DX; XORL R8, R8; MULXQ 8(SI), R9, R10; ADCXQ R8, R9; ADOXQ R10, R9; ADCXQ R9, R10
			IMUL3Q $38, R9, R9; SHRQ $3, R9, R10; BZHIQ R9, R10, R11; SARQ $7, R11; MOVQ R11, (DI); RET`},
		// A loop with a constant trip count, whose counter is in the frame and
		// whose address depends on it.
		{name: "uLoop", size: "$24-16", body: load + fill + `
			MOVQ $4, 8(SP)
			loop: MOVQ 8(SP), CX; MOVQ -8(SI)(CX*8), AX; ADDQ -8(DI)(CX*8), AX; MOVQ AX, -8(DI)(CX*8); DECQ 8(SP); JNE loop; RET`},
		// A loop by a moving pointer, with an address that is compared.
		{name: "uPointer", size: "$0-16", body: load + `
			LEAQ 32(SI), CX
			loop: MOVQ (SI), AX; MOVQ AX, (DI); ADDQ $8, DI; LEAQ 8(SI), SI; CMPQ SI, CX; JNE loop; RET`},
		// The frame makes the assembler save BP, which may then be used, with a
		// local array behind a pointer to the stack.
		{name: "uFrame", size: "$32-16", body: load + `
			MOVQ (SI), BP; MOVQ BP, 16(SP); LEAQ 8(SP), R8; MOVQ 8(R8), BP
			MOVQ BP, (DI); MOVQ BP, 8(DI); MOVQ BP, 16(DI); MOVQ BP, 24(DI); RET`},
		// A public value may steer: both ways are followed.
		{name: "vPublic", size: "$0-32", body: `
			MOVQ n+8(FP), CX; MOVQ k+16(FP), AX; MOVQ AX, DX
			loop: ADDQ AX, DX; DECQ CX; JNE loop
			TESTQ CX, CX; JEQ same; ADDQ $1, DX
			same: MOVQ DX, r+24(FP); RET`},
		{name: "vBytes", size: "$0-32", body: `
			MOVQ x+0(FP), DI; MOVL k+16(FP), AX; TESTB $1, AL; MOVQ $0, BX; SETNE BL; MOVL AX, 4(DI)
			MOVQ $0, r+24(FP); SETEQ r+24(FP); RET`},
		{name: "pResult", size: "$0-24", body: "MOVQ n+8(FP), AX; XORL CX, CX; MULQ CX; MOVQ AX, r+16(FP); RET"},
		{name: "oCopy", size: "$0-24", body: "MOVQ x+8(FP), AX; MOVQ (AX), AX; MOVQ z+0(FP), CX; MOVQ AX, (CX); RET"},
		{name: "uAligned", size: "$0-16", body: load + fill + "MOVQ $2, CX; PCALIGN $32; loop: DECQ CX; JNE loop; RET"},
	})
}
