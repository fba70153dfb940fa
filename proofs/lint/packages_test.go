package lint_test

import (
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/asmtest"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// TestFieldPackages lints the assembly that users run.
func TestFieldPackages(t *testing.T) {
	const module = "github.com/seed-6f9cd256/fieldproof/"
	var paths []string
	for _, p := range spec.Packages() {
		paths = append(paths, module+p)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) { fieldPackages(t, arch, paths) })
	}
}

func fieldPackages(t *testing.T, arch string, paths []string) {
	pkgs, err := object.LoadArch(arch, ".", paths...)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) != len(paths) || len(paths) < 2 {
		t.Fatalf("loaded %d packages, want %v", len(pkgs), paths)
	}
	for _, p := range pkgs {
		contracts := lint.ContractsArch(arch, p.Name)
		results := lint.Package(p, contracts)
		if len(results) != len(contracts) || len(results) == 0 {
			t.Errorf("%s: %d routines, want %d", p.Name, len(results), len(contracts))
		}
		for _, r := range results {
			if r.Instructions == 0 || r.Steps == 0 {
				t.Errorf("%s: decoded %d instructions and followed %d, want some", r.Routine, r.Instructions, r.Steps)
			}
			for _, problem := range r.Problems {
				t.Error(problem)
			}
		}
	}
}

func TestContracts(t *testing.T) {
	c := lint.Contracts("field25519")
	for name, kind := range map[string]spec.Kind{
		"feAddAMD64": spec.KindAdd, "feMultiplyAMD64": spec.KindMultiply, "feMultiplyADX": spec.KindMultiply,
		"scInvertADX": spec.KindInvert,
	} {
		if r := c[name]; r == nil || r.Kind != kind || r.Name() != strings.TrimSuffix(strings.TrimSuffix(name, "ADX"), "AMD64") {
			t.Errorf("contract of %s is %+v, want kind %s", name, r, kind)
		}
	}
	arm := lint.ContractsArch("arm64", "field25519")
	for name, kind := range map[string]spec.Kind{
		"feAddARM64": spec.KindAdd, "feMultiplyARM64": spec.KindMultiply, "feMultiplyKaratsuba": spec.KindMultiply, "scInvertARM64": spec.KindInvert,
	} {
		if r := arm[name]; r == nil || r.Kind != kind {
			t.Errorf("contract of %s is %+v, want kind %s", name, r, kind)
		}
	}
	for _, name := range []string{"feAddKaratsuba", "scInvertKaratsuba", "feAddAMD64"} {
		if arm[name] != nil {
			t.Errorf("%s has a contract for arm64, want none", name)
		}
	}
	for _, name := range []string{"feAddADX", "feMultiplyGeneric", "feMultiply"} {
		if c[name] != nil {
			t.Errorf("%s has a contract, want none", name)
		}
	}
	if c := lint.Contracts("math"); len(c) != 0 {
		t.Errorf("package math has %d contracts, want 0", len(c))
	}
}

// TestPackage plants routines and contracts without each other.
func TestPackage(t *testing.T) {
	copies := load + fill + "RET"
	asm := asmtest.Routine("good", "$0-16", copies) +
		asmtest.Routine("bad", "$0-16", load+fill+"MOVQ (SI), CX; MOVQ (CX), CX; RET") +
		asmtest.Routine("uninvited", "$0-16", copies) +
		asmtest.Routine("unused", "$0-16", copies) +
		"TEXT local<>(SB), NOSPLIT, $0-0\n\tRET\n"
	p := asmtest.Load(t, asmtest.Module(t, "pkg", asm, "unused"))
	u := contracts['u']
	results := lint.Package(p, map[string]*spec.Routine{"good": u, "bad": u, "unused": u, "absent": u})
	want := []struct{ routine, problem string }{
		{"pkg.absent", "pkg.absent: contract: no assembly file has the routine"},
		{"pkg.bad", "pkg.bad+0x23: MOVQ 0(CX), CX: secret address: reads"},
		{"pkg.good", ""},
		{"pkg.local<1>", "pkg.local<1>: contract: pkg_amd64.s has a routine for which there is no contract"},
		{"pkg.uninvited", "pkg.uninvited: contract: pkg_amd64.s has a routine for which there is no contract"},
		{"pkg.unused", "pkg.unused: contract: pkg_amd64.s has a routine that the package and its tests never refer to"},
	}
	if len(results) != len(want) {
		t.Fatalf("%d results, want %d: %+v", len(results), len(want), results)
	}
	for i, w := range want {
		r := results[i]
		if r.Routine != w.routine {
			t.Errorf("result %d is of %s, want %s", i, r.Routine, w.routine)
		}
		if w.problem == "" {
			if len(r.Problems) != 0 {
				t.Errorf("%s has problems %v, want none", r.Routine, r.Problems)
			}
		} else if len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0].String(), w.problem) {
			t.Errorf("%s has problems %v, want one that begins with %q", r.Routine, r.Problems, w.problem)
		}
	}
}

// TestWholeRoutine holds what cannot be laid to one instruction.
func TestWholeRoutine(t *testing.T) {
	ret := []byte{0xc3}
	for _, tt := range []struct {
		name     string
		code     []byte
		contract *spec.Routine
		want     string
	}{
		{"ENDBR32, which the disassembler does not know", []byte{0xf3, 0x0f, 0x1e, 0xfb, 0xc3}, contract(),
			"f: decoding: offset 0x0: bytes f3 0f 1e fb c3 are no instruction"},
		{"instruction cut short", []byte{0x48, 0x8b}, contract(), "f: decoding: offset 0x0"},
		{"result before a parameter", ret, contract(param("r", spec.Result, true), param("k", spec.Value, true)),
			"f: contract: contract of feTest: result r is not the last parameter"},
		{"no limbs", ret, contract(spec.Param{Name: "z", Role: spec.Out}),
			"f: contract: contract of feTest: 0 limbs behind z, want at least 1"},
		{"unknown role", ret, contract(spec.Param{Name: "z", Role: 9, Limbs: 1}), "unknown role 9 of z"},
		{"no code", nil, contract(), "f: decoding: no code"},
	} {
		r := lint.Routine("f", tt.code, tt.contract)
		if len(r.Problems) != 1 || r.Problems[0].Offset != -1 || !strings.Contains(r.Problems[0].String(), tt.want) {
			t.Errorf("%s: got problems %v, want one with %q", tt.name, r.Problems, tt.want)
		}
	}
}

// FuzzRoutine checks that no code makes the lint panic, and that it always
// decides.
func FuzzRoutine(f *testing.F) {
	f.Add([]byte{0x48, 0x8b, 0x7c, 0x24, 0x08, 0xc3})                   // MOVQ z+0(FP), DI; RET
	f.Add([]byte{0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3})                   // PUSHQ BP; MOVQ SP, BP; POPQ BP; RET
	f.Add([]byte{0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3})                   // loop: DECQ CX; JNE loop; RET
	f.Add([]byte{0x31, 0xc0, 0x48, 0x83, 0xc0, 0x08, 0x73, 0xfa, 0xc3}) // a loop that ends on a carry
	f.Add([]byte{0x48, 0x29, 0xe4, 0x48, 0x8d, 0x64, 0x24, 0x08, 0xc3}) // SUBQ SP, SP; LEAQ 8(SP), SP; RET
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) > 200 {
			return
		}
		r := lint.Routine("f", code, contracts['u'])
		if len(r.Problems) == 0 && r.Steps < 8 { // four limbs of z take that many
			t.Errorf("% x passes after %d instructions", code, r.Steps)
		}
	})
}
