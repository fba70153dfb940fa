package algo

import (
	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// packStep is the distance of the two entries of a row in a packed word; see
// spec.PackLow.
const packStep = spec.PackG - spec.PackF

// A matrix is one of divsteps, by rows.
type matrix [2][2]*limb.Word

// A packedRow is the row (a, b) of a matrix as a packed word holds it, with
// v = a + 2^packStep·b.
type packedRow struct{ v, b *limb.Word }

// A column is the column (x, y) that rows are applied to, with
// z = y - 2^packStep·x, so that a·x + b·y = v·x + b·z.
type column struct{ x, z *limb.Word }

func (d *divsteps) column(x, y *limb.Word) column {
	z, _ := d.Sub(y, d.Shl(x, packStep), nil)
	return column{x, z}
}

// apply returns the product of a row and a column modulo 2^64.
func (d *divsteps) apply(r packedRow, c column) *limb.Word {
	return d.Sum(d.MulLo(r.v, c.x), d.MulLo(r.b, c.z))
}

// batch runs the divsteps of a batch on the low words of f and g, and updates
// n. It returns their matrix, or -1 times it, with 2^steps added to each entry:
// that makes them nonnegative, and at most 2^(steps+1).
func (d *divsteps) batch() matrix {
	f, g, n := d.Load(d.f, 0), d.Load(d.g, 0), d.Load(d.n, 0)
	b := d.Shr(n, 63)
	sign := []*limb.Word{n, b, d.minusBit(b)}
	shifted := d.Shr(f, 1)
	// The matrix of the last sub-batch, by rows, and that of all before it, by
	// columns. A product is formed one sub-batch late: no step waits for it.
	var rows [2]packedRow
	var cols []column
	for k, steps := range d.field.SubSteps {
		G := d.Sum(d.And(g, d.Const(1<<spec.PackLow-1)), d.Const(1<<64-1<<spec.PackG))
		h := d.Sum(d.And(shifted, d.Const(1<<(spec.PackLow-1)-1)), d.Const(1<<64-1<<(spec.PackF-1)))
		x := d.Repeat(steps, append([]*limb.Word{h, G}, sign...), d.step)
		sign = x[2:]
		if k > 0 {
			cols = d.columns(rows, cols)
		}
		rows = [2]packedRow{d.unpack(x[0], spec.PackF-1, steps), d.unpack(x[1], spec.PackF, steps)}
		if k < len(d.field.SubSteps)-1 {
			c := d.column(f, g)
			f, g = d.apply(rows[0], c), d.Sar(d.apply(rows[1], c), steps)
			shifted, f = d.Shr(f, steps+1), d.Sar(f, steps)
		}
	}
	d.Store(d.n, 0, sign[0])
	return d.biased(rows, cols)
}

// columns returns the columns of the product of rows and cols; no cols stand
// for the identity.
func (d *divsteps) columns(rows [2]packedRow, cols []column) []column {
	if cols == nil {
		return []column{d.column(d.first(rows[0]), d.first(rows[1])), d.column(rows[0].b, rows[1].b)}
	}
	var z []column
	for _, c := range cols {
		z = append(z, d.column(d.apply(rows[0], c), d.apply(rows[1], c)))
	}
	return z
}

// biased returns the product of rows and cols with 2^steps added to each entry.
func (d *divsteps) biased(rows [2]packedRow, cols []column) (t matrix) {
	bias := d.Const(1 << d.steps)
	for i, r := range rows {
		if cols == nil {
			t[i] = [2]*limb.Word{d.Sum(d.first(r), bias), d.Sum(r.b, bias)}
			continue
		}
		for j, c := range cols {
			t[i][j] = d.Sum(d.apply(r, c), bias)
		}
	}
	return t
}

// first returns a of the row (a, b).
func (d *divsteps) first(r packedRow) *limb.Word {
	a, _ := d.Sub(r.v, d.Shl(r.b, packStep), nil)
	return a
}

// minusBit returns -b.
func (d *divsteps) minusBit(b *limb.Word) *limb.Word {
	w, _ := d.Sub(d.Const(0), b, nil)
	return w
}

// step is one divstep on the packed words h = (F-1)/2 and G, and on n, b and
// -b, where b is 1 if n < 0 and 0 elsewhere. The forms of F, G and T are chosen
// for the critical path, on which a step has three operations: half, sum, and
// the selection of the next G by the bit that halving shifts out.
func (d *divsteps) step(x []*limb.Word) []*limb.Word {
	h, G, n, b, mask := x[0], x[1], x[2], x[3], x[4]
	swapped, _ := d.Sub(d.Const(1<<64-2), n, nil)
	counted := d.Sum(n, d.Const(1<<64-1))
	t := d.Xor(h, mask) // (T-1)/2, for T = -F where n < 0 and F elsewhere
	half, odd := d.Halve(G)
	sum := d.Sum3(half, t, 1) // (G+T)/2 where G is odd
	next := d.Select(odd, sum, half)
	swap := d.BitIf(G, b)
	n = d.Select(swap, swapped, counted)
	h = d.Select(swap, half, h)
	b = d.Shr(n, 63)
	return []*limb.Word{h, next, n, b, d.minusBit(b)}
}

// unpack returns the row (-a, -b) from a packed word, for the number i of steps:
//
//	w = r - 2^(at-i)·a - 2^(at+packStep-i)·b with |r| < 2^(at-spec.PackF+spec.PackLow)
func (d *divsteps) unpack(w *limb.Word, at, i int) packedRow {
	round := uint64(1) << (at - spec.PackF + spec.PackLow)
	v := d.Sar(d.Sum(w, d.Const(round)), at-i)
	b := d.Sar(d.Sum(w, d.Const(round+1<<(at+packStep-i-1))), at+packStep-i)
	return packedRow{v, b}
}
