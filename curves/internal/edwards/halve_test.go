package edwards

import (
	"math/big"
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
	longest := 0
	check := func(t interface{ Errorf(string, ...any) }, k *big.Int) int {
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
		return max(u.BitLen(), v.BitLen())
	}
	for _, k := range scalars() {
		if k.Cmp(order) < 0 {
			check(t, k)
		}
	}
	for a := int64(1); a < 40; a++ {
		for b := a; b < 40; b++ {
			k := new(big.Int).Mul(order, big.NewInt(a))
			k.Div(k, big.NewInt(b))
			for d := int64(-2); d <= 2; d++ {
				if k := new(big.Int).Add(k, big.NewInt(d)); k.Cmp(order) < 0 {
					check(t, k)
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		k := drawScalar(t, "k")
		longest = max(longest, check(t, k.Mod(k, order)))
	})
	// A quotient is above 2^20 for one number in a million.
	if longest > 148 {
		t.Errorf("some number has %d bits, want about 128", longest)
	}
}

func TestWide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x wide
		for i := range x {
			x[i] = rapid.Uint64().Draw(t, "x")
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
