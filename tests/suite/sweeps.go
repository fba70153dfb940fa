package suite

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// The sweeps below are what the tests of public reports walk through: every
// value near the place where another implementation broke.

// Around yields all n-tuples, n = 1 or 2, of the values in [0, bound) that are
// at most distance from one of the centres.
func Around(n int, distance int64, bound *big.Int, centres ...*big.Int) iter.Seq[[]*big.Int] {
	var near []*big.Int
	for _, c := range centres {
		for d := -distance; d <= distance; d++ {
			if x := new(big.Int).Add(c, big.NewInt(d)); x.Sign() >= 0 && x.Cmp(bound) < 0 {
				near = append(near, x)
			}
		}
	}
	return func(yield func([]*big.Int) bool) {
		for _, x := range near {
			if n == 1 {
				if !yield([]*big.Int{x}) {
					return
				}
				continue
			}
			for _, y := range near {
				if !yield([]*big.Int{x, y}) {
					return
				}
			}
		}
	}
}

// Multiples returns the multiples of the modulus up to bound.
func Multiples(f *spec.Field, bound *big.Int) []*big.Int {
	var all []*big.Int
	for x := new(big.Int); x.Cmp(bound) <= 0; x = new(big.Int).Add(x, f.Modulus) {
		all = append(all, x)
	}
	return all
}

// NearProducts yields pairs of limbs below the modulus whose Montgomery product
// is at most distance from 0 modulo the modulus, on either side.
func NearProducts(f *spec.Field, distance int64) iter.Seq[[]*big.Int] {
	return func(yield func([]*big.Int) bool) {
		for _, x := range newValues(f).edges(f.Modulus) {
			inverse := new(big.Int).ModInverse(x, f.Modulus)
			if inverse == nil {
				inverse = new(big.Int) // of 0, whose products are 0
			}
			inverse.Mul(inverse, f.R())
			for d := -distance; d <= distance; d++ {
				y := new(big.Int).Mul(inverse, big.NewInt(d))
				if !yield([]*big.Int{x, y.Mod(y, f.Modulus)}) {
					return
				}
			}
		}
	}
}

// LargeSums yields n pairs of limbs below the modulus whose Montgomery product
// is 2^(64·Limbs) or more before its last subtraction, so that a carry comes out
// of the top limb. The modulus is above half of that power of 2.
func LargeSums(f *spec.Field, n int) iter.Seq[[]*big.Int] {
	r := f.R()
	// x·y + m·p is a multiple of R for m = -x·y/p mod R.
	factor := new(big.Int).ModInverse(f.Modulus, r)
	factor.Sub(r, factor)
	v, s := newValues(f), plainSource{rand.New(rand.NewPCG(9, 10))}
	return func(yield func([]*big.Int) bool) {
		for n > 0 {
			x, y := v.draw(s, f.Modulus), v.draw(s, f.Modulus)
			t := new(big.Int).Mul(x, y)
			m := new(big.Int).Mul(t, factor)
			t.Add(t, m.Mul(m.Mod(m, r), f.Modulus))
			if t.Cmp(new(big.Int).Mul(r, r)) < 0 {
				continue
			}
			if n--; !yield([]*big.Int{x, y}) {
				return
			}
		}
	}
}

// Differences yields pairs of limbs below bound whose difference is every
// number at most distance from one of the centres.
func Differences(f *spec.Field, distance int64, centres ...*big.Int) iter.Seq[[]*big.Int] {
	bound := f.Bound()
	return func(yield func([]*big.Int) bool) {
		for d := range Around(1, distance, bound, centres...) {
			for _, y := range newValues(f).edges(bound)[:12] {
				x := new(big.Int).Add(y, d[0])
				if x.Cmp(bound) < 0 && (!yield([]*big.Int{x, y}) || !yield([]*big.Int{y, x})) {
					return
				}
			}
		}
	}
}

// InverseCases yields numbers near 0, near the modulus and near half of it, and
// the same in Montgomery form, as residues and as limbs.
func InverseCases(f *spec.Field, distance int64) iter.Seq[[]*big.Int] {
	half := new(big.Int).Rsh(f.Modulus, 1)
	return func(yield func([]*big.Int) bool) {
		for v := range Around(1, distance, f.Modulus, new(big.Int), half, f.Modulus) {
			mont := new(big.Int).Mul(v[0], f.R())
			if !yield(v) || !yield([]*big.Int{mont.Mod(mont, f.Modulus)}) {
				return
			}
		}
	}
}

// CheckSteps checks that the number of division steps of an inversion is enough
// for the length of the modulus.
func CheckSteps(t *testing.T, f *spec.Field) {
	t.Helper()
	if err := checkSteps(f); err != nil {
		t.Error(err)
	}
}

func checkSteps(f *spec.Field) error {
	if least := spec.StepBound(f.Modulus.BitLen()); f.Steps() < least {
		return fmt.Errorf("%s: got %d steps, want at least %d", f.Name, f.Steps(), least)
	}
	return nil
}

// maxDuration is the longest that one call of assembly may take: the Go
// scheduler cannot interrupt it, and stopping the world waits for it.
const maxDuration = 100 * time.Microsecond

// CheckDurations checks that no call of assembly is long. It takes the fastest
// of many calls, since what other programs do is not the routine's fault.
func CheckDurations(t *testing.T, table []Impl) {
	t.Helper()
	gs, err := groups(table, architecture())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gs {
		if err := newChecker(g).durations(); err != nil {
			t.Error(err)
		}
	}
}

func (c *checker) durations() error {
	args := make([]unsafe.Pointer, len(c.ptrs))
	for i, b := range c.bufs {
		for j := range b {
			b[j] = uint64(i + 1)
		}
		args[i] = unsafe.Pointer(&b[0])
	}
	values := make([]uint64, len(c.vals))
	for _, impl := range c.impls {
		if impl.Set == Generic {
			continue
		}
		fastest := time.Hour
		for range 50 {
			start := time.Now()
			impl.Call(args, values)
			fastest = min(fastest, time.Since(start))
		}
		if fastest > maxDuration {
			return fmt.Errorf("%v takes %v, want at most %v", impl, fastest, maxDuration)
		}
	}
	return nil
}
