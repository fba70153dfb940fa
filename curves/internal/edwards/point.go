package edwards

import (
	"sync"

	"github.com/seed-6f9cd256/fieldproof/field25519"
)

// curveD is d = -121665/121666, and curveD2 is 2·d.
var curveD, curveD2 = func() (d, d2 field25519.Element) {
	var one field25519.Element
	one.One()
	d.Mult32(&one, 121666)
	d.Invert(&d)
	d.Mult32(&d, 121665)
	d.Negate(&d)
	d2.Double(&d)
	return d, d2
}()

// A Point is a point of the curve. Its zero value is none: set it first.
type Point struct{ p extended }

// Identity sets p to the neutral element and returns p.
func (p *Point) Identity() *Point {
	p.p.X.Zero()
	p.p.Y.One()
	p.p.Z.One()
	p.p.T.Zero()
	return p
}

// Base sets p to the base point of RFC 8032, section 5.1, and returns p: the
// point with y = 4/5 and x even.
func (p *Point) Base() *Point {
	var one, four, five field25519.Element
	one.One()
	four.Mult32(&one, 4)
	five.Mult32(&one, 5)
	five.Invert(&five)
	p.p.Y.Multiply(&four, &five)
	p.setX(0)
	return p
}

// setX sets x to the coordinate that belongs to y, the one with the sign
// negative, and the others to match. It reports whether there is one; if not, p
// is no point. The sign of 0 may be either.
func (p *Point) setX(negative int) bool {
	// x² = (y² - 1)/(d·y² + 1); the denominator is not 0, as -1/d is no square.
	var u, v, minus field25519.Element
	p.p.Z.One()
	v.Square(&p.p.Y)
	u.Subtract(&v, &p.p.Z)
	v.Multiply(&v, &curveD)
	v.Add(&v, &p.p.Z)
	_, wasSquare := p.p.X.SqrtRatio(&u, &v)
	minus.Negate(&p.p.X)
	p.p.X.Select(&minus, &p.p.X, negative)
	p.p.T.Multiply(&p.p.X, &p.p.Y)
	return wasSquare == 1
}

// SetBytesVarTime sets p to the point that b encodes, and reports whether there
// is one; if not, p is no point. It accepts what crypto/ed25519 and ZIP 215 do,
// which is more than RFC 8032, section 5.1.3, does: a y-coordinate that is not
// below the modulus, and either sign of x = 0.
func (p *Point) SetBytesVarTime(b *[32]byte) bool {
	_, err := p.p.Y.SetBytes(b[:])
	return err == nil && p.setX(int(b[31]>>7))
}

// SetCanonicalBytesVarTime is SetBytesVarTime, but accepts the canonical encoding of
// a point only (RFC 8032, section 5.1.3).
func (p *Point) SetCanonicalBytesVarTime(b *[32]byte) bool {
	y, negative := *b, b[31]>>7
	y[31] &= 127
	_, err := p.p.Y.SetCanonicalBytes(y[:])
	return err == nil && p.setX(int(negative)) && (negative == 0 || p.p.X.IsZero() == 0)
}

// Bytes returns the encoding of p (RFC 8032, section 5.1.2).
func (p *Point) Bytes() [32]byte {
	var x, y, z field25519.Element
	z.Invert(&p.p.Z)
	x.Multiply(&p.p.X, &z)
	y.Multiply(&p.p.Y, &z)
	b := [32]byte(y.Bytes())
	b[31] |= byte(x.IsNegative() << 7)
	return b
}

// MontgomeryU returns the coordinate u = (Z + Y)/(Z - Y) of the point of the
// Montgomery curve that belongs to p (RFC 7748, section 4.1), and 0 for the
// neutral element, which belongs to the point at infinity.
func (p *Point) MontgomeryU() [32]byte {
	var n, d field25519.Element
	n.Add(&p.p.Z, &p.p.Y)
	d.Subtract(&p.p.Z, &p.p.Y)
	d.Invert(&d)
	n.Multiply(&n, &d)
	return [32]byte(n.Bytes())
}

// Negate sets p = -q and returns p.
func (p *Point) Negate(q *Point) *Point {
	p.p.X.Negate(&q.p.X)
	p.p.Y.Set(&q.p.Y)
	p.p.Z.Set(&q.p.Z)
	p.p.T.Negate(&q.p.T)
	return p
}

// MultiplyByCofactor sets p = 8·q and returns p.
func (p *Point) MultiplyByCofactor(q *Point) *Point {
	var r projective
	double(&r, &q.p.projective)
	double(&r, &r)
	doubleExtended(&p.p, &r)
	return p
}

// IsIdentity returns 1 if p is the neutral element, else 0. It is 0 for a Point
// that was never set.
func (p *Point) IsIdentity() int {
	return p.p.X.IsZero() & p.p.Y.Equal(&p.p.Z) & (1 - p.p.Z.IsZero())
}

// setExtended sets r = p.
func (r *cached) setExtended(p *extended) {
	r.YplusX.Add(&p.Y, &p.X)
	r.YminusX.Subtract(&p.Y, &p.X)
	r.Z2.Double(&p.Z)
	r.T2d.Multiply(&p.T, &curveD2)
}

// affine returns the points with Z = 1, by one inversion for all.
func affine(points []extended) []affineCached {
	z := make([]field25519.Element, len(points))
	for i := range points {
		z[i].Set(&points[i].Z)
	}
	field25519.InvertBatch(z)
	r := make([]affineCached, len(points))
	for i := range points {
		var x, y field25519.Element
		x.Multiply(&points[i].X, &z[i])
		y.Multiply(&points[i].Y, &z[i])
		r[i].YplusX.Add(&y, &x)
		r[i].YminusX.Subtract(&y, &x)
		r[i].XY2d.Multiply(&x, &y)
		r[i].XY2d.Multiply(&r[i].XY2d, &curveD2)
	}
	return r
}

// multiples returns p + i·step for i from 0 to n-1.
func multiples(p, step *extended, n int) []extended {
	var c cached
	c.setExtended(step)
	r := make([]extended, n)
	r[0] = *p
	for i := range n - 1 {
		addCached(&r[i+1], &r[i], &c, 0)
	}
	return r
}

// doubleTimes sets r = 2^n·p, for n of at least 1.
func doubleTimes(r, p *extended, n int) {
	q := p.projective
	for range n - 1 {
		double(&q, &q)
	}
	doubleExtended(r, &q)
}

// baseTable holds the points (j+1)·256^i·B, 24 KB in all. It is made when it is
// first needed.
var baseTable = sync.OnceValue(func() *[32][8]affineCached {
	var b Point
	b.Base()
	var points []extended
	for range 32 {
		points = append(points, multiples(&b.p, &b.p, 8)...)
		doubleTimes(&b.p, &b.p, 8)
	}
	flat := affine(points)
	var table [32][8]affineCached
	for i := range table {
		table[i] = [8]affineCached(flat[8*i:])
	}
	return &table
})
