package field25519

import (
	"slices"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/tests/suite"
)

// impls are all implementations of all routines of this package.
func impls() []suite.Impl { return slices.Concat(feImpls, scImpls) }

func TestRoutines(t *testing.T) { suite.Run(t, impls()) }

func FuzzRoutines(f *testing.F) { suite.Fuzz(f, impls()) }

func TestElement(t *testing.T) {
	eachPath(t, func(t *testing.T) { suite.RunElement[Element](t, "p25519", InvertBatch) })
}

func TestScalar(t *testing.T) {
	eachPath(t, func(t *testing.T) { suite.RunScalar[Scalar](t, "n25519") })
}

// TestBytesAllocations checks that Bytes does not allocate where its result
// does not escape. The other methods are checked by the suite.
func TestBytesAllocations(t *testing.T) {
	var e Element
	var s Scalar
	var sum byte
	e.One()
	s.One()
	if n := testing.AllocsPerRun(100, func() {
		sum += e.Bytes()[0] + s.Bytes()[0]
	}); n != 0 {
		t.Errorf("got %v allocations a call, want 0", n)
	}
}

// TestCurveAllocations is the same for the methods that no other type has.
func TestCurveAllocations(t *testing.T) {
	e, s := new(Element).One(), new(Scalar).One()
	seed := make([]byte, 32)
	sum := 0
	for name, call := range map[string]func(){
		"Absolute":             func() { e.Absolute(e) },
		"IsNegative":           func() { sum += e.IsNegative() },
		"Pow22523":             func() { e.Pow22523(e) },
		"SetBytesWithClamping": func() { s.SetBytesWithClamping(seed) },
	} {
		if n := testing.AllocsPerRun(20, call); n != 0 {
			t.Errorf("%s: got %v allocations a call, want 0", name, n)
		}
	}
}
