package field25519

// Absolute sets z to a or -a, whichever is not negative (see IsNegative), and
// returns z.
func (z *Element) Absolute(a *Element) *Element {
	feMakeEven(&z.l, &a.l)
	return z
}

// IsNegative returns 1 if the canonical value of z is odd, else 0: the sign of
// RFC 8032, section 5.1.2.
func (z *Element) IsNegative() int {
	return int(feIsOdd(&z.l))
}

// Pow22523 sets z = a^((p-5)/8), where p = 2^255 - 19, and returns z. The
// exponent is 2^252 - 3.
func (z *Element) Pow22523(a *Element) *Element {
	feSqrtPower(&z.l, &a.l)
	return z
}

// SetBytesWithClamping sets z to the little-endian integer x of 32 bytes after
// the buffer pruning of RFC 8032, section 5.1.5 (the three lowest bits and the
// highest are cleared, the second highest is set), reduced modulo the group
// order, and returns z. If x does not have 32 bytes, SetBytesWithClamping
// returns nil and an error, and z stays as it was.
//
// The reduction loses that the pruned integer is a multiple of 8. The product
// of z and a point outside of the subgroup of prime order therefore differs
// from what RFC 7748 computes.
func (z *Scalar) SetBytesWithClamping(x []byte) (*Scalar, error) {
	if len(x) != 32 {
		return nil, scLengthError("SetBytesWithClamping", "32", len(x))
	}
	var l [4]uint64
	scDecode(l[:], x)
	l[0] &^= 7
	l[3] &= 1<<63 - 1
	l[3] |= 1 << 62
	scToMontgomery(&z.l, &l)
	return z, nil
}
