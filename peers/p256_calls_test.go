package peers

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/curves/p256"
	"github.com/seed-6f9cd256/fieldproof/curves/p256/stdkeys"
)

func BenchmarkP256(b *testing.B) { p256Protocol.benchmark(b) }

func TestCallsP256(t *testing.T) { p256Protocol.test(t) }

// digest is what is signed.
var digest = sha256.Sum256([]byte("fieldproof"))

// p256Key and p256Peer are fixed keys.
func p256Key() *p256.PrivateKey  { return fixedP256(1) }
func p256Peer() *p256.PrivateKey { return fixedP256(2) }

func fixedP256(seed byte) *p256.PrivateKey {
	b := sha256.Sum256([]byte{seed})
	return must(p256.NewPrivateKey(b[:]))
}

// verdict is the error of a verification.
func verdict(valid bool) error {
	if !valid {
		return errors.New("the signature is not valid")
	}
	return nil
}

var p256Protocol = protocol{"P256", []protocolOperation{
	{"GenerateKey", []call{
		{"ours", func() func() (any, error) {
			return func() (any, error) { _, err := p256.GenerateKey(rand.Reader); return 0, err }
		}},
		{"std", func() func() (any, error) {
			return func() (any, error) { _, err := ecdh.P256().GenerateKey(rand.Reader); return 0, err }
		}},
	}},
	{"NewPublicKey", []call{
		{"ours", func() func() (any, error) {
			b := p256Peer().PublicKey().Bytes()
			return func() (any, error) { k, err := p256.NewPublicKey(b); return string(k.Bytes()), err }
		}},
		{"std", func() func() (any, error) {
			b := p256Peer().PublicKey().Bytes()
			return func() (any, error) { k, err := ecdh.P256().NewPublicKey(b); return string(k.Bytes()), err }
		}},
	}},
	{"ECDH", []call{
		{"ours", func() func() (any, error) {
			key, peer := p256Key(), p256Peer().PublicKey()
			return func() (any, error) { b, err := key.ECDH(peer); return string(b), err }
		}},
		{"std", func() func() (any, error) {
			key := must(stdkeys.PrivateToECDH(p256Key()))
			peer := must(stdkeys.PublicToECDH(p256Peer().PublicKey()))
			return func() (any, error) { b, err := key.ECDH(peer); return string(b), err }
		}},
	}},
	{"Sign", []call{
		{"ours", func() func() (any, error) {
			key := p256Key()
			return func() (any, error) { _, err := p256.SignASN1(rand.Reader, key, digest[:]); return 0, err }
		}},
		{"std", func() func() (any, error) {
			key := must(stdkeys.PrivateToECDSA(p256Key()))
			return func() (any, error) { _, err := ecdsa.SignASN1(rand.Reader, key, digest[:]); return 0, err }
		}},
	}},
	{"SignDeterministic", []call{
		{"ours", func() func() (any, error) {
			key := p256Key()
			return func() (any, error) { b, err := p256.SignASN1(nil, key, digest[:]); return string(b), err }
		}},
		{"std", func() func() (any, error) {
			key := must(stdkeys.PrivateToECDSA(p256Key()))
			return func() (any, error) { b, err := key.Sign(nil, digest[:], crypto.SHA256); return string(b), err }
		}},
	}},
	{"Verify", []call{
		{"ours", func() func() (any, error) {
			key := p256Key()
			sig := must(p256.SignASN1(nil, key, digest[:]))
			return func() (any, error) { return 0, verdict(p256.VerifyASN1(key.PublicKey(), digest[:], sig)) }
		}},
		{"std", func() func() (any, error) {
			key := p256Key()
			sig := must(p256.SignASN1(nil, key, digest[:]))
			std := must(ecdsa.ParseUncompressedPublicKey(elliptic.P256(), key.PublicKey().Bytes()))
			return func() (any, error) { return 0, verdict(ecdsa.VerifyASN1(std, digest[:], sig)) }
		}},
	}},
}}
