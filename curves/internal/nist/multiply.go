package nist

import (
	"encoding/binary"

	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// affine returns p in affine coordinates, and 1, or (0, 0) and 0 if p is
// infinity.
func (p *jacobian) affine() (q affine, finite int) {
	var inverse fieldp256.Element
	inverse.Invert(&p.Z)
	q = affine{p.X, p.Y}
	scale(&q, &inverse)
	return q, 1 - p.Z.IsZero()
}

// Scalar multiplication takes an odd k, so that all its digits can be odd: none
// is zero, which needs no case of its own. An even k is replaced by n - k, and
// the result by its opposite.
//
// Source: M. Joye and M. Tunstall, "Exponent recoding and regular
// exponentiation algorithms", AFRICACRYPT 2009, section 3.2.

// oddScalar returns whichever of k and n - k is odd, and 1 if that is n - k. For
// k = 0 it returns n. The integer comes in words, least significant first,
// with one more.
func oddScalar(k *fieldp256.Scalar) (v [5]uint64, negated int) {
	v, minus := words(k), words(new(fieldp256.Scalar).Negate(k))
	even := v[0]&1 ^ 1
	isZero := uint64(k.IsZero())
	for i := range v {
		// n - 0 is n, while Negate returns 0.
		minus[i] |= order[i] & -isZero
		v[i] ^= (v[i] ^ minus[i]) & -even
	}
	return v, int(even)
}

// order is the order of the group, NIST SP 800-186, section 3.2.1.3.
var order = [5]uint64{0xf3b9cac2fc632551, 0xbce6faada7179e84, 0xffffffffffffffff, 0xffffffff00000000}

func words(k *fieldp256.Scalar) (v [5]uint64) {
	b := k.Bytes()
	for i := range 4 {
		v[i] = binary.BigEndian.Uint64(b[24-8*i:])
	}
	return v
}

// digit returns the place in a table of odd multiples, and the sign, of a digit
// of width w of an odd number: the digit is ±(2i + 1), with the sign - if
// negative is 1. It is made of the w bits of v from position at, and is
// 2·bits + 1 - 2^w.
func digit(v *[5]uint64, at, w uint) (i uint64, negative int) {
	bits := v[at/64]>>(at%64) | v[at/64+1]<<(64-at%64)
	half := uint64(1) << (w - 1)
	negative = int(bits>>(w-1)&1) ^ 1
	return (bits ^ -uint64(negative)) & (half - 1), negative
}

// negateIf sets p = -p if cond is 1.
func (p *affine) negateIf(cond int) {
	var minus fieldp256.Element
	minus.Negate(&p.Y)
	p.Y.Select(&minus, &p.Y, cond)
}

// multiply returns k·p. It takes 255 doublings and 51 sums, for every k.
func multiply(k *fieldp256.Scalar, p *affine) *jacobian {
	var table [16]affine
	oddMultiples(table[:], p)
	v, negated := oddScalar(k)

	// An odd v below 2^256 is 2^255 + the sum of 51 digits of width 5, at the
	// positions 5i. The sum so far is m·p, with m = 1 at first.
	//
	// No sum is exceptional. The summands are 32m·p and d·p with odd |d| < 32,
	// and m is the positive odd number of the digits above. 32m is not ±d, as
	// it is at least 32. It is not n ± d, as it is too small, but for the last
	// digit. There, 32m + d = v <= n. If 32m = n - d, then v = n: that is k = 0,
	// and the sum of opposite points is right. If 32m = n + d, then v = n + 2d;
	// but d is 2·bits + 1 - 32 with bits = (v mod 64 - 1)/2, and n mod 64 = 17, so
	// that d = 17 + 2d - 32 modulo 64, d = 15, and v = n + 30 is too large.
	r := &jacobian{X: p.X, Y: p.Y}
	r.Z.One()
	var q affine
	for i := 50; i >= 0; i-- {
		for range 5 {
			double(r, r)
		}
		j, negative := digit(&v, uint(5*i+1), 5)
		select16(&q, &table, j)
		addAffine(r, r, &q, uint64(negative))
	}
	r.negateIf(negated)
	return r
}

func (p *jacobian) negateIf(cond int) {
	var minus fieldp256.Element
	minus.Negate(&p.Y)
	p.Y.Select(&minus, &p.Y, cond)
}

// multiplyBase returns k times the base point. It takes 42 sums, for every k.
func multiplyBase(k *fieldp256.Scalar) *jacobian {
	table := baseTable()
	v, negated := oddScalar(k)

	// An odd v below 2^256 is 2^251 times a positive odd number below 32, plus 41
	// digits of width 6 at the positions 6i - 1, plus one of width 5 at 0. They are
	// added from the top.
	//
	// No sum is exceptional. What is there before a digit d at position p is a
	// positive, odd multiple of the weight of the digit above: more than |d|·2^p. It
	// is not n ± d·2^p, as both are even and n is odd, but for the last digit. For
	// that one the argument in multiply holds, with the same width.
	var q affine
	select16(&q, (*[16]affine)(table[42][:]), v[3]>>60)
	r := &jacobian{X: q.X, Y: q.Y}
	r.Z.One()
	for i := 41; i >= 1; i-- {
		j, negative := digit(&v, uint(6*i), 6)
		select32(&q, &table[i], j)
		addAffine(r, r, &q, uint64(negative))
	}
	j, negative := digit(&v, 1, 5)
	select16(&q, (*[16]affine)(table[0][:]), j)
	addAffine(r, r, &q, uint64(negative))
	r.negateIf(negated)
	return r
}
