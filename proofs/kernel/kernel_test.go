package kernel_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/explain"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

const certs = "../certs"

var load = sync.OnceValues(func() ([]prove.Target, error) {
	var names []string
	for _, p := range spec.Packages() {
		names = append(names, "github.com/seed-6f9cd256/fieldproof/"+p)
	}
	return prove.Load("../..", names...)
})

// targets returns the routines that have certificates, but formulas.
func targets(t *testing.T) []prove.Target {
	t.Helper()
	return covered(t, func(r *spec.Routine) bool { return r.Formula == nil })
}

// formulas returns the formulas that have certificates.
func formulas(t *testing.T) []prove.Target {
	t.Helper()
	return covered(t, func(r *spec.Routine) bool { return r.Formula != nil })
}

func covered(t *testing.T, which func(*spec.Routine) bool) (ts []prove.Target) {
	t.Helper()
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range all {
		if tt.Covered() && which(tt.Contract) {
			ts = append(ts, tt)
		}
	}
	return ts
}

// straight returns those that have no loop.
func straight(t *testing.T) []prove.Target {
	t.Helper()
	return slices.DeleteFunc(targets(t), func(tt prove.Target) bool { return routine(t, tt).HasLoop() })
}

func target(t *testing.T, name string) prove.Target {
	t.Helper()
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range all {
		if tt.Name == name {
			return tt
		}
	}
	t.Fatalf("no routine %s", name)
	return prove.Target{}
}

func routine(t *testing.T, tt prove.Target) *k.Routine {
	t.Helper()
	r, err := k.NewRoutine(tt.Contract, tt.Conv, tt.Code)
	if err != nil {
		t.Fatalf("%s: %v", tt.Name, err)
	}
	return r
}

func program(t *testing.T, r *k.Routine, pat k.Pattern) *k.Program {
	t.Helper()
	p, err := r.Program(pat)
	if err != nil {
		t.Fatalf("pointers %s: %v", r.Names(pat), err)
	}
	return p
}

func text(t *testing.T, tt prove.Target) string {
	t.Helper()
	b, err := os.ReadFile(tt.File(certs))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func certificates(t *testing.T, tt prove.Target, r *k.Routine) []*k.Cert {
	t.Helper()
	ks, err := r.ParseText(tt.Name, text(t, tt))
	if err != nil {
		t.Fatalf("%s: %v", tt.Name, err)
	}
	return ks
}

// TestCheck checks every certificate.
func TestCheck(t *testing.T) {
	all := covered(t, func(*spec.Routine) bool { return true })
	for _, tt := range all {
		if r := tt.Check(certs); r.Err != nil {
			t.Errorf("%s: %v", tt.Name, r.Err)
		}
	}
	extra, err := prove.Extra(certs, all)
	if err != nil || len(extra) > 0 {
		t.Errorf("certificates that belong to no routine: %v %v", extra, err)
	}
}

// TestDecodeAgrees compares the boundaries of instructions with those of the other decoder.
func TestDecodeAgrees(t *testing.T) {
	for _, tt := range targets(t) {
		r := routine(t, tt)
		list, err := explain.Instructions(r)
		if err != nil {
			t.Fatalf("%s: %v", tt.Name, err)
		}
		parts := r.Mops
		ops := slices.Concat(parts[:]...)
		starts := map[int]bool{}
		for _, in := range list {
			starts[offsetOf(in)] = true
		}
		seen := map[int]bool{}
		for _, m := range ops {
			seen[m.Offset] = true
			if !starts[m.Offset] {
				t.Errorf("%s: an instruction at %#x, where the other decoder has none", tt.Name, m.Offset)
			}
		}
		jumps := 0 // without operations
		if len(parts[1]) > 0 {
			jumps = 1
		}
		if len(seen)+jumps != len(list) {
			t.Errorf("%s: %d instructions, the other decoder has %d", tt.Name, len(seen)+jumps, len(list))
		}
	}
}

// TestMutants changes one byte of a routine at a time. What still decodes must
// not be proved by the routine's certificates, unless it computes the same.
func TestMutants(t *testing.T) {
	rejected, decoded, same := 0, 0, 0
	for _, name := range []string{"field25519.feAddAMD64", "field25519.feMult32ADX", "field25519.scSubtractAMD64", "fieldp256.feIsZeroAMD64", "fieldp256.feSelectAMD64", "field25519.feSwapAMD64",
		"field25519.feAddARM64", "field25519.scSubtractARM64", "fieldp256.feIsZeroARM64", "fieldp256.feSelectARM64"} {
		tt := target(t, name)
		ks := certificates(t, tt, routine(t, tt))
		for at := range tt.Code {
			for _, flip := range []byte{0x01, 0x08, 0x10, 0x40} {
				code := append([]byte(nil), tt.Code...)
				code[at] ^= flip
				r, err := k.NewRoutine(tt.Contract, tt.Conv, code)
				if err != nil {
					continue
				}
				decoded++
				if r.Check(ks) != nil {
					rejected++
					continue
				}
				same++
				if err := concretely(t, r, 10000); err != nil {
					t.Errorf("%s with byte %#x changed by %#x is accepted, but wrong: %v", name, at, flip, err)
				}
			}
		}
	}
	t.Logf("%d mutants decode, %d are rejected, %d are accepted and compute the same", decoded, rejected, same)
	if decoded < 500 || rejected < 450 {
		t.Errorf("%d mutants decode and %d are rejected: too few for a test", decoded, rejected)
	}
}

// TestText refuses certificates that were edited, truncated or swapped.
func TestText(t *testing.T) {
	tt := target(t, "fieldp256.feAddAMD64")
	r := routine(t, tt)
	good := text(t, tt)
	check := func(text string) error {
		ks, err := r.ParseText(tt.Name, text)
		if err != nil {
			return err
		}
		return r.Check(ks)
	}
	if err := check(good); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(good, "\n")
	for n := range lines {
		if check(strings.Join(lines[:n], "")) == nil && n < len(lines)-1 {
			t.Errorf("the first %d of %d lines are accepted", n, len(lines)-1)
		}
		rest := strings.Join(lines[:n], "") + strings.Join(lines[min(n+1, len(lines)):], "")
		if rest != good && check(rest) == nil {
			t.Errorf("without line %d, %q, it is accepted", n+1, lines[n])
		}
	}
	for n := range good {
		if check(good[:n]) == nil {
			t.Errorf("the first %d bytes are accepted", n)
		}
	}
	other := text(t, target(t, "fieldp256.feSubtractAMD64"))
	if err := check(other); err == nil || !strings.Contains(err.Error(), "want \"routine fieldp256.feAddAMD64\"") {
		t.Errorf("the certificate of another routine: got %v", err)
	}
	for _, edit := range [][2]string{{"fork 40", "fork 41"}, {"goal eqs -", "goal eqs 1*f2097155"}, {"run 1", "run 01"}, {"pointers ", "pointers  "}, {"end 2", "end 1"}, {"as disjoint", "as disjoint "},
		{"x=z | ", ""}, {"as disjoint", "end 0"}, {"pointers disjoint", "pointers y=x"}} {
		if bad := strings.Replace(good, edit[0], edit[1], 1); bad == good || check(bad) == nil {
			t.Errorf("with %q in place of %q it is accepted, or the same", edit[1], edit[0])
		}
	}
}
