package algo

import (
	"math/big"
	"math/bits"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

// Arithmetic on residues below p in Montgomery form (Montgomery: Modular
// multiplication without trial division, Mathematics of Computation 44, 1985).

// subtractOnce returns t - p if that is not negative and t if it is, for
// t < 2p with n words and top, the word above them (nil if it is 0).
func (m machine) subtractOnce(t []*limb.Word, top *limb.Word) []*limb.Word {
	p := m.consts(m.f.Modulus)
	s := make([]*limb.Word, len(t))
	var b *limb.Flag
	for i := range t {
		s[i], b = m.Sub(t[i], p[i], b)
	}
	if top != nil {
		_, b = m.Sub(top, m.Const(0), b)
	}
	return m.choose(t, s, b)
}

// montAdd returns x + y mod p.
func (m machine) montAdd(x, y []*limb.Word) []*limb.Word {
	t := make([]*limb.Word, len(x))
	var c *limb.Flag
	for i := range t {
		t[i], c = m.Add(x[i], y[i], c)
	}
	var top *limb.Word
	if m.f.Modulus.BitLen() == 64*len(x) {
		top = m.CarryWord(c)
	}
	return m.subtractOnce(t, top)
}

// montSub returns x - y mod p: a borrow adds p.
func (m machine) montSub(x, y []*limb.Word) []*limb.Word {
	z := make([]*limb.Word, len(x))
	var b, c *limb.Flag
	for i := range z {
		z[i], b = m.Sub(x[i], y[i], b)
	}
	mask := m.Mask(b)
	masked := make([]*limb.Word, len(x))
	for i, p := range m.consts(m.f.Modulus) {
		switch k := bits.Len64(p.K); {
		case k == 0:
			masked[i] = p
		case k == 64 && p.K+1 == 0:
			masked[i] = mask
		case p.K == 1<<k-1:
			masked[i] = m.Shr(mask, 64-k)
		default:
			masked[i] = m.And(mask, p)
		}
	}
	for i := range z {
		z[i], c = m.Add(z[i], masked[i], c)
	}
	return z
}

// montMul returns x·y·R⁻¹ mod p, for x < p and any y < R or the reverse.
func (m machine) montMul(x, y []*limb.Word) []*limb.Word {
	z, _ := m.product(x, y)
	return m.montReduce(z)
}

// fromMont returns x·R⁻¹ mod p for x < p. The quotient is at most
// (p-1 + (R-1)p)/R < p, so nothing is left to subtract.
func (m machine) fromMont(x []*limb.Word) []*limb.Word {
	if m.ThreeAddress && m.addable() {
		return m.montLow(x)
	}
	z, _ := m.montQuotient(append(append([]*limb.Word(nil), x...), m.zeros(len(x))...))
	return z
}

// montReduce returns z·R⁻¹ mod p for z < R·p.
func (m machine) montReduce(z []*limb.Word) []*limb.Word {
	if n := m.f.Limbs; m.ThreeAddress && m.addable() {
		// The lower half is reduced while the upper one is still summed up: at
		// most p, and less than p.
		return m.montAdd(z[n:], m.montLow(z[:n]))
	}
	return m.subtractOnce(m.montQuotient(z))
}

// montQuotient returns (z + q·p)/R < 2p for the q < R that makes the division
// exact, and the word above its n words (0 or 1; nil where 2p < R).
func (m machine) montQuotient(z []*limb.Word) (t []*limb.Word, top *limb.Word) {
	n := m.f.Limbs
	z = append([]*limb.Word(nil), z...)
	var carry *limb.Word
	for i := range n {
		carry = m.montStep(z, i, carry)
	}
	if m.f.Modulus.BitLen() < 64*n {
		carry = nil // 2p < R
	}
	return z[n:], carry
}

// montStep clears word i of z by adding a multiple q of p, and returns the carry
// out of word i+n; in is the carry into that word from the step before.
func (m machine) montStep(z []*limb.Word, i int, in *limb.Word) (out *limb.Word) {
	p0 := new(big.Int).And(m.f.Modulus, new(big.Int).SetUint64(1<<64-1)).Uint64()
	if p0 != 1<<64-1 {
		// q·p0 ≡ -z_i (mod 2^64)
		q := m.MulLo(z[i], m.Const(-inverse64(p0)))
		out, _ = m.addRow(z, i, m.consts(m.f.Modulus), q, in)
		return out
	}
	// p ≡ -1 (mod 2^64): q = z_i itself, and adding q·(p+1) - q leaves 0 in
	// word i and adds the upper words of q·(p+1).
	q := z[i]
	a := m.consts(new(big.Int).Add(m.f.Modulus, big.NewInt(1)))[1:]
	sparse := true
	for j := range a {
		sparse = sparse && (j == 0 || isConst(a[j-1], 0) || isConst(a[j], 0))
	}
	if !sparse {
		out, _ = m.addRow(z, i+1, a, q, in)
		return out
	}
	return m.addSparseRow(z, i+1, a, q, in)
}

// addSparseRow is addRow for an x without two adjacent nonzero words: the words
// of its products do not overlap, so one chain adds them.
func (m machine) addSparseRow(z []*limb.Word, at int, x []*limb.Word, y, in *limb.Word) *limb.Word {
	n := len(x)
	his, los := make([]*limb.Word, n), make([]*limb.Word, n)
	for j, a := range x { // multiplications first: they take longer, and write the flags of some machines
		if k := differenceShift(a); m.SlowMul && k > 0 {
			var b *limb.Flag
			los[j], b = m.Sub(y, m.Shl(y, k), nil)
			his[j], _ = m.Sub(y, m.Shr(y, 64-k), b)
			continue
		}
		if !a.IsConst || bits.OnesCount64(a.K) > 1 {
			his[j], los[j] = m.Mul(a, y)
		}
	}
	row := make([]*limb.Word, n+1)
	shiftHi, shiftLo := m.words(x, y)
	for j, a := range x {
		if his[j] == nil {
			his[j], los[j] = shiftHi[j], shiftLo[j]
		}
		if !isConst(a, 0) {
			row[j], row[j+1] = los[j], his[j]
		}
	}
	for j := range row {
		if row[j] == nil {
			row[j] = m.Const(0)
		}
	}
	if in != nil {
		// The top word of a product with a constant is below 2^64-1.
		row[n] = m.Sum(row[n], in)
	}
	var c *limb.Flag
	for j, w := range row {
		if z[at+j] == nil { // the last one; the sum fits
			z[at+j], _ = m.Add(w, m.Const(0), c)
			return nil
		}
		z[at+j], c = m.Add(z[at+j], w, c)
	}
	return m.CarryWord(c)
}

// inverse64 returns the inverse of odd a modulo 2^64, by Newton's iteration.
func inverse64(a uint64) uint64 {
	x := a // right in 3 bits, and every round doubles that
	for range 5 {
		x *= 2 - a*x
	}
	return x
}

// barrett reduces t < 2^(b+32) of n+1 words to [0, p), where b is the length of
// p in bits (Barrett, CRYPTO '86). The quotient is estimated from the top:
//
//	s = b - 31, h = floor(t/2^s) < 2^63, mu = floor(2^(s+64)/p), e = floor(h·mu/2^64)
//
// Dropping the fractions costs less than 1/2 + 2^-30, so that e is the quotient
// or one less, and t - e·p < 2p.
func (m machine) barrett(t []*limb.Word) []*limb.Word {
	n := m.f.Limbs
	s := m.f.Modulus.BitLen() - 31
	h := t[s/64]
	if s%64 != 0 {
		h = m.ShrD(t[s/64+1], t[s/64], s%64)
	}
	mu := new(big.Int).Lsh(big.NewInt(1), uint(s+64))
	mu.Div(mu, m.f.Modulus)
	e, _ := m.Mul(h, m.Const(mu.Uint64()))
	ep := m.row(m.consts(m.f.Modulus), e)
	r := make([]*limb.Word, n+1)
	var b *limb.Flag
	for i := range r {
		r[i], b = m.Sub(t[i], ep[i], b)
	}
	return m.subtractOnce(r[:n], r[n])
}
