package prove

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// TestFailure changes one byte of a routine, or its contract, and expects the
// search to say where the proof fails, and the emulator to show it.
func TestFailure(t *testing.T) {
	ts := load(t)
	for _, tt := range []struct {
		routine                string
		change                 func(x *Target)
		pointers, inst, claim  string
		reason, counterexample string
	}{
		// The last SBBQ of the subtraction from 0 becomes ADCQ.
		{"fieldp256.feNegateAMD64", func(x *Target) { flip(t, x, []byte{0x4d, 0x1b, 0x61, 0x18}, 1, 0x1b^0x13) },
			"disjoint", "RET", "z ≡ 0 - x (mod p)", "apart from multiples of the modulus", "claim z ≡ 0 - x (mod p) fails: got "},
		// The result is stored at another offset.
		{"fieldp256.feNegateAMD64", func(x *Target) { flip(t, x, []byte{0x4d, 0x89, 0x61, 0x18}, 3, 0x18^0x20) },
			"disjoint", "", "", "offset 0x60: an access at byte 32 of buffer 1, which has 4 words", "at offset 32 of z, which has 32 bytes"},
		// The sum is added to another register: ADCQ R11, R11 becomes ADCQ R11, R15.
		{"field25519.feAddAMD64", func(x *Target) { flip(t, x, []byte{0x4d, 0x11, 0xdb, 0x4d, 0x89, 0xc4}, 2, 0xdb^0xdf) },
			"disjoint", "ADCQ R11, R15", "", "R15 is read before it is written", "reads 64 bits of a register of which"},
		{"nist.scaleAMD64", func(x *Target) {
			r := *x.Contract
			r.Claims = append([]spec.Claim(nil), r.Claims...)
			r.Claims[2].R = spec.Add(r.Claims[2].R, spec.Const(big.NewInt(1)))
			x.Contract = &r
		}, "disjoint", "", "", "no operation leaves limb", "claim p.Y′ ≡ p.Y·z.X·ZZ·R⁻¹·R⁻¹ + 1 (mod p) fails: got "},
		{"field25519.feAddAMD64", func(x *Target) {
			r := *x.Contract
			r.Claims = append([]spec.Claim(nil), r.Claims...)
			r.Claims[0].R = spec.Add(r.Claims[0].R, spec.Const(big.NewInt(1)))
			x.Contract = &r
		}, "disjoint", "RET", "z ≡ x + y + 1 (mod p)", "by -1", "claim z ≡ x + y + 1 (mod p) fails: got "},
	} {
		x := *find(t, ts, tt.routine)
		tt.change(&x)
		_, res := x.Search()
		var f *Failure
		if !errors.As(res.Err, &f) {
			t.Errorf("%s: got error %v, want a failure", tt.routine, res.Err)
			continue
		}
		if f.Pointers != tt.pointers && f.Pointers != "disjoint" || f.Inst != tt.inst || f.Claim != tt.claim || !strings.Contains(f.Reason, tt.reason) {
			t.Errorf("%s: got %v\nwant pointers %s, instruction %s, claim %q, reason %q", tt.routine, f, tt.pointers, tt.inst, tt.claim, tt.reason)
		}
		if got := x.Counterexample(10000, 1); !strings.Contains(got, tt.counterexample) || !strings.Contains(got, " = 0x") {
			t.Errorf("%s: got the counterexample %q, want one with %q", tt.routine, got, tt.counterexample)
		}
	}
	if got := find(t, ts, "fieldp256.feNegateAMD64").Counterexample(1000, 1); got != "" {
		t.Errorf("unchanged code: got the counterexample %s", got)
	}
}

// flip changes byte i of the only place that has the given bytes.
func flip(t *testing.T, x *Target, old []byte, i int, mask byte) {
	t.Helper()
	code := string(x.Code)
	if strings.Count(code, string(old)) != 1 {
		t.Fatalf("%s has % x in %d places, want 1", x.Name, old, strings.Count(code, string(old)))
	}
	x.Code = []byte(code)
	x.Code[strings.Index(code, string(old))+i] ^= mask
}

// TestInversionFailure changes an inversion, and expects the search to say in
// which part it fails.
func TestInversionFailure(t *testing.T) {
	ts := load(t)
	for _, tt := range []struct {
		what                      string
		change                    func(x *Target)
		part, inst, claim, reason string
	}{
		{"DECQ 136(SP) becomes INCQ", func(x *Target) { flip(t, x, []byte{0x48, 0xff, 0x8c, 0x24, 0x88}, 2, 0x8c^0x84) },
			"update", "INCQ 0x88(SP)", "7 of the part", "2"},
		{"the batch has one step more", func(x *Target) {
			r := *x.Contract
			f := *r.Field
			f.SubSteps = []int{20, 20, 20}
			r.Field = &f
			x.Contract = &r
		}, "", "", "", "no beginning of the loop's body computes a batch of [20 20 20] divsteps"},
		{"the claim is about twice the inverse", func(x *Target) {
			r := *x.Contract
			r.Claims = append([]spec.Claim(nil), r.Claims...)
			r.Claims[0].R = spec.Mul(r.Claims[0].R, spec.Const(big.NewInt(2)))
			x.Contract = &r
		}, "", "", "", "the start leads to another multiple of the inverse"},
		{"there is no field", func(x *Target) {
			r := *x.Contract
			r.Field = nil
			x.Contract = &r
		}, "", "", "", "names no field in which it could invert"},
	} {
		x := *find(t, ts, "field25519.feInvertADX")
		tt.change(&x)
		_, _, err := x.search()
		if err == nil || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("%s: got %v, want an error with %q", tt.what, err, tt.reason)
			continue
		}
		var f *Failure
		if errors.As(err, &f) != (f != nil) || f != nil && (f.Part != tt.part || f.Inst != tt.inst || f.Claim != tt.claim) {
			t.Errorf("%s: got %v, want part %q, instruction %q, claim %q", tt.what, err, tt.part, tt.inst, tt.claim)
		}
	}
}
