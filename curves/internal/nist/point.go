package nist

import (
	"errors"
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// A Point is a point of P-256 other than infinity. The zero value is not one.
type Point struct{ a affine }

// Lengths of encodings, SEC 1, section 2.3.3.
const (
	UncompressedLength = 65
	CompressedLength   = 33
)

// curveB is the coefficient b, and generator returns the base point: NIST SP
// 800-186, section 3.2.1.3.
var curveB = fromWords([4]uint64{0x3bce3c3e27d2604b, 0x651d06b0cc53b0f6, 0xb3ebbd55769886bc, 0x5ac635d8aa3a93e7})

func generator() *affine {
	return &affine{
		fromWords([4]uint64{0xf4a13945d898c296, 0x77037d812deb33a0, 0xf8bce6e563a440f2, 0x6b17d1f2e12c4247}),
		fromWords([4]uint64{0xcbb6406837bf51f5, 0x2bce33576b315ece, 0x8ee7eb4a7c0f9e16, 0x4fe342e2fe1a7f9b}),
	}
}

// SetBytes sets p to the point of a SEC 1 encoding (version 2.0, section 2.3.4),
// uncompressed (65 bytes) or compressed (33 bytes), and returns p. It refuses
// everything else: infinity, hybrid encodings, coordinates at or above the
// field's prime, and what is not on the curve. Then p stays as it was. Its time
// shows the encoding's form and whether it was refused.
func (p *Point) SetBytes(b []byte) (*Point, error) {
	var q affine
	switch {
	case len(b) == UncompressedLength && b[0] == 4:
		_, errX := q.X.SetBytes(b[1:33])
		_, errY := q.Y.SetBytes(b[33:])
		if errX != nil || errY != nil {
			return nil, errors.New("expected coordinates below the prime of P-256, got one at or above it")
		}
		var y2 fieldp256.Element
		if y2.Square(&q.Y).Equal(rightSide(&q.X)) == 0 {
			return nil, errors.New("expected a point on P-256, got one that is not on the curve")
		}
	case len(b) == CompressedLength && (b[0] == 2 || b[0] == 3):
		if _, err := q.X.SetBytes(b[1:]); err != nil {
			return nil, errors.New("expected a coordinate below the prime of P-256, got one at or above it")
		}
		// The root of 0 has no odd counterpart, but no x has y = 0: the order of
		// the group is odd.
		if _, isSquare := q.Y.Sqrt(rightSide(&q.X)); isSquare == 0 {
			return nil, errors.New("expected the x coordinate of a point on P-256, got one of none")
		}
		q.negateIf(int(b[0] & 1)) // Sqrt returns the even root
	case len(b) == 1 && b[0] == 0:
		return nil, errors.New("expected a point other than infinity, got infinity")
	case len(b) == UncompressedLength || len(b) == CompressedLength:
		return nil, fmt.Errorf("expected 04 before %d bytes, or 02 or 03 before %d, got %02x before %d",
			UncompressedLength-1, CompressedLength-1, b[0], len(b)-1)
	default:
		return nil, fmt.Errorf("expected %d or %d bytes, got %d", UncompressedLength, CompressedLength, len(b))
	}
	p.a = q
	return p, nil
}

// rightSide returns x³ - 3x + b.
func rightSide(x *fieldp256.Element) *fieldp256.Element {
	var r, t fieldp256.Element
	r.Square(x).Multiply(&r, x)
	t.Double(x).Add(&t, x)
	return r.Subtract(&r, &t).Add(&r, &curveB)
}

// Bytes returns the uncompressed encoding of p.
func (p *Point) Bytes() [UncompressedLength]byte {
	var b [UncompressedLength]byte
	b[0] = 4
	copy(b[1:], p.a.X.Bytes())
	copy(b[33:], p.a.Y.Bytes())
	return b
}

// BytesCompressed returns the compressed encoding of p.
func (p *Point) BytesCompressed() [CompressedLength]byte {
	var b [CompressedLength]byte
	b[0] = 2 | p.a.Y.Bytes()[31]&1
	copy(b[1:], p.a.X.Bytes())
	return b
}

// BytesX returns the x coordinate of p.
func (p *Point) BytesX() [32]byte { return [32]byte(p.a.X.Bytes()) }

// Equal returns 1 if p = q, else 0.
func (p *Point) Equal(q *Point) int { return p.a.X.Equal(&q.a.X) & p.a.Y.Equal(&q.a.Y) }

// Multiply sets p = k·q and returns 1, or returns 0, with p as it was, if that
// is infinity: if k = 0. Only the result shows in the time.
func (p *Point) Multiply(k *fieldp256.Scalar, q *Point) (finite int) {
	return p.set(multiply(k, &q.a))
}

// MultiplyBase is Multiply with the base point.
func (p *Point) MultiplyBase(k *fieldp256.Scalar) (finite int) {
	return p.set(multiplyBase(k))
}

func (p *Point) set(q *jacobian) (finite int) {
	a, finite := q.affine()
	p.a.X.Select(&a.X, &p.a.X, finite)
	p.a.Y.Select(&a.Y, &p.a.Y, finite)
	return finite
}

// HasXVarTime reports whether a·G + b·q is a point other than infinity whose x
// coordinate is r modulo the order of the group, where G is the base point. All
// arguments are public.
func HasXVarTime(a, b *fieldp256.Scalar, q *Point, r *fieldp256.Scalar) bool {
	sum := combineVarTime(a, b, &q.a)
	if sum.Z.IsZero() == 1 {
		return false
	}
	// x = X/Z² is below the prime, which is above the order n and below 2n, so
	// that x modulo n is r if x is r or r + n.
	var zz, x, n fieldp256.Element
	zz.Square(&sum.Z)
	encoded := r.Bytes()
	if _, err := x.SetBytes(encoded); err != nil {
		return false // the order is below the prime
	}
	var t fieldp256.Element
	if t.Multiply(&x, &zz).Equal(&sum.X) == 1 {
		return true
	}
	// r + n is below the prime if it does not wrap: x + n < x as integers then.
	n = fromWords([4]uint64(order[:4]))
	x.Add(&x, &n)
	if string(x.Bytes()) < string(encoded) {
		return false
	}
	return t.Multiply(&x, &zz).Equal(&sum.X) == 1
}

// fromWords returns the integer of the words, least significant first, which is
// below the prime.
func fromWords(v [4]uint64) (z fieldp256.Element) {
	var b [32]byte
	for i, w := range v {
		for j := range 8 {
			b[31-8*i-j] = byte(w >> (8 * j))
		}
	}
	if _, err := z.SetBytes(b[:]); err != nil {
		panic("nist: constant above the prime")
	}
	return z
}
