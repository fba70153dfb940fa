package field25519_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"testing"
)

// TestX25519Example compares the ladder of the example with crypto/ecdh.
func TestX25519Example(t *testing.T) {
	base := [32]byte{9}
	for range 20 {
		ours, err := ecdh.X25519().GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := ecdh.X25519().GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		k := [32]byte(ours.Bytes())
		if got, want := x25519(k, base), ours.PublicKey().Bytes(); !bytes.Equal(got[:], want) {
			t.Errorf("public key of %x: got %x, want %x", k, got, want)
		}
		u := [32]byte(theirs.PublicKey().Bytes())
		want, err := ours.ECDH(theirs.PublicKey())
		if err != nil {
			t.Fatal(err)
		}
		if got := x25519(k, u); !bytes.Equal(got[:], want) {
			t.Errorf("x25519(%x, %x): got %x, want %x", k, u, got, want)
		}
	}
}

// TestX25519Iterated runs the iterated vector of RFC 7748, section 5.2.
func TestX25519Iterated(t *testing.T) {
	want := map[int]string{
		1:    "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
		1000: "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
	}
	k := [32]byte{9}
	u := k
	for i := 1; i <= 1000; i++ {
		k, u = x25519(k, u), k
		if w, ok := want[i]; ok && k != fromHex(w) {
			t.Errorf("after %d iterations: got %x, want %s", i, k, w)
		}
	}
}
