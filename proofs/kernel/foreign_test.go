package kernel_test

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/coq"
	"github.com/seed-6f9cd256/fieldproof/proofs/foreign"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// foreigners returns the routines of package foreign's tests, assembled by gcc,
// with their certificates.
func foreigners(t *testing.T, do func(name string, r *k.Routine, ks []*k.Cert)) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc, from Debian's package gcc")
	}
	dir := filepath.Join("..", "foreign", "testdata")
	sources, err := filepath.Glob(filepath.Join(dir, "*.s"))
	if err != nil || len(sources) == 0 {
		t.Fatal(err, "no routines in", dir)
	}
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), ".s")
		object := filepath.Join(t.TempDir(), name+".o")
		if out, err := exec.Command("gcc", "-c", "-o", object, source).CombinedOutput(); err != nil {
			t.Fatalf("gcc %s: %v\n%s", source, err, out)
		}
		data, err := os.ReadFile(object)
		if err != nil {
			t.Fatal(err)
		}
		code, err := foreign.ReadObject(bytes.NewReader(data), name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := foreign.ParseContract(text)
		if err != nil {
			t.Fatal(err)
		}
		tt := prove.Target{Name: name, Contract: c, Code: code, Conv: k.SystemV}
		cert, res := tt.Search()
		if res.Err != nil {
			t.Fatalf("%s: %v", name, res.Err)
		}
		r, err := k.NewRoutine(c, k.SystemV, code)
		if err != nil {
			t.Fatal(err)
		}
		ks, err := r.ParseText(name, cert)
		if err != nil {
			t.Fatal(err)
		}
		do(name, r, ks)
	}
}

// TestForeignCoq lets Coq check functions with the System V ABI, and compares
// what both checkers know after each operation.
func TestForeignCoq(t *testing.T) {
	var theorems, traces strings.Builder
	theorems.WriteString(k.CoqHeader)
	traces.WriteString(k.CoqHeader + "Require Import Trace.\n")
	n := 0
	foreigners(t, func(name string, r *k.Routine, ks []*k.Cert) {
		n++
		if err := r.WriteCoq(&theorems, name, ks); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&theorems, "Print Assumptions correct_%s.\n", name)
		pats := r.Patterns()
		last := len(pats) - 1 // disjoint
		if err := r.WriteTrace(&traces, name, pats[last], ks[last]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	})
	if out, err := compile(t, "Foreign.v", theorems.String()); err != nil || !coq.Closed(out, n) {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := compile(t, "ForeignTraces.v", traces.String()); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestForeignCoqRejects shows Coq certificates under another calling
// convention, and for code that does not restore a register.
func TestForeignCoqRejects(t *testing.T) {
	foreigners(t, func(name string, r *k.Routine, ks []*k.Cert) {
		if name != "addp256" {
			return
		}
		for fault, change := range map[string]func(r *k.Routine){
			"Convention": func(r *k.Routine) { r.Conv = k.ABI0 },
			"Restore": func(r *k.Routine) { // pop %rbx becomes pop %rcx
				r.Code = bytes.Clone(r.Code)
				r.Code[len(r.Code)-2] = 0x59
			},
			"Bound": func(r *k.Routine) { // x may be more than p
				r.Params = slices.Clone(r.Params)
				r.Params[1].Max = new(big.Int).Lsh(big.NewInt(1), 256)
			},
		} {
			bad := *r
			change(&bad)
			var b strings.Builder
			b.WriteString(k.CoqHeader)
			if err := bad.WriteCoq(&b, "it", ks); err != nil {
				t.Fatal(err)
			}
			if out, err := compile(t, "Foreign"+fault+".v", b.String()); err == nil {
				t.Errorf("%s: a false theorem is accepted:\n%s", fault, out)
			}
		}
	})
}
