package field25519

import (
	"math/big"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/tests/suite"
)

var (
	elements = suite.NewType[Element]("p25519")
	scalars  = suite.NewType[Scalar]("n25519")
)

func TestIsNegative(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, a := range elements.Operands() {
			if got, want := a.IsNegative(), int(elements.Value(a).Bit(0)); got != want {
				t.Errorf("IsNegative(%#x): got %d, want %d", elements.Value(a), got, want)
			}
		}
	})
}

func TestAbsolute(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		elements.RunOperation(t, "Absolute", 1,
			func(z *Element, a []*Element) *Element { return z.Absolute(a[0]) },
			func(a []*big.Int) *big.Int {
				if a[0].Bit(0) == 1 {
					return new(big.Int).Neg(a[0])
				}
				return a[0]
			})
	})
}

func TestPow22523(t *testing.T) {
	p := elements.Field.Modulus
	e := new(big.Int).Rsh(new(big.Int).Sub(p, big.NewInt(5)), 3)
	eachPath(t, func(t *testing.T) {
		elements.RunOperation(t, "Pow22523", 1,
			func(z *Element, a []*Element) *Element { return z.Pow22523(a[0]) },
			func(a []*big.Int) *big.Int { return new(big.Int).Exp(a[0], e, p) })
	})
}

func TestSetBytesWithClamping(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		scalars.RunSetter(t, "SetBytesWithClamping", (*Scalar).SetBytesWithClamping,
			func(x []byte) (*big.Int, bool) {
				// RFC 8032, section 5.1.5, on the integer.
				v := scalars.Decode(x)
				for _, bit := range []int{0, 1, 2, 255} {
					v.SetBit(v, bit, 0)
				}
				v.SetBit(v, 254, 1)
				return v.Mod(v, scalars.Field.Modulus), len(x) == 32
			})
	})
}
