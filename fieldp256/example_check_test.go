package fieldp256_test

import (
	"bytes"
	stdecdh "crypto/ecdh"
	"crypto/rand"
	"testing"
)

// TestECDHExample compares the example with crypto/ecdh.
func TestECDHExample(t *testing.T) {
	for range 5 {
		ours, err := stdecdh.P256().GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := stdecdh.P256().GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		k := [32]byte(ours.Bytes())
		// An uncompressed point is 04, x, y (SEC 1, section 2.3.3).
		x, y := publicKey(k)
		if got, want := append(append([]byte{4}, x...), y...), ours.PublicKey().Bytes(); !bytes.Equal(got, want) {
			t.Errorf("public key of %x: got %x, want %x", k, got, want)
		}
		q := theirs.PublicKey().Bytes()
		got, err := ecdh(k, q[1:33], q[33:])
		if err != nil {
			t.Fatal(err)
		}
		want, err := ours.ECDH(theirs.PublicKey())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("ecdh(%x, %x): got %x, want %x", k, q, got, want)
		}
	}
}
