package peers

import (
	"bytes"
	"crypto/ecdh"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/curves/p256"
	"github.com/seed-6f9cd256/fieldproof/peers/wycheproof"
)

// agreement is a test of ECDH.
type agreement struct{ Public, Private, Shared wycheproof.Hex }

// privateKey pads or cuts a private key of DER's form of integers to 32 bytes.
func privateKey(b []byte) []byte {
	b = bytes.TrimLeft(b, "\x00")
	return append(make([]byte, max(0, 32-len(b))), b...)
}

// check agrees on a secret with a public key that is encoded as in SEC 1, or
// refused before, and compares the verdict.
func (v agreement) check(public []byte, refused error, c wycheproof.Case) error {
	err := refused
	var got []byte
	if err == nil {
		var key *p256.PrivateKey
		if key, err = p256.NewPrivateKey(privateKey(v.Private)); err != nil {
			return fmt.Errorf("the private key: %w", err)
		}
		var peer *p256.PublicKey
		if peer, err = p256.NewPublicKey(public); err == nil {
			got, err = key.ECDH(peer)
		}
	}
	switch {
	case err != nil && c.Result == wycheproof.Valid:
		return err
	case err == nil && c.Result == wycheproof.Invalid:
		return fmt.Errorf("got the secret %x, want an error", got)
	case err == nil && !bytes.Equal(got, v.Shared):
		return fmt.Errorf("got the secret %x, want %x", got, v.Shared)
	}
	return nil
}

// TestWycheproofECDHPoint has public keys as points.
func TestWycheproofECDHPoint(t *testing.T) {
	valid := 0
	wycheproof.Run(t, "ecdh_secp256r1_ecpoint_test.json", func(_ struct{}, v agreement, c wycheproof.Case) error {
		if c.Result == wycheproof.Valid {
			valid++
		}
		return v.check(v.Public, nil, c)
	})
	if valid < 200 {
		t.Errorf("got %d valid tests, want hundreds", valid)
	}
}

// TestWycheproofECDH has public keys in X.509, which crypto/x509 reads. Keys that
// it refuses are refused; of those whose parameters it does not support, none is
// valid.
func TestWycheproofECDH(t *testing.T) {
	wycheproof.Run(t, "ecdh_secp256r1_test.json", func(_ struct{}, v agreement, c wycheproof.Case) error {
		key, err := x509.ParsePKIXPublicKey(v.Public)
		if err != nil {
			// crypto/x509 does not know compressed points. They stand at the end.
			if point := compressedPoint(v.Public); point != nil {
				return v.check(point, nil, c)
			}
			return v.check(nil, err, c)
		}
		ecdsaKey, ok := key.(interface {
			ECDH() (*ecdh.PublicKey, error)
		})
		if !ok {
			return v.check(nil, fmt.Errorf("a key of type %T", key), c)
		}
		ecdhKey, err := ecdsaKey.ECDH()
		if err == nil && ecdhKey.Curve() != ecdh.P256() {
			err = fmt.Errorf("a key of %v", ecdhKey.Curve())
		}
		if err != nil {
			return v.check(nil, err, c)
		}
		return v.check(ecdhKey.Bytes(), nil, c)
	})
}

// compressedPoint returns the compressed point of a SubjectPublicKeyInfo (RFC 5480,
// section 2) for P-256 as a named curve, or nil.
func compressedPoint(der []byte) []byte {
	prefix := []byte("\x30\x39\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x22\x00")
	point, ok := bytes.CutPrefix(der, prefix)
	if !ok || len(point) != 33 {
		return nil
	}
	return point
}

// A verification is a test of ECDSA, and its group has the key.
type verification struct{ Msg, Sig wycheproof.Hex }

type verificationGroup struct {
	PublicKey struct{ Uncompressed wycheproof.Hex }
	Sha       string
}

// wycheproofECDSA runs a file of signatures in one of the two forms.
func wycheproofECDSA(t *testing.T, file string, verify func(key *p256.PublicKey, digest, sig []byte) bool,
	convert func([]byte) ([]byte, error), other func(key *p256.PublicKey, digest, sig []byte) bool) {
	wycheproof.Run(t, file, func(g verificationGroup, v verification, c wycheproof.Case) error {
		if g.Sha != "SHA-256" {
			return fmt.Errorf("the hash function is %s, want SHA-256", g.Sha)
		}
		key, err := p256.NewPublicKey(g.PublicKey.Uncompressed)
		if err != nil {
			return err
		}
		digest := sha256.Sum256(v.Msg)
		want := c.Result == wycheproof.Valid
		if got := verify(key, digest[:], v.Sig); got != want {
			return fmt.Errorf("got %t", got)
		}
		converted, err := convert(v.Sig)
		if got := err == nil && other(key, digest[:], converted); got != want {
			return fmt.Errorf("in the other form: got %t, %v", got, err)
		}
		return nil
	})
}

func TestWycheproofECDSA(t *testing.T) {
	wycheproofECDSA(t, "ecdsa_secp256r1_sha256_test.json", p256.VerifyASN1, p256.FromASN1, p256.Verify)
}

func TestWycheproofECDSARaw(t *testing.T) {
	wycheproofECDSA(t, "ecdsa_secp256r1_sha256_p1363_test.json", p256.Verify, p256.ToASN1, p256.VerifyASN1)
}

// The sum of two multiples was wrong elsewhere for equal summands: a valid
// signature was refused.
func TestReport_kmackay_micro_ecc_141(t *testing.T) {
	want := map[int]wycheproof.Result{295: wycheproof.Valid, 427: wycheproof.Valid, 428: wycheproof.Invalid}
	wycheproof.Run(t, "ecdsa_secp256r1_sha256_test.json", func(g verificationGroup, v verification, c wycheproof.Case) error {
		result, ok := want[c.ID]
		if !ok {
			return nil
		}
		delete(want, c.ID)
		key, err := p256.NewPublicKey(g.PublicKey.Uncompressed)
		if err != nil {
			return err
		}
		digest := sha256.Sum256(v.Msg)
		if got := p256.VerifyASN1(key, digest[:], v.Sig); c.Result != result || got != (result == wycheproof.Valid) {
			return fmt.Errorf("got %t, want a test that is %s", got, result)
		}
		return nil
	})
	if len(want) > 0 {
		t.Errorf("not in the file: %v", want)
	}
}
