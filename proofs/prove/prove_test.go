package prove

import (
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

const certs = "../certs"

var targets = sync.OnceValues(func() ([]Target, error) {
	return Load("../..", "github.com/seed-6f9cd256/fieldproof/field25519", "github.com/seed-6f9cd256/fieldproof/fieldp256",
		"github.com/seed-6f9cd256/fieldproof/curves/internal/nist")
})

func load(t *testing.T) []Target {
	t.Helper()
	ts, err := targets()
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

func find(t *testing.T, ts []Target, name string) *Target {
	t.Helper()
	for i := range ts {
		if ts[i].Name == name {
			return &ts[i]
		}
	}
	t.Fatalf("no routine %s", name)
	return nil
}

// TestSearch finds again the certificates of some routines, byte for byte.
func TestSearch(t *testing.T) {
	ts := load(t)
	for _, name := range []string{"field25519.feAddAMD64", "field25519.feMult32ADX", "field25519.feIsZeroAMD64", "field25519.scDoubleAMD64",
		"field25519.feSwapAMD64", "fieldp256.feEqualAMD64", "fieldp256.feFromMontgomeryADX", "fieldp256.scNegateAMD64",
		"field25519.feInvertAMD64", "nist.scaleADX",
		"field25519.feAddARM64", "field25519.scMultiplyARM64", "fieldp256.feIsZeroARM64", "fieldp256.scSubtractARM64"} {
		x := find(t, ts, name)
		got, r := x.Search()
		if r.Err != nil {
			t.Errorf("%s: %v", name, r.Err)
			continue
		}
		want, err := os.ReadFile(x.File(certs))
		if err != nil || got != string(want) {
			t.Errorf("%s: the certificate that is found differs from the file (%v): run fieldproof prove", name, err)
		}
	}
}

// TestFalseContracts looks for proofs of contracts that the routines do not keep.
func TestFalseContracts(t *testing.T) {
	ts := load(t)
	for _, name := range []string{"field25519.feAddAMD64", "field25519.feReduceAMD64", "field25519.scDoubleAMD64",
		"field25519.feSelectAMD64", "fieldp256.feIsZeroAMD64"} {
		for what, change := range map[string]func(r *spec.Routine) bool{
			"another modulus": func(r *spec.Routine) bool {
				for i := range r.Claims {
					c := &r.Claims[i]
					switch {
					case c.Rel == spec.Congruent:
						c.Mod = new(big.Int).Add(c.Mod, big.NewInt(2))
					case c.R.Op == spec.OpIsCong && r.Field.Form == spec.Weak: // below p, all moduli from p on say the same
						c.R.Val = new(big.Int).Add(c.R.Val, big.NewInt(2))
					default:
						continue
					}
					return true
				}
				return false
			},
			"a result that is one off": func(r *spec.Routine) bool {
				c := &r.Claims[0]
				c.R = spec.Add(c.R, spec.Const(big.NewInt(1)))
				return c.R.Args[0].Op != spec.OpIsCong // which would not be a polynomial
			},
			"a result below p-1": func(r *spec.Routine) bool {
				c := &r.Claims[len(r.Claims)-1]
				if c.Rel != spec.Less || r.Kind == spec.KindAdd {
					return false
				}
				c.R = spec.Const(new(big.Int).Sub(r.Field.Modulus, big.NewInt(1)))
				return true
			},
		} {
			x := *find(t, ts, name)
			r := *x.Contract
			r.Claims = append([]spec.Claim(nil), r.Claims...)
			if !change(&r) {
				continue
			}
			x.Contract = &r
			if _, res := x.Search(); res.Err == nil {
				t.Errorf("%s with %s is proved", name, what)
			}
		}
	}
}

// TestCheckRefuses checks a certificate against another routine's code, and a missing one.
func TestCheckRefuses(t *testing.T) {
	ts := load(t)
	x := find(t, ts, "fieldp256.feAddAMD64")
	if r := x.Check(certs); r.Err != nil {
		t.Fatal(r.Err)
	}
	other := *x
	other.Code = find(t, ts, "fieldp256.feSubtractAMD64").Code
	if r := other.Check(certs); r.Err == nil || !strings.Contains(r.Err.Error(), "code sha256:") {
		t.Errorf("with the code of another routine: got %v", r.Err)
	}
	dir := t.TempDir()
	if r := x.Check(dir); !os.IsNotExist(r.Err) {
		t.Errorf("without a certificate: got %v", r.Err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other.cert"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if extra, err := Extra(dir, ts); err != nil || len(extra) != 1 {
		t.Errorf("Extra: got %v, %v, want the file other.cert", extra, err)
	}
}

// TestTargets refuses packages whose routines and contracts do not match.
func TestTargets(t *testing.T) {
	for want, p := range map[string]*object.Package{
		"has no contract":              {Name: "fieldp256", Arch: "amd64", Routines: []object.Routine{{Name: "feFrobAMD64", Code: []byte{0xc3}}}},
		"is not in the linked program": {Name: "fieldp256", Arch: "amd64", Routines: []object.Routine{{Name: "feAddAMD64"}}},
		"there are no proofs for mips": {Name: "fieldp256", Arch: "mips"},
		"no assembly file has it":      {Name: "fieldp256", Arch: "amd64", Routines: []object.Routine{{Name: "feAddAMD64", Code: []byte{0xc3}}}},
	} {
		if _, err := Targets([]*object.Package{p}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// TestFromBinary refuses a program for another architecture.
func TestFromBinary(t *testing.T) {
	if _, _, err := FromBinary(&object.Binary{Arch: "riscv64"}, "example.com/m"); err == nil || !strings.Contains(err.Error(), "the program is for riscv64") {
		t.Errorf("got %v, want an error about the architecture", err)
	}
}
