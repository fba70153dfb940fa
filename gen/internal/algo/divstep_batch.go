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

// times returns t·s modulo 2^64.
func (d *divsteps) times(t, s matrix) (z matrix) {
	for i := range z {
		for j := range z[i] {
			z[i][j] = d.apply(t[i], s[0][j], s[1][j])
		}
	}
	return z
}

// apply returns the product of a row and a column modulo 2^64.
func (d *divsteps) apply(row [2]*limb.Word, a, b *limb.Word) *limb.Word {
	return d.Sum(d.MulLo(row[0], a), d.MulLo(row[1], b))
}

// batch runs the divsteps of a batch on the low words of f and g, and updates
// n. It returns their matrix, or -1 times it, with 2^steps added to each entry:
// that makes them nonnegative, and at most 2^(steps+1).
func (d *divsteps) batch() matrix {
	f, g, n := d.Load(d.f, 0), d.Load(d.g, 0), d.Load(d.n, 0)
	// The low bits of f and g for a sub-batch stand in lf and lg from bit at on.
	lf, lg, at := f, g, 0
	var t, s matrix // of all sub-batches but the last, and of the last
	for k, steps := range d.field.SubSteps {
		h, G, next := d.subBatch(lf, lg, n, at, steps)
		n = next
		// A product is formed one sub-batch late: nothing waits for it.
		switch k {
		case 0:
		case 1:
			t = s
		default:
			t = d.times(s, t)
		}
		s = matrix{d.unpack(h, packF-1, packG-1, steps), d.unpack(G, packF, packG, steps)}
		if k < len(d.field.SubSteps)-1 {
			lf, lg, at = d.apply(s[0], f, g), d.apply(s[1], f, g), steps
			f, g = d.Sar(lf, steps), d.Sar(lg, steps)
		}
	}
	if len(d.field.SubSteps) > 1 {
		s = d.times(s, t)
	}
	d.Store(d.n, 0, n)
	for i := range s {
		for j := range s[i] {
			s[i][j] = d.Sum(s[i][j], d.Const(1<<d.steps))
		}
	}
	return s
}

// subBatch runs divsteps on the low bits of f and g, which stand in the words
// lf and lg from bit at on. It returns the packed words h = (F-1)/2 and G, and
// the new n.
func (d *divsteps) subBatch(lf, lg, n *limb.Word, at, steps int) (_, _, _ *limb.Word) {
	low := func(w *limb.Word, drop, pack int) *limb.Word {
		w = d.Shr(d.Shl(w, 64-packLow-at), 64-packLow+drop)
		return d.Sum(w, d.Const(^uint64(0)<<pack))
	}
	h, G := low(lf, 1, packF-1), low(lg, 0, packG)
	b := d.Shr(n, 63)
	x := d.Repeat(steps, []*limb.Word{h, G, n, b, d.minusBit(b)}, d.step)
	return x[0], x[1], x[2]
}

// minusBit returns -b.
func (d *divsteps) minusBit(b *limb.Word) *limb.Word {
	w, _ := d.Sub(d.Const(0), b, nil)
	return w
}

// step is one divstep on packed words: h, G and n, and as b and -b the sign of n.
// The order is that in which the critical path comes first: halving, addition
// and selection for G, three cycles.
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

// unpack returns -a and -b for a packed word w = r - 2^(i-steps)·a - 2^(j-steps)·b
// with |r| < 2^(packLow-packF+i).
func (d *divsteps) unpack(w *limb.Word, i, j, steps int) [2]*limb.Word {
	w = d.Sum(w, d.Const(1<<(packLow-packF+i)))
	a := d.Sar(d.Shl(w, 64-j+steps), 64-j+i)
	b := d.Sar(d.Sum(w, d.Const(1<<(j-steps-1))), j-steps)
	return [2]*limb.Word{a, b}
}
