package algo

import (
	"fmt"
	"math/big"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

// Arithmetic modulo a pseudo-Mersenne prime p = 2^b - c on integers below
// R = 2^(64n): R ≡ k (mod p) for a small k, so that what is above R folds down
// k times over (Menezes, van Oorschot, Vanstone: Handbook of Applied
// Cryptography, algorithm 14.47).

// foldFactor returns k = R mod p.
func (m machine) foldFactor() *limb.Word {
	k := m.radix(1)
	if k.BitLen() > 31 {
		panic(fmt.Sprintf("modulus %v is not pseudo-Mersenne: 2^%d mod p has %d bits, at most 31 expected", m.f.Modulus, 64*m.f.Limbs, k.BitLen()))
	}
	return m.Const(k.Uint64())
}

// shape returns s and c for p = 2^(64n-s) - c, so that R ≡ c·2^s.
func (m machine) shape() (s int, c uint64) {
	b := m.f.Modulus.BitLen()
	v := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(b)), m.f.Modulus)
	s = 64*m.f.Limbs - b
	if s < 1 || s > 16 || v.BitLen() > 31-s {
		panic(fmt.Sprintf("modulus 2^%d - %v is not pseudo-Mersenne with 1 to 16 spare bits in %d words", b, v, m.f.Limbs))
	}
	return s, v.Uint64()
}

// shiftOut returns floor((hi:lo) / 2^(64-s)), for a quotient below 2^64, and
// lo mod 2^(64-s).
func (m machine) shiftOut(hi, lo *limb.Word, s int) (q, rest *limb.Word) {
	if m.SlowShrD && s == 1 {
		_, c := m.Add(lo, lo, nil)
		q, _ = m.Add(hi, hi, c)
		return q, m.And(lo, m.Const(1<<63-1))
	}
	return m.ShrD(hi, lo, 64-s), m.And(lo, m.Const(1<<(64-s)-1))
}

// fold reduces v = l + R·h, for h of as many words as l, to a value below
// 2^b + 2^(b-14), where b is the length of p = 2^b - c in bits. With
// R ≡ k = c·2^s the value is l + k·h, and
//
//	q = floor((k·h' + l') / 2^(64-s)), for the top words h' and l' of h and l,
//
// is all but the whole quotient by 2^b: l + k·h - q·2^b + q·c is what is
// returned. As q depends on top words alone, it does not wait for the carries
// of the rest. Even h' need not be final: about, if not nil, is h' less at
// most 2.
func (m machine) fold(v []*limb.Word, about *limb.Word) []*limb.Word {
	n := m.f.Limbs
	s, c := m.shape()
	k := m.foldFactor()
	x, h := append([]*limb.Word(nil), v[:n]...), v[n:]
	if about == nil {
		about = h[n-1]
	}
	hi, lo := m.mulSmall(about, k)
	top := lo
	if about != h[n-1] {
		top = m.MulLo(h[n-1], k)
		if m.SlowMul {
			more, _ := m.Sub(h[n-1], about, nil)
			top = m.Sum(lo, m.MulLo(m.narrow(more), k))
		}
	}
	sum, f := m.Add(lo, x[n-1], nil)
	hi, _ = m.Add(hi, m.Const(0), f)
	q, _ := m.shiftOut(hi, sum, s)
	w := m.MulLo(m.narrow(q), m.Const(c))
	x[n-1], _ = m.Sub(x[n-1], m.Shl(q, 64-s), nil)
	a, b := make([]*limb.Word, n), make([]*limb.Word, n)
	b[0], a[n-1] = w, top
	return m.add3(x, func(i int) (*limb.Word, *limb.Word) {
		if i < n-1 {
			b[i+1], a[i] = m.mulSmall(h[i], k)
		}
		return a[i], b[i]
	})
}

// add3 returns x + a + b mod R, where words returns the words i of a and b. It
// is called for every i in order, but not while a carry is live that it could
// destroy.
func (m machine) add3(x []*limb.Word, words func(i int) (a, b *limb.Word)) []*limb.Word {
	n := len(x)
	z, a, b := append([]*limb.Word(nil), x...), make([]*limb.Word, n), make([]*limb.Word, n)
	var c, d *limb.Flag
	if m.DualCarry {
		c, d = m.Clear()
		for i := range z {
			a[i], b[i] = words(i)
			z[i], c = m.Add(z[i], a[i], c)
			z[i], d = m.Add(z[i], b[i], d)
		}
		return z
	}
	for i := range z {
		a[i], b[i] = words(i)
	}
	for i := range z {
		z[i], c = m.Add(z[i], a[i], c)
	}
	for i := range z {
		z[i], d = m.Add(z[i], b[i], d)
	}
	return z
}

// weakMult32 returns x·k for k < 2^32, below 2^b + 2^(b-14). The quotient by 2^b
// is that of the product by the top word alone, as in fold.
func (m machine) weakMult32(x []*limb.Word, k *limb.Word) []*limb.Word {
	n := m.f.Limbs
	s, c := m.shape()
	hi, lo := m.Mul(x[n-1], k)
	q, _ := m.shiftOut(hi, lo, s)
	w, off := m.MulLo(q, m.Const(c)), m.Shl(q, 64-s)
	z := m.row(x, k)[:n]
	z[n-1], _ = m.Sub(z[n-1], off, nil)
	var f *limb.Flag
	for i := range z {
		z[i], f = m.Add(z[i], w, f)
		w = m.Const(0)
	}
	return z
}

// weakAdd returns x + y below 2^b + 2^(b-14): the top words, without the carry
// into them, give the quotient by 2^b or one less, as in fold.
func (m machine) weakAdd(x, y []*limb.Word) []*limb.Word {
	n := len(x)
	s, c := m.shape()
	top, f := m.Add(x[n-1], y[n-1], nil)
	q, rest := m.shiftOut(m.CarryWord(f), top, s)
	w := m.MulLo(q, m.Const(c))
	z := make([]*limb.Word, n)
	f = nil
	for i := range n - 1 {
		z[i], f = m.Add(x[i], y[i], f)
	}
	z[n-1], _ = m.Add(rest, m.Const(0), f)
	f = nil
	for i := range z {
		z[i], f = m.Add(z[i], w, f)
		w = m.Const(0)
	}
	return z
}

// weakSub returns x - y for x, y < R.
func (m machine) weakSub(x, y []*limb.Word) []*limb.Word {
	return m.weakDifference(x, y, m.f.R())
}

// weakDifference returns x - y for x < R and y < bound <= R, subtracting k for a
// borrow, twice if it must.
func (m machine) weakDifference(x, y []*limb.Word, bound *big.Int) []*limb.Word {
	z := make([]*limb.Word, len(x))
	var b *limb.Flag
	for i := range z {
		z[i], b = m.Sub(x[i], y[i], b)
	}
	w := m.And(m.Mask(b), m.foldFactor())
	b = nil
	for i := range z {
		z[i], b = m.Sub(z[i], w, b)
		w = m.Const(0)
	}
	// A second borrow needs x - y + R < k.
	if reach := new(big.Int).Add(bound, m.radix(1)); reach.Cmp(m.f.R()) <= 0 {
		return z
	}
	// After it the value is at least R - k, so its low word is at least
	// 2^64 - k.
	z[0], _ = m.Sub(z[0], m.And(m.Mask(b), m.foldFactor()), nil)
	return z
}

// canon reduces x < R to [0, p). With x = t·2^b + l, x ≡ v = l + c·t < 2p, and
// y = v + c has bit b set if and only if v >= p. Then v - p = y - 2^b.
func (m machine) canon(x []*limb.Word) []*limb.Word {
	n := m.f.Limbs
	spare, c := m.shape()
	cw, mask := m.Const(c), m.Const(1<<(64-spare)-1)
	y := append([]*limb.Word(nil), x...)
	t := m.Shr(x[n-1], 64-spare)
	y[n-1] = m.And(x[n-1], mask)
	w := m.MulLo(m.Sum(t, m.Const(1)), cw)
	var f *limb.Flag
	for i := range y {
		y[i], f = m.Add(y[i], w, f)
		w = m.Const(0)
	}
	// The word bit - 1 is all ones where v < p; then c comes off again.
	bit := m.Shr(y[n-1], 64-spare)
	y[n-1] = m.And(y[n-1], mask)
	w = m.And(m.Sum(bit, m.Const(1<<64-1)), cw)
	f = nil
	for i := range y {
		y[i], f = m.Sub(y[i], w, f)
		w = m.Const(0)
	}
	return y
}
