package kernel_test

import (
	"flag"
	"math/big"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/coq"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

var withCoq = flag.Bool("coq", false, "run the tests that need coqc, which take minutes")

var development = sync.OnceValues(func() (*coq.Development, error) { return coq.Build(func(string) {}) })

// build returns the Coq development, or skips the test.
func build(t *testing.T) *coq.Development {
	t.Helper()
	if !*withCoq {
		t.Skip("takes minutes of coqc: run it with -coq")
	}
	if _, err := exec.LookPath("coqc"); err != nil {
		t.Fatal("needs coqc, from Debian's package coq")
	}
	dev, err := development()
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

// compile shows Coq a file that requires the development.
func compile(t *testing.T, name, text string) (string, error) {
	t.Helper()
	return build(t).Compile(name, text)
}

// TestTrace compares the checkers in Go and in Coq step by step: after each
// operation, both forms and the range of each result.
func TestTrace(t *testing.T) {
	var b strings.Builder
	b.WriteString(k.CoqHeader + "Require Import Trace.\n")
	for _, name := range []string{"field25519.feMultiplyADX", "field25519.feEqualAMD64", "field25519.feReduceAMD64",
		"fieldp256.feSubtractAMD64", "fieldp256.feMult32AMD64", "fieldp256.scEqualAMD64", "field25519.feSwapAMD64",
		"fieldp256.feSubtractARM64", "field25519.feEqualARM64"} {
		tt := target(t, name)
		r := routine(t, tt)
		ks := certificates(t, tt, r)
		pats := r.Patterns()
		n := len(pats) - 1
		if err := r.WriteTrace(&b, strings.ReplaceAll(name, ".", "_"), pats[n], ks[n]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if out, err := compile(t, "Traces.v", b.String()); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCoqRejects shows Coq a false certificate, code and contract.
func TestCoqRejects(t *testing.T) {
	tt := target(t, "field25519.feAddAMD64")
	theorem := func(change func(r *k.Routine, ks []*k.Cert)) string {
		r := routine(t, tt)
		ks := certificates(t, tt, r)
		change(r, ks)
		var b strings.Builder
		b.WriteString(k.CoqHeader)
		if err := r.WriteCoq(&b, "it", ks); err != nil {
			t.Fatal(err)
		}
		return b.String() + "Print Assumptions correct_it.\n"
	}
	out, err := compile(t, "Good.v", theorem(func(*k.Routine, []*k.Cert) {}))
	if err != nil || !coq.Closed(out, 1) {
		t.Fatalf("the proof is not accepted: %v\n%s", err, out)
	}
	for name, change := range map[string]func(r *k.Routine, ks []*k.Cert){
		"Code": func(r *k.Routine, ks []*k.Cert) {
			// the first change of a byte that decodes, and that the Go checker refuses
			for at := range r.Code {
				code := append([]byte(nil), r.Code...)
				code[at] ^= 0x10
				if m, err := k.NewRoutine(tt.Contract, k.ABI0, code); err == nil && m.Check(ks) != nil {
					r.Code = code
					return
				}
			}
			t.Fatal("no change of a byte is refused")
		},
		"Contract": func(r *k.Routine, ks []*k.Cert) { r.Claims[0].R = r.Claims[0].R.L },
		"Frame":    func(r *k.Routine, ks []*k.Cert) { r.Frame = 63 },
		"Missing":  func(r *k.Routine, ks []*k.Cert) { ks[len(ks)-1] = ks[len(ks)-1].Next[0] },
	} {
		if out, err := compile(t, name+".v", theorem(change)); err == nil {
			t.Errorf("%s: a false theorem is accepted:\n%s", name, out)
		}
	}
}

// TestCoqEntry shows Coq contracts that no state on entry can keep, of which
// anything would be true, and one that can be kept.
func TestCoqEntry(t *testing.T) {
	tt := target(t, "fieldp256.feSelectAMD64") // z, x, y and a word
	inhabited := func(change func(r *k.Routine)) (string, error) {
		r := routine(t, tt)
		r.Params = slices.Clone(r.Params)
		spec := *r.Spec
		r.Spec = &spec
		change(r)
		var b strings.Builder
		if err := r.WriteCoq(&b, "it", certificates(t, tt, routine(t, tt))); err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(b.String(), "Definition cert_it")
		return compile(t, "Entry_it.v", k.CoqHeader+text)
	}
	minus := big.NewInt(-1)
	for _, tt := range []struct {
		name   string
		change func(r *k.Routine)
		fault  bool
	}{
		{"it is", func(*k.Routine) {}, false},
		{"pointers that differ", func(r *k.Routine) { r.Spec.Apart = [][2]int{{0, 1}, {2, 1}} }, false},
		{"System V", func(r *k.Routine) { r.Conv = k.SystemV }, false},
		{"arm64", func(r *k.Routine) { r.Conv = k.GoARM64 }, false},
		{"a pointer that differs from itself", func(r *k.Routine) { r.Spec.Apart = [][2]int{{1, 1}} }, true},
		{"a number below 0", func(r *k.Routine) { r.Params[1].Max = minus }, true},
		{"a word below 0", func(r *k.Routine) { r.Params[3].Max = minus }, true},
		{"a frame below 0", func(r *k.Routine) { r.Frame = -1 }, true},
	} {
		out, err := inhabited(tt.change)
		refused := err != nil && strings.Contains(out, `it is expected to have type
 "check_entry contract_it = true"`)
		if refused != tt.fault || err != nil && !tt.fault {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
}

// TestCoqCheck lets one run of coqc check several routines, of which one does
// not keep its contract.
func TestCoqCheck(t *testing.T) {
	dev := build(t)
	var ts []prove.Target
	for _, name := range []string{"field25519.feAddAMD64", "field25519.feSwapARM64", "fieldp256.feNegateARM64"} {
		ts = append(ts, target(t, name))
	}
	bad := *ts[1].Contract
	bad.Claims = slices.Clone(bad.Claims)
	bad.Claims[0].R = spec.Add(bad.Claims[0].R, spec.Const(big.NewInt(1)))
	ts[1].Contract = &bad
	n := 0
	for i, r := range prove.CoqCheck(ts, certs, dev, func(prove.Result) { n++ }) {
		if r.Name != ts[i].Name || r.Patterns == 0 || r.Time == 0 || (r.Err == nil) != (i != 1) {
			t.Errorf("%s: got name %s, %d patterns, error %v", ts[i].Name, r.Name, r.Patterns, r.Err)
		}
	}
	if n != len(ts) {
		t.Errorf("got %d results, want %d", n, len(ts))
	}
	// What several theorems rest on is asked of all at once.
	out, err := dev.Compile("Axiom.v", "Axiom cheat : False.\nTheorem one : True. Proof. exact I. Qed.\n"+
		"Theorem two : 0 = 1. Proof. destruct cheat. Qed.\nDefinition all := (one, two).\nPrint Assumptions all.\n")
	if err != nil || coq.Closed(out, 1) {
		t.Errorf("an axiom is not noticed: error %v\n%s", err, out)
	}
}

// TestCoqRejectsAddress shows Coq a routine that is correct, and whose accesses
// are to its parameters, but at an address that depends on an input.
func TestCoqRejectsAddress(t *testing.T) {
	tt := target(t, "field25519.feAddAMD64")
	prefix := func(add ...byte) []byte {
		return slices.Concat([]byte{
			0x48, 0x8b, 0x4c, 0x24, 0x10, // MOVQ x+8(FP), CX
			0x48, 0x8b, 0x11, // MOVQ (CX), DX
			0x48, 0x83, 0xe2, 0x18, // ANDQ $24, DX
		}, add, []byte{0x48, 0x8b, 0x11}, tt.Code) // MOVQ (CX), DX
	}
	load := func(code []byte) (*k.Routine, error) {
		r, err := k.NewRoutine(tt.Contract, k.ABI0, code)
		if err != nil {
			t.Fatal(err)
		}
		pats := r.Patterns()
		_, err = r.Program(pats[len(pats)-1])
		return r, err
	}
	if _, err := load(prefix()); err != nil {
		t.Fatalf("the address of x[0] is refused: %v", err)
	}
	r, err := load(prefix(0x48, 0x01, 0xd1)) // ADDQ DX, CX
	if err == nil || !strings.Contains(err.Error(), "offset 0xc: computes with location 2, which holds an address") {
		t.Fatalf("an address that depends on x[0]: %v", err)
	}
	var b strings.Builder
	if err := r.WriteCoq(&b, "it", certificates(t, tt, routine(t, tt))); err != nil {
		t.Fatal(err)
	}
	defs, _, _ := strings.Cut(b.String(), "Definition cert_it")
	if out, err := compile(t, "Address.v", k.CoqHeader+defs+
		"Example refused : forall k ks, check_routine contract_it code_it k ks = false.\n"+
		"Proof. intros. vm_compute. reflexivity. Qed.\n"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestClosed refuses output that names an axiom.
func TestClosed(t *testing.T) {
	for out, want := range map[string]bool{
		"Closed under the global context\n": true,
		"Axioms:\ncheat : False\n":          false,
		"":                                  false,
		"Closed under the global context\nAxioms:\nx : False\n": false,
	} {
		if coq.Closed(out, 1) != want {
			t.Errorf("Closed(%q) = %v", out, !want)
		}
	}
}
