package field25519

import (
	"math/big"
	"testing"
	"time"

	"github.com/seed-6f9cd256/fieldproof/spec"
	"github.com/seed-6f9cd256/fieldproof/tests/suite"
)

// What broke elsewhere, on the limbs of this package. tests/reports_test.go has
// the list of reports and says where each is tested.

func pow2(k uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), k) }

func plus(x *big.Int, d int64) *big.Int { return new(big.Int).Add(x, big.NewInt(d)) }

// The carry out of a 256-bit sum is 38, and adding that can carry again.
func TestReport_armfazh_rfc7748_precomputed_5(t *testing.T) {
	max := plus(pow2(256), -1)
	suite.Known(t, impls(), "p25519", spec.KindAdd, big.NewInt(0x4a), max, max)
	suite.Known(t, impls(), "p25519", spec.KindDouble, big.NewInt(0x4a), max)
	suite.Known(t, impls(), "p25519", spec.KindSubtract, plus(pow2(255), -56), new(big.Int), max)
	suite.Known(t, impls(), "p25519", spec.KindNegate, plus(pow2(255), -56), max)
	p := elements.Field.Modulus
	centres := []*big.Int{new(big.Int), p, new(big.Int).Lsh(p, 1), pow2(256)}
	for _, kind := range []spec.Kind{spec.KindAdd, spec.KindSubtract} {
		suite.Sweep(t, impls(), "p25519", kind, suite.Around(2, 20, pow2(256), centres...))
		suite.Sweep(t, impls(), "p25519", kind, suite.Around(2, 41, pow2(256), pow2(256)))
	}
	for _, kind := range []spec.Kind{spec.KindDouble, spec.KindNegate, spec.KindSquare, spec.KindCanon} {
		suite.Sweep(t, impls(), "p25519", kind, suite.Around(1, 1000, pow2(256), centres...))
	}
}

// The last subtraction of a Montgomery reduction, where the result is near the
// modulus or a multiple of it: the result is always below it.
func TestReport_golang_go_13515(t *testing.T) {
	n := scalars.Field.Modulus
	suite.Sweep(t, impls(), "n25519", spec.KindMultiply, suite.NearProducts(scalars.Field, 40))
	for _, kind := range []spec.Kind{spec.KindSquare, spec.KindFromMont, spec.KindNegate, spec.KindDouble} {
		suite.Sweep(t, impls(), "n25519", kind, suite.Around(1, 1000, n, new(big.Int), n))
	}
	suite.Sweep(t, impls(), "n25519", spec.KindToMont, suite.Around(1, 100, pow2(256), suite.Multiples(scalars.Field, pow2(256))...))
}

// Inverses where a division step is easily wrong: numbers next to 0, to the
// modulus and to its half, as residues and as limbs.
func TestReport_RustCrypto_elliptic_curves_1267(t *testing.T) {
	for _, f := range []*spec.Field{elements.Field, scalars.Field} {
		suite.CheckSteps(t, f)
		suite.Sweep(t, impls(), f.Name, spec.KindInvert, suite.InverseCases(f, 200))
	}
}

// The largest scalars that are canonical, and the least that is not. A check of
// the top bits only refused what lies between 2^252 and the order.
func TestReport_golang_go_50974(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, test := range []struct {
			value *big.Int
			ok    bool
		}{
			{pow2(252), true},
			{plus(scalars.Field.Modulus, -1), true},
			{scalars.Field.Modulus, false},
			{pow2(253), false},
			{plus(pow2(256), -1), false},
		} {
			x := scalars.Encode(test.value, 32)
			for name, set := range map[string]func([]byte) (*Scalar, error){
				"SetBytes": new(Scalar).SetBytes, "SetCanonicalBytes": new(Scalar).SetCanonicalBytes,
			} {
				got, err := set(x)
				if (err == nil) != test.ok {
					t.Errorf("%s(%x): got error %v, want ok = %t", name, x, err, test.ok)
				} else if test.ok && scalars.Value(got).Cmp(test.value) != 0 {
					t.Errorf("%s(%x): got %#x", name, x, scalars.Value(got))
				}
			}
		}
	})
}

// Reading past the end of an operand, and before its start.
func TestReport_awslabs_s2n_bignum_172(t *testing.T) { suite.Guard(t, impls()) }

// Assembly cannot be preempted: no single call may be long.
func TestReport_golang_go_64417(t *testing.T) { suite.CheckDurations(t, impls()) }

// Assembly that overwrites the frame pointer crashes under the profiler and the
// tracer.
func TestReport_mmcloughlin_avo_156(t *testing.T) { suite.Stress(t, impls(), 2*time.Second) }

// Setters panicked on bytes of a length that nobody had thought of.
func TestReport_golang_go_52075(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		elements.RunLengths(t)
		scalars.RunLengths(t)
	})
}
