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

// HalveVarTime returns numbers u and v, for k below 2^253, such that
//
//	u ≡ v·k (mod 8·L) if negative is false, u ≡ -v·k (mod 8·L) if it is true,
//
// where L is the order of the base point. v is odd, and both have about half the
// length of k: 128 bits, a few more where one has a few less. So u·P = ±v·k·P for
// every point P, and v·P is neutral only if P is.
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
		r0, r1, t0, t1 = euclid(r0, r1, t0, t1)
		negative = !negative
	}
	// t1 may be even. Then the cofactors before and after it are odd, as any two
	// in a row are coprime: the shorter pair is taken.
	if t1[0]&1 == 0 {
		_, r2, _, t2 := euclid(r0, r1, t0, t1)
		negative = !negative
		if max(r2.length(), t2.length()) < max(r0.length(), t0.length()) {
			return r2.bytes(), t2.bytes(), negative
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
