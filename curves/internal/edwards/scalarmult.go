package edwards

import "github.com/seed-6f9cd256/fieldproof/field25519"

// ScalarBaseMult sets p = k·B and returns p, for any k below 2^255, reduced or
// not.
func (p *Point) ScalarBaseMult(k *[32]byte) *Point {
	digits := signedDigits(k)
	table := baseTable()
	// First the odd digits, whose weights are 16·256^i, then 16 times that and
	// the even digits: so that one table does for both.
	p.Identity()
	for i := 1; i < 64; i += 2 {
		addSelected(&p.p, &table[i/2], digits[i])
	}
	doubleTimes(&p.p, &p.p, 4)
	for i := 0; i < 64; i += 2 {
		addSelected(&p.p, &table[i/2], digits[i])
	}
	return p
}

// addSelected adds digit times the first point of the table to p, for a digit
// from -8 to 8, all of it secret.
func addSelected(p *extended, table *[8]affineCached, digit int8) {
	negative := digit >> 7 // -1 or 0
	var q affineCached
	selectAffine(&q, table, uint64((digit^negative)-negative))
	addAffine(p, p, &q, uint64(negative&1))
}

// signedDigits returns the digits of k to the base 16, all of them from -8 to 8,
// for k below 2^255.
func signedDigits(k *[32]byte) (digits [64]int8) {
	for i, b := range k {
		digits[2*i] = int8(b & 15)
		digits[2*i+1] = int8(b >> 4)
	}
	for i := range 63 {
		carry := (digits[i] + 8) >> 4
		digits[i] -= carry << 4
		digits[i+1] += carry
	}
	return digits
}

// Ladder returns the coordinate of k times the point of the Montgomery curve or
// of its twist with the coordinate u, and 0 if that is the point at infinity
// (RFC 7748, section 5, without the clearing and setting of bits of k). It
// ignores the highest bits of k and u.
func Ladder(k, u *[32]byte) [32]byte {
	var x1 field25519.Element
	var s ladder
	x1.SetBytes(u[:]) // no error: u has 32 bytes
	s.X2.One()
	s.X3.Set(&x1)
	s.Z3.One()
	swap := uint64(0)
	for t := 254; t >= 0; t-- {
		bit := uint64(k[t/8]>>(t%8)) & 1
		ladderStep(&s, &x1, swap^bit)
		swap = bit
	}
	s.swap(swap)
	s.Z2.Invert(&s.Z2) // 1/0 = 0
	s.X2.Multiply(&s.X2, &s.Z2)
	return [32]byte(s.X2.Bytes())
}
