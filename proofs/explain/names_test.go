package explain

import (
	"math/big"
	"testing"
)

func TestInt(t *testing.T) {
	pow := func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }
	for _, tt := range []struct {
		z    *big.Int
		want string
	}{
		{big.NewInt(0), "0"},
		{big.NewInt(-38), "-38"},
		{big.NewInt(65535), "65535"},
		{pow(64), "2^64"},
		{new(big.Int).Neg(pow(192)), "-2^192"},
		{new(big.Int).Mul(big.NewInt(19), pow(130)), "19·2^130"},
		{new(big.Int).Sub(pow(64), big.NewInt(1)), "(2^64-1)"},
		{big.NewInt(0x123456789), "0x123456789"},
		{new(big.Int).Sub(pow(255), big.NewInt(19)), "0x7fffff…ffffed[255 bits]"},
	} {
		if got := Int(tt.z); got != tt.want {
			t.Errorf("Int(%v): got %s, want %s", tt.z, got, tt.want)
		}
	}
}
