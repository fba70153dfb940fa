package suite

import (
	"fmt"
	"iter"
	"math/big"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// find returns the checker of one routine in the table.
func find(table []Impl, field string, kind spec.Kind) (*checker, error) {
	gs, err := groups(table, architecture())
	if err != nil {
		return nil, err
	}
	for _, g := range gs {
		if g.routine.Field.Name == field && g.routine.Kind == kind {
			return newChecker(g), nil
		}
	}
	return nil, fmt.Errorf("suite: the table has no routine %s %s", field, kind)
}

// input makes the input of a routine from the values of its In and InOut
// parameters.
func (c *checker) input(values []*big.Int) (input, error) {
	in := input{limbs: make([][]uint64, len(c.ptrs)), values: make([]uint64, len(c.vals))}
	for i, p := range c.ptrs {
		if p.Role == spec.Out {
			continue
		}
		if len(values) == 0 {
			return in, fmt.Errorf("suite: %s: no value for %s", c.routine.Name(), p.Name)
		}
		if values[0].Sign() < 0 || values[0].Cmp(p.Bound) >= 0 {
			return in, fmt.Errorf("suite: %s: %s = %#x is not below %s", c.routine.Name(), p.Name, values[0], p.BoundName)
		}
		in.limbs[i], values = toLimbs(values[0], p.Limbs), values[1:]
	}
	if len(values) > 0 || len(c.vals) > 0 {
		return in, fmt.Errorf("suite: %s takes other values than limbs, or fewer", c.routine.Name())
	}
	return in, nil
}

// Sweep checks every implementation of a routine on the given limbs, under
// every aliasing. The routine has no Value parameter.
func Sweep(t *testing.T, table []Impl, field string, kind spec.Kind, inputs iter.Seq[[]*big.Int]) {
	t.Helper()
	c, err := find(table, field, kind)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for values := range inputs {
		in, err := c.input(values)
		if err == nil {
			err = c.check(in)
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n == 0 {
		t.Fatalf("%s %s: nothing to sweep", field, kind)
	}
}

// Known checks every implementation of a routine on the given limbs, and that
// the residue it returns is want. The routine has one output.
func Known(t *testing.T, table []Impl, field string, kind spec.Kind, want *big.Int, values ...*big.Int) {
	t.Helper()
	c, err := find(table, field, kind)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.known(want, values); err != nil {
		t.Error(err)
	}
}

func (c *checker) known(want *big.Int, values []*big.Int) error {
	in, err := c.input(values)
	if err != nil {
		return err
	}
	if err := c.check(in); err != nil {
		return err
	}
	for _, impl := range c.impls {
		out, err := c.call(impl, in, c.patterns[0])
		if err != nil {
			return c.fault(impl, in, c.patterns[0], err)
		}
		got := fromLimbs(out.limbs[0])
		if got.Mod(got, c.routine.Field.Modulus).Cmp(want) != 0 {
			return c.fault(impl, in, c.patterns[0], fmt.Errorf("got %#x, want %#x", got, want))
		}
	}
	return nil
}

// Guard checks every implementation with operands that touch unreadable pages,
// as Run does among other things.
func Guard(t *testing.T, table []Impl) {
	t.Helper()
	if !canGuard {
		t.Skip("the standard library cannot protect pages on this system")
	}
	gs, err := groups(table, architecture())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gs {
		if err := newChecker(g).guardCases(); err != nil {
			t.Error(err)
		}
	}
}

// Calls checks the given implementations, whatever else there may be, on n
// random inputs each. It is for implementations that are called in a special
// way, which no table has.
func Calls(t *testing.T, impls []Impl, n int) {
	t.Helper()
	for _, impl := range impls {
		f, err := spec.Lookup(impl.Field)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Routine(impl.Kind)
		if err != nil {
			t.Fatal(err)
		}
		if err := newChecker(group{r, []Impl{impl}}).randomCases(n, 1); err != nil {
			t.Error(err)
		}
	}
}
