package nist

import (
	"math/bits"

	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// nonAdjacent returns the digits of the width-w non-adjacent form of k, least
// significant first: they are zero or odd, below 2^(w-1) in absolute value, and
// of w digits in a row, one at most is not zero.
//
// Source: D. Hankerson, A. Menezes and S. Vanstone, "Guide to Elliptic Curve
// Cryptography", Springer 2004, algorithm 3.35.
func nonAdjacent(k *fieldp256.Scalar, w uint) (digits [257]int8) {
	v := words(k)
	for i := 0; v != [5]uint64{}; {
		if zeros := bits.TrailingZeros64(v[0]); zeros > 0 {
			zeros = min(zeros, 63)
			shiftRight(&v, uint(zeros))
			i += zeros
			continue
		}
		d := int64(v[0] & (1<<w - 1))
		if d >= 1<<(w-1) {
			d -= 1 << w
		}
		digits[i] = int8(d)
		// v - d has zeros where d is, so that a positive d needs no borrow.
		if d > 0 {
			v[0] -= uint64(d)
		} else {
			carry := uint64(0)
			v[0], carry = bits.Add64(v[0], uint64(-d), 0)
			for j := 1; j < len(v); j++ {
				v[j], carry = bits.Add64(v[j], 0, carry)
			}
		}
	}
	return digits
}

func shiftRight(v *[5]uint64, by uint) {
	for j := range v {
		v[j] >>= by
		if j+1 < len(v) {
			v[j] |= v[j+1] << (64 - by)
		}
	}
}

// addDigitVarTime adds d times the point whose odd multiples are in the table.
func (p *jacobian) addDigitVarTime(table []affine, d int8) {
	switch {
	case d > 0:
		p.addAffineVarTime(&table[d/2])
	case d < 0:
		minus := table[-d/2]
		minus.Y.Negate(&minus.Y)
		p.addAffineVarTime(&minus)
	}
}

// addAffineVarTime sets p = p + q, also for p = ±q and if p is infinity.
func (p *jacobian) addAffineVarTime(q *affine) {
	if p.Z.IsZero() == 1 {
		p.X.Set(&q.X)
		p.Y.Set(&q.Y)
		p.Z.One()
		return
	}
	var sum jacobian
	addAffine(&sum, p, q, 0)
	if sum.Z.IsZero() == 1 {
		// The points have one x. They are equal if they have one y, too.
		var y fieldp256.Element
		y.Square(&p.Z)
		y.Multiply(&y, &p.Z).Multiply(&y, &q.Y)
		if y.Equal(&p.Y) == 1 {
			double(&sum, p)
		}
	}
	*p = sum
}

// combineVarTime returns a·G + b·p, where G is the base point. It takes at most
// 256 doublings, and about 71 sums.
//
// Source: E. G. Straus, "Addition chains of vectors", American Mathematical
// Monthly 71 (1964); interleaving as in the Guide at nonAdjacent, algorithm 3.51.
func combineVarTime(a, b *fieldp256.Scalar, p *affine) *jacobian {
	const widthBase, width = 8, 5
	base := baseOdd()
	var table [1 << (width - 2)]affine
	oddMultiples(table[:], p)
	digitsA, digitsB := nonAdjacent(a, widthBase), nonAdjacent(b, width)

	r := new(jacobian)
	for i := len(digitsA) - 1; i >= 0; i-- {
		if r.Z.IsZero() == 0 {
			double(r, r)
		}
		r.addDigitVarTime(base[:], digitsA[i])
		r.addDigitVarTime(table[:], digitsB[i])
	}
	return r
}
