package lint_test

import (
	"hash/fnv"
	"math/big"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// The tests in this file are named after public reports of leaks in other
// libraries: TestReport_owner_repository_number.

// A negation was done by a jump on a secret, or a table was read at a secret
// place (CVE-2025-22866): both must be refused, whatever the rest is.
func TestReport_golang_go_71383(t *testing.T) {
	checkRoutines(t, []routine{
		{"vNegateIf", "$0-32", "MOVQ n+8(FP), AX; MOVQ k+16(FP), CX; XORL DX, DX; TESTQ CX, CX; JEQ end; SUBQ AX, DX; MOVQ DX, AX; end: MOVQ AX, r+24(FP); RET",
			[]string{"JE | secret jump | depends on a secret"}},
		{"vTable", "$0-32", "MOVQ x+0(FP), SI; MOVQ k+16(FP), CX; ANDQ $3, CX; MOVQ (SI)(CX*8), AX; MOVQ AX, r+24(FP); RET",
			[]string{"MOVQ 0(SI)(CX*8), AX | secret address | reads at an address that depends on a secret"}},
		// The same two without a leak: every entry is read, and flags select.
		{"vNegateSelect", "$0-32", "MOVQ n+8(FP), AX; MOVQ k+16(FP), CX; XORL DX, DX; SUBQ AX, DX; TESTQ CX, CX; CMOVQNE DX, AX; MOVQ AX, r+24(FP); RET", nil},
		{"vTableSelect", "$0-32", `MOVQ x+0(FP), SI; MOVQ k+16(FP), CX; MOVQ (SI), AX; CMPQ CX, $1; CMOVQEQ 8(SI), AX
			CMPQ CX, $2; CMOVQEQ 16(SI), AX; CMPQ CX, $3; CMOVQEQ 24(SI), AX; MOVQ AX, r+24(FP); RET`, nil},
	})
}

// The time of a division depends on its operands: no form of it may stand in a
// routine, not even for public values.
func TestReport_golang_go_49702(t *testing.T) {
	var list []routine
	for _, op := range []string{"DIVB", "DIVW", "DIVL", "DIVQ", "IDIVB", "IDIVW", "IDIVL", "IDIVQ"} {
		name := strings.TrimRight(op, "BWLQ")
		list = append(list,
			routine{"u" + op, "$0-16", load + fill + "MOVQ (SI), CX; MOVQ $0, DX; " + op + " CX; RET",
				[]string{name + " | instruction | " + name + " is not on the allow-list"}},
			routine{"u" + op + "Memory", "$0-16", load + fill + "MOVQ $0, DX; " + op + " (SI); RET",
				[]string{name + " | instruction | " + name + " is not on the allow-list"}})
	}
	checkRoutines(t, list)
}

// The time of a signature depended on the length of the nonce, and on a zero
// top limb of its inverse (CVE-2024-13176): an inversion must execute the same
// instructions for all numbers.
func TestReport_openssl_openssl_23860(t *testing.T) {
	fields := make(map[string]int)
	for _, pkg := range spec.Packages() {
		loaded, err := object.Load(".", "github.com/seed-6f9cd256/fieldproof/"+pkg)
		if err != nil {
			t.Fatal(err)
		}
		contracts := lint.Contracts(pkg)
		for _, r := range loaded[0].Routines {
			c := contracts[r.Name]
			if c == nil || c.Kind != spec.KindInvert {
				continue
			}
			fields[c.Field.Name]++
			if res := lint.Routine(r.Name, r.Code, c); len(res.Problems) > 0 || res.Steps < 1000 {
				t.Errorf("%s.%s: %d instructions followed with the problems %v, want 1000 and none", pkg, r.Name, res.Steps, res.Problems)
			}
			p, err := emulate.NewProgram(r.Code, c, emulate.Go)
			if err != nil {
				t.Fatal(err)
			}
			var first uint64
			for i, x := range inversions(c.Field) {
				trace := trace(t, p, emulate.Input{Limbs: [][]uint64{nil, x}, Alias: []int{0, 1}})
				if i == 0 {
					first = trace
				} else if trace != first {
					t.Errorf("%s.%s of %#x executes other instructions than of 1", pkg, r.Name, x)
				}
			}
		}
	}
	for _, f := range spec.Fields() {
		if fields[f.Name] < 2 {
			t.Errorf("%s has %d inversions in assembly, want one with and one without ADX", f.Name, fields[f.Name])
		}
	}
}

// inversions returns limbs of a field: short ones, long ones, and one whose
// inverse is short.
func inversions(f *spec.Field) (list [][]uint64) {
	short := new(big.Int).Lsh(big.NewInt(1), 100)
	long := new(big.Int).ModInverse(short, f.Modulus)
	if f.Form == spec.Montgomery {
		long.Mul(long, f.R()).Mul(long, f.R()).Mod(long, f.Modulus)
	}
	for _, v := range []*big.Int{
		big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 64), new(big.Int).Lsh(big.NewInt(1), 128), new(big.Int),
		new(big.Int).Sub(f.Modulus, big.NewInt(1)), long,
	} {
		limbs := make([]uint64, f.Limbs)
		for i := range limbs {
			limbs[i] = new(big.Int).Rsh(v, uint(64*i)).Uint64()
		}
		list = append(list, limbs)
	}
	return list
}

// trace runs a program and returns a hash of the offsets at which it was.
func trace(t *testing.T, p *emulate.Program, in emulate.Input) uint64 {
	t.Helper()
	r, err := p.Start(in)
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	for !r.Done() {
		at := r.Inst().(amd64.Inst).Offset
		h.Write([]byte{byte(at), byte(at >> 8), byte(at >> 16)})
		if err := r.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return h.Sum64()
}
