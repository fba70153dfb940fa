package suite

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// casesPerCheck is the number of plain random cases for each check of rapid.
const casesPerCheck = 20

// Checks returns rapid's number of checks.
func Checks() int {
	if f := flag.Lookup("rapid.checks"); f != nil {
		if n, err := strconv.Atoi(f.Value.String()); err == nil {
			return n
		}
	}
	panic("suite: rapid has no flag rapid.checks")
}

// Run tests every implementation in the table, in one subtest a routine. It
// fails where an implementation that this build has is missing from the table,
// and where one that this machine can run did not run.
func Run(t *testing.T, table []Impl) {
	t.Helper()
	gs, err := groups(table, architecture())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gs {
		t.Run(g.impls[0].Field+"/"+string(g.routine.Kind), func(t *testing.T) {
			c := newChecker(g)
			if err := c.edgeCases(); err != nil {
				t.Fatal(err)
			}
			if err := c.randomCases(casesPerCheck*Checks(), rand.Uint64()); err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, c.property)
			if err := c.guardCases(); err != nil {
				t.Fatal(err)
			}
			if err := c.ranAll(architecture(), HostADX()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Fuzz makes the property of Run a fuzz target: the input chooses the routine,
// the operands and nothing else, since a case covers all implementations and
// all aliasing patterns. The flag -fuzzminimizetime=10x keeps the fuzzer from
// spending its time on making inputs shorter.
func Fuzz(f *testing.F, table []Impl) {
	f.Helper()
	gs, err := groups(table, architecture())
	if err != nil {
		f.Fatal(err)
	}
	var cs []*checker
	for _, g := range gs {
		cs = append(cs, newChecker(g))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2 * len(cs) {
		seed := make([]byte, 1024)
		for i := range seed {
			seed[i] = byte(rng.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		cs[rapid.IntRange(0, len(cs)-1).Draw(t, "routine")].property(t)
	}))
}
