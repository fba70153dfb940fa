package fieldp256

import (
	"crypto/elliptic"
	"encoding/hex"
	"math/big"
	"testing"
	"time"

	"github.com/seed-6f9cd256/fieldproof/spec"
	"github.com/seed-6f9cd256/fieldproof/tests/suite"
)

// What broke elsewhere, on the limbs of this package and through its API.
// tests/reports_test.go has the list of reports and says where each is tested.

var (
	elements = suite.NewType[Element]("p256")
	scalars  = suite.NewType[Scalar]("n256")
	fields   = []*spec.Field{elements.Field, scalars.Field}
)

func pow2(k uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), k) }

func plus(x *big.Int, d int64) *big.Int { return new(big.Int).Add(x, big.NewInt(d)) }

func number(t *testing.T, s string) *big.Int {
	t.Helper()
	v, ok := new(big.Int).SetString(s, 16)
	if !ok {
		t.Fatalf("bad constant %q", s)
	}
	return v
}

func element(t *testing.T, s string) *Element { t.Helper(); return elements.New(number(t, s)) }

func scalar(t *testing.T, s string) *Scalar { t.Helper(); return scalars.New(number(t, s)) }

// The bit above the top limb counts in the last subtraction of a Montgomery
// reduction.
func TestReport_cloudflare_bn256_27(t *testing.T) {
	for _, test := range []struct {
		field *spec.Field
		minus int64
		want  string
	}{
		{elements.Field, 2, "fffffffb0000000cfffffff40000000800000004fffffff80000000c00000003"},
		{elements.Field, 3, "fffffff60000001bffffffe50000001200000009ffffffee0000001b00000008"},
		{scalars.Field, 1, "60d066334905c1e907f8b6041e607725badef3e243566fafce1bc8f79c197c79"},
		{scalars.Field, 2, "834198ce241707a31fe2d8107981dc972e94d4db6642203a44b5591b7402cc93"},
	} {
		a := plus(test.field.Modulus, -test.minus)
		suite.Known(t, impls(), test.field.Name, spec.KindSquare, number(t, test.want), a)
		suite.Known(t, impls(), test.field.Name, spec.KindMultiply, number(t, test.want), a, a)
	}
	for _, f := range fields {
		suite.Sweep(t, impls(), f.Name, spec.KindMultiply, suite.LargeSums(f, 1000))
		suite.Sweep(t, impls(), f.Name, spec.KindMultiply, suite.Around(2, 40, f.Modulus, f.Modulus))
		suite.Sweep(t, impls(), f.Name, spec.KindSquare, suite.Around(1, 1000, f.Modulus, f.Modulus))
	}
}

// The difference of numbers that are close, and at the distance 2^256-p.
func TestReport_golang_go_20040(t *testing.T) {
	for _, f := range fields {
		suite.Known(t, impls(), f.Name, spec.KindSubtract, big.NewInt(2), big.NewInt(5), big.NewInt(3))
		gap := new(big.Int).Sub(pow2(256), f.Modulus)
		suite.Sweep(t, impls(), f.Name, spec.KindSubtract, suite.Differences(f, 1000, new(big.Int), gap))
		for _, kind := range []spec.Kind{spec.KindNegate, spec.KindDouble} {
			suite.Sweep(t, impls(), f.Name, kind, suite.Around(1, 1000, f.Modulus, new(big.Int), gap, f.Modulus))
		}
	}
	eachPath(t, func(t *testing.T) {
		a := element(t, "fffffffa0000000ffffffff10000000a00000005fffffff60000000f00000004")
		b := element(t, "fffffffc00000009fffffff70000000600000003fffffffa0000000900000002")
		want := element(t, "fffffffd00000006fffffffa0000000400000002fffffffc0000000600000001")
		if got := new(Element).Subtract(a, b); got.Equal(want) != 1 {
			t.Errorf("got %x, want %x", got.Bytes(), want.Bytes())
		}
	})
}

// The carry out of a sum modulo the order, and the square root for x = 2^96.
func TestReport_RustCrypto_utils_623(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		a := scalar(t, "44acf6b7e36c1342c2c5897204fe09504e1e2efb1a900377dbc4e7a6a133ec56")
		b := scalar(t, "d5777c45019673125ad240f83094d4252d829516fac8601ed01979ec1ec1a251")
		want := scalar(t, "1a2472fde50286541d97ca6a3592dd75beb9c9646e40c511b82496cfc3926956")
		if got := new(Scalar).Add(a, b); got.Equal(want) != 1 {
			t.Errorf("got %x, want %x", got.Bytes(), want.Bytes())
		}
	})
	for _, f := range fields {
		// Sums at 2^256 and at the modulus, on both sides.
		for _, sum := range []*big.Int{pow2(256), f.Modulus} {
			for d := int64(-40); d <= 40; d++ {
				half := new(big.Int).Rsh(sum, 1)
				other := plus(new(big.Int).Sub(sum, half), d)
				suite.Sweep(t, impls(), f.Name, spec.KindAdd, suite.Around(2, 1, f.Modulus, half, other))
			}
			suite.Sweep(t, impls(), f.Name, spec.KindDouble, suite.Around(1, 1000, f.Modulus, new(big.Int).Rsh(sum, 1)))
		}
	}
}

// rightSide returns x³ - 3x + b, which is y² for the points of P-256.
func rightSide(t *testing.T, x *Element) *Element {
	t.Helper()
	y := new(Element).Square(x)
	y.Multiply(y, x)
	y.Subtract(y, new(Element).Mult32(x, 3))
	return y.Add(y, element(t, "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"))
}

// Square roots as decompression needs them, for x = 2^96 where a quotient
// estimate was too large, and for abscissas without a point.
func TestReport_kazu_yamamoto_crypton_78(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		y, was := new(Element).Sqrt(rightSide(t, elements.New(pow2(96))))
		if want := element(t, "82ed21a62abbdc157a5172ea851be904ffb5814bdd53e498fb810c32065323c0"); was != 1 || y.Equal(want) != 1 {
			t.Errorf("x = 2^96: got %x, %d; want %x, 1", y.Bytes(), was, want.Bytes())
		}
		// The standard library says for which x there is a point.
		points := 0
		for x := range int64(40) {
			encoded := append([]byte{2}, elements.Encode(big.NewInt(x), 32)...)
			px, py := elliptic.UnmarshalCompressed(elliptic.P256(), encoded)
			square := rightSide(t, elements.New(big.NewInt(x)))
			y, was := new(Element).Sqrt(square)
			if px == nil {
				if minus := new(Element).Negate(square); was != 0 || new(Element).Square(y).Equal(minus) != 1 {
					t.Errorf("x = %d: got %x, %d; want a root of the negative, 0", x, y.Bytes(), was)
				}
				continue
			}
			points++
			if was != 1 || elements.Value(y).Cmp(py) != 0 {
				t.Errorf("x = %d: got %x, %d; want %#x, 1", x, y.Bytes(), was, py)
			}
		}
		if points == 0 || points == 40 {
			t.Errorf("%d of 40 abscissas have a point: the test shows nothing", points)
		}
	})
}

// The last subtraction of a Montgomery reduction, where the result is near the
// modulus or a multiple of it: the result is always below it.
func TestReport_golang_go_13515(t *testing.T) {
	for _, f := range fields {
		suite.Sweep(t, impls(), f.Name, spec.KindMultiply, suite.NearProducts(f, 40))
		for _, kind := range []spec.Kind{spec.KindFromMont, spec.KindSquare} {
			suite.Sweep(t, impls(), f.Name, kind, suite.Around(1, 1000, f.Modulus, new(big.Int), f.Modulus))
		}
		suite.Sweep(t, impls(), f.Name, spec.KindToMont, suite.Around(1, 1000, pow2(256), suite.Multiples(f, pow2(256))...))
		suite.Sweep(t, impls(), f.Name, spec.KindToMont, suite.Around(1, 1000, pow2(256), pow2(256)))
	}
}

// An inverse modulo the order with one limb wrong.
func TestReport_wolfSSL_wolfssl_3845(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, test := range []struct {
			of   *Scalar
			want *Scalar
		}{
			{scalar(t, "909135bdb6799286170f5ead2de4f6511453fe50914f3df2de54a36383df8dd4"), scalars.New(plus(pow2(255), -3))},
			{scalar(t, "b6db6db6249249254924924924924924625bd7a09bec4ca81bcdd9f8fd6b63cc"), scalars.New(plus(scalars.Field.Modulus, -7))},
		} {
			if got := new(Scalar).Invert(test.of); got.Equal(test.want) != 1 {
				t.Errorf("1/%x: got %x, want %x", test.of.Bytes(), got.Bytes(), test.want.Bytes())
			}
			if got := new(Scalar).Invert(test.want); got.Equal(test.of) != 1 {
				t.Errorf("1/%x: got %x, want %x", test.want.Bytes(), got.Bytes(), test.of.Bytes())
			}
		}
	})
}

// Inverses where a division step is easily wrong: numbers next to 0, to the
// modulus and to its half, as residues and as limbs.
func TestReport_RustCrypto_elliptic_curves_1267(t *testing.T) {
	for _, f := range fields {
		suite.CheckSteps(t, f)
		suite.Sweep(t, impls(), f.Name, spec.KindInvert, suite.InverseCases(f, 200))
	}
	eachPath(t, func(t *testing.T) {
		a := element(t, "8430e408979bfa2897559f2e7e03d965e4a99dbb6309961b505a6d903f05c5c0")
		want := element(t, "bb774cc9cca843aea5e04d4d147d41e7a84d494277151a9d8cb4ce5fc0e618bb")
		if got := new(Element).Invert(a); got.Equal(want) != 1 {
			t.Errorf("got %x, want %x", got.Bytes(), want.Bytes())
		}
	})
}

// One zero does not spoil a batch of inversions, and the inverse of 0 is 0.
func TestReport_dalek_cryptography_curve25519_dalek_270(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		batch := make([]Element, 3)
		batch[0].Set(elements.New(big.NewInt(3)))
		batch[2].Set(elements.New(big.NewInt(5)))
		InvertBatch(batch)
		for i, want := range []string{
			"aaaaaaaa00000000aaaaaaaaaaaaaaaaaaaaaaab555555555555555555555555",
			"0",
			"cccccccc00000000cccccccccccccccccccccccd999999999999999999999999",
		} {
			if batch[i].Equal(element(t, want)) != 1 {
				t.Errorf("element %d: got %x, want %s", i, batch[i].Bytes(), want)
			}
		}
		var zero Element
		if zero.Invert(&zero).IsZero() != 1 {
			t.Error("1/0 is not 0")
		}
	})
}

// The result takes the place of an argument that is still needed.
func TestReport_FiloSottile_edwards25519_19(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for u := range int64(8) {
			for v := range int64(8) {
				want, was := new(Element).SqrtRatio(elements.New(big.NewInt(u)), elements.New(big.NewInt(v)))
				a, b := elements.New(big.NewInt(u)), elements.New(big.NewInt(v))
				if r, w := a.SqrtRatio(a, b); r.Equal(want) != 1 || w != was {
					t.Errorf("u.SqrtRatio(u, v) for %d, %d: got %x, %d; want %x, %d", u, v, r.Bytes(), w, want.Bytes(), was)
				}
				a = elements.New(big.NewInt(u))
				if r, w := b.SqrtRatio(a, b); r.Equal(want) != 1 || w != was {
					t.Errorf("v.SqrtRatio(u, v) for %d, %d: got %x, %d; want %x, %d", u, v, r.Bytes(), w, want.Bytes(), was)
				}
			}
		}
		x, y, z := scalar(t, "5"), scalar(t, "7"), scalar(t, "b")
		if got := z.MultiplyAdd(x, y, z); got.Equal(scalar(t, "2e")) != 1 {
			t.Errorf("z.MultiplyAdd(x, y, z) for 5, 7, 11: got %x, want 46", got.Bytes())
		}
	})
}

// Values at or above the modulus are refused, the largest below is not.
func TestReport_golang_go_50974(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, x := range []*big.Int{
			number(t, "ffffffff00000001000000000000000000000001ffffffffffffffffffffffff"), // p + 2^96
			elements.Field.Modulus,
			plus(pow2(256), -1),
		} {
			if _, err := new(Element).SetBytes(elements.Encode(x, 32)); err == nil {
				t.Errorf("Element.SetBytes(%#x): got no error", x)
			}
		}
		for _, x := range []*big.Int{scalars.Field.Modulus, plus(scalars.Field.Modulus, 1), plus(pow2(256), -1)} {
			if _, err := new(Scalar).SetBytes(scalars.Encode(x, 32)); err == nil {
				t.Errorf("Scalar.SetBytes(%#x): got no error", x)
			}
		}
		if _, err := new(Element).SetBytes(elements.Encode(plus(elements.Field.Modulus, -1), 32)); err != nil {
			t.Errorf("Element.SetBytes(p-1): %v", err)
		}
		if _, err := new(Scalar).SetBytes(scalars.Encode(plus(scalars.Field.Modulus, -1), 32)); err != nil {
			t.Errorf("Scalar.SetBytes(n-1): %v", err)
		}
	})
}

// 48 bytes of ones, reduced.
func TestReport_FiloSottile_edwards25519_17(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		wide, err := hex.DecodeString("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")
		if err != nil {
			t.Fatal(err)
		}
		e, err := new(Element).SetWideBytes(wide)
		if err != nil {
			t.Fatal(err)
		}
		if want := element(t, "fffffffe00000001000000000000000200000002fffffffffffffffefffffffd"); e.Equal(want) != 1 {
			t.Errorf("Element: got %x, want %x", e.Bytes(), want.Bytes())
		}
		s, err := new(Scalar).SetWideBytes(wide)
		if err != nil {
			t.Fatal(err)
		}
		if want := scalar(t, "431905529c0166ce652e96b7ccca0a99679b73e19ad16947f01cf013fc632550"); s.Equal(want) != 1 {
			t.Errorf("Scalar: got %x, want %x", s.Bytes(), want.Bytes())
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
