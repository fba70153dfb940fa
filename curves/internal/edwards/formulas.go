package edwards

import "github.com/seed-6f9cd256/fieldproof/field25519"

// The formulas of points and of the ladder, and the choice from tables. All
// pointers may be equal. None has exceptional cases: the addition laws are
// complete, because a = -1 is a square modulo p and d is not.

// extended is the point with x = X/Z, y = Y/Z and T = XY/Z (Hisil, Wong, Carter,
// Dawson, "Twisted Edwards Curves Revisited", Asiacrypt 2008, section 3).
type extended struct {
	projective
	T field25519.Element
}

// projective is the point with x = X/Z and y = Y/Z.
type projective struct {
	X, Y, Z field25519.Element
}

// cached is an extended point as the second operand of an addition.
type cached struct {
	YplusX, YminusX field25519.Element // Y + X and Y - X
	Z2, T2d         field25519.Element // 2·Z and 2·d·T
}

// affineCached is a point with Z = 1 as the second operand of an addition.
type affineCached struct {
	YplusX, YminusX field25519.Element // y + x and y - x
	XY2d            field25519.Element // 2·d·x·y
}

// ladder is the state of the Montgomery ladder: two points of the Montgomery
// curve by their coordinates u = X/Z.
type ladder struct {
	X2, Z2, X3, Z3 field25519.Element
}

// double sets r = 2·p (dbl-2008-hwcd of the Explicit-Formulas Database, with the
// signs of RFC 8032, section 5.1.4).
func double(r, p *projective) {
	var e, f, g, h field25519.Element
	doubleParts(&e, &f, &g, &h, p)
	r.X.Multiply(&e, &f)
	r.Y.Multiply(&g, &h)
	r.Z.Multiply(&f, &g)
}

// doubleExtended is double with the coordinate T of the result.
func doubleExtended(r *extended, p *projective) {
	var e, f, g, h field25519.Element
	doubleParts(&e, &f, &g, &h, p)
	r.X.Multiply(&e, &f)
	r.Y.Multiply(&g, &h)
	r.Z.Multiply(&f, &g)
	r.T.Multiply(&e, &h)
}

func doubleParts(e, f, g, h *field25519.Element, p *projective) {
	var a, b field25519.Element
	a.Square(&p.X)
	b.Square(&p.Y)
	e.Add(&p.X, &p.Y)
	e.Square(e)
	f.Square(&p.Z)
	f.Double(f)
	h.Add(&a, &b)
	g.Subtract(&a, &b)
	e.Subtract(h, e)
	f.Add(f, g)
}

// addCached sets r = p + q (add-2008-hwcd-3 of the Explicit-Formulas Database;
// RFC 8032, section 5.1.4).
func addCached(r, p *extended, q *cached) {
	var d field25519.Element
	d.Multiply(&p.Z, &q.Z2)
	addParts(r, p, &d, &q.YplusX, &q.YminusX, &q.T2d)
}

// addAffine sets r = p + q (madd-2008-hwcd-3 of the Explicit-Formulas Database).
func addAffine(r, p *extended, q *affineCached) {
	var d field25519.Element
	d.Double(&p.Z)
	addParts(r, p, &d, &q.YplusX, &q.YminusX, &q.XY2d)
}

// addParts is an addition from d = 2·Z1·Z2 on.
func addParts(r, p *extended, d, yPlusX, yMinusX, t2d *field25519.Element) {
	var a, b, c, e, f, g, h field25519.Element
	a.Subtract(&p.Y, &p.X)
	a.Multiply(&a, yMinusX)
	b.Add(&p.Y, &p.X)
	b.Multiply(&b, yPlusX)
	c.Multiply(&p.T, t2d)
	e.Subtract(&b, &a)
	f.Subtract(d, &c)
	g.Add(d, &c)
	h.Add(&b, &a)
	r.X.Multiply(&e, &f)
	r.Y.Multiply(&g, &h)
	r.T.Multiply(&e, &h)
	r.Z.Multiply(&f, &g)
}

// ladderStep exchanges the two points of s if swap is 1, and then doubles the
// first and adds it to the second; their difference has the coordinate u = x1
// (RFC 7748, section 5). swap is 0 or 1.
func ladderStep(s *ladder, x1 *field25519.Element, swap uint64) {
	s.swap(swap)
	var a, aa, b, bb, c, d, e field25519.Element
	a.Add(&s.X2, &s.Z2)
	aa.Square(&a)
	b.Subtract(&s.X2, &s.Z2)
	bb.Square(&b)
	e.Subtract(&aa, &bb)
	c.Add(&s.X3, &s.Z3)
	d.Subtract(&s.X3, &s.Z3)
	d.Multiply(&d, &a)
	c.Multiply(&c, &b)
	s.X3.Add(&d, &c)
	s.X3.Square(&s.X3)
	s.Z3.Subtract(&d, &c)
	s.Z3.Square(&s.Z3)
	s.Z3.Multiply(&s.Z3, x1)
	s.X2.Multiply(&aa, &bb)
	s.Z2.Mult32(&e, 121665) // (486662 - 2) / 4
	s.Z2.Add(&s.Z2, &aa)
	s.Z2.Multiply(&s.Z2, &e)
}

func (s *ladder) swap(swap uint64) {
	s.X2.Swap(&s.X3, int(swap))
	s.Z2.Swap(&s.Z3, int(swap))
}

// selectAffine sets r = table[i-1], or the neutral element if i is 0. It reads
// the whole table, in a time that does not depend on i, which is at most 8.
func selectAffine(r *affineCached, table *[8]affineCached, i uint64) {
	r.YplusX.One()
	r.YminusX.One()
	r.XY2d.Zero()
	for j := range table {
		t, is := &table[j], equalIndex(i, uint64(j)+1)
		r.YplusX.Select(&t.YplusX, &r.YplusX, is)
		r.YminusX.Select(&t.YminusX, &r.YminusX, is)
		r.XY2d.Select(&t.XY2d, &r.XY2d, is)
	}
}

// equalIndex returns 1 if i = j, else 0. Both are below 2^63.
func equalIndex(i, j uint64) int {
	return int(((i ^ j) - 1) >> 63)
}
