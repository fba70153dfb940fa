package algo

import (
	"math/bits"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

// Products for machines on which a wide multiplication takes the time of several
// other instructions.

const half = 1<<32 - 1

// mulSmall returns the words of a·k, for a constant k below 2^32. A slow
// multiplier is used for 32-bit factors only.
func (m machine) mulSmall(a, k *limb.Word) (hi, lo *limb.Word) {
	if !m.SlowMul {
		return m.Mul(a, k)
	}
	low, high := m.MulLo(m.And(a, m.Const(half)), k), m.MulLo(m.Shr(a, 32), k)
	lo, c := m.Add(low, m.Shl(high, 32), nil)
	hi, _ = m.Add(m.Shr(high, 32), m.Const(0), c)
	return hi, lo
}

// narrow returns a, which is below 2^32, in a form that shows it.
func (m machine) narrow(a *limb.Word) *limb.Word {
	if !m.SlowMul {
		return a
	}
	return m.And(a, m.Const(half))
}

// squareWord returns the words of a².
func (m machine) squareWord(a *limb.Word) (hi, lo *limb.Word) {
	if !m.SlowMul {
		return m.Mul(a, a)
	}
	l, h := m.And(a, m.Const(half)), m.Shr(a, 32)
	ll, lh, hh := m.MulLo(l, l), m.MulLo(l, h), m.MulLo(h, h)
	lo, c := m.Add(ll, m.Shl(lh, 33), nil)
	hi, _ = m.Add(hh, m.Shr(lh, 31), c)
	return hi, lo
}

// productDifferences returns the 2n words of x·y, for n a power of 2, with
// n(n+1)/2 wide products instead of n² (Weimerskirch, Paar: Generalizations of
// the Karatsuba Algorithm for Efficient Implementations, 2003). With B = 2^64
// and d_i = x_i·y_i it is
//
//	(Σ d_i·B^i)·(1 + B + ... + B^(n-1)) + Σ_{i<j} (x_i - x_j)·(y_j - y_i)·B^(i+j)
//
// Partial sums are modulo B^2n. about is as in product.
func (m machine) productDifferences(x, y []*limb.Word) (z []*limb.Word, about *limb.Word) {
	n, zero := len(x), m.Const(0)
	his, los := make([]*limb.Word, n), make([]*limb.Word, n)
	for i := range x {
		his[i], los[i] = m.Mul(x[i], y[i])
	}
	z = []*limb.Word{los[0]}
	var c *limb.Flag
	for i := 1; i <= n; i++ {
		w := zero
		if i < n {
			w = los[i]
		}
		z = append(z, nil)
		z[i], c = m.Add(w, his[i-1], c)
	}
	for w := 1; w < n; w *= 2 { // z += z·B^w
		sum := append([]*limb.Word(nil), z[:w]...)
		c = nil
		for i := w; i < len(z)+w; i++ {
			a := zero
			if i < len(z) {
				a = z[i]
			}
			a, c = m.Add(z[i-w], a, c)
			sum = append(sum, a)
		}
		z = sum
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			a, s := m.absolute(x[i], x[j])
			b, t := m.absolute(y[j], y[i])
			sign := m.Xor(s, t)
			hi, lo := m.Mul(a, b)
			hi, lo = m.Xor(hi, sign), m.Xor(lo, sign)
			_, c := m.Add(sign, m.Const(1), nil) // set for a negative term: -p = ^p + 1
			z[i+j], c = m.Add(z[i+j], lo, c)
			z[i+j+1], c = m.Add(z[i+j+1], hi, c)
			for k := i + j + 2; k < 2*n; k++ {
				z[k], c = m.Add(z[k], sign, c)
			}
		}
	}
	return z, his[n-1]
}

// absolute returns |a - b|, and all ones if a < b or 0 if not.
func (m machine) absolute(a, b *limb.Word) (abs, sign *limb.Word) {
	d, borrow := m.Sub(a, b, nil)
	minus, _ := m.Sub(m.Const(0), d, nil)
	return m.Select(borrow, minus, d), m.Mask(borrow)
}

// addable reports whether partial sums of a Montgomery reduction of n words fit
// in n words: they are below p + 2^(64(n-1)).
func (m machine) addable() bool {
	words := limbs(m.f.Modulus, m.f.Limbs)
	return words[m.f.Limbs-1] != 1<<64-1
}

// montLow returns (x + q·p)/R, at most p, for the q < R that makes the division
// exact and any x of n words. No carry passes from one step to the next.
func (m machine) montLow(x []*limb.Word) []*limb.Word {
	n := m.f.Limbs
	z := append(append([]*limb.Word(nil), x...), make([]*limb.Word, n)...)
	for i := range n {
		m.montStep(z, i, nil)
	}
	return z[n:]
}

// differenceShift returns k if a is the constant 2^64 - 2^k + 1, or 0.
func differenceShift(a *limb.Word) int {
	if !a.IsConst || a.K == 1 {
		return 0
	}
	if v := 1 - a.K; bits.OnesCount64(v) == 1 && v > 1 {
		return bits.TrailingZeros64(v)
	}
	return 0
}
