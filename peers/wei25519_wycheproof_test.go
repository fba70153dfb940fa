package peers

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/curves/wei25519"
	"github.com/seed-6f9cd256/fieldproof/peers/wycheproof"
)

// TestWycheproofWei25519 computes X25519 in Weierstrass form. A secret of zeros is
// an error there, and acceptable here.
func TestWycheproofWei25519(t *testing.T) {
	wycheproof.Run(t, "x25519_test.json", func(_ struct{}, v agreement, c wycheproof.Case) error {
		got, err := wei25519.X25519(v.Private, v.Public)
		zero := bytes.Equal(v.Shared, make([]byte, 32))
		if (err != nil) != zero || err == nil && !bytes.Equal(got, v.Shared) {
			return fmt.Errorf("got the secret %x, %v, want %x", got, err, v.Shared)
		}
		if c.Result == wycheproof.Invalid || c.Result == wycheproof.Valid && zero {
			return fmt.Errorf("the vector is not what this test expects")
		}
		return nil
	})
}
