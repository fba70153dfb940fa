package peers

import (
	"bytes"
	"crypto/ecdh"
	stded25519 "crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"testing"

	circlx25519 "github.com/cloudflare/circl/dh/x25519"
	circled25519 "github.com/cloudflare/circl/sign/ed25519"
	voied25519 "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	voix25519 "github.com/oasisprotocol/curve25519-voi/primitives/x25519"

	"github.com/seed-6f9cd256/fieldproof/curves/ed25519"
	"github.com/seed-6f9cd256/fieldproof/curves/x25519"
)

func BenchmarkX25519(b *testing.B)  { x25519Protocol.benchmark(b) }
func BenchmarkEd25519(b *testing.B) { ed25519Protocol.benchmark(b) }

func TestCallsX25519(t *testing.T)  { x25519Protocol.test(t) }
func TestCallsEd25519(t *testing.T) { ed25519Protocol.test(t) }

// fixedBytes returns 32 bytes that the seed determines.
func fixedBytes(seed byte) []byte {
	b := sha256.Sum256([]byte{seed})
	return b[:]
}

// peerPoint is a fixed public key.
func peerPoint() []byte { return must(x25519.ScalarBaseMult(fixedBytes(2))) }

var x25519Protocol = protocol{"X25519", []protocolOperation{
	{"PublicKey", []call{
		{"ours", func() func() (any, error) {
			k := fixedBytes(1)
			return func() (any, error) { b, err := x25519.ScalarBaseMult(k); return string(b), err }
		}},
		{"std", func() func() (any, error) {
			k := fixedBytes(1)
			return func() (any, error) {
				key, err := ecdh.X25519().NewPrivateKey(k)
				if err != nil {
					return nil, err
				}
				return string(key.PublicKey().Bytes()), nil
			}
		}},
		{"circl", func() func() (any, error) {
			k := circlx25519.Key(fixedBytes(1))
			return func() (any, error) {
				var b circlx25519.Key
				circlx25519.KeyGen(&b, &k)
				return string(b[:]), nil
			}
		}},
		{"voi", func() func() (any, error) {
			k := fixedBytes(1)
			return func() (any, error) { b, err := voix25519.X25519(k, voix25519.Basepoint); return string(b), err }
		}},
	}},
	{"SharedSecret", []call{
		{"ours", func() func() (any, error) {
			k, p := fixedBytes(1), peerPoint()
			return func() (any, error) { b, err := x25519.X25519(k, p); return string(b), err }
		}},
		{"std", func() func() (any, error) {
			k, p := must(ecdh.X25519().NewPrivateKey(fixedBytes(1))), must(ecdh.X25519().NewPublicKey(peerPoint()))
			return func() (any, error) { b, err := k.ECDH(p); return string(b), err }
		}},
		{"circl", func() func() (any, error) {
			k, p := circlx25519.Key(fixedBytes(1)), circlx25519.Key(peerPoint())
			return func() (any, error) {
				var b circlx25519.Key
				ok := circlx25519.Shared(&b, &k, &p)
				return string(b[:]), verdict(ok)
			}
		}},
		{"voi", func() func() (any, error) {
			k, p := fixedBytes(1), peerPoint()
			return func() (any, error) { b, err := voix25519.X25519(k, p); return string(b), err }
		}},
	}},
}}

// signed has what is signed and verified, by one key: of the batch, the first.
func signed(i int) (public ed25519.PublicKey, private ed25519.PrivateKey, message, sig []byte) {
	private = ed25519.NewKeyFromSeed(fixedBytes(byte(i)))
	message = fixedBytes(byte(i + 100))
	return ed25519.PublicKey(private[32:]), private, message, ed25519.Sign(private, message)
}

const batchSize = 64

// each verifies a batch one by one.
func each(verify func(public, message, sig []byte) bool) func() func() (any, error) {
	return func() func() (any, error) {
		list := batchOfSignatures()
		return func() (any, error) {
			for _, s := range list {
				if !verify(s.public, s.message, s.sig) {
					return 0, verdict(false)
				}
			}
			return 0, nil
		}
	}
}

func batchOfSignatures() (list []signature) {
	for i := range batchSize {
		public, _, message, sig := signed(i)
		list = append(list, signature{public, message, sig})
	}
	return list
}

// one verifies one signature.
func one(verify func(public, message, sig []byte) bool) func() func() (any, error) {
	return func() func() (any, error) {
		public, _, message, sig := signed(0)
		return func() (any, error) { return 0, verdict(verify(public, message, sig)) }
	}
}

// The operation Verify64 is the verification of 64 signatures by as many keys, in a
// batch by those who have it, under rules of their own.
var ed25519Protocol = protocol{"Ed25519", []protocolOperation{
	{"GenerateKey", []call{
		{"ours", func() func() (any, error) {
			return func() (any, error) { _, _, err := ed25519.GenerateKey(rand.Reader); return 0, err }
		}},
		{"std", func() func() (any, error) {
			return func() (any, error) { _, _, err := stded25519.GenerateKey(rand.Reader); return 0, err }
		}},
		{"circl", func() func() (any, error) {
			return func() (any, error) { _, _, err := circled25519.GenerateKey(rand.Reader); return 0, err }
		}},
		{"voi", func() func() (any, error) {
			return func() (any, error) { _, _, err := voied25519.GenerateKey(rand.Reader); return 0, err }
		}},
	}},
	{"Sign", []call{
		{"ours", func() func() (any, error) {
			_, key, message, _ := signed(0)
			return func() (any, error) { return string(ed25519.Sign(key, message)), nil }
		}},
		{"std", func() func() (any, error) {
			_, key, message, _ := signed(0)
			return func() (any, error) { return string(stded25519.Sign(key, message)), nil }
		}},
		{"circl", func() func() (any, error) {
			_, key, message, _ := signed(0)
			return func() (any, error) { return string(circled25519.Sign(circled25519.PrivateKey(key), message)), nil }
		}},
		{"voi", func() func() (any, error) {
			_, key, message, _ := signed(0)
			return func() (any, error) { return string(voied25519.Sign(voied25519.PrivateKey(key), message)), nil }
		}},
	}},
	{"Verify", []call{
		{"ours", one(func(public, message, sig []byte) bool { return ed25519.Verify(public, message, sig) })},
		{"std", one(func(public, message, sig []byte) bool { return stded25519.Verify(public, message, sig) })},
		{"circl", one(func(public, message, sig []byte) bool { return circled25519.Verify(public, message, sig) })},
		{"voi", one(func(public, message, sig []byte) bool { return voied25519.Verify(public, message, sig) })},
	}},
	{"Verify64", []call{
		{"ours", func() func() (any, error) {
			list := batchOfSignatures()
			return func() (any, error) {
				batch := ed25519.NewBatchVerifier(ed25519.ZIP215)
				for _, s := range list {
					batch.Add(s.public, s.message, s.sig)
				}
				all, _ := batch.Verify(rand.Reader)
				return 0, verdict(all)
			}
		}},
		{"std", each(func(public, message, sig []byte) bool { return stded25519.Verify(public, message, sig) })},
		{"circl", each(func(public, message, sig []byte) bool { return circled25519.Verify(public, message, sig) })},
		{"voi", func() func() (any, error) {
			list := batchOfSignatures()
			return func() (any, error) {
				batch := voied25519.NewBatchVerifierWithCapacity(batchSize)
				for _, s := range list {
					batch.Add(s.public, s.message, s.sig)
				}
				all, _ := batch.Verify(rand.Reader)
				return 0, verdict(all)
			}
		}},
	}},
}}

// TestSigned checks that the signatures of the batch are by different keys.
func TestSigned(t *testing.T) {
	list := batchOfSignatures()
	if len(list) != batchSize || bytes.Equal(list[0].public, list[1].public) || bytes.Equal(list[0].sig, list[1].sig) {
		t.Error("the batch has fewer signatures, or the same twice")
	}
}
