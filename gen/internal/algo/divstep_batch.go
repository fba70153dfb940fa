package algo

import "github.com/seed-6f9cd256/fieldproof/gen/internal/limb"

// The low bits of f and g are packed with room for the matrix of a sub-batch:
// F = f mod 2^packLow - 2^packF and G = g mod 2^packLow - 2^packG.
const (
	packLow = 20 // and the most steps of a sub-batch
	packF   = 41
	packG   = 62
)

// A matrix is one of divsteps, by rows.
type matrix [2][2]*limb.Word

// times returns t·s.
func (d *divsteps) times(t, s matrix) (z matrix) {
	for i := range z {
		for j := range z[i] {
			z[i][j] = d.apply(t[i], s[0][j], s[1][j])
		}
	}
	return z
}

// apply returns a row times a column.
func (d *divsteps) apply(row [2]*limb.Word, a, b *limb.Word) *limb.Word {
	return d.Sum(d.MulLo(row[0], a), d.MulLo(row[1], b))
}

// batch runs the divsteps of a batch on the low words of f and g. It returns
// -1 times their matrix, with 2^steps added to the entries, which makes them
// nonnegative.
func (d *divsteps) batch() matrix {
	f, g, n := d.Load(d.f, 0), d.Load(d.g, 0), d.Load(d.n, 0)
	var t matrix
	for k, steps := range d.field.SubSteps {
		var s matrix
		s, n = d.subBatch(f, g, n, steps)
		if k == 0 {
			t = s
		} else {
			t = d.times(s, t)
		}
		if k < len(d.field.SubSteps)-1 {
			f, g = d.Sar(d.apply(s[0], f, g), steps), d.Sar(d.apply(s[1], f, g), steps)
		}
	}
	d.Store(d.n, 0, n)
	for i := range t {
		for j := range t[i] {
			t[i][j] = d.Sum(t[i][j], d.Const(1<<d.steps))
		}
	}
	return t
}

// subBatch runs divsteps on the low bits of f and g, and returns -1 times their
// matrix and the new n.
func (d *divsteps) subBatch(f, g, n *limb.Word, steps int) (matrix, *limb.Word) {
	low := d.Const(1<<packLow - 1)
	// h = (F-1)/2, for the odd number F
	h := d.Or(d.Shr(d.And(f, low), 1), d.Const(1<<64-1<<(packF-1)))
	G := d.Or(d.And(g, low), d.Const(3<<packG))
	x := d.Repeat(steps, []*limb.Word{h, G, n, d.Sar(n, 63)}, d.step)
	var t matrix
	F := d.Sum3(x[0], x[0], 1+1<<packLow)
	t[0] = d.unpack(F, steps)
	t[1] = d.unpack(d.Sum(x[1], d.Const(1<<packLow)), steps)
	return t, x[2]
}

// unpack returns -a and -b for w - 2^packLow = r - 2^(packF-steps)·a - 2^(packG-steps)·b
// with |r| < 2^packLow.
func (d *divsteps) unpack(w *limb.Word, steps int) [2]*limb.Word {
	w = d.Sar(w, packF-steps)
	const k = packG - packF
	a := d.Sar(d.Shl(w, 64-k), 64-k)
	return [2]*limb.Word{a, d.Sar(d.Sum(w, d.Const(1<<(k-1))), k)}
}

// step is one divstep on packed words. s is the sign of n as a mask.
func (d *divsteps) step(x []*limb.Word) []*limb.Word {
	h, g, n, s := x[0], x[1], x[2], x[3]
	t := d.Xor(h, s) // (T-1)/2, for T = -F where n < 0 and F elsewhere
	swapped, _ := d.Sub(d.Const(1<<64-2), n, nil)
	counted := d.Sum(n, d.Const(1<<64-1))
	half, odd := d.Halve(g)
	sum := d.Sum3(half, t, 1) // (g+T)/2, where g is odd
	g = d.Select(odd, sum, half)
	_, swap := d.Add(s, d.Const(0), odd) // carries where s = -1 and g is odd
	h = d.Select(swap, half, h)
	n = d.Select(swap, swapped, counted)
	return []*limb.Word{h, g, n, d.Sar(n, 63)}
}
