package algo

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// withBatches returns a copy of f with as many batches of 60 divsteps as its
// modulus needs, of the sub-batches given.
func withBatches(f *spec.Field, sub ...int) *spec.Field {
	g := *f
	g.SubSteps = sub
	steps := 0
	for _, s := range sub {
		steps += s
	}
	g.Batches = (spec.StepBound(f.Modulus.BitLen()) + steps - 1) / steps
	return &g
}

func recordInvert(t *testing.T, f *spec.Field, target string) *limb.Program {
	t.Helper()
	r, err := f.Routine(spec.KindInvert)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Record(r, targets[target])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestInvertOtherFields tries other sizes than the four of the library, among
// them moduli that fill their words and such that leave one bit.
func TestInvertOtherFields(t *testing.T) {
	for _, f := range otherFields() {
		for target := range targets {
			t.Run(f.Name+"/"+target, func(t *testing.T) {
				p := recordInvert(t, withBatches(f, 20, 20, 20), target)
				if err := try(p, rand.New(rand.NewPCG(5, 6)), 20); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestInvertOtherBatches tries batches of other sub-batches.
func TestInvertOtherBatches(t *testing.T) {
	for _, f := range []*spec.Field{spec.Fields()[0], spec.Fields()[2]} {
		for _, sub := range [][]int{{1}, {20}, {7, 13}, {20, 20}, {5, 20, 11, 19}} {
			p := recordInvert(t, withBatches(f, sub...), "double")
			if err := try(p, rand.New(rand.NewPCG(7, 8)), 5); err != nil {
				t.Errorf("%s, sub-batches of %v: %v", f.Name, sub, err)
			}
		}
	}
}

// TestInvertRefusesBatches plants batches that the words have no room for.
func TestInvertRefusesBatches(t *testing.T) {
	for _, c := range []struct {
		want string
		sub  []int
	}{
		{"sub-batch of 21", []int{20, 21}},
		{"sub-batch of 0", []int{0}},
		{"of 61", []int{20, 20, 20, 1}},
		{"of 0", nil},
	} {
		f := *spec.Fields()[0]
		f.SubSteps = c.sub
		r, err := f.Routine(spec.KindInvert)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Record(r, targets["plain"]); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("sub-batches of %v: got error %v, want one with %q", c.sub, err, c.want)
		}
	}
}

// TestInvertRefusesTooFewSteps plants a batch too few, which no random input
// would show.
func TestInvertRefusesTooFewSteps(t *testing.T) {
	f := *spec.Fields()[0]
	f.Batches--
	r, err := f.Routine(spec.KindInvert)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Record(r, targets["plain"]); err == nil || !strings.Contains(err.Error(), "531 divsteps, expected at least 588") {
		t.Errorf("9 batches of 59: got error %v, want one that says 588 divsteps", err)
	}
}

// TestDetectsWrongInversion exchanges the operands of one selection at a time:
// inverting a few numbers must show it, in every part of the routine.
func TestDetectsWrongInversion(t *testing.T) {
	p := recordInvert(t, spec.Fields()[0], "keeps")
	p.DropDead()
	rng := rand.New(rand.NewPCG(9, 10))
	for n, i := range p.Instrs {
		if i.Op != limb.Select {
			continue
		}
		i.In[0], i.In[1] = i.In[1], i.In[0]
		if try(p, rng, 20) == nil {
			t.Errorf("operands of the selection %d exchanged, and nothing noticed", n)
		}
		i.In[0], i.In[1] = i.In[1], i.In[0]
	}
	if err := try(p, rng, 5); err != nil {
		t.Fatal(err)
	}
}
