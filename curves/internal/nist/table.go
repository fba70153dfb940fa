package nist

import (
	"sync"

	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// doublePair returns p and 2p with a common Z, which is 2y. It takes 2
// multiplications and 4 squarings.
//
// Source: R. R. Goundar, M. Joye and A. Miyaji, "Co-Z addition formulæ and
// binary ladders on elliptic curves", CHES 2010, DBLU, for a = -3.
func doublePair(p *affine) (one, two affine, z fieldp256.Element) {
	var m, t, e fieldp256.Element
	e.Square(&p.Y)
	one.X.Multiply(&p.X, &e)
	one.X.Double(&one.X).Double(&one.X) // 4xy²
	one.Y.Square(&e)
	one.Y.Double(&one.Y).Double(&one.Y).Double(&one.Y) // 8y⁴
	m.Square(&p.X)
	m.Subtract(&m, t.One())
	t.Double(&m)
	m.Add(&m, &t) // 3x² - 3
	two.X.Square(&m)
	two.X.Subtract(&two.X, &one.X).Subtract(&two.X, &one.X)
	two.Y.Subtract(&one.X, &two.X)
	two.Y.Multiply(&two.Y, &m).Subtract(&two.Y, &one.Y)
	z.Double(&p.Y)
	return one, two, z
}

// progression sets table[i] = p + i·d. The points p and d are given with the
// common coordinate z, and no sum is one of equal or opposite points. It takes
// one inversion, and about 9 multiplications and 3 squarings a point.
//
// Source: sums with a common Z are ZADDU of the paper at doublePair.
func progression(table []affine, p, d affine, z fieldp256.Element) {
	// Point i has the coordinate Z_i, and Z_(i+1) = Z_i·ratio[i].
	ratio := make([]fieldp256.Element, len(table))
	var c, w, t, dy fieldp256.Element
	for i := range table {
		table[i] = p
		if i == len(table)-1 {
			break
		}
		ratio[i].Subtract(&d.X, &p.X)
		z.Multiply(&z, &ratio[i])
		c.Square(&ratio[i])
		w.Multiply(&p.X, &c)
		d.X.Multiply(&d.X, &c)
		dy.Subtract(&d.Y, &p.Y)
		t.Subtract(&d.X, &w)
		d.Y.Multiply(&d.Y, &t)
		p.X.Square(&dy)
		p.X.Subtract(&p.X, &w).Subtract(&p.X, &d.X)
		p.Y.Subtract(&d.X, &p.X)
		p.Y.Multiply(&p.Y, &dy).Subtract(&p.Y, &d.Y)
	}
	z.Invert(&z)
	for i := len(table) - 1; i >= 0; i-- {
		if i < len(table)-1 {
			z.Multiply(&z, &ratio[i])
		}
		table[i].scale(&z)
	}
}

// scale sets p to the affine point of the Jacobian coordinates (p.X, p.Y, Z),
// given 1/Z.
func (p *affine) scale(inverse *fieldp256.Element) {
	var t fieldp256.Element
	t.Square(inverse)
	p.X.Multiply(&p.X, &t)
	t.Multiply(&t, inverse)
	p.Y.Multiply(&p.Y, &t)
}

// oddMultiples sets table[i] = (2i + 1)·p. The group has a prime order above
// twice the length of the table, so that no sum is exceptional.
func oddMultiples(table []affine, p *affine) {
	one, two, z := doublePair(p)
	progression(table, one, two, z)
}

// baseTable has, at [i][j], 2j + 1 times 2^(6i - 1), or 1 for i = 0, times the base
// point. It has 86 KB and is made when it is first used, in about a millisecond.
var baseTable = sync.OnceValue(func() *[43][32]affine {
	table := new([43][32]affine)
	p := *generator()
	for i := range table {
		oddMultiples(table[i][:], &p)
		// The next p is 32p = 31p + p in the first row, and 64p in the others.
		q := jacobian{X: table[i][15].X, Y: table[i][15].Y}
		q.Z.One()
		addAffine(&q, &q, &p, 0)
		if i > 0 {
			double(&q, &q)
		}
		p, _ = q.affine()
	}
	return table
})

// baseOdd has, at [j], (2j + 1) times the base point.
var baseOdd = sync.OnceValue(func() *[64]affine {
	table := new([64]affine)
	oddMultiples(table[:], generator())
	return table
})
