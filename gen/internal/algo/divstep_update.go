package algo

import (
	"math/big"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

// The matrix t of a batch comes with 2^steps added to its entries. What that
// adds to a row of t·(x, y), 2^steps·(x+y), is taken off again.

// A pair is what a matrix is applied to, or the result.
type pair [2][]*limb.Word

// plus returns x + y modulo R.
func (d *divsteps) plus(x, y []*limb.Word) []*limb.Word {
	z := make([]*limb.Word, len(x))
	var c *limb.Flag
	for i := range z {
		z[i], c = d.Add(x[i], y[i], c)
	}
	return z
}

// minus returns x - y modulo R.
func (d *divsteps) minus(x, y []*limb.Word) []*limb.Word {
	z := make([]*limb.Word, len(x))
	var c *limb.Flag
	for i := range z {
		z[i], c = d.Sub(x[i], y[i], c)
	}
	return z
}

// shiftLeft returns x·2^k modulo 2^64 to the number of its words.
func (d *divsteps) shiftLeft(x []*limb.Word, k int) []*limb.Word {
	z := []*limb.Word{d.Shl(x[0], k)}
	for i := 1; i < len(x); i++ {
		z = append(z, d.ShrD(x[i], x[i-1], 64-k))
	}
	return z
}

// signed returns b in one word more than a residue has. The last one is 0, 1
// or -1.
func (d *divsteps) signed(b *limb.Buf) []*limb.Word {
	x := d.LoadAll(b)
	if b.Limbs == d.field.Limbs {
		x = append(x, d.Sar(x[b.Limbs-1], 63))
	}
	return x
}

// combine returns a·x + b·y modulo 2^64 to the number of words of x and y. The
// products by their last words have no high part.
func (d *divsteps) combine(row [2]*limb.Word, x, y []*limb.Word) []*limb.Word {
	n := d.field.Limbs
	z := d.row(x[:n], row[0])
	d.addRow(z, 0, y[:n], row[1], nil)
	for i, top := range []*limb.Word{x[n], y[n]} {
		if !isConst(top, 0) {
			z[n], _ = d.Add(z[n], d.MulLo(row[i], top), nil)
		}
	}
	return z
}

// updateFG replaces f and g by the rows of t·(f, g) / 2^steps.
func (d *divsteps) updateFG(t matrix) {
	n := d.field.Limbs
	x, y := d.signed(d.f), d.signed(d.g)
	off := d.plus(x[:d.f.Limbs], y[:d.f.Limbs])
	var z pair
	for r := range z {
		w := d.combine(t[r], x, y)
		for i := range n {
			z[r] = append(z[r], d.ShrD(w[i+1], w[i], d.steps))
		}
		if d.f.Limbs > n {
			z[r] = append(z[r], d.Sar(w[n], d.steps))
		}
		z[r] = d.minus(z[r], off)
	}
	d.StoreAll(d.f, z[0])
	d.StoreAll(d.g, z[1])
}

// updateUVWeak replaces u and v by numbers congruent to the rows of t·(u, v). For
// p = 2^b - c they stay below 2^b + c·2^64. With 4p·2^steps added, a row lies in
// [0, 2^(b+64)), as u + v <= 4p.
func (d *divsteps) updateUVWeak(t matrix) {
	n, zero := d.field.Limbs, d.Const(0)
	s, c := d.shape()
	x, y := append(d.LoadAll(d.u), zero), append(d.LoadAll(d.v), zero)
	var off []*limb.Word
	for _, k := range limbs(new(big.Int).Lsh(d.field.Modulus, 2), n+1) {
		off = append(off, d.Const(k))
	}
	off = d.shiftLeft(d.minus(d.minus(off, x), y), d.steps)
	var z pair
	for r := range z {
		w := d.plus(d.combine(t[r], x, y), off)
		q, rest := d.ShrD(w[n], w[n-1], 64-s), d.And(w[n-1], d.Const(1<<(64-s)-1))
		if d.ThreeAddress { // elsewhere nothing waits for the double shift
			q, rest = d.shiftOut(w[n], w[n-1], s)
		}
		hi, lo := d.Mul(q, d.Const(c))
		w[n-1] = rest
		z[r] = d.plus(w[:n], append([]*limb.Word{lo, hi}, d.zeros(n-2)...))
	}
	d.StoreAll(d.u, z[0])
	d.StoreAll(d.v, z[1])
}

// updateUVMont replaces u and v by numbers congruent to the rows of
// t·(u, v) / 2^64, between -p/15 and 16p/15.
func (d *divsteps) updateUVMont(t matrix) {
	n := d.field.Limbs
	x, y := d.signed(d.u), d.signed(d.v)
	off := d.shiftLeft(d.plus(x, y), d.steps)
	var z pair
	for r := range z {
		w := d.minus(d.combine(t[r], x, y), off)
		sign := d.Sar(w[n], 63)
		carry := d.montStep(w, 0, nil)
		z[r] = append(w[1:], d.Sum(sign, carry))[:d.u.Limbs]
	}
	d.StoreAll(d.u, z[0])
	d.StoreAll(d.v, z[1])
}
