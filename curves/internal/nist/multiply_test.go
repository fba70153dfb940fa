package nist

import (
	"bytes"
	"crypto/elliptic"
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// The standard library's P-256 is the model of all results.
var curve = elliptic.P256()

var n = curve.Params().N

func bigFromHex(s string) *big.Int {
	v, ok := new(big.Int).SetString(s, 16)
	if !ok {
		panic(s)
	}
	return v
}

// scalarOf returns v modulo the order.
func scalarOf(v *big.Int) *fieldp256.Scalar {
	k, err := new(fieldp256.Scalar).SetBytes(new(big.Int).Mod(v, n).FillBytes(make([]byte, 32)))
	if err != nil {
		panic(err)
	}
	return k
}

// modelBase returns the encoding of k·G, with 00 for infinity.
func modelBase(k *big.Int) []byte {
	k = new(big.Int).Mod(k, n)
	if k.Sign() == 0 {
		return []byte{0}
	}
	return encode(curve.ScalarBaseMult(k.FillBytes(make([]byte, 32))))
}

func encode(x, y *big.Int) []byte {
	b := make([]byte, 65)
	b[0] = 4
	x.FillBytes(b[1:33])
	y.FillBytes(b[33:])
	return b
}

// pointOf returns k·G as the model knows it; k is not 0 modulo the order.
func pointOf(k *big.Int) *Point {
	p, err := new(Point).SetBytes(modelBase(k))
	if err != nil {
		panic(fmt.Sprintf("%v·G: %v", k, err))
	}
	return p
}

func encodingOf(p *jacobian) []byte {
	a, finite := p.affine()
	if finite == 0 {
		return []byte{0}
	}
	b := (&Point{a}).Bytes()
	return b[:]
}

// edgeScalars are numbers at which some sum of some method of multiplication is
// one of equal or opposite points, or could be.
func edgeScalars() (list []*big.Int) {
	add := func(v *big.Int) {
		for d := int64(-2); d <= 2; d++ {
			list = append(list, new(big.Int).Add(v, big.NewInt(d)))
		}
	}
	for _, i := range []int64{0, 15, 16, 17, 30, 31, 32, 34, 62, 63, 64, 126} {
		add(big.NewInt(i))
		add(new(big.Int).Sub(n, big.NewInt(i)))
		add(new(big.Int).Add(n, big.NewInt(i)))
	}
	for i := uint(5); i <= 256; i++ {
		if i%5 == 0 || i%6 == 0 || i%64 == 0 || i > 245 {
			power := new(big.Int).Lsh(big.NewInt(1), i)
			add(power)
			add(new(big.Int).Sub(n, power))
		}
	}
	// With d·2^i as the last summand, 2d·2^i - n and n - 2d·2^i are what equal
	// summands make.
	for j := int64(0); j < 32; j++ {
		for _, i := range []uint{0, 1, 5, 6, 239, 240, 245, 246, 250, 251, 252} {
			v := new(big.Int).Lsh(big.NewInt(2*(2*j+1)), i)
			add(v.Sub(v, n))
			add(new(big.Int).Neg(v))
		}
	}
	return list
}

// scalars draws numbers below the order, edges and small ones more often.
func scalars() *rapid.Generator[*big.Int] {
	return rapid.OneOf(
		rapid.Custom(func(t *rapid.T) *big.Int {
			b := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "bytes")
			return new(big.Int).Mod(new(big.Int).SetBytes(b), n)
		}),
		rapid.Map(rapid.SampledFrom(edgeScalars()), func(v *big.Int) *big.Int { return new(big.Int).Mod(v, n) }),
		rapid.Map(rapid.Int64Range(-40, 40), func(v int64) *big.Int { return new(big.Int).Mod(big.NewInt(v), n) }),
	)
}

func TestMultiplyBaseEdges(t *testing.T) {
	for _, k := range edgeScalars() {
		if got, want := encodingOf(multiplyBase(scalarOf(k))), modelBase(k); !bytes.Equal(got, want) {
			t.Errorf("k = %x: got %x, want %x", k, got, want)
		}
	}
}

func TestMultiplyEdges(t *testing.T) {
	g := generator()
	seven := pointOf(big.NewInt(7))
	for i, k := range edgeScalars() {
		if testing.Short() && i%5 != 0 {
			continue
		}
		if got, want := encodingOf(multiply(scalarOf(k), g)), modelBase(k); !bytes.Equal(got, want) {
			t.Errorf("k = %x: got %x, want %x", k, got, want)
		}
		if got, want := encodingOf(multiply(scalarOf(k), &seven.a)), modelBase(new(big.Int).Mul(k, big.NewInt(7))); !bytes.Equal(got, want) {
			t.Errorf("k = %x, times 7: got %x, want %x", k, got, want)
		}
	}
}

// [n + 30]G came out wrong elsewhere: k mod 2^256 ran into equal summands.
func TestReport_golang_go_58647(t *testing.T) {
	for i := int64(-64); i <= 64; i++ {
		k := new(big.Int).Add(n, big.NewInt(i))
		b := k.FillBytes(make([]byte, 33))
		s, err := new(fieldp256.Scalar).SetWideBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		want := modelBase(big.NewInt(i))
		if got := encodingOf(multiplyBase(s)); !bytes.Equal(got, want) {
			t.Errorf("n + %d: got %x, want %x", i, got, want)
		}
		if got := encodingOf(multiply(s, generator())); !bytes.Equal(got, want) {
			t.Errorf("n + %d, by the method for every point: got %x, want %x", i, got, want)
		}
	}
	x := bigFromHex("409f8da21aea236a5f5a1904d0310c1c6192a67d0da08936319869a8ad0838a3")
	y := bigFromHex("70dcf7b1cf008e570e26e72bd3bd40f73e99a0ec162a6793e163d2c72a1e8f5a")
	if got, want := encodingOf(multiplyBase(scalarOf(big.NewInt(30)))), encode(x, y); !bytes.Equal(got, want) {
		t.Errorf("30: got %x, want %x", got, want)
	}
}

// model returns a·G + b·p, where p = q·G.
func modelCombine(a, b, q *big.Int) []byte {
	v := new(big.Int).Mul(b, q)
	return modelBase(v.Add(v, a))
}

func TestMultiply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, q := scalars().Draw(t, "k"), scalars().Draw(t, "q")
		if q.Sign() == 0 {
			q.SetInt64(1)
		}
		p := pointOf(q)
		if got, want := encodingOf(multiply(scalarOf(k), &p.a)), modelCombine(new(big.Int), k, q); !bytes.Equal(got, want) {
			t.Fatalf("%x·(%x·G): got %x, want %x", k, q, got, want)
		}
		if got, want := encodingOf(multiplyBase(scalarOf(k))), modelBase(k); !bytes.Equal(got, want) {
			t.Fatalf("%x·G: got %x, want %x", k, got, want)
		}
	})
}

func TestCombineVarTime(t *testing.T) {
	check := func(fatalf func(string, ...any), a, b, q *big.Int) {
		p := pointOf(q)
		got, want := encodingOf(combineVarTime(scalarOf(a), scalarOf(b), &p.a)), modelCombine(a, b, q)
		if !bytes.Equal(got, want) {
			fatalf("%x·G + %x·(%x·G): got %x, want %x", a, b, q, got, want)
		}
	}
	// Equal and opposite summands at all levels.
	for a := int64(-9); a <= 9; a++ {
		for b := int64(-9); b <= 9; b++ {
			for _, q := range []int64{1, -1, 2, 3} {
				check(t.Errorf, big.NewInt(a), big.NewInt(b), big.NewInt(q))
			}
		}
	}
	for i, k := range edgeScalars() {
		if testing.Short() && i%5 != 0 {
			continue
		}
		check(t.Errorf, k, new(big.Int).Neg(k), big.NewInt(1))
		check(t.Errorf, k, k, big.NewInt(1))
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, q := scalars().Draw(t, "a"), scalars().Draw(t, "b"), scalars().Draw(t, "q")
		if q.Sign() == 0 {
			q.SetInt64(1)
		}
		check(t.Fatalf, a, b, q)
	})
}

// A sum of two multiples was wrong elsewhere for equal summands.
func TestReport_golang_go_21334(t *testing.T) {
	one, minus := big.NewInt(1), new(big.Int).Sub(n, big.NewInt(1))
	g := generator()
	if got, want := encodingOf(combineVarTime(scalarOf(one), scalarOf(one), g)), modelBase(big.NewInt(2)); !bytes.Equal(got, want) {
		t.Errorf("G + G: got %x, want %x", got, want)
	}
	p := pointOf(minus)
	if got := encodingOf(combineVarTime(scalarOf(one), scalarOf(one), &p.a)); len(got) != 1 {
		t.Errorf("G - G: got %x, want infinity", got)
	}
}

func TestHasXVarTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, q := scalars().Draw(t, "a"), scalars().Draw(t, "b"), scalars().Draw(t, "q")
		if q.Sign() == 0 {
			q.SetInt64(1)
		}
		sum := modelCombine(a, b, q)
		p := pointOf(q)
		r := new(big.Int)
		if len(sum) > 1 {
			r.SetBytes(sum[1:33]).Mod(r, n)
		}
		if got, want := HasXVarTime(scalarOf(a), scalarOf(b), p, scalarOf(r)), len(sum) > 1; got != want {
			t.Fatalf("a = %x, b = %x, q = %x, r = %x: got %t, want %t", a, b, q, r, got, want)
		}
		other := scalars().Draw(t, "other")
		if other.Cmp(r) != 0 && HasXVarTime(scalarOf(a), scalarOf(b), p, scalarOf(other)) {
			t.Fatalf("a = %x, b = %x, q = %x, r = %x: got true, want false", a, b, q, other)
		}
	})
}

// TestHasXVarTimeWrapped has points whose x is between the order and the prime,
// and numbers that are x - n + p or so, which must not pass.
func TestHasXVarTimeWrapped(t *testing.T) {
	prime := curve.Params().P
	one, zero := scalarOf(big.NewInt(1)), scalarOf(new(big.Int))
	found := 0
	for d := int64(1); d < 60; d++ {
		x := new(big.Int).Sub(prime, big.NewInt(d))
		p, err := new(Point).SetBytes(append([]byte{2}, x.Bytes()...))
		if err != nil {
			continue
		}
		found++
		r := new(big.Int).Sub(x, n)
		if !HasXVarTime(zero, one, p, scalarOf(r)) {
			t.Errorf("x = p - %d: got false, want true", d)
		}
		if HasXVarTime(zero, one, p, scalarOf(r.Add(r, big.NewInt(1)))) {
			t.Errorf("x = p - %d, another r: got true, want false", d)
		}
	}
	// x = r + n - p must not pass for x: here r = x + p - n.
	for d := int64(1); d < 60; d++ {
		x := big.NewInt(d)
		p, err := new(Point).SetBytes(append([]byte{2}, x.FillBytes(make([]byte, 32))...))
		if err != nil {
			continue
		}
		found++
		r := new(big.Int).Sub(prime, n)
		if HasXVarTime(zero, one, p, scalarOf(r.Add(r, x))) {
			t.Errorf("x = %d, r = x + p - n: got true, want false", d)
		}
	}
	if found < 20 {
		t.Errorf("got %d points, want about 60", found)
	}
}

func BenchmarkMultiply(b *testing.B) {
	k, g := scalarOf(bigFromHex("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53")), generator()
	for b.Loop() {
		multiply(k, g)
	}
}

func BenchmarkMultiplyBase(b *testing.B) {
	k := scalarOf(bigFromHex("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53"))
	for b.Loop() {
		multiplyBase(k)
	}
}

func BenchmarkCombineVarTime(b *testing.B) {
	k, g := scalarOf(bigFromHex("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53")), generator()
	for b.Loop() {
		combineVarTime(k, k, g)
	}
}

// TestHasXVarTimeInfinity: the sum of no points has no x coordinate, not even 0.
func TestHasXVarTimeInfinity(t *testing.T) {
	for r := range int64(3) {
		if HasXVarTime(scalarOf(new(big.Int)), scalarOf(new(big.Int)), pointOf(big.NewInt(1)), scalarOf(big.NewInt(r))) {
			t.Errorf("r = %d: got true for infinity, want false", r)
		}
	}
}
