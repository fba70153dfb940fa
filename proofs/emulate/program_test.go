package emulate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/asmtest"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// TestRoutines executes the assembly of the field packages from its bytes and
// compares the results with the contracts. The contracts know nothing of
// instructions, so this is an independent check of the decoder and of the
// semantics together.
func TestRoutines(t *testing.T) {
	const module = "github.com/seed-6f9cd256/fieldproof/"
	pkgs, err := object.Load(".", module+"field25519", module+"fieldp256")
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, p := range pkgs {
		contracts := lint.Contracts(p.Name)
		if len(p.Routines) != len(contracts) {
			t.Errorf("%s has %d routines, want %d", p.Name, len(p.Routines), len(contracts))
		}
		for _, r := range p.Routines {
			prog, err := emulate.NewProgram(r.Code, contracts[r.Name], emulate.Go)
			if err != nil {
				t.Errorf("%s.%s: %v", p.Name, r.Name, err)
				continue
			}
			runs := 300
			if prog.Routine.Kind == spec.KindInvert {
				runs = 5 // of some ten thousand instructions each
			}
			inputs := emulate.NewInputs(prog.Routine, 1)
			for range runs {
				in := inputs.Next()
				if err := prog.Check(in); err != nil {
					t.Errorf("%s.%s, input %#x: %v", p.Name, r.Name, in, err)
					break
				}
				taken++
			}
		}
	}
	t.Logf("%d calls", taken)
}

func field(t testing.TB) *spec.Field {
	f, err := spec.Lookup("p25519")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// copying is the contract z = x of two limbs, with a word k and a result.
func copying(t testing.TB) *spec.Routine {
	bound := field(t).R()
	return &spec.Routine{Field: field(t), Kind: "Copy", Params: []spec.Param{
		{Name: "z", Role: spec.Out, Limbs: 2},
		{Name: "x", Role: spec.In, Limbs: 2, Bound: bound, BoundName: "2^256"},
		{Name: "k", Role: spec.Value, Limbs: 1, Bound: bound, BoundName: "2^256"},
		{Name: "r", Role: spec.Result, Limbs: 1},
	}, Claims: []spec.Claim{
		{Rel: spec.Equal, L: spec.Var("z"), R: spec.Var("x")},
		{Rel: spec.Equal, L: spec.Var("r"), R: spec.Var("k")},
	}}
}

var (
	apart  = emulate.Input{Limbs: [][]uint64{nil, {5, 7}, {9}, nil}, Alias: []int{0, 1, 2, 3}}
	shared = emulate.Input{Limbs: apart.Limbs, Alias: []int{0, 0, 2, 3}}
)

const (
	goLoad = "MOVQ z+0(FP), DI; MOVQ x+8(FP), SI; MOVQ k+16(FP), DX; "
	body   = "MOVQ (SI), AX; MOVQ AX, (DI); MOVQ 8(SI), AX; MOVQ AX, 8(DI); "
	goEnd  = "MOVQ DX, r+24(FP); RET"
	abiEnd = "MOVQ DX, AX; RET"
)

// TestCalls runs routines of both calling conventions that are right, and
// routines with one fault each.
func TestCalls(t *testing.T) {
	tests := []struct {
		abi        emulate.ABI
		size, body string
		in         emulate.Input
		want       string // in the error; none if empty
	}{
		{emulate.Go, "$0-32", goLoad + body + goEnd, apart, ""},
		{emulate.Go, "$0-32", goLoad + body + goEnd, shared, ""},
		{emulate.Go, "$16-32", goLoad + "MOVQ DX, 8(SP); MOVQ $1, BP;" + body + "MOVQ 8(SP), DX;" + goEnd, apart, ""},
		{emulate.Go, "$0-32", goLoad + body + "MOVQ $3, CX; loop: DECQ CX; JNE loop; JMP end; NOTQ DX; end: NOP;" + goEnd, apart, ""},
		{emulate.SystemV, "$0-0", body + abiEnd, apart, ""},
		{emulate.SystemV, "$0-0", body + abiEnd, shared, ""},
		{emulate.SystemV, "$0-0", "PUSHQ BX; PUSHQ R15; MOVQ DX, BX; MOVQ BX, -128(SP); XORL R15, R15;" + body + "POPQ R15; POPQ BX;" + abiEnd, apart, ""},

		{emulate.Go, "$0-32", goLoad + body + "INCQ DX;" + goEnd, apart, "claim r = k fails: got 0xa, want 0x9"},
		{emulate.Go, "$0-32", goLoad + body + "RET", apart, "RET: returns before limb 0 of r is written"},
		{emulate.Go, "$0-32", goLoad + "MOVQ $1, (DI);" + goEnd, apart, "returns before limb 1 of z is written"},
		{emulate.Go, "$0-32", goLoad + body + "MOVQ $1, 16(DI);" + goEnd, apart, "writes 8 bytes at offset 16 of z, which has 16 bytes"},
		{emulate.Go, "$0-32", goLoad + body + "MOVQ $1, 9(DI);" + goEnd, apart, "writes 8 bytes at offset 9 of z, which has 16 bytes"},
		{emulate.Go, "$0-32", goLoad + body + "MOVQ $1, 8(SI);" + goEnd, apart, "writes 8 bytes at offset 8 of x, which may only be read"},
		{emulate.Go, "$0-32", goLoad + body + "MOVQ $1, 8(SI);" + goEnd, shared, "claim z = x fails"},
		{emulate.Go, "$0-32", goLoad + body + "MOVQ AX, x+8(FP);" + goEnd, apart, "writes 8 bytes at offset 8 of the arguments, which may only be read"},
		{emulate.Go, "$0-32", goLoad + body + "MOVQ 0(SP), AX;" + goEnd, apart, "reads 8 bytes at offset 1024 of the stack, which has 1024 bytes"},
		{emulate.Go, "$0-32", goLoad + "MOVQ (DI), AX;" + body + goEnd, apart, "reads 8 bytes at offset 0 of z before they are written"},
		{emulate.Go, "$0-32", goLoad + "MOVQ (DI), AX;" + body + goEnd, shared, ""},
		{emulate.Go, "$0-32", goLoad + "MOVQ (DX), AX;" + body + goEnd, apart, "reads 8 bytes at address 0x9, where no memory is declared"},
		{emulate.Go, "$0-32", goLoad + "MOVQ DX, -8(SP);" + body + goEnd, apart, "writes 8 bytes 8 below SP, where 0 bytes may be used"},
		{emulate.Go, "$0-32", goLoad + body + "SUBQ $2048, SP; MOVQ $1, 0(SP); ADDQ $2048, SP; RET", apart, "writes 8 bytes at address 0x7ffef800"},
		{emulate.Go, "$16-32", goLoad + "MOVQ 8(SP), AX;" + body + goEnd, apart, "reads 8 bytes at offset 1008 of the stack before"},
		{emulate.Go, "$0-32", goLoad + "PUSHQ DX; POPQ DX; SUBQ $8, SP; MOVQ 0(SP), AX; ADDQ $8, SP;" + body + goEnd, apart, "of the stack before they are written"},
		{emulate.Go, "$0-32", goLoad + "ADCQ $1, DX;" + body + goEnd, apart, "uses CF, which is undefined here"},
		{emulate.Go, "$0-32", goLoad + "JNE end; NOP; end:" + body + goEnd, apart, "uses ZF, which is undefined here"},
		{emulate.Go, "$0-32", goLoad + "MOVQ BX, AX;" + body + goEnd, apart, "reads 64 bits of a register of which the bits 0xffffffffffffffff are undefined"},
		{emulate.Go, "$0-32", goLoad + "SUBQ R8, R8; SETEQ BX; MOVBLZX BX, AX; MOVL BX, AX;" + body + goEnd, apart, "bits 0xffffff00 are undefined"},
		{emulate.Go, "$0-32", goLoad + "MOVQ $1, BP;" + body + goEnd, apart, "returns with another value in BP than on entry"},
		{emulate.Go, "$0-32", goLoad + "MOVQ $1, R14;" + body + goEnd, apart, "returns with another value in R14 than on entry"},
		{emulate.Go, "$0-32", goLoad + body + "MOVQ DX, r+24(FP); BYTE $0x52; RET", apart, "returns with SP -8 bytes from"},
		{emulate.Go, "$0-32", "loop: JMP loop", apart, "no return within 524288 instructions"},
		{emulate.Go, "$0-32", goLoad, apart, "where no instruction of the routine starts"},
		{emulate.SystemV, "$0-0", body + "MOVQ $1, R12;" + abiEnd, apart, "returns with another value in R12"},
		{emulate.SystemV, "$0-0", body + "MOVQ AX, -136(SP);" + abiEnd, apart, "136 below SP, where 128 bytes may be used"},
		{emulate.SystemV, "$0-0", body + "BYTE $0x80; BYTE $0xe0; BYTE $0x01; RET", apart, "claim r = k fails"},
		{emulate.SystemV, "$0-0", "MOVQ AX, CX; RET", apart, "bits 0xffffffffffffffff are undefined"},
		{emulate.SystemV, "$0-0", "MOVQ $1, (DI); MOVQ $1, 8(DI); RET", apart, "returns before the result r is in AX"},
	}
	var asm strings.Builder
	for i, tt := range tests {
		asm.WriteString(asmtest.Routine(fmt.Sprint("f", i), tt.size, tt.body))
	}
	all := asmtest.Code(t, asm.String())
	for i, tt := range tests {
		name := fmt.Sprintf("row %d, %s", i, tt.body)
		code := all[fmt.Sprint("f", i)]
		p, err := emulate.NewProgram(code, copying(t), tt.abi)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		err = p.Check(tt.in)
		switch {
		case err == nil && tt.want != "":
			t.Errorf("%s: no error, want one with %q", name, tt.want)
		case err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got error %q, want %q", name, err, tt.want)
		}
	}
}

// TestRefuses holds what cannot be run at all.
func TestRefuses(t *testing.T) {
	r := copying(t)
	swapped := &spec.Routine{Field: r.Field, Kind: "Swapped", Params: []spec.Param{r.Params[3], r.Params[0]}}
	many := &spec.Routine{Field: r.Field, Kind: "Many"}
	for range 7 {
		many.Params = append(many.Params, r.Params[0])
	}
	for _, tt := range []struct {
		name     string
		code     []byte
		contract *spec.Routine
		want     string
	}{
		{"division", []byte{0x90, 0x48, 0xf7, 0xf1, 0xc3}, r, "offset 0x1: DIVQ CX: DIV is not modelled"},
		{"vector", []byte{0x66, 0x0f, 0xef, 0xc1, 0xc3}, r, "PXOR is not modelled"},
		{"call", []byte{0xe8, 0, 0, 0, 0, 0xc3}, r, "CALL is not modelled"},
		{"cut short", []byte{0x48}, r, "offset 0x0: bytes 48 are no instruction"},
		{"result first", []byte{0xc3}, swapped, "result r is not the last parameter"},
		{"too many parameters", []byte{0xc3}, many, "7 parameters, System V passes 6 in registers"},
		{"unknown role", []byte{0xc3}, &spec.Routine{Field: r.Field, Params: []spec.Param{{Name: "z", Role: 9, Limbs: 1}}}, "unknown role 9 of z"},
		{"no limbs", []byte{0xc3}, &spec.Routine{Field: r.Field, Params: []spec.Param{{Name: "z"}}}, "0 limbs of z"},
	} {
		_, err := emulate.NewProgram(tt.code, tt.contract, emulate.SystemV)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want one with %q", tt.name, err, tt.want)
		}
	}
	p, err := emulate.NewProgram([]byte{0xc3}, r, emulate.Go)
	if err != nil {
		t.Fatal(err)
	}
	four := r.Field.R() // a bound that is above what two limbs hold
	small := *r
	small.Params = append([]spec.Param(nil), r.Params...)
	small.Params[1].Bound = four.SetInt64(5)
	small.Params[1].BoundName = "5"
	p5, err := emulate.NewProgram([]byte{0xc3}, &small, emulate.Go)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		p    *emulate.Program
		in   emulate.Input
		want string
	}{
		{"too few values", p, emulate.Input{Limbs: apart.Limbs[:2], Alias: apart.Alias}, "has 2 values and 4 buffers, want 4 of each"},
		{"too few limbs", p, emulate.Input{Limbs: [][]uint64{nil, {1}, {2}, nil}, Alias: apart.Alias}, "1 limbs for x, want 2"},
		{"forward alias", p, emulate.Input{Limbs: apart.Limbs, Alias: []int{1, 1, 2, 3}}, "z cannot share the buffer of parameter 1"},
		{"alias of a word", p, emulate.Input{Limbs: apart.Limbs, Alias: []int{0, 1, 0, 3}}, "k cannot share"},
		{"value above its bound", p5, emulate.Input{Limbs: [][]uint64{nil, {5, 0}, {2}, nil}, Alias: apart.Alias}, "x = 0x5, want less than 5"},
	} {
		if err := tt.p.Check(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

// TestInputPairs checks that pairs of edges occur, in separate buffers too.
func TestInputPairs(t *testing.T) {
	r, err := field(t).Routine(spec.KindAdd)
	if err != nil {
		t.Fatal(err)
	}
	edges := map[string]bool{}
	for _, v := range [][]uint64{{0, 0, 0, 0}, {1, 0, 0, 0}, {^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)},
		{^uint64(18), ^uint64(0), ^uint64(0), 1<<63 - 1}, {^uint64(19), ^uint64(0), ^uint64(0), 1<<63 - 1},
		{0, 0, 0, 1 << 63}, {0, 1, 0, 0}, {0, ^uint64(0), 0, 0}} {
		edges[fmt.Sprint(v)] = true
	}
	pairs := make(map[string]bool)
	g := emulate.NewInputs(r, 1)
	for range 40_000 {
		in := g.Next()
		x, y := fmt.Sprint(in.Limbs[1]), fmt.Sprint(in.Limbs[2])
		if edges[x] && edges[y] && in.Alias[1] != in.Alias[2] {
			pairs[x+y] = true
		}
	}
	if want := len(edges) * len(edges); len(pairs) != want {
		t.Errorf("%d pairs of %d edges, want all %d", len(pairs), len(edges), want)
	}
}

// TestInputs checks that inputs obey the contract, that every aliasing occurs,
// and that a seed draws them again.
func TestInputs(t *testing.T) {
	for _, f := range spec.Fields() {
		for _, r := range f.Routines() {
			g, h := emulate.NewInputs(r, 7), emulate.NewInputs(r, 7)
			p, err := emulate.NewProgram([]byte{0xc3}, r, emulate.Go)
			if err != nil {
				t.Fatal(err)
			}
			aliases, values := make(map[string]int), make(map[string]bool)
			for range 2000 {
				in := g.Next()
				aliases[fmt.Sprint(in.Alias)]++
				values[fmt.Sprint(in.Limbs)] = true
				if _, err := p.Start(in); err != nil {
					t.Fatal(err)
				}
				if again := h.Next(); fmt.Sprint(again) != fmt.Sprint(in) {
					t.Fatalf("%s: drew %v and then %v from one seed", r.Name(), in, again)
				}
			}
			want := map[spec.Kind]int{spec.KindAdd: 5, spec.KindNegate: 2, spec.KindMulAdd: 15, spec.KindSwap: 2, spec.KindReduceWide: 1}
			if n, ok := want[r.Kind]; ok && len(aliases) != n {
				t.Errorf("%s: %d ways to share buffers in %v, want %d", r.Name(), len(aliases), aliases, n)
			}
			if len(values) < 1000 {
				t.Errorf("%s: %d different inputs of 2000", r.Name(), len(values))
			}
		}
	}
}
