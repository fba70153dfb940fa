//go:build !purego

package flags

import (
	"math/bits"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/tests/suite"
)

// MULX was seen to change flags, or to return a wrong product, under a
// translator that claims to have it. Carries stay in the flags across MULX in
// the routines for ADX.
func TestReport_FiloSottile_age_633(t *testing.T) {
	if suite.HostADX() != suite.With {
		t.Skip("this CPU is not known to have MULX")
	}
	words := []uint64{0, 1, 2, 19, 38, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	for _, x := range words {
		for _, y := range words {
			for flags := range uint64(4) {
				carry, overflow := flags&1, flags>>1
				hi, lo := bits.Mul64(x, y)
				gotLo, gotHi, gotCarry, gotOverflow := mulx(x, y, carry, overflow)
				if gotLo != lo || gotHi != hi || gotCarry != carry || gotOverflow != overflow {
					t.Fatalf("MULX of %#x and %#x with carry %d, overflow %d: got %#x, %#x with %d, %d; want %#x, %#x and the same flags",
						x, y, carry, overflow, gotHi, gotLo, gotCarry, gotOverflow, hi, lo)
				}
			}
		}
	}
}
