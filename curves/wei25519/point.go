package wei25519

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/field25519"
)

// A Point is a point of Wei25519. The zero value is infinity, the neutral element.
// Values cannot be compared with the operator ==: use Equal.
type Point struct {
	// (x/z², y/z³), or infinity if z = 0: Jacobian coordinates.
	x, y, z field25519.Element
}

// The constants of the curve, from 32 big-endian bytes. A test derives them.
var (
	third  = element("2aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaad2451") // A/3
	half   = element("3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7") // 1/2
	curveA = element("2aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa984914a144")
	curveB = element("7b425ed097b425ed097b425ed097b425ed097b425ed097b4260b5e9c7710c864")
	baseX  = element("2aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaad245a")
	baseY  = element("20ae19a1b8a086b4e01edd2c7748d14c923d4d7e6d7c61b229e9c5a27eced3d9")
)

// element reads 64 hexadecimal digits.
func element(s string) (z field25519.Element) {
	b, err := hex.DecodeString(s)
	if err == nil {
		err = setBig(&z, b)
	}
	if err != nil {
		panic("wei25519: constant " + s + ": " + err.Error())
	}
	return z
}

// Base sets p to the base point, of order n, and returns p. It is the base point of
// X25519 with the v that RFC 7748, section 4.1, gives.
func (p *Point) Base() *Point {
	p.setAffine(&baseX, &baseY)
	return p
}

func (p *Point) setAffine(x, y *field25519.Element) {
	p.x.Set(x)
	p.y.Set(y)
	p.z.One()
}

// Infinity sets p to infinity and returns p.
func (p *Point) Infinity() *Point {
	*p = Point{}
	return p
}

// Set sets p = q and returns p.
func (p *Point) Set(q *Point) *Point {
	*p = *q
	return p
}

// Select sets p = q if cond is 1, p = r if cond is 0, and returns p. Only the lowest
// bit of cond counts.
func (p *Point) Select(q, r *Point, cond int) *Point {
	p.x.Select(&q.x, &r.x, cond)
	p.y.Select(&q.y, &r.y, cond)
	p.z.Select(&q.z, &r.z, cond)
	return p
}

// IsInfinity returns 1 if p is infinity, else 0.
func (p *Point) IsInfinity() int { return p.z.IsZero() }

// Equal returns 1 if p = q, else 0.
func (p *Point) Equal(q *Point) int {
	var d difference
	d.set(p, q)
	same := d.h.IsZero() & d.r.IsZero()
	bothInfinite := p.IsInfinity() & q.IsInfinity()
	return bothInfinite | same&^(p.IsInfinity()|q.IsInfinity())
}

// Negate sets p = -q and returns p.
func (p *Point) Negate(q *Point) *Point {
	p.x.Set(&q.x)
	p.y.Negate(&q.y)
	p.z.Set(&q.z)
	return p
}

// A difference compares two points: with the first one's coordinates u = x1·z2²
// and s = y1·z2³, h and r are what the other's are larger by.
type difference struct{ u, s, h, r field25519.Element }

func (d *difference) set(p, q *Point) {
	var pp, qq, t field25519.Element
	pp.Square(&p.z)
	qq.Square(&q.z)
	d.u.Multiply(&p.x, &qq)
	d.h.Multiply(&q.x, &pp).Subtract(&d.h, &d.u)
	d.s.Multiply(&p.y, t.Multiply(&qq, &q.z))
	d.r.Multiply(&q.y, t.Multiply(&pp, &p.z)).Subtract(&d.r, &d.s)
}

// Add sets p = q + r and returns p, for all points.
func (p *Point) Add(q, r *Point) *Point { return p.add(q, r, &curveA) }

// add is Add on a curve with another coefficient a. It computes the sum by the
// formulas for different points and twice q, and selects.
//
// Source: D. J. Bernstein and T. Lange, Explicit-Formulas Database, add-1998-cmo-2.
func (p *Point) add(q, r *Point, a *field25519.Element) *Point {
	var d difference
	d.set(q, r)
	var sum, twice Point
	var hh, hhh, v field25519.Element
	hh.Square(&d.h)
	hhh.Multiply(&hh, &d.h)
	v.Multiply(&d.u, &hh)
	sum.x.Square(&d.r)
	sum.x.Subtract(&sum.x, &hhh).Subtract(&sum.x, &v).Subtract(&sum.x, &v)
	sum.y.Subtract(&v, &sum.x)
	sum.y.Multiply(&sum.y, &d.r).Subtract(&sum.y, hhh.Multiply(&hhh, &d.s))
	// z is 0, as it should be, for opposite points.
	sum.z.Multiply(&q.z, &r.z)
	sum.z.Multiply(&sum.z, &d.h)

	twice.double(q, a)
	sum.Select(&twice, &sum, d.h.IsZero()&d.r.IsZero())
	sum.Select(q, &sum, r.IsInfinity())
	return p.Select(r, &sum, q.IsInfinity())
}

// Double sets p = 2q and returns p.
func (p *Point) Double(q *Point) *Point { return p.double(q, &curveA) }

// double is Double on a curve with another coefficient a. Infinity and points with
// y = 0 give z = 0.
//
// Source: D. J. Bernstein and T. Lange, Explicit-Formulas Database, dbl-1998-cmo-2.
func (p *Point) double(q *Point, a *field25519.Element) *Point {
	var yy, s, m, t field25519.Element
	yy.Square(&q.y)
	s.Multiply(&q.x, &yy)
	s.Double(&s).Double(&s)
	t.Square(&q.z)
	t.Square(&t).Multiply(&t, a)
	m.Square(&q.x)
	m.Mult32(&m, 3).Add(&m, &t)
	p.z.Multiply(&q.y, &q.z)
	p.z.Double(&p.z)
	p.x.Square(&m)
	p.x.Subtract(&p.x, &s).Subtract(&p.x, &s)
	yy.Square(&yy)
	s.Subtract(&s, &p.x)
	p.y.Multiply(&s, &m).Subtract(&p.y, t.Mult32(&yy, 8))
	return p
}

// Multiply sets p = k·q and returns p, where k is any big-endian integer of 32
// bytes: it is not clamped, nor reduced modulo an order. If k has another length,
// Multiply returns nil and an error, and p stays as it was. The time does not
// depend on k or q.
func (p *Point) Multiply(k []byte, q *Point) (*Point, error) {
	if len(k) != 32 {
		return nil, fmt.Errorf("wei25519: Multiply: expected a scalar of 32 bytes, got %d", len(k))
	}
	return p.multiply(k, q, &curveA), nil
}

func (p *Point) multiply(k []byte, q *Point, a *field25519.Element) *Point {
	var r, sum Point
	for i := range 256 {
		r.double(&r, a)
		sum.add(&r, q, a)
		r.Select(&sum, &r, int(k[i/8]>>(7-i%8)))
	}
	return p.Set(&r)
}

// affine returns the coordinates of p, or zeros for infinity.
func (p *Point) affine() (x, y field25519.Element) {
	var inverse, t field25519.Element
	inverse.Invert(&p.z)
	t.Square(&inverse)
	x.Multiply(&p.x, &t)
	t.Multiply(&t, &inverse)
	y.Multiply(&p.y, &t)
	return x, y
}

// rightSide returns x³ + ax + b.
func rightSide(x *field25519.Element) (r field25519.Element) {
	r.Square(x)
	r.Add(&r, &curveA).Multiply(&r, x).Add(&r, &curveB)
	return r
}

// setBig sets z to a big-endian integer of 32 bytes below p.
func setBig(z *field25519.Element, b []byte) error {
	little := [32]byte(b)
	slices.Reverse(little[:])
	if _, err := z.SetCanonicalBytes(little[:]); err != nil {
		return errors.New("expected coordinates below 2^255 - 19, got one at or above it")
	}
	return nil
}

// bigEndian returns the canonical encoding of z.
func bigEndian(z *field25519.Element) []byte {
	b := z.Bytes()
	slices.Reverse(b)
	return b
}

// SetBytes sets p to the point of the SEC 1 encoding (version 2.0, section 2.3.4):
// 65 bytes that start with 04, 33 that start with 02 or 03, or the byte 00. It
// refuses everything else: coordinates that are not below 2^255 - 19, and points
// that are not on the curve.
func (p *Point) SetBytes(b []byte) (*Point, error) {
	var x, y field25519.Element
	switch {
	case len(b) == 1 && b[0] == 0:
		return p.Infinity(), nil
	case len(b) == 65 && b[0] == 4:
		if err := errors.Join(setBig(&x, b[1:33]), setBig(&y, b[33:])); err != nil {
			return nil, fmt.Errorf("wei25519: SetBytes: %w", err)
		}
		var yy field25519.Element
		right := rightSide(&x)
		if yy.Square(&y).Equal(&right) == 0 {
			return nil, errors.New("wei25519: SetBytes: expected a point on Wei25519, got one that is not")
		}
	case len(b) == 33 && (b[0] == 2 || b[0] == 3):
		if err := setBig(&x, b[1:]); err != nil {
			return nil, fmt.Errorf("wei25519: SetBytes: %w", err)
		}
		right := rightSide(&x)
		if _, isSquare := y.Sqrt(&right); isSquare == 0 {
			return nil, errors.New("wei25519: SetBytes: expected the x coordinate of a point on Wei25519, got one of none")
		}
		// y is the even root. That of 0 has no odd counterpart.
		if y.IsZero() == 1 && b[0] == 3 {
			return nil, errors.New("wei25519: SetBytes: expected 02 before the x coordinate of a point with y = 0, got 03")
		}
		var minus field25519.Element
		y.Select(minus.Negate(&y), &y, int(b[0]))
	default:
		first := "nothing"
		if len(b) > 0 {
			first = fmt.Sprintf("%02x", b[0])
		}
		return nil, fmt.Errorf("wei25519: SetBytes: expected 65 bytes from 04, 33 from 02 or 03, or 00, got %d from %s", len(b), first)
	}
	p.setAffine(&x, &y)
	return p, nil
}

// Bytes returns the uncompressed encoding of p, of 65 bytes, or 00 for infinity.
func (p *Point) Bytes() []byte {
	if p.IsInfinity() == 1 {
		return []byte{0}
	}
	x, y := p.affine()
	return append(append([]byte{4}, bigEndian(&x)...), bigEndian(&y)...)
}

// BytesCompressed returns the compressed encoding of p, of 33 bytes, or 00 for
// infinity.
func (p *Point) BytesCompressed() []byte {
	if p.IsInfinity() == 1 {
		return []byte{0}
	}
	x, y := p.affine()
	return append([]byte{2 | y.Bytes()[0]&1}, bigEndian(&x)...)
}

// X returns the x coordinate of p, big-endian, in 32 bytes. Infinity has none, and
// gives an error.
func (p *Point) X() ([]byte, error) {
	if p.IsInfinity() == 1 {
		return nil, errInfinity("X")
	}
	x, _ := p.affine()
	return bigEndian(&x), nil
}

func errInfinity(method string) error {
	return errors.New("wei25519: " + method + ": expected a point other than infinity")
}
