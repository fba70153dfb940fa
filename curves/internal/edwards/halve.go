package edwards

import (
	"encoding/binary"
	"math/bits"
)

// eightL is 8 times the order of the base point, a multiple of the order of
// every point.
var eightL = wide{0xc09318d2e7ae9f68, 0xa6f7cef517bce6b2, 0, 0x8000000000000000}

// halfBits is the length at which the search for short numbers stops.
const halfBits = 128

// HalveVarTime returns numbers u and v, for k below L, such that
//
//	u ≡ v·k (mod 8·L) if negative is false, u ≡ -v·k (mod 8·L) if it is true,
//
// where L is the order of the base point. v is odd, and both have about half the
// length of k: 128 bits, a few more where one has a few less, but for multiples of
// L, which give themselves and 1. So u·P = ±v·k·P for every point P, and v·P is
// neutral only if P is.
//
// With the equation multiplied by v, a verification needs half the doublings:
// A. Antipa, D. Brown, R. Gallant, R. Lambert, R. Struik, S. Vanstone,
// "Accelerated Verification of ECDSA Signatures", SAC 2005, section 4.
func HalveVarTime(k *[32]byte) (u, v [32]byte, negative bool) {
	// The remainders of Euclid's algorithm with their cofactors:
	// r ≡ ±t·k (mod 8·L), with signs that alternate.
	r0, r1 := eightL, wide{}
	for i := range r1 {
		r1[i] = binary.LittleEndian.Uint64(k[8*i:])
	}
	t0, t1 := wide{}, wide{1}
	for r1.length() > halfBits {
		m, ok := quotients(&r0, &r1)
		if !ok {
			r0, r1, t0, t1 = euclid(r0, r1, t0, t1)
			negative = !negative
			continue
		}
		r0, r1 = m.remainders(&r0, &r1)
		t0, t1 = m.cofactors(&t0, &t1)
		negative = negative != m.odd
	}
	// t1 may be even. Then the cofactors before and after it are odd, as any two
	// in a row are coprime: the shorter pair is taken.
	if t1[0]&1 == 0 {
		negative = !negative
		if r1.length() > 0 { // it is 0 for multiples of L, which have nothing shorter
			_, r2, _, t2 := euclid(r0, r1, t0, t1)
			if max(r2.length(), t2.length()) < max(r0.length(), t0.length()) {
				return r2.bytes(), t2.bytes(), negative
			}
		}
		return r0.bytes(), t0.bytes(), negative
	}
	return r1.bytes(), t1.bytes(), negative
}

// euclid does one division: it returns r1, r0 mod r1, t1 and t0 + t1·(r0 div r1),
// for r1 other than 0.
func euclid(r0, r1, t0, t1 wide) (r, s, t, u wide) {
	length := r1.length()
	for {
		shift := r0.length() - length
		if shift < 0 {
			break
		}
		d, borrow := r0.minus(r1.shifted(shift))
		if borrow != 0 {
			if shift == 0 {
				break
			}
			shift--
			d, _ = r0.minus(r1.shifted(shift))
		}
		r0 = d
		t0 = t0.plus(t1.shifted(shift))
	}
	return r1, r0, t1, t0
}

// A matrix is several divisions of Euclid's algorithm in one: with remainders that
// alternate in sign, it takes r0, r1 to |u0·r0 - v0·r1|, |u1·r0 - v1·r1|, and
// cofactors t0, t1 without their signs to u0·t0 + v0·t1, u1·t0 + v1·t1.
type matrix struct {
	u0, v0, u1, v1 uint64
	odd            bool // the number of divisions
}

// quotients finds divisions from the highest 64 bits of r0 and the bits of r1 at the
// same places, as far as these determine the quotients, until a remainder is no longer
// than halfBits (D. H. Lehmer, 1938, with the condition of G. E. Collins; T. Jebelean,
// "A double-digit Lehmer-Euclid algorithm", 1995, section 2). It reports whether there
// are any.
func quotients(r0, r1 *wide) (m matrix, ok bool) {
	low := r0.length() - 64
	x, y := r0.word(low), r1.word(low)
	m = matrix{u0: 1, v1: 1}
	for y != 0 && low+bits.Len64(y) > halfBits {
		q := x / y
		z := x - q*y
		// No overflow: u·y and v·y are at most the first x.
		u, v := m.u0+q*m.u1, m.v0+q*m.v1
		if z < v || y-z < m.v1+v {
			break
		}
		x, y = y, z
		m = matrix{m.u1, m.v1, u, v, !m.odd}
	}
	return m, m.u1 != 0
}

// remainders applies m. The results are positive and no longer than r0, so that
// what does not fit is 0.
func (m *matrix) remainders(r0, r1 *wide) (r, s wide) {
	a, b := r0.times(m.u0), r1.times(m.v0)
	c, d := r0.times(m.u1), r1.times(m.v1)
	if m.odd {
		a, b, c, d = b, a, d, c
	}
	r, _ = a.minus(b)
	s, _ = d.minus(c)
	return r, s
}

// cofactors applies m.
func (m *matrix) cofactors(t0, t1 *wide) (t, u wide) {
	return t0.times(m.u0).plus(t1.times(m.v0)), t0.times(m.u1).plus(t1.times(m.v1))
}

// wide is a number below 2^256.
type wide [4]uint64

// length returns the number of bits of x.
func (x *wide) length() int {
	for i := 3; i >= 0; i-- {
		if x[i] != 0 {
			return 64*i + bits.Len64(x[i])
		}
	}
	return 0
}

// shifted returns x·2^n, for n from 0 to 255.
func (x *wide) shifted(n int) (r wide) {
	words, rest := n/64, uint(n%64)
	for i := 3; i >= words; i-- {
		r[i] = x[i-words] << rest
		if i > words {
			r[i] |= x[i-words-1] >> (64 - rest) // nothing if rest is 0
		}
	}
	return r
}

// word returns the 64 bits of x from place n on, for n from 0 to 192.
func (x *wide) word(n int) uint64 {
	w := x[n/64] >> (n % 64)
	if n%64 != 0 {
		w |= x[n/64+1] << (64 - n%64)
	}
	return w
}

// times returns x·y modulo 2^256.
func (x *wide) times(y uint64) (r wide) {
	carry := uint64(0)
	for i := range x {
		high, low := bits.Mul64(x[i], y)
		var c uint64
		r[i], c = bits.Add64(low, carry, 0)
		carry = high + c
	}
	return r
}

func (x wide) minus(y wide) (r wide, borrow uint64) {
	for i := range x {
		r[i], borrow = bits.Sub64(x[i], y[i], borrow)
	}
	return r, borrow
}

func (x wide) plus(y wide) (r wide) {
	carry := uint64(0)
	for i := range x {
		r[i], carry = bits.Add64(x[i], y[i], carry)
	}
	return r
}

func (x wide) bytes() (b [32]byte) {
	for i := range x {
		binary.LittleEndian.PutUint64(b[8*i:], x[i])
	}
	return b
}
