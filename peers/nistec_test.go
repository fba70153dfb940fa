package peers

import (
	"bytes"
	"math/big"
	"testing"

	"filippo.io/nistec"
	"pgregory.net/rapid"

	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// The field of nistec is not public, but what it computes with it is: these
// tests do the same computations on points with fieldp256.

// scalar draws a scalar: below the order of the group.
func scalar(t *rapid.T, label string) *fieldp256.Scalar {
	n := modulus("n256")
	v := integers(n).Draw(t, label)
	return must(new(fieldp256.Scalar).SetBytes(bigEndian(v.Mod(v, n))))
}

// times returns k·P, and timesBase k·G, as nistec computes them.
func times(k *fieldp256.Scalar, p *nistec.P256Point) *nistec.P256Point {
	return must(nistec.NewP256Point().ScalarMult(p, k.Bytes()))
}

func timesBase(k *fieldp256.Scalar) *nistec.P256Point {
	return must(nistec.NewP256Point().ScalarBaseMult(k.Bytes()))
}

// TestScalarsActOnPoints: k -> k·G is a homomorphism, so that an error in a
// scalar shows as another point.
func TestScalarsActOnPoints(t *testing.T) {
	type S = fieldp256.Scalar
	for _, test := range []struct {
		name string
		ours func(a, b *S) *S                // the scalar
		peer func(a, b *S) *nistec.P256Point // what it times G must be
	}{
		{"Add", func(a, b *S) *S { return new(S).Add(a, b) },
			func(a, b *S) *nistec.P256Point { return timesBase(a).Add(timesBase(a), timesBase(b)) }},
		{"Subtract", func(a, b *S) *S { return new(S).Subtract(a, b) },
			func(a, b *S) *nistec.P256Point {
				minus := timesBase(b)
				return minus.Add(timesBase(a), minus.Negate(minus))
			}},
		{"Negate", func(a, _ *S) *S { return new(S).Negate(a) },
			func(a, _ *S) *nistec.P256Point { p := timesBase(a); return p.Negate(p) }},
		{"Multiply", func(a, b *S) *S { return new(S).Multiply(a, b) },
			func(a, b *S) *nistec.P256Point { return times(a, timesBase(b)) }},
		{"Square", func(a, _ *S) *S { return new(S).Square(a) },
			func(a, _ *S) *nistec.P256Point { return times(a, timesBase(a)) }},
		{"MultiplyAdd", func(a, b *S) *S { return new(S).MultiplyAdd(a, b, a) },
			func(a, b *S) *nistec.P256Point { p := timesBase(a); return p.Add(times(a, timesBase(b)), p) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a, b := scalar(t, "a"), scalar(t, "b")
				if got, want := timesBase(test.ours(a, b)), test.peer(a, b); got.Equal(want) != 1 {
					t.Fatalf("a = %x, b = %x: got %x, want %x", a.Bytes(), b.Bytes(), got.Bytes(), want.Bytes())
				}
			})
		})
	}
	t.Run("Invert", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := scalar(t, "a")
			want := nistec.NewP256Point()
			if a.IsZero() == 0 {
				want.SetGenerator()
			}
			if got := times(new(S).Invert(a), timesBase(a)); got.Equal(want) != 1 {
				t.Fatalf("a = %x: a⁻¹·(a·G) is %x, want %x", a.Bytes(), got.Bytes(), want.Bytes())
			}
		})
	})
	t.Run("SetWideBytes", func(t *testing.T) {
		// The encoding high || low is high·2^256 + low.
		shift := make([]byte, 33)
		shift[0] = 1
		base := timesBase(must(new(S).SetWideBytes(shift)))
		wantBase := must(nistec.NewP256Point().ScalarBaseMult(bigEndian(new(big.Int).Lsh(big.NewInt(1), 255))))
		if wantBase.Double(wantBase); base.Equal(wantBase) != 1 {
			t.Fatalf("2^256·G: got %x, want %x", base.Bytes(), wantBase.Bytes())
		}
		rapid.Check(t, func(t *rapid.T) {
			values := integers(modulus("n256"))
			high, low := bigEndian(values.Draw(t, "high")), bigEndian(values.Draw(t, "low"))
			got := timesBase(must(new(S).SetWideBytes(append(high, low...))))
			want := must(nistec.NewP256Point().ScalarMult(wantBase, high))
			want.Add(want, must(nistec.NewP256Point().ScalarBaseMult(low)))
			if got.Equal(want) != 1 {
				t.Fatalf("high = %x, low = %x: got %x, want %x", high, low, got.Bytes(), want.Bytes())
			}
		})
	})
}

// A point is a point of P-256 other than infinity, in affine coordinates.
type point struct{ x, y fieldp256.Element }

// fromNistec returns nil for the point at infinity.
func fromNistec(p *nistec.P256Point) *point {
	b := p.Bytes()
	if len(b) == 1 {
		return nil
	}
	var q point
	must(q.x.SetBytes(b[1:33]))
	must(q.y.SetBytes(b[33:]))
	return &q
}

// bytes is the uncompressed encoding of SEC 1, section 2.3.3.
func (p *point) bytes() []byte {
	if p == nil {
		return []byte{0}
	}
	return append(append([]byte{4}, p.x.Bytes()...), p.y.Bytes()...)
}

// add returns p + q by the chord and tangent formulas of SEC 1, section 2.2.1.
// nil is infinity.
func add(p, q *point) *point {
	type E = fieldp256.Element
	if p == nil {
		return q
	}
	if q == nil {
		return p
	}
	num, den := new(E), new(E)
	if p.x.Equal(&q.x) == 1 {
		if p.y.Equal(new(E).Negate(&q.y)) == 1 {
			return nil
		}
		num.Square(&p.x)
		num.Mult32(num, 3).Subtract(num, new(E).Mult32(new(E).One(), 3)) // 3x² + a, a = -3
		den.Add(&p.y, &p.y)
	} else {
		num.Subtract(&q.y, &p.y)
		den.Subtract(&q.x, &p.x)
	}
	slope := num.Multiply(num, den.Invert(den))
	var r point
	r.x.Square(slope)
	r.x.Subtract(&r.x, &p.x).Subtract(&r.x, &q.x)
	r.y.Subtract(&p.x, &r.x)
	r.y.Multiply(&r.y, slope).Subtract(&r.y, &p.y)
	return &r
}

// TestAddition adds points with fieldp256 and with nistec: two that are
// unrelated, equal, opposite, or infinity.
func TestAddition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := timesBase(scalar(t, "p"))
		q := nistec.NewP256Point()
		switch rapid.SampledFrom([]string{"unrelated", "equal", "opposite"}).Draw(t, "q") {
		case "unrelated":
			q = timesBase(scalar(t, "q"))
		case "equal":
			q.Set(p)
		case "opposite":
			q.Negate(p)
		}
		got := add(fromNistec(p), fromNistec(q)).bytes()
		want := nistec.NewP256Point().Add(p, q).Bytes()
		if !bytes.Equal(got, want) {
			t.Fatalf("%x + %x: got %x, want %x", p.Bytes(), q.Bytes(), got, want)
		}
	})
}

// TestScalarMultiplication computes k·G with fieldp256 by double-and-add,
// which chains some 6,000 field operations.
func TestScalarMultiplication(t *testing.T) {
	g := fromNistec(nistec.NewP256Point().SetGenerator())
	rapid.Check(t, func(t *rapid.T) {
		k := scalar(t, "k")
		var p *point
		for _, b := range k.Bytes() {
			for i := 7; i >= 0; i-- {
				p = add(p, p)
				if b>>i&1 == 1 {
					p = add(p, g)
				}
			}
		}
		if got, want := p.bytes(), timesBase(k).Bytes(); !bytes.Equal(got, want) {
			t.Fatalf("%x·G: got %x, want %x", k.Bytes(), got, want)
		}
	})
}

// TestDecompression finds the y of an x with fieldp256's square root, and
// compares with nistec's reading of a compressed point, which also says
// whether there is one and whether x is canonical.
func TestDecompression(t *testing.T) {
	type E = fieldp256.Element
	g := fromNistec(nistec.NewP256Point().SetGenerator())
	right := func(x *E) *E { // x³ - 3x
		r := new(E).Square(x)
		r.Subtract(r, new(E).Mult32(new(E).One(), 3))
		return r.Multiply(r, x)
	}
	b := new(E).Square(&g.y)
	b.Subtract(b, right(&g.x))

	rapid.Check(t, func(t *rapid.T) {
		encoding := bigEndian(integers(modulus("p256")).Draw(t, "x"))
		parity := rapid.ByteRange(0, 1).Draw(t, "parity")
		want, peerErr := nistec.NewP256Point().SetBytes(append([]byte{2 + parity}, encoding...))

		var p point
		_, err := p.x.SetBytes(encoding)
		isSquare := 0
		if err == nil {
			y2 := right(&p.x)
			_, isSquare = p.y.Sqrt(y2.Add(y2, b))
		}
		if (peerErr == nil) != (isSquare == 1) {
			t.Fatalf("x = %x: a square: %d, %v; the peer says %v", encoding, isSquare, err, peerErr)
		}
		if peerErr != nil {
			return
		}
		if parity == 1 { // Sqrt returns the even root
			p.y.Negate(&p.y)
		}
		if !bytes.Equal(p.bytes(), want.Bytes()) {
			t.Fatalf("x = %x: got %x, want %x", encoding, p.bytes(), want.Bytes())
		}
	})
}
