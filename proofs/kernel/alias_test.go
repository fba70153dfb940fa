package kernel_test

import (
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/coq"
	"github.com/seed-6f9cd256/fieldproof/proofs/foreign"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/search"
)

// The two words of x change places on the way to z: modulo 2^128 - 1 that is a
// multiplication by 2^64.
const exchangeContract = `{"name": "exchange", "modulus": "2^128 - 1", "claims": ["z == 2^64*x (mod p)"],
	"parameters": [{"name": "z", "role": "out", "limbs": 2}, {"name": "x", "role": "in", "limbs": 2}]}`

// exchange returns the routine with its certificates, that of equal pointers
// left out.
func exchange(t *testing.T, code []byte) (*k.Routine, []*k.Cert) {
	t.Helper()
	c, err := foreign.ParseContract([]byte(exchangeContract))
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.NewRoutine(c, k.SystemV, code)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := search.Prove(program(t, r, k.Pattern{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	return r, []*k.Cert{nil, cert}
}

var (
	// MOVQ 8(SI), AX; MOVQ 0(SI), CX; MOVQ AX, 0(DI); MOVQ CX, 8(DI); RET
	loadsFirst = []byte{0x48, 0x8b, 0x46, 0x08, 0x48, 0x8b, 0x0e, 0x48, 0x89, 0x07, 0x48, 0x89, 0x4f, 0x08, 0xc3}
	// MOVQ 8(SI), AX; MOVQ AX, 0(DI); MOVQ 0(SI), CX; MOVQ CX, 8(DI); RET
	storesFirst = []byte{0x48, 0x8b, 0x46, 0x08, 0x48, 0x89, 0x07, 0x48, 0x8b, 0x0e, 0x48, 0x89, 0x4f, 0x08, 0xc3}
)

// TestAlias shows both checkers a routine that is wrong for equal pointers
// only, and a certificate that says they make no difference.
func TestAlias(t *testing.T) {
	r, ks := exchange(t, loadsFirst)
	if err := r.Check(ks); err != nil {
		t.Errorf("loads first: %v", err)
	}
	bad, badKs := exchange(t, storesFirst)
	if err := bad.Check(badKs); err == nil || !strings.Contains(err.Error(), "pointers x=z: ") {
		t.Errorf("stores first: got %v, want a refusal of x=z", err)
	}
	if err := r.Check([]*k.Cert{ks[1], nil}); err == nil {
		t.Error("accepted without a certificate for disjoint pointers")
	}
	theorem := func(r *k.Routine, ks []*k.Cert) (string, error) {
		var b strings.Builder
		b.WriteString(k.CoqHeader)
		if err := r.WriteCoq(&b, "exchange", ks); err != nil {
			t.Fatal(err)
		}
		return compile(t, "Exchange.v", b.String()+"Print Assumptions correct_exchange.\n")
	}
	if out, err := theorem(r, ks); err != nil || !coq.Closed(out, 1) {
		t.Errorf("Coq, loads first: %v\n%s", err, out)
	}
	if out, err := theorem(bad, badKs); err == nil {
		t.Errorf("Coq accepts stores first:\n%s", out)
	}
}

// TestAliasContract compares programs whose contracts do not correspond.
func TestAliasContract(t *testing.T) {
	r, _ := exchange(t, loadsFirst)
	pat := k.Pattern{1, 1}
	for name, change := range map[string]func(q *k.Program){
		"claim":  func(q *k.Program) { q.Claims[0].R.R.Locs[0]++ },
		"claims": func(q *k.Program) { q.Claims = nil },
		"bound":  func(q *k.Program) { q.Bounds[0].Locs[1]-- },
		"input":  func(q *k.Program) { q.Inputs = q.Inputs[1:] },
		"result": func(q *k.Program) { q.Claims[0].L.Locs[0]++ },
	} {
		d, q := program(t, r, k.Pattern{1, 2}), program(t, r, pat)
		if err := k.Alias(d, q, pat); err != nil {
			t.Fatal(err)
		}
		if change(q); k.Alias(d, q, pat) == nil {
			t.Errorf("another %s: accepted", name)
		}
	}
}
