package mutate_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/mutate"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

var (
	mutants = flag.Int("mutants", 300, "mutants of the field packages' routines")
	inputs  = flag.Int("inputs", 1000, "inputs on which a mutant must be right to be called equivalent")
)

// linted is what the lint says of code.
func linted(code []byte, r *spec.Routine) error {
	if p := lint.Routine(r.Name(), code, r).Problems; len(p) > 0 {
		return fmt.Errorf("%v", p[0])
	}
	return nil
}

// TestRoutines takes mutants of every assembly routine of the field packages
// and counts which of them the lint and the emulator with the contract notice.
// The rest must be few: they compute the same, or differ only where no test has
// looked, which is for a proof to find out.
func TestRoutines(t *testing.T) {
	const module = "github.com/seed-6f9cd256/fieldproof/"
	pkgs, err := object.Load(".", module+"field25519", module+"fieldp256")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, p := range pkgs {
		total += len(p.Routines)
	}
	rng := rand.New(rand.NewPCG(9, 10))
	var all mutate.Survey
	done, candidates := 0, 0
	for _, p := range pkgs {
		contracts := lint.Contracts(p.Name)
		for _, r := range p.Routines {
			list, err := mutate.All(r.Code)
			if err != nil {
				t.Fatal(err)
			}
			candidates += len(list)
			done++
			n := *inputs
			if contracts[r.Name].Kind == spec.KindInvert && *inputs < 10_000 {
				n /= 20 // a call takes ten thousand instructions
			}
			picked := mutate.Sample(rng, list, *mutants*done/total-all.Mutants)
			if err := all.Add(p.Name+"."+r.Name, r.Code, contracts[r.Name], emulate.Go, picked, n, linted); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d routines with %d mutants, of which a sample of %v", total, candidates, &all)
	for _, s := range all.Same {
		t.Logf("accepted by the lint, no fault on %d inputs: %s", *inputs, s)
	}
	if all.Mutants != *mutants {
		t.Errorf("%d mutants, want %d", all.Mutants, *mutants)
	}
	// The lint knows nothing of values, so most mutants that it accepts are wrong.
	if all.Rejected == 0 || len(all.Wrong) == 0 || len(all.Same)*10 > all.Mutants {
		t.Errorf("the lint rejects %d, accepts %d wrong ones, and %d look equivalent: want some, some, and less than a tenth",
			all.Rejected, len(all.Wrong), len(all.Same))
	}
}
