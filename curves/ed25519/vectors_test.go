package ed25519

import (
	"bytes"
	"crypto"
	"crypto/sha512"
	_ "embed"
	"encoding/hex"
	"strings"
	"testing"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

//go:embed testdata/rfc8032.txt
var rfc8032 string

// TestVectors runs all vectors of RFC 8032 for Ed25519, Ed25519ctx and Ed25519ph.
func TestVectors(t *testing.T) {
	n := 0
	for line := range strings.Lines(rfc8032) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		fields := strings.Fields(line)
		if len(fields) != 6 {
			t.Fatalf("got %d fields, want 6: %s", len(fields), line)
		}
		var values [][]byte
		for _, f := range fields[1:] {
			values = append(values, unhex(t, strings.Trim(f, "-")))
		}
		name, seed, public, message, want := fields[0], values[0], values[1], values[2], values[4]
		opts := &Options{Context: string(values[3])}
		if strings.HasPrefix(name, "ph") {
			opts.Hash = crypto.SHA512
			digest := sha512.Sum512(message)
			message = digest[:]
		}
		key := NewKeyFromSeed(seed)
		if !bytes.Equal(key, append(seed[:32:32], public...)) {
			t.Errorf("%s: got private key %x, want seed and public key %x", name, key, public)
		}
		got, err := SignWithOptions(key, message, opts)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got signature %x, error %v; want %x", name, got, err, want)
		}
		for _, r := range rules {
			batch := NewBatchVerifier(r)
			batch.AddWithOptions(public, message, want, opts)
			batch.AddWithOptions(public, message, want, opts)
			if all, _ := batch.Verify(nil); !all {
				t.Errorf("%s: rule %d: the batch refuses the signature", name, r)
			}
			if err := r.VerifyWithOptions(public, message, want, opts); err != nil {
				t.Errorf("%s: rule %d: got error %v", name, r, err)
			}
			for _, other := range []*Options{nil, {Context: "x"}, {Hash: crypto.SHA512}, {Hash: crypto.SHA512, Context: "x"}} {
				if other == nil && *opts == (Options{}) || other != nil && *other == *opts {
					continue
				}
				if r.VerifyWithOptions(public, message, want, other) == nil {
					t.Errorf("%s: rule %d: valid under %+v too", name, r, other)
				}
			}
		}
	}
	if n != 10 {
		t.Errorf("got %d vectors, want 10", n)
	}
}

// TestOptions checks which options are refused, by all functions that take them.
func TestOptions(t *testing.T) {
	key := NewKeyFromSeed(make([]byte, SeedSize))
	public := PublicKey(key[SeedSize:])
	digest := make([]byte, sha512.Size)
	for _, test := range []struct {
		message []byte
		opts    *Options
		want    string // of the error
	}{
		{digest, nil, ""},
		{digest, &Options{}, ""},
		{nil, &Options{Context: strings.Repeat("c", 255)}, ""},
		{nil, &Options{Context: strings.Repeat("c", 256)}, "ed25519: bad context length: got 256 bytes, want at most 255"},
		{digest, &Options{Hash: crypto.SHA512, Context: strings.Repeat("c", 255)}, ""},
		{digest, &Options{Hash: crypto.SHA512, Context: strings.Repeat("c", 256)}, "ed25519: bad context length: got 256 bytes, want at most 255"},
		{digest, &Options{Hash: crypto.SHA512}, ""},
		{digest[:63], &Options{Hash: crypto.SHA512}, "ed25519: bad Ed25519ph message hash length: got 63 bytes, want 64"},
		{nil, &Options{Hash: crypto.SHA512}, "ed25519: bad Ed25519ph message hash length: got 0 bytes, want 64"},
		{digest, &Options{Hash: crypto.SHA256}, "ed25519: bad hash function: got crypto.Hash(5), want crypto.SHA512 or 0"},
		{digest, &Options{Hash: crypto.SHA512_256, Context: "c"}, "ed25519: bad hash function: got crypto.Hash(15), want crypto.SHA512 or 0"},
	} {
		sig, err := SignWithOptions(key, test.message, test.opts)
		if got := errorText(err); got != test.want || (err == nil) != (sig != nil) {
			t.Errorf("SignWithOptions(%+v): got %x, error %q; want error %q", test.opts, sig, got, test.want)
		}
		if sig == nil {
			sig = make([]byte, SignatureSize)
		}
		if got := errorText(VerifyWithOptions(public, test.message, sig, test.opts)); got != test.want {
			t.Errorf("VerifyWithOptions(%+v): got error %q, want %q", test.opts, got, test.want)
		}
		var b BatchVerifier
		b.AddWithOptions(public, test.message, sig, test.opts)
		if all, each := b.Verify(nil); all != (test.want == "") || len(each) != 1 || each[0] != all {
			t.Errorf("BatchVerifier with %+v: got %t, %v", test.opts, all, each)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
