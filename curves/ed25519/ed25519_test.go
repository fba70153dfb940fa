package ed25519

import (
	"bytes"
	"crypto"
	std "crypto/ed25519"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var rules = []Rule{Cofactorless, ZIP215}

// TestAgainstStandard compares keys, signatures and verdicts with crypto/ed25519.
func TestAgainstStandard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.SliceOfN(rapid.Byte(), SeedSize, SeedSize).Draw(t, "seed")
		message := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "message")
		opts := &Options{Context: rapid.StringN(0, 20, 255).Draw(t, "context")}
		if rapid.Bool().Draw(t, "prehashed") {
			opts.Hash = crypto.SHA512
			message = rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, "hash")
		}
		key, want := NewKeyFromSeed(seed), std.NewKeyFromSeed(seed)
		if !bytes.Equal(key, want) {
			t.Fatalf("NewKeyFromSeed(%x): got %x, want %x", seed, key, want)
		}
		if got, want := Sign(key, message), std.Sign(key, message); !bytes.Equal(got, want) {
			t.Errorf("Sign(%x, %x): got %x, want %x", key, message, got, want)
		}
		sig, err := SignWithOptions(key, message, opts)
		wantSig, wantErr := key.Sign(nil, message, opts)
		if err != nil || wantErr != nil || !bytes.Equal(sig, wantSig) {
			t.Errorf("SignWithOptions(%x, %x, %+v): got %x, error %v; want %x, error %v", key, message, opts, sig, err, wantSig, wantErr)
		}
		public := PublicKey(key[SeedSize:])
		for _, r := range rules {
			if err := r.VerifyWithOptions(public, message, sig, opts); err != nil {
				t.Errorf("rule %d: got error %v", r, err)
			}
		}
		// One changed bit.
		sig, public, message = slices.Clone(sig), slices.Clone(public), slices.Clone(message)
		part := rapid.SampledFrom([][]byte{sig, public, message}).Draw(t, "part")
		if len(part) == 0 {
			return
		}
		bit := rapid.IntRange(0, 8*len(part)-1).Draw(t, "bit")
		part[bit/8] ^= 1 << (bit % 8)
		valid := std.VerifyWithOptions(public, message, sig, opts) == nil
		for _, r := range rules {
			if got := r.VerifyWithOptions(public, message, sig, opts) == nil; got != valid {
				t.Errorf("rule %d, with bit %d changed: got %t, want %t", r, bit, got, valid)
			}
		}
	})
}

// TestKeyTypes checks that keys are those of crypto/ed25519.
func TestKeyTypes(t *testing.T) {
	public, private, err := GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	var key crypto.Signer = private
	if !public.Equal(key.Public()) {
		t.Error("the halves do not belong together")
	}
	sig, err := key.Sign(nil, []byte("m"), crypto.Hash(0))
	if err != nil || !Verify(public, []byte("m"), sig) || !std.Verify(public, []byte("m"), Sign(private, []byte("m"))) {
		t.Errorf("a signature of one package is refused by the other (%v)", err)
	}
}

func TestGenerateKey(t *testing.T) {
	seed := bytes.Repeat([]byte{3, 5}, 16)
	public, private, err := GenerateKey(bytes.NewReader(seed))
	if want := std.NewKeyFromSeed(seed); err != nil || !bytes.Equal(private, want) || !bytes.Equal(public, want[32:]) {
		t.Errorf("got %x, %x, error %v; want those of the seed that was read", public, private, err)
	}
	public[0] ^= 1
	if bytes.Equal(public, private[32:]) {
		t.Error("the public key is a part of the private one")
	}
	for _, n := range []int{0, 31} {
		public, private, err := GenerateKey(bytes.NewReader(seed[:n]))
		if public != nil || private != nil || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("with %d bytes: got %x, %x, error %v; want an error about the end", n, public, private, err)
		}
	}
	_, a, err := GenerateKey(nil)
	_, b, err2 := GenerateKey(nil)
	if err != nil || err2 != nil || len(a) != PrivateKeySize || bytes.Equal(a, b) {
		t.Errorf("got %d bytes, errors %v, %v; want two different keys", len(a), err, err2)
	}
}

// Keys, seeds and signatures of all lengths, for all functions.
func TestReport_golang_go_60411(t *testing.T) {
	_, key, err := GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	public, message := PublicKey(key[32:]), []byte("message")
	sig := Sign(key, message)
	cut := func(b []byte, n int) []byte { return append(slices.Clone(b), make([]byte, 200)...)[:n] }
	for n := range 130 {
		if got := NewKeyFromSeed(cut(key[:32], n)); (got != nil) != (n == SeedSize) {
			t.Errorf("NewKeyFromSeed of %d bytes: got %x", n, got)
		}
		if got := Sign(cut(key, n), message); (got != nil) != (n == PrivateKeySize) {
			t.Errorf("Sign with a key of %d bytes: got %x", n, got)
		}
		if _, err := SignWithOptions(cut(key, n), message, nil); (err == nil) != (n == PrivateKeySize) ||
			n == 63 && err.Error() != "ed25519: bad private key length: got 63 bytes, want 64" {
			t.Errorf("SignWithOptions with a key of %d bytes: got error %v", n, err)
		}
		for _, r := range rules {
			b := NewBatchVerifier(r)
			for _, test := range []struct {
				public, sig []byte
				valid       bool
				want        string
			}{
				{cut(public, n), sig, n == PublicKeySize, "public key length"},
				{public, cut(sig, n), n == SignatureSize, "signature length"},
			} {
				b.Add(test.public, message, test.sig)
				err := r.VerifyWithOptions(test.public, message, test.sig, nil)
				if (err == nil) != test.valid || r.Verify(test.public, message, test.sig) != test.valid ||
					err != nil && !strings.Contains(err.Error(), test.want) {
					t.Errorf("rule %d, %d bytes: got error %v, want ok = %t", r, n, err, test.valid)
				}
			}
			all, each := b.Verify(nil)
			if all || !slices.Equal(each, []bool{n == PublicKeySize, n == SignatureSize}) {
				t.Errorf("batch, rule %d, %d bytes: got %t, %v", r, n, all, each)
			}
		}
	}
}

// TestBadRule checks that a number that is no rule accepts nothing.
func TestBadRule(t *testing.T) {
	_, key, err := GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Rule{-1, 2} {
		err := r.VerifyWithOptions(PublicKey(key[32:]), nil, Sign(key, nil), nil)
		if err == nil || !strings.Contains(err.Error(), "bad rule") {
			t.Errorf("rule %d: got error %v", r, err)
		}
		b := NewBatchVerifier(r)
		b.Add(PublicKey(key[32:]), nil, Sign(key, nil))
		if all, each := b.Verify(nil); all || each[0] {
			t.Errorf("rule %d: the batch accepts", r)
		}
	}
}
