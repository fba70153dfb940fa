package edwards

import (
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestHalve checks what HalveVarTime promises, on edges, on random numbers and
// on those near simple fractions of the modulus, whose quotients are large.
func TestHalve(t *testing.T) {
	modulus := new(big.Int).Lsh(order, 3)
	if e := eightL.bytes(); toInt(e[:]).Cmp(modulus) != 0 {
		t.Fatalf("eightL is %x, want %x", toInt(e[:]), modulus)
	}
	check := func(t interface{ Errorf(string, ...any) }, k *big.Int) {
		b := fromInt(k)
		ub, vb, negative := HalveVarTime(&b)
		u, v := toInt(ub[:]), toInt(vb[:])
		r := new(big.Int).Mul(v, k)
		if negative {
			r.Neg(r)
		}
		if r.Sub(r, u).Mod(r, modulus).Sign() != 0 || v.Bit(0) == 0 {
			t.Errorf("%x: got u = %x, v = %x, negative = %t", k, u, v, negative)
		}
		if got, want := max(u.BitLen(), v.BitLen()), halfLength(k, modulus); got != want {
			t.Errorf("%x: got u = %x and v = %x, of at most %d bits, want %d", k, u, v, got, want)
		}
	}
	for _, k := range scalars() {
		if k.BitLen() <= 253 {
			check(t, k)
		}
	}
	for a := int64(1); a < 40; a++ {
		for b := (a + 1) / 2; b < 40; b++ {
			k := new(big.Int).Mul(order, big.NewInt(a))
			k.Div(k, big.NewInt(b))
			for d := int64(-2); d <= 2; d++ {
				if k := new(big.Int).Add(k, big.NewInt(d)); k.BitLen() <= 253 {
					check(t, k)
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		k := drawScalar(t, "k")
		check(t, k.SetBit(k, 254, 0).SetBit(k, 253, 0))
	})
}

// halfLength returns the length of the longer of the two numbers that Euclid's
// algorithm gives: at the first remainder of at most 128 bits, or, if its cofactor is
// even, at the one of its neighbours where that is less.
func halfLength(k, modulus *big.Int) int {
	r, t := []*big.Int{modulus, k}, []*big.Int{new(big.Int), big.NewInt(1)}
	for last := 1; r[last].Sign() != 0; last++ {
		q, rest := new(big.Int).QuoRem(r[last-1], r[last], new(big.Int))
		r, t = append(r, rest), append(t, q.Add(q.Mul(q, t[last]), t[last-1]))
	}
	i := slices.IndexFunc(r, func(r *big.Int) bool { return r.BitLen() <= 128 })
	length := func(i int) int { return max(r[i].BitLen(), t[i].BitLen()) }
	switch {
	case t[i].Bit(0) == 1:
		return length(i)
	case r[i].Sign() == 0:
		return length(i - 1)
	}
	return min(length(i-1), length(i+1))
}

// TestQuotients compares the divisions that the high bits determine with those of
// the whole numbers.
func TestQuotients(t *testing.T) {
	drawn, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		k := drawScalar(t, "k")
		k.Mod(k, order)
		a, b := new(big.Int).Lsh(order, 3), k
		// Some divisions first.
		for range rapid.IntRange(0, 20).Draw(t, "divisions") {
			if b.BitLen() > halfBits {
				a, b = b, new(big.Int).Mod(a, b)
			}
		}
		if b.BitLen() <= halfBits {
			return
		}
		r0, r1 := toWide(a), toWide(b)
		m, ok := quotients(&r0, &r1)
		if !ok {
			return
		}
		found++
		s0, s1 := m.remainders(&r0, &r1)
		u0, v0, u1, v1 := big.NewInt(1), new(big.Int), new(big.Int), big.NewInt(1)
		odd := false
		for v1.Cmp(new(big.Int).SetUint64(m.v1)) < 0 || u1.Cmp(new(big.Int).SetUint64(m.u1)) < 0 {
			q, r := new(big.Int).DivMod(a, b, new(big.Int))
			a, b = b, r
			u0, u1 = u1, new(big.Int).Add(u0, new(big.Int).Mul(q, u1))
			v0, v1 = v1, new(big.Int).Add(v0, new(big.Int).Mul(q, v1))
			odd = !odd
		}
		if s0 != toWide(a) || s1 != toWide(b) || odd != m.odd || u0.Uint64() != m.u0 || v0.Uint64() != m.v0 || u1.Uint64() != m.u1 || v1.Uint64() != m.v1 {
			t.Errorf("k = %x: got remainders %x, %x, matrix %v; want %x, %x, matrix %x %x %x %x", k, s0, s1, m, a, b, u0, v0, u1, v1)
		}
		if s0.length() <= halfBits {
			t.Errorf("k = %x: there are divisions behind the remainder %x", k, s0)
		}
	})
	if 2*found < drawn {
		t.Errorf("high bits determined some quotients in %d of %d cases, want most", found, drawn)
	}
}

func toWide(v *big.Int) (r wide) {
	b := fromInt(v)
	for i := range r {
		r[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return r
}

func TestWide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x wide
		for i := range x {
			x[i] = rapid.Uint64().Draw(t, "x")
		}
		mod := func(v *big.Int, bits uint) *big.Int {
			return v.And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1)))
		}
		y := rapid.Uint64().Draw(t, "y")
		b0 := x.bytes()
		product := new(big.Int).Mul(toInt(b0[:]), new(big.Int).SetUint64(y))
		if got := x.times(y); got != toWide(mod(product, 256)) {
			t.Errorf("%x times %x: got %x", x, y, got)
		}
		at := rapid.IntRange(0, 192).Draw(t, "place")
		if got, want := x.word(at), mod(new(big.Int).Rsh(toInt(b0[:]), uint(at)), 64).Uint64(); got != want {
			t.Errorf("%x, word at %d: got %x, want %x", x, at, got, want)
		}
		n := rapid.IntRange(0, 255).Draw(t, "n")
		b, s := x.bytes(), x.shifted(n)
		want := new(big.Int).Lsh(toInt(b[:]), uint(n))
		want.And(want, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)))
		if sb := s.bytes(); toInt(sb[:]).Cmp(want) != 0 {
			t.Errorf("%x << %d: got %x, want %x", toInt(b[:]), n, toInt(sb[:]), want)
		}
		if s.length() != want.BitLen() {
			t.Errorf("%x: got length %d, want %d", want, s.length(), want.BitLen())
		}
	})
}
