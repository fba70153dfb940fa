package nist

import "sync"

// withDouble returns p and 2p: p as its P, 2p as its D. It takes 2 multiplications
// and 4 squarings; Z is 2y.
//
// Source: R. R. Goundar, M. Joye and A. Miyaji, "Co-Z addition formulæ and
// binary ladders on elliptic curves", CHES 2010, DBLU, for a = -3.
func withDouble(p *affine) *coZ {
	var m, t element
	s := new(coZ)
	t.Square(&p.Y)
	s.PX.Multiply(&p.X, &t)
	s.PX.Double(&s.PX).Double(&s.PX) // 4xy²
	s.PY.Square(&t)
	s.PY.Double(&s.PY).Double(&s.PY).Double(&s.PY) // 8y⁴
	m.Square(&p.X)
	m.Subtract(&m, t.One())
	m.Add(t.Double(&m), &m) // 3x² - 3
	s.DX.Square(&m)
	s.DX.Subtract(&s.DX, &s.PX).Subtract(&s.DX, &s.PX)
	t.Subtract(&s.PX, &s.DX)
	s.DY.Multiply(&t, &m).Subtract(&s.DY, &s.PY)
	s.Z.Double(&p.Y)
	return s
}

// progression sets table[i] = P + i·D, for the points of s, which it changes. No sum
// is one of equal or opposite points. It takes one inversion, and 9 multiplications
// and 3 squarings a point.
func progression(table []affine, s *coZ) {
	// Point i has the coordinate Z_i, and Z_(i+1) = Z_i·ratio[i].
	ratio := make([]element, len(table))
	table[0] = affine{s.PX, s.PY}
	for i := 1; i < len(table); i++ {
		addCoZ(s)
		table[i] = affine{s.PX, s.PY}
		ratio[i-1] = s.Ratio
	}
	inverse := s.Z.Invert(&s.Z)
	for i := len(table) - 1; i > 0; i-- {
		scale(&table[i], inverse)
		inverse.Multiply(inverse, &ratio[i-1])
	}
	scale(&table[0], inverse)
}

// oddMultiples sets table[i] = (2i + 1)·p. The group has a prime order above
// twice the length of the table, so that no sum is exceptional.
func oddMultiples(table []affine, p *affine) {
	progression(table, withDouble(p))
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
