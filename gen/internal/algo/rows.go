package algo

import (
	"math/bits"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

// Shifts write the flags of most machines, so they come before the carry chains;
// multiplications follow one by one.

// words returns the two words of a[j]·y for the constants a[j] that need no
// multiplication, 0 and powers of 2, and nil for the rest.
func (m machine) words(a []*limb.Word, y *limb.Word) (hi, lo []*limb.Word) {
	hi, lo = make([]*limb.Word, len(a)), make([]*limb.Word, len(a))
	for j, w := range a {
		switch {
		case !w.IsConst:
		case w.K == 0:
			hi[j], lo[j] = w, w
		case w.K == 1:
			hi[j], lo[j] = m.Const(0), y
		case bits.OnesCount64(w.K) == 1:
			k := bits.TrailingZeros64(w.K)
			hi[j], lo[j] = m.Shr(y, 64-k), m.Shl(y, k)
		}
	}
	return hi, lo
}

// row returns the n+1 words of x·y for n words x and one word y.
//
//	      x3    x2    x1    x0  × y
//	      lo3   lo2   lo1   lo0
//	hi3   hi2   hi1   hi0
//	z4    z3    z2    z1    z0
func (m machine) row(x []*limb.Word, y *limb.Word) []*limb.Word {
	z := make([]*limb.Word, len(x)+1)
	his, los := m.words(x, y)
	var c *limb.Flag
	var top *limb.Word // the high word of the column before
	for j, a := range x {
		hi, lo := his[j], los[j]
		if hi == nil {
			hi, lo = m.Mul(a, y)
		}
		switch {
		case top == nil:
			z[j] = lo
		case isConst(lo, 0) && c == nil:
			z[j] = top
		default:
			z[j], c = m.Add(lo, top, c)
			if !m.MulKeepsCarry {
				hi, _ = m.Add(hi, m.Const(0), c)
				c = nil
			}
		}
		top = hi
	}
	if c != nil {
		top, _ = m.Add(top, m.Const(0), c)
	}
	z[len(x)] = top
	return z
}

// addRow adds x·y to the words of z from index at on, n+1 words for n words x.
// The last of them may be nil, for one that is not there yet; the sum then fits.
// Otherwise the carry word in is added to it too, and the carry out returned.
// about is the high word of the last product: a last word that was nil is at
// most 2 more.
func (m machine) addRow(z []*limb.Word, at int, x []*limb.Word, y, in *limb.Word) (out, about *limb.Word) {
	switch {
	case m.DualCarry && len(x) > 1:
		return m.addRowDual(z, at, x, y, in)
	case m.MulKeepsCarry:
		return m.addRowChains(z, at, x, y, in)
	}
	return m.addRowSingle(z, at, x, y, in)
}

// addRowDual keeps two carry chains alive, one for the low words of the
// products and one for the high ones (Ozturk, Guilford, Gopal, Feghali: New
// Instructions Supporting Large Integer Arithmetic, Intel 2012).
func (m machine) addRowDual(z []*limb.Word, at int, x []*limb.Word, y, in *limb.Word) (out, about *limb.Word) {
	n, zero := len(x), m.Const(0)
	his, los := m.words(x, y)
	c, d := m.Clear()
	for j, a := range x {
		hi, lo := his[j], los[j]
		if hi == nil {
			hi, lo = m.Mul(a, y)
		}
		z[at+j], c = m.Add(z[at+j], lo, c)
		if j < n-1 || z[at+n] != nil {
			z[at+j+1], d = m.Add(z[at+j+1], hi, d)
			continue
		}
		w, _ := m.Add(hi, zero, c)
		z[at+n], _ = m.Add(w, zero, d)
		return nil, hi
	}
	if in == nil {
		in = zero
	}
	z[at+n], c = m.Add(z[at+n], in, c)
	out, _ = m.Add(zero, zero, c)
	out, _ = m.Add(out, zero, d)
	return out, nil
}

// addRowChains forms all products, then adds the low words and the high words
// in one chain each.
func (m machine) addRowChains(z []*limb.Word, at int, x []*limb.Word, y, in *limb.Word) (out, about *limb.Word) {
	n, zero := len(x), m.Const(0)
	his, los := m.words(x, y)
	for j, a := range x {
		if his[j] == nil {
			his[j], los[j] = m.Mul(a, y)
		}
	}
	var c, d *limb.Flag
	for j := range x {
		z[at+j], c = m.Add(z[at+j], los[j], c)
	}
	if z[at+n] == nil {
		z[at+n], _ = m.Add(his[n-1], zero, c)
		for j := range n - 1 {
			z[at+j+1], d = m.Add(z[at+j+1], his[j], d)
		}
		z[at+n], _ = m.Add(z[at+n], zero, d)
		return nil, his[n-1]
	}
	if in == nil {
		in = zero
	}
	z[at+n], c = m.Add(z[at+n], in, c)
	out = m.CarryWord(c)
	for j := range x {
		z[at+j+1], d = m.Add(z[at+j+1], his[j], d)
	}
	out, _ = m.Add(out, zero, d)
	return out, nil
}

// addRowSingle carries a whole word from column to column, because the
// multiplication destroys the flags.
func (m machine) addRowSingle(z []*limb.Word, at int, x []*limb.Word, y, in *limb.Word) (out, about *limb.Word) {
	n, zero := len(x), m.Const(0)
	his, los := m.words(x, y)
	var carry *limb.Word
	for j, a := range x {
		var c *limb.Flag
		hi, lo := his[j], los[j]
		about = hi
		switch {
		case hi == nil:
			hi, lo = m.Mul(a, y)
			about = hi
		case isConst(a, 0):
			if carry != nil {
				z[at+j], c = m.Add(z[at+j], carry, nil)
				carry = m.CarryWord(c)
			}
			continue
		}
		if carry != nil {
			lo, c = m.Add(lo, carry, nil)
			hi, _ = m.Add(hi, zero, c)
		}
		z[at+j], c = m.Add(z[at+j], lo, nil)
		carry, _ = m.Add(hi, zero, c)
	}
	if z[at+n] == nil {
		z[at+n] = carry
		return nil, about
	}
	var c, d *limb.Flag
	z[at+n], c = m.Add(z[at+n], carry, nil)
	out = m.CarryWord(c)
	if in != nil {
		z[at+n], d = m.Add(z[at+n], in, nil)
		out, _ = m.Add(out, zero, d)
	}
	return out, nil
}

// product returns the 2n words of x·y, by rows, and about, which is at most 2
// less than the top one and known before it.
func (m machine) product(x, y []*limb.Word) (z []*limb.Word, about *limb.Word) {
	if n := len(x); m.SlowMul && n&(n-1) == 0 {
		return m.productDifferences(x, y)
	}
	z = make([]*limb.Word, 2*len(x))
	copy(z, m.row(x, y[0]))
	for i := 1; i < len(y); i++ {
		_, about = m.addRow(z, i, x, y[i], nil)
	}
	return z, about
}

// productSquare returns the 2n words of x²: the products of different words
// once, by rows, doubled while the squares are added. about is as in product.
func (m machine) productSquare(x []*limb.Word) (z []*limb.Word, about *limb.Word) {
	n, zero := len(x), m.Const(0)
	z = make([]*limb.Word, 2*n)
	his, los := make([]*limb.Word, n), make([]*limb.Word, n)
	if m.SlowMul {
		for i, a := range x {
			his[i], los[i] = m.squareWord(a)
		}
	}
	copy(z[1:], m.row(x[1:], x[0]))
	for i := 1; i < n-1; i++ {
		m.addRow(z, 2*i+1, x[i+1:], x[i], nil)
	}
	var c, d *limb.Flag
	if m.DualCarry {
		c, d = m.Clear()
		for i, a := range x {
			hi, lo := m.Mul(a, a)
			about = hi
			if i == 0 {
				z[0] = lo
			} else {
				z[2*i], c = m.Add(z[2*i], z[2*i], c)
				z[2*i], d = m.Add(z[2*i], lo, d)
			}
			if i < n-1 {
				z[2*i+1], c = m.Add(z[2*i+1], z[2*i+1], c)
				z[2*i+1], d = m.Add(z[2*i+1], hi, d)
			} else {
				hi, _ = m.Add(hi, zero, c)
				z[2*i+1], _ = m.Add(hi, zero, d)
			}
		}
		return z, about
	}
	for k := 1; k < 2*n-1; k++ {
		z[k], c = m.Add(z[k], z[k], c)
	}
	z[2*n-1] = m.CarryWord(c)
	var carry *limb.Word
	for i, a := range x {
		hi, lo := his[i], los[i]
		if hi == nil {
			hi, lo = m.Mul(a, a)
		}
		about = hi
		if m.MulKeepsCarry {
			if i == 0 {
				z[0] = lo
			} else {
				z[2*i], d = m.Add(z[2*i], lo, d)
			}
			z[2*i+1], d = m.Add(z[2*i+1], hi, d)
			continue
		}
		var e *limb.Flag
		if carry != nil {
			// The carry word is a bit, and hi is at most 2^64-2.
			lo, e = m.Add(lo, carry, nil)
			hi, _ = m.Add(hi, zero, e)
			z[2*i], e = m.Add(z[2*i], lo, nil)
		} else {
			z[0] = lo
		}
		z[2*i+1], e = m.Add(z[2*i+1], hi, e)
		if i < n-1 {
			carry = m.CarryWord(e)
		}
	}
	return z, about
}
