package kernel_test

import (
	"testing"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/search"
)

// TestSignedSegments proves the parts of inversions in Montgomery form that touch
// u and v, and plants faults in their code.
func TestSignedSegments(t *testing.T) {
	for _, tt := range []struct {
		name   string
		update bool
	}{
		{"field25519.scInvertADX", true},
		{"fieldp256.feInvertADX", false}, // one word more: the search does not prove the update yet
	} {
		target := target(t, tt.name)
		r := routine(t, target)
		pat := r.Patterns()[0]
		l, err := r.Loop(pat)
		if err != nil {
			t.Fatal(err)
		}
		v := k.NewInversion(target.Contract.Field)
		if err := search.Batch(v, l); err != nil {
			t.Fatal(err)
		}
		update, finish, err := v.SignedSegments(r, pat)
		if err != nil {
			t.Fatal(err)
		}
		if tt.update {
			refuseFaults(t, tt.name+", update", update, 25)
		}
		refuseFaults(t, tt.name+", finish", finish, 1)
	}
}

// refuseFaults proves a program, and plants faults in every step-th operation.
func refuseFaults(t *testing.T, name string, p *k.Program, step int) {
	cert, err := search.Prove(p)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := k.Replay(p.Code, &p.Contract, cert, nil); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	refused := 0
	for at := 0; at < len(p.Code); at += step {
		was := p.Code[at]
		switch was.Op {
		case k.Adc:
			p.Code[at].Op = k.Sbb
		case k.Sbb:
			p.Code[at].Op = k.Adc
		case k.Shr, k.Shl:
			p.Code[at].N ^= 1
		default:
			continue
		}
		if k.Replay(p.Code, &p.Contract, cert, nil) != nil {
			refused++
		}
		p.Code[at] = was
	}
	if refused < 5 {
		t.Errorf("%s: %d faults are refused", name, refused)
	}
}
