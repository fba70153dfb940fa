package wei25519

import (
	"errors"
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/field25519"
)

// SetMontgomery sets p to the point that (u, v) on Curve25519 becomes, (u + A/3, v),
// and returns p. Both coordinates are little-endian, of 32 bytes, and below 2^255 -
// 19. The point (0, 0) is one of order 2, not infinity, which is not on this side.
func (p *Point) SetMontgomery(u, v []byte) (*Point, error) {
	if len(u) != 32 || len(v) != 32 {
		return nil, fmt.Errorf("wei25519: SetMontgomery: expected coordinates of 32 bytes, got %d and %d", len(u), len(v))
	}
	var x, y, yy field25519.Element
	_, errU := x.SetCanonicalBytes(u)
	_, errV := y.SetCanonicalBytes(v)
	if errU != nil || errV != nil {
		return nil, errors.New("wei25519: SetMontgomery: expected coordinates below 2^255 - 19, got one at or above it")
	}
	x.Add(&x, &third)
	right := rightSide(&x)
	if yy.Square(&y).Equal(&right) == 0 {
		return nil, errors.New("wei25519: SetMontgomery: expected a point on Curve25519, got one that is not")
	}
	p.setAffine(&x, &y)
	return p, nil
}

// Montgomery returns the coordinates (u, v) on Curve25519 that p comes from, little-
// endian, in 32 bytes each. Infinity has none, and gives an error.
func (p *Point) Montgomery() (u, v []byte, err error) {
	if p.IsInfinity() == 1 {
		return nil, nil, errInfinity("Montgomery")
	}
	x, y := p.affine()
	x.Subtract(&x, &third)
	return x.Bytes(), y.Bytes(), nil
}

// XFromU returns the x coordinate, big-endian, of the points whose coordinate on
// Curve25519 is u: u + A/3. As in RFC 7748, section 5, u is little-endian, of 32
// bytes, its highest bit is ignored, and it is reduced modulo 2^255 - 19. There need
// not be such points: X25519 takes every u.
func XFromU(u []byte) ([]byte, error) {
	var x field25519.Element
	if _, err := x.SetBytes(u); err != nil {
		return nil, fmt.Errorf("wei25519: XFromU: expected 32 bytes, got %d", len(u))
	}
	return bigEndian(x.Add(&x, &third)), nil
}

// UFromX returns the coordinate u on Curve25519, little-endian, of the points whose
// coordinate here is x: x - A/3. It is big-endian, of 32 bytes, and below 2^255 - 19.
func UFromX(x []byte) ([]byte, error) {
	if len(x) != 32 {
		return nil, fmt.Errorf("wei25519: UFromX: expected 32 bytes, got %d", len(x))
	}
	var u field25519.Element
	if err := setBig(&u, x); err != nil {
		return nil, fmt.Errorf("wei25519: UFromX: %w", err)
	}
	return u.Subtract(&u, &third).Bytes(), nil
}

// X25519 is the function of RFC 7748, section 5, computed in Weierstrass form. The
// scalar and u are little-endian, of 32 bytes; the scalar is clamped, and every u is
// accepted but those whose result is 0: they have a small order, and give an error.
//
// A u that is of no point of the curve is of two points of its quadratic twist,
// 2y² = x³ + ax + b, which is y² = x³ + 4ax + 8b with x and y doubled and
// quadrupled.
func X25519(scalar, u []byte) ([]byte, error) {
	if len(scalar) != 32 || len(u) != 32 {
		return nil, fmt.Errorf("wei25519: X25519: expected a scalar and a point of 32 bytes, got %d and %d", len(scalar), len(u))
	}
	var k [32]byte
	for i, b := range scalar {
		k[31-i] = b
	}
	k[31] &= 248
	k[0] = k[0]&127 | 64

	var x, y, a, t field25519.Element
	if _, err := x.SetBytes(u); err != nil {
		return nil, fmt.Errorf("wei25519: X25519: %w", err)
	}
	x.Add(&x, &third)
	right := rightSide(&x)
	_, isSquare := y.Sqrt(&right)
	t.Mult32(&right, 8) // a square if right is not: 2 is none
	_, _ = t.Sqrt(&t)
	y.Select(&y, &t, isSquare)
	t.Double(&x)
	x.Select(&x, &t, isSquare)
	t.Mult32(&curveA, 4)
	a.Select(&curveA, &t, isSquare)

	var p Point
	p.setAffine(&x, &y)
	p.multiply(k[:], &p, &a)
	x, _ = p.affine()
	t.Multiply(&x, &half)
	x.Select(&x, &t, isSquare)
	x.Subtract(&x, &third)

	// Infinity has the u coordinate 0.
	var zero field25519.Element
	x.Select(&zero, &x, p.IsInfinity())
	if x.IsZero() == 1 {
		return nil, errors.New("wei25519: X25519: expected a point of large order, got one of small order")
	}
	return x.Bytes(), nil
}
