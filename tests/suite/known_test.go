package suite

import (
	"math/big"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// TestKnown checks that a wrong right value is refused, as is an input that a
// contract does not allow.
func TestKnown(t *testing.T) {
	r := lookup(t, "p256", spec.KindAdd)
	c := newChecker(group{r, []Impl{model(t, r, Generic)}})
	two, three := big.NewInt(2), big.NewInt(3)
	if err := c.known(big.NewInt(5), []*big.Int{two, three}); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		expect string
		want   int64
		values []*big.Int
	}{
		{"got 0x5, want 0x6", 6, []*big.Int{two, three}},
		{"no value for y", 5, []*big.Int{two}},
		{"is not below p", 5, []*big.Int{two, r.Field.Modulus}},
		{"takes other values", 5, []*big.Int{two, three, three}},
	} {
		if err := c.known(big.NewInt(test.want), test.values); err == nil || !strings.Contains(err.Error(), test.expect) {
			t.Errorf("known(%d, %v): got error %v, want one with %q", test.want, test.values, err, test.expect)
		}
	}
	if _, err := find(table(t, "p256", architecture()), "p256", "Divide"); err == nil {
		t.Error("a routine that does not exist was found")
	}
}

func TestCheckSteps(t *testing.T) {
	f := *lookup(t, "p256", spec.KindInvert).Field
	if err := checkSteps(&f); err != nil {
		t.Error(err)
	}
	// 590 steps are enough for 255 bits, and one too few for 256.
	f.SubSteps = []int{20, 20, 19}
	if err := checkSteps(&f); err == nil {
		t.Errorf("%d steps are enough for %d bits", f.Steps(), f.Modulus.BitLen())
	}
	f.Modulus = pow2(254)
	if err := checkSteps(&f); err != nil {
		t.Error(err)
	}
}

func TestDurations(t *testing.T) {
	r := lookup(t, "p256", spec.KindNegate)
	slow := Impl{r.Field.Name, r.Kind, AMD64, true, func([]unsafe.Pointer, []uint64) uint64 {
		time.Sleep(2 * maxDuration)
		return 0
	}}
	if err := newChecker(group{r, []Impl{slow}}).durations(); err == nil {
		t.Error("a routine that takes too long passed")
	}
	slow.Set = Generic
	if err := newChecker(group{r, []Impl{slow}}).durations(); err != nil {
		t.Errorf("portable code can be interrupted: %v", err)
	}
}

// TestSweeps checks that the sweeps keep to their bounds and reach what they
// are for.
func TestSweeps(t *testing.T) {
	for _, f := range spec.Fields() {
		if f.Form != spec.Montgomery {
			continue
		}
		products := make(map[string]bool)
		inverse := new(big.Int).ModInverse(f.R(), f.Modulus)
		for v := range NearProducts(f, 2) {
			for _, x := range v {
				if x.Sign() < 0 || x.Cmp(f.Modulus) >= 0 {
					t.Errorf("%s: %#x is not below the modulus", f.Name, x)
				}
			}
			z := new(big.Int).Mul(v[0], v[1])
			products[z.Mod(z.Mul(z, inverse), f.Modulus).String()] = true
		}
		for d := int64(-2); d <= 2; d++ {
			if z := big.NewInt(d); !products[z.Mod(z, f.Modulus).String()] {
				t.Errorf("%s: no product is %d", f.Name, d)
			}
		}
		if len(products) != 5 {
			t.Errorf("%s: got %d products, want 5", f.Name, len(products))
		}
	}
	n := 0
	for v := range Around(2, 1, big.NewInt(10), big.NewInt(0), big.NewInt(9)) {
		if len(v) != 2 {
			t.Fatalf("got %d values, want 2", len(v))
		}
		n++
	}
	if n != 16 { // 0, 1, 8, 9 in pairs
		t.Errorf("got %d pairs, want 16", n)
	}
}
