package peers

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// checkKernel compares steps of the kernel with the operation's definition.
func checkKernel(k kernel, op operation, p *big.Int, rng *rand.Rand) error {
	z, y := operands(rng, p), operands(rng, p)
	k.load(z, y)
	k.run(independent, width)
	for i := range width {
		if got := k.value(i); !op.holds(p, z[i], y[i], got) {
			return fmt.Errorf("chain %d: z = %#x, y = %#x gives %#x, which is not %s", i, z[i], y[i], got, op.step)
		}
	}
	k.load(z, y)
	k.run(chained, 1)
	if got := k.value(0); !op.holds(p, z[0], y[0], got) {
		return fmt.Errorf("z = %#x, y = %#x gives %#x, which is not %s", z[0], y[0], got, op.step)
	}
	k.run(chained, width)
	for i := 1; i < width; i++ {
		if got := k.value(i); got.Cmp(z[i]) != 0 {
			return fmt.Errorf("chain %d changed from %#x to %#x in a chained run", i, z[i], got)
		}
	}
	return nil
}

// TestKernels checks that what is timed is what the operation's name says.
func TestKernels(t *testing.T) {
	defined := make(map[string]bool)
	for _, op := range operations {
		defined[op.name] = true
	}
	for _, s := range suites {
		for _, im := range s.impls {
			for name := range im.kernels {
				if !defined[name] {
					t.Errorf("%s: %s has %q, which operations does not define", s.name, im.name, name)
				}
			}
			for _, op := range operations {
				newKernel := im.kernels[op.name]
				if newKernel == nil {
					continue
				}
				if err := checkKernel(newKernel(), op, s.modulus, fixedRand()); err != nil {
					t.Errorf("%s/%s/impl=%s: %v", s.name, op.name, im.name, err)
				}
			}
		}
	}
}

// TestKernelsCompared checks that ours comes first in each suite, and that
// each operation of ours has a peer besides math/big, and each operation of
// such a peer one of ours, so that no line of the table compares too little.
func TestKernelsCompared(t *testing.T) {
	for _, s := range suites {
		if s.impls[0].name != "ours" {
			t.Errorf("%s: %q comes first, want ours", s.name, s.impls[0].name)
		}
		for _, op := range operations {
			ours := s.impls[0].kernels[op.name] != nil
			peer := slices.ContainsFunc(s.impls[1:], func(im impl) bool {
				return im.name != "big" && im.kernels[op.name] != nil
			})
			if ours != peer {
				t.Errorf("%s/%s: ours has it: %v; a peer has it: %v", s.name, op.name, ours, peer)
			}
		}
	}
}

// TestStepsAreInlined checks that no function call comes between a timed loop
// and the operation.
func TestStepsAreInlined(t *testing.T) {
	body := func(c *chains[map[string]bool]) {
		c.each(func(z, y *map[string]bool) { *z = callers() })
	}
	for _, m := range []mode{chained, independent} {
		k := typedKernel[map[string]bool]{body: body}
		k.run(m, 1)
		if called := k.c.z[0]; len(called) != 1 {
			t.Errorf("%s: called %v, want only the body", m, called)
		}
	}
}

// callers returns those functions among the three callers (a step, each, a
// body) that were not inlined into another.
//
//go:noinline
func callers() map[string]bool {
	called := make(map[string]bool)
	pcs := make([]uintptr, 3)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for range pcs {
		if f, _ := frames.Next(); f.Func != nil { // nil where it was inlined
			called[f.Function] = true
		}
	}
	return called
}

// TestCheckKernelRejects plants two faults in a kernel: a wrong operation, and
// one that steps every chain when it should step the first.
func TestCheckKernelRejects(t *testing.T) {
	p := modulus("p25519")
	c := codec[big.Int]{
		func(z *big.Int, v *big.Int) { z.Set(v) },
		func(z *big.Int) *big.Int { return new(big.Int).Set(z) },
	}
	add := func(z, y *big.Int) { z.Add(z, y); z.Mod(z, p) }
	for _, test := range []struct {
		name string
		body body[big.Int]
		want string // in the error, or none
	}{
		{"right", func(c *chains[big.Int]) { c.each(add) }, ""},
		{"wrong operation", func(c *chains[big.Int]) { c.each(func(z, y *big.Int) { z.Sub(z, y); z.Mod(z, p) }) }, "is not z + y"},
		{"wrong chain", func(c *chains[big.Int]) {
			for k := range c.z {
				add(&c.z[k], &c.y[k])
			}
		}, "in a chained run"},
	} {
		err := checkKernel(&typedKernel[big.Int]{codec: c, body: test.body}, operations[0], p, fixedRand())
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
	}
}
