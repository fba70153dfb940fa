package mutate_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/mutate"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

const module = "github.com/seed-6f9cd256/fieldproof/"

var (
	mutants = flag.Int("mutants", 500, "mutants of the field packages' routines")
	inputs  = flag.Int("inputs", 1000, "inputs on which a mutant must be right to be called equivalent")
)

// linted is what the lint says of code.
func linted(arch string, code []byte, r *spec.Routine) error {
	if p := lint.RoutineArch(arch, r.Name(), code, r).Problems; len(p) > 0 {
		return fmt.Errorf("%v", p[0])
	}
	return nil
}

// certified is what the checker of certificates says of code: whether the
// certificate of a routine proves it.
func certified(tt *prove.Target, ks []*kernel.Cert) mutate.Checker {
	return func(code []byte, r *spec.Routine) error {
		m, err := kernel.NewRoutine(r, tt.Conv, code)
		if err != nil {
			return err
		}
		return m.Check(ks)
	}
}

// TestProved takes mutants of every routine that is proved, and shows them to
// the checker with the certificate of the routine: what it accepts must keep
// the contract on all inputs.
func TestProved(t *testing.T) {
	var names []string
	for _, p := range spec.Packages() {
		names = append(names, module+p)
	}
	pkgs, err := object.Load(".", names...)
	if err != nil {
		t.Fatal(err)
	}
	targets, err := prove.Targets(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	targets = slices.DeleteFunc(targets, func(tt prove.Target) bool { return !tt.Covered() })
	rng := rand.New(rand.NewPCG(11, 12))
	var all mutate.Survey
	for i := range targets {
		tt := &targets[i]
		list, err := mutate.All(tt.Code)
		if err != nil {
			t.Fatal(err)
		}
		_, ks, err := tt.Load("../certs")
		if err != nil {
			t.Fatal(err)
		}
		check := certified(tt, ks)
		if err := check(tt.Code, tt.Contract); err != nil {
			t.Fatalf("%s: the certificate is not accepted: %v", tt.Name, err)
		}
		picked := mutate.Sample(rng, list, *mutants*(i+1)/len(targets)-all.Mutants)
		n := max(*inputs, 10_000)
		if tt.Contract.Kind == spec.KindInvert && *inputs < 10_000 {
			n = *inputs // a call takes ten thousand instructions
		}
		if err := all.Add(tt.Name, tt.Code, tt.Contract, emulate.Go, picked, n, check); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d routines: %v", len(targets), &all)
	for _, s := range all.Same {
		t.Logf("accepted, and no fault on any input: %s", s)
	}
	for _, s := range all.Wrong {
		t.Errorf("accepted, but wrong: %s", s)
	}
	if all.Mutants != *mutants || all.Rejected < all.Mutants*9/10 {
		t.Errorf("%d mutants, %d rejected: want %d, most of them rejected", all.Mutants, all.Rejected, *mutants)
	}
}

// TestRoutines takes mutants of every assembly routine of the field packages
// and counts which of them the lint and the emulator with the contract notice.
// The rest must be few: they compute the same, or differ only where no test has
// looked, which is for a proof to find out.
func TestRoutines(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) { routines(t, arch) })
	}
}

func routines(t *testing.T, arch string) {
	abi, err := emulate.GoABI(arch)
	if err != nil {
		t.Fatal(err)
	}
	mutants, mutantsOf := *mutants, mutate.All
	if arch == "arm64" {
		mutants, mutantsOf = mutants/4, mutate.AllARM64
	}
	pkgs, err := object.LoadArch(arch, ".", module+"field25519", module+"fieldp256")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, p := range pkgs {
		total += len(lint.ContractsArch(arch, p.Name))
	}
	rng := rand.New(rand.NewPCG(9, 10))
	var all mutate.Survey
	done, candidates := 0, 0
	check := func(code []byte, r *spec.Routine) error { return linted(arch, code, r) }
	for _, p := range pkgs {
		contracts := lint.ContractsArch(arch, p.Name)
		for _, r := range p.Routines {
			if lint.Known(arch, r) != "" {
				continue
			}
			list, err := mutantsOf(r.Code)
			if err != nil {
				t.Fatal(err)
			}
			candidates += len(list)
			done++
			n := *inputs
			if contracts[r.Name].Kind == spec.KindInvert && *inputs < 10_000 {
				n /= 20 // a call takes ten thousand instructions
			}
			picked := mutate.Sample(rng, list, mutants*done/total-all.Mutants)
			if err := all.Add(p.Name+"."+r.Name, r.Code, contracts[r.Name], abi, picked, n, check); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d routines with %d mutants, of which a sample of %v", total, candidates, &all)
	for _, s := range all.Same {
		t.Logf("accepted by the lint, no fault on %d inputs: %s", *inputs, s)
	}
	if all.Mutants != mutants {
		t.Errorf("%d mutants, want %d", all.Mutants, mutants)
	}
	// The lint knows nothing of values, so most mutants that it accepts are wrong.
	if all.Rejected == 0 || len(all.Wrong) == 0 || len(all.Same)*10 > all.Mutants {
		t.Errorf("the lint rejects %d, accepts %d wrong ones, and %d look equivalent: want some, some, and less than a tenth",
			all.Rejected, len(all.Wrong), len(all.Same))
	}
}
