package mutate_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/mutate"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

var searched = flag.Int("searched", 4, "mutants for which a certificate is searched")

// TestSearched searches for certificates of mutants: what is proved must keep the
// contract on all inputs, and no search may panic. A search that fails takes much
// longer than one that succeeds, so mutants are few.
func TestSearched(t *testing.T) {
	pkgs, err := object.Load(".", module+"field25519", module+"fieldp256")
	if err != nil {
		t.Fatal(err)
	}
	targets, err := prove.Targets(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	targets = slices.DeleteFunc(targets, func(tt prove.Target) bool {
		return !tt.Covered() || tt.Contract.Kind == spec.KindInvert // takes minutes
	})
	rng := rand.New(rand.NewPCG(13, 14))
	var all mutate.Survey
	for i := range targets {
		tt := &targets[i]
		list, err := mutate.All(tt.Code)
		if err != nil {
			t.Fatal(err)
		}
		search := func(code []byte, r *spec.Routine) error {
			_, res := (&prove.Target{Name: tt.Name, Contract: r, Code: code, Conv: tt.Conv}).Search()
			return res.Err
		}
		picked := mutate.Sample(rng, list, 20) // of all kinds, and then few of them
		rng.Shuffle(len(picked), func(i, j int) { picked[i], picked[j] = picked[j], picked[i] })
		picked = picked[:min(len(picked), *searched*(i+1)/len(targets)-all.Mutants)]
		if err := all.Add(tt.Name, tt.Code, tt.Contract, emulate.Go, picked, 10_000, search); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d routines: %v", len(targets), &all)
	for _, s := range all.Same {
		t.Logf("proved, and no fault on 10000 inputs: %s", s)
	}
	for _, s := range all.Wrong {
		t.Errorf("proved, but wrong: %s", s)
	}
	if all.Mutants != *searched || all.Rejected == 0 {
		t.Errorf("%d mutants, %d rejected: want %d, most of them rejected", all.Mutants, all.Rejected, *searched)
	}
}
