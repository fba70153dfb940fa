package peers

import (
	"bytes"
	"math/big"
	"slices"
	"testing"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
	"github.com/consensys/gnark-crypto/ecc/secp256r1/fp"
	"github.com/consensys/gnark-crypto/ecc/secp256r1/fr"
	"pgregory.net/rapid"

	"github.com/seed-6f9cd256/fieldproof/field25519"
	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// wideBytes draws encodings of 32 to 64 bytes: two integers of 32 bytes with
// weighted limbs, cut to length.
func wideBytes(t *rapid.T, p *big.Int) []byte {
	values := integers(p)
	b := append(littleEndian(values.Draw(t, "low")), littleEndian(values.Draw(t, "high"))...)
	return b[:rapid.IntRange(32, 64).Draw(t, "length")]
}

// pad returns b with zeros up to 64 bytes, the only length that
// filippo.io/edwards25519 takes.
func pad(b []byte) []byte { return append(slices.Clone(b), make([]byte, 64-len(b))...) }

func TestSetWideBytes(t *testing.T) {
	for _, test := range []struct {
		name, field string
		ours, peer  func(b []byte) []byte
	}{
		{"Element25519", "p25519",
			func(b []byte) []byte { return must(new(field25519.Element).SetWideBytes(b)).Bytes() },
			func(b []byte) []byte { return must(new(field.Element).SetWideBytes(pad(b))).Bytes() }},
		{"Scalar25519", "n25519",
			func(b []byte) []byte { return must(new(field25519.Scalar).SetWideBytes(b)).Bytes() },
			func(b []byte) []byte { return must(new(edwards25519.Scalar).SetUniformBytes(pad(b))).Bytes() }},
		{"ElementP256", "p256",
			func(b []byte) []byte { return must(new(fieldp256.Element).SetWideBytes(b)).Bytes() },
			func(b []byte) []byte { return new(fp.Element).SetBytes(b).Marshal() }},
		{"ScalarP256", "n256",
			func(b []byte) []byte { return must(new(fieldp256.Scalar).SetWideBytes(b)).Bytes() },
			func(b []byte) []byte { return new(fr.Element).SetBytes(b).Marshal() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := wideBytes(t, modulus(test.field))
				if ours, peer := test.ours(b), test.peer(b); !bytes.Equal(ours, peer) {
					t.Fatalf("%x: got %x, the peer gets %x", b, ours, peer)
				}
			})
		})
	}
}

// TestSetCanonicalBytes25519: the peer has no such setter, but an encoding is
// canonical if and only if it survives being set and read back.
func TestSetCanonicalBytes25519(t *testing.T) {
	check := func(b []byte) (ok bool) {
		x := new(field25519.Element).One()
		r, err := x.SetCanonicalBytes(b)
		peer := must(new(field.Element).SetBytes(b)).Bytes()
		if !bytes.Equal(peer, b) { // refused, and x as it was
			return r == nil && err != nil && x.Equal(new(field25519.Element).One()) == 1
		}
		return r == x && err == nil && bytes.Equal(x.Bytes(), b)
	}
	p := modulus("p25519")
	for _, v := range edges(p) {
		if b := littleEndian(v); !check(b) {
			t.Errorf("%x: ours and the peer disagree", b)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if b := littleEndian(integers(p).Draw(t, "value")); !check(b) {
			t.Fatalf("%x: ours and the peer disagree", b)
		}
	})
}

func TestSetBytesWithClamping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := littleEndian(integers(modulus("n25519")).Draw(t, "value"))
		ours := must(new(field25519.Scalar).SetBytesWithClamping(b)).Bytes()
		peer := must(new(edwards25519.Scalar).SetBytesWithClamping(b)).Bytes()
		if !bytes.Equal(ours, peer) {
			t.Fatalf("%x: got %x, the peer gets %x", b, ours, peer)
		}
	})
}

func TestInvertBatch(t *testing.T) {
	t.Run("Element25519", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			values := rapid.SliceOfN(integers(modulus("p25519")), 0, 20).Draw(t, "values")
			ours := make([]field25519.Element, len(values))
			peer := make([]field.Element, len(values))
			for i, v := range values {
				must(ours[i].SetBytes(littleEndian(v)))
				must(peer[i].SetBytes(littleEndian(v)))
				peer[i].Invert(&peer[i])
			}
			field25519.InvertBatch(ours)
			for i := range values {
				if got, want := ours[i].Bytes(), peer[i].Bytes(); !bytes.Equal(got, want) {
					t.Fatalf("element %d of %d: got %x, want %x", i, len(values), got, want)
				}
			}
		})
	})
	t.Run("ElementP256", func(t *testing.T) {
		p := modulus("p256")
		rapid.Check(t, func(t *rapid.T) {
			values := rapid.SliceOfN(integers(p), 0, 20).Draw(t, "values")
			ours := make([]fieldp256.Element, len(values))
			peer := make([]fp.Element, len(values))
			for i, v := range values {
				peer[i].SetBigInt(v) // reduces it
				must(ours[i].SetBytes(peer[i].Marshal()))
			}
			fieldp256.InvertBatch(ours)
			peer = fp.BatchInvert(peer)
			for i := range values {
				if got, want := ours[i].Bytes(), peer[i].Marshal(); !bytes.Equal(got, want) {
					t.Fatalf("element %d of %d: got %x, want %x", i, len(values), got, want)
				}
			}
		})
	})
}
