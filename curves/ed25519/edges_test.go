package ed25519

import (
	"bytes"
	std "crypto/ed25519"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/curves/internal/edwards"
	"github.com/seed-6f9cd256/fieldproof/field25519"
)

// torsion are the canonical encodings of i times a point T of order 8, for i from
// 0 to 7. The values are those of the vectors in ZIP 215.
var torsion = []string{
	"0100000000000000000000000000000000000000000000000000000000000000",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"0000000000000000000000000000000000000000000000000000000000000000",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
}

// unusual are the other encodings of these points: with y not below the modulus,
// or with the sign of x = 0 set.
var unusual = []string{
	"0100000000000000000000000000000000000000000000000000000000000080",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
}

// lowOrder returns the 196 triples of ZIP 215 in which A and R have low order and
// S is 0. All are valid under that rule, whatever the message.
func lowOrder(t *testing.T) (list []triple) {
	all := slices.Concat(torsion, unusual)
	for _, a := range all {
		for _, r := range all {
			list = append(list, triple{a + ", " + r, unhex(t, a), []byte("Zcash"), append(unhex(t, r), make([]byte, 32)...)})
		}
	}
	return list
}

// mixed returns triples whose A and R are a sum of a point of prime order and one
// whose order divides 8, with the S of the honest signer: all are valid under
// ZIP215.
func mixed(t *testing.T) (list []triple) {
	for i := range torsion {
		for j := range torsion {
			for n := range 3 {
				message := []byte{byte(n)}
				var a, r, k field25519.Scalar
				mustScalar(t, &a, byte(i+1))
				mustScalar(t, &r, byte(j+100))
				public, nonce := sum(t, &a, torsion[i]), sum(t, &r, torsion[j])
				hashToScalar(&k, nonce, public, message)
				r.MultiplyAdd(&k, &a, &r)
				list = append(list, triple{fmt.Sprintf("A + %d·T, R + %d·T", i, j), public, message, append(nonce, r.Bytes()...)})
			}
		}
	}
	return list
}

// mustScalar sets s to a number that the byte determines.
func mustScalar(t *testing.T, s *field25519.Scalar, b byte) {
	t.Helper()
	if _, err := s.SetWideBytes(bytes.Repeat([]byte{b}, 64)); err != nil {
		t.Fatal(err)
	}
}

// sum returns the encoding of s·B plus a point of low order.
func sum(t *testing.T, s *field25519.Scalar, low string) []byte {
	t.Helper()
	term := make([]edwards.Term, 1)
	if !term[0].Point.SetBytesVarTime((*[32]byte)(unhex(t, low))) {
		t.Fatal(low)
	}
	term[0].Scalar[0] = 1
	var p edwards.Point
	b := p.MultiScalarVarTime((*[32]byte)(s.Bytes()), term).Bytes()
	return b[:]
}

// TestTorsion checks the list of points by their definition: i·T for a T of
// order 8.
func TestTorsion(t *testing.T) {
	seen := make(map[string]bool)
	for i := range torsion {
		term := make([]edwards.Term, 1)
		if !term[0].Point.SetBytesVarTime((*[32]byte)(unhex(t, torsion[1]))) {
			t.Fatal(torsion[1])
		}
		term[0].Scalar[0] = byte(i)
		var p edwards.Point
		got := p.MultiScalarVarTime(new([32]byte), term).Bytes()
		if hex.EncodeToString(got[:]) != torsion[i] || seen[torsion[i]] {
			t.Errorf("%d·T is %x, want %s", i, got, torsion[i])
		}
		seen[torsion[i]] = true
	}
	for _, s := range unusual {
		var p edwards.Point
		if !p.SetBytesVarTime((*[32]byte)(unhex(t, s))) {
			t.Errorf("%s is refused", s)
		}
		canonical := p.Bytes()
		if !seen[hex.EncodeToString(canonical[:])] {
			t.Errorf("%s is no point of low order", s)
		}
	}
}

// The verdicts on points of low order, on unusual encodings and on mixed points:
// ZIP215 accepts all, Cofactorless what crypto/ed25519 accepts; and a batch says
// the same.
func TestReport_golang_go_62546(t *testing.T) {
	list := slices.Concat(lowOrder(t), mixed(t))
	accepted := 0
	for _, v := range list {
		if !ZIP215.Verify(v.public, v.message, v.signed) {
			t.Errorf("%s: invalid under ZIP215", v.name)
		}
		want := std.Verify(v.public, v.message, v.signed)
		for name, verify := range map[string]func(PublicKey, []byte, []byte) bool{"Verify": Verify, "Cofactorless": Cofactorless.Verify} {
			if got := verify(v.public, v.message, v.signed); got != want {
				t.Errorf("%s, %s: got %t, want %t", name, v.name, got, want)
			}
		}
		if want {
			accepted++
		}
		// A wrong S is invalid under both rules.
		wrong := slices.Clone(v.signed)
		wrong[32] ^= 1
		for _, r := range rules {
			if got, want := r.Verify(v.public, v.message, wrong), std.Verify(v.public, v.message, wrong); got != want || got {
				t.Errorf("%s, with another S: got %t under rule %d", v.name, got, r)
			}
		}
	}
	if accepted == 0 || accepted == len(list) {
		t.Errorf("crypto/ed25519 accepts %d of %d: nothing is shown", accepted, len(list))
	}
	t.Logf("%d triples, of which crypto/ed25519 accepts %d", len(list), accepted)
	others := honest(2)
	for i, v := range list {
		if testing.Short() && i%7 != 0 {
			continue
		}
		for seed := range *seeds {
			// At the first, the second and the third place.
			at := (i + seed) % 3
			checkBatch(t, slices.Insert(slices.Clone(others), at, v), seed)
		}
	}
	for seed := range *seeds {
		checkBatch(t, list, seed)
	}
}

// TestEncodings checks A and R whose y is not below the modulus but which have
// no low order, and encodings of no point.
func TestEncodings(t *testing.T) {
	valid := honest(1)[0]
	for y := range 19 {
		for _, top := range []byte{0x7f, 0xff} {
			b := bytes.Repeat([]byte{0xff}, 32)
			b[0], b[31] = byte(0xed+y), top
			// No signature is known for most of these; the verdicts must be the
			// same, and a wrong R must not be taken for the point with y - p.
			for _, v := range []triple{
				{"A", b, valid.message, valid.signed},
				{"R", valid.public, valid.message, append(slices.Clone(b), valid.signed[32:]...)},
			} {
				want := std.Verify(v.public, v.message, v.signed)
				for _, r := range rules {
					if got := r.Verify(v.public, v.message, v.signed); got != want {
						t.Errorf("%s = %x: got %t under rule %d, want %t", v.name, b, got, r, want)
					}
				}
			}
		}
	}
}

// S must be below the order of the base point: the largest that is, the least that
// is not, and the valid one plus the order.
func TestReport_golang_go_20482(t *testing.T) {
	v := honest(1)[0]
	for _, test := range []struct {
		s     string
		least bool // below the order
	}{
		{"0000000000000000000000000000000000000000000000000000000000000010", true},
		{"ecd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010", true},
		{"edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010", false},
		{"0000000000000000000000000000000000000000000000000000000000000020", false},
		{"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", false},
	} {
		var c claim
		sig := append(slices.Clone(v.signed[:32]), unhex(t, test.s)...)
		for _, r := range rules {
			if err := c.set(r, v.public, v.message, sig, nil); (err == nil) != test.least {
				t.Errorf("S = %s, rule %d: got error %v, want ok = %t", test.s, r, err, test.least)
			}
			if r.Verify(v.public, v.message, sig) {
				t.Errorf("S = %s, rule %d: valid", test.s, r)
			}
		}
	}
	// S + L is congruent.
	order := unhex(t, "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
	sig, carry := slices.Clone(v.signed), 0
	for i := range order {
		carry += int(sig[32+i]) + int(order[i])
		sig[32+i] = byte(carry)
		carry >>= 8
	}
	for _, r := range rules {
		if r.Verify(v.public, v.message, sig) {
			t.Errorf("S + L is valid under rule %d", r)
		}
	}
}

// FuzzVerify compares the verdicts with crypto/ed25519, and with a batch.
func FuzzVerify(f *testing.F) {
	for _, v := range honest(2) {
		f.Add(v.public, v.message, v.signed)
		f.Add(v.public, []byte{}, v.signed)
	}
	low, _ := hex.DecodeString(torsion[1])
	f.Add(low, []byte("Zcash"), append(slices.Clone(low), make([]byte, 32)...))
	f.Add([]byte{}, []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, public, message, sig []byte) {
		want := len(public) == PublicKeySize && std.Verify(public, message, sig)
		zip := ZIP215.Verify(public, message, sig)
		if got := Cofactorless.Verify(public, message, sig); got != want || want && !zip {
			t.Errorf("got %t under Cofactorless and %t under ZIP215; crypto/ed25519 says %t", got, zip, want)
		}
		checkBatch(t, append(honest(1), triple{"fuzzed", public, message, sig}), 0)
	})
}

// FuzzSeed compares keys and signatures with crypto/ed25519.
func FuzzSeed(f *testing.F) {
	f.Add(make([]byte, SeedSize), []byte{})
	f.Add(make([]byte, SeedSize-1), []byte("m"))
	f.Fuzz(func(t *testing.T, seed, message []byte) {
		key := NewKeyFromSeed(seed)
		if len(seed) != SeedSize {
			if key != nil {
				t.Errorf("a seed of %d bytes gives %x", len(seed), key)
			}
			return
		}
		if want := std.NewKeyFromSeed(seed); !bytes.Equal(key, want) || !bytes.Equal(Sign(key, message), std.Sign(want, message)) {
			t.Errorf("seed %x: key %x, want %x, or another signature", seed, key, want)
		}
	})
}
