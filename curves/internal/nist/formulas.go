package nist

import "github.com/seed-6f9cd256/fieldproof/fieldp256"

// A jacobian is the point (X/Z², Y/Z³), or infinity if Z = 0.
type jacobian struct{ X, Y, Z fieldp256.Element }

// An affine is the point (X, Y).
type affine struct{ X, Y fieldp256.Element }

// double sets r = 2p. It takes 3 multiplications and 5 squarings. The pointers
// may be equal.
//
// Source: D. J. Bernstein and T. Lange, Explicit-Formulas Database, dbl-2001-b
// for a = -3.
func double(r, p *jacobian) {
	var alpha, beta4, gamma, delta, t fieldp256.Element
	delta.Square(&p.Z)
	gamma.Square(&p.Y)
	beta4.Multiply(&p.X, &gamma)
	beta4.Double(&beta4).Double(&beta4)
	t.Subtract(&p.X, &delta)
	alpha.Add(&p.X, &delta)
	t.Multiply(&t, &alpha)
	alpha.Double(&t).Add(&alpha, &t)

	// Z = (Y + Z)² - Y² - Z²
	r.Z.Add(&p.Y, &p.Z)
	r.Z.Square(&r.Z).Subtract(&r.Z, &gamma).Subtract(&r.Z, &delta)
	// X = alpha² - 8·beta
	r.X.Square(&alpha).Subtract(&r.X, &beta4).Subtract(&r.X, &beta4)
	// Y = alpha·(4·beta - X) - 8·gamma²
	gamma.Double(&gamma)
	gamma.Square(&gamma).Double(&gamma)
	beta4.Subtract(&beta4, &r.X)
	r.Y.Multiply(&alpha, &beta4).Subtract(&r.Y, &gamma)
}

// addAffine sets r = p + q, where p is neither infinity nor q. If p = -q, then
// r is infinity. If p = q or p is infinity, then r.Z = 0, and r is wrong. It
// takes 8 multiplications and 3 squarings. The pointers may be equal.
//
// Source: H. Cohen, A. Miyaji and T. Ono, "Efficient elliptic curve
// exponentiation using mixed coordinates", ASIACRYPT '98, section 2.3, with
// Z2 = 1.
func addAffine(r, p *jacobian, q *affine) {
	var h, hh, hhh, s, v, t fieldp256.Element
	t.Square(&p.Z)
	h.Multiply(&q.X, &t).Subtract(&h, &p.X)
	t.Multiply(&t, &p.Z)
	s.Multiply(&q.Y, &t).Subtract(&s, &p.Y)
	hh.Square(&h)
	hhh.Multiply(&hh, &h)
	v.Multiply(&p.X, &hh)

	r.Z.Multiply(&p.Z, &h)
	t.Multiply(&p.Y, &hhh)
	// X = s² - h³ - 2v
	r.X.Square(&s).Subtract(&r.X, &hhh).Subtract(&r.X, &v).Subtract(&r.X, &v)
	// Y = s·(v - X) - y1·h³
	v.Subtract(&v, &r.X)
	r.Y.Multiply(&s, &v).Subtract(&r.Y, &t)
}

// select16 sets r = table[i], where i is secret and below 16.
func select16(r *affine, table *[16]affine, i uint64) { selectAffine(r, table[:], i) }

// select32 sets r = table[i], where i is secret and below 32.
func select32(r *affine, table *[32]affine, i uint64) { selectAffine(r, table[:], i) }

func selectAffine(r *affine, table []affine, i uint64) {
	for j := range table {
		hit := int((uint64(j) ^ i - 1) >> 63) // 1 if j = i: only then does the subtraction wrap
		r.X.Select(&table[j].X, &r.X, hit)
		r.Y.Select(&table[j].Y, &r.Y, hit)
	}
}
