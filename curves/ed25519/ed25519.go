package ed25519

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-6f9cd256/fieldproof/curves/internal/edwards"
	"github.com/seed-6f9cd256/fieldproof/field25519"
)

const (
	// PublicKeySize is the length of a public key in bytes.
	PublicKeySize = ed25519.PublicKeySize
	// PrivateKeySize is the length of a private key in bytes: the seed, which
	// RFC 8032 calls the private key, and the public key.
	PrivateKeySize = ed25519.PrivateKeySize
	// SignatureSize is the length of a signature in bytes.
	SignatureSize = ed25519.SignatureSize
	// SeedSize is the length of a seed in bytes.
	SeedSize = ed25519.SeedSize
)

// The types are those of crypto/ed25519, so that keys work in both packages and
// wherever crypto/ed25519 is expected. The methods of a private key are those of
// crypto/ed25519 too: its method Sign gives the same signatures as the functions
// of this package, but takes the time of crypto/ed25519.
type (
	// PublicKey is a public key: 32 bytes.
	PublicKey = ed25519.PublicKey
	// PrivateKey is a private key: 64 bytes.
	PrivateKey = ed25519.PrivateKey
	// Options select Ed25519ctx or Ed25519ph.
	Options = ed25519.Options
)

// GenerateKey returns a new key pair, from SeedSize bytes read from random. If
// random is nil, it reads from crypto/rand. It returns an error if reading fails.
func GenerateKey(random io.Reader) (PublicKey, PrivateKey, error) {
	if random == nil {
		random = rand.Reader
	}
	seed := make([]byte, SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, nil, fmt.Errorf("ed25519: reading a seed: %w", err)
	}
	private := NewKeyFromSeed(seed)
	return PublicKey(append([]byte(nil), private[SeedSize:]...)), private, nil
}

// NewKeyFromSeed returns the private key that RFC 8032, section 5.1.5, derives
// from a seed of SeedSize bytes. If seed has another length, it returns nil,
// where crypto/ed25519 panics.
func NewKeyFromSeed(seed []byte) PrivateKey {
	if len(seed) != SeedSize {
		return nil
	}
	var a edwards.Point
	s, _ := expand(seed)
	public := a.ScalarBaseMult((*[32]byte)(s.Bytes())).Bytes()
	return append(append(make(PrivateKey, 0, PrivateKeySize), seed...), public[:]...)
}

// expand returns the secret scalar of a seed, modulo the order of the base point,
// and the prefix of its nonces (RFC 8032, section 5.1.5).
func expand(seed []byte) (s field25519.Scalar, prefix [32]byte) {
	h := sha512.Sum512(seed)
	s.SetBytesWithClamping(h[:32]) // no error: the length is right
	return s, [32]byte(h[32:])
}

// Sign returns the signature of the message by the private key, of SignatureSize
// bytes (RFC 8032, section 5.1.6). If the key does not have PrivateKeySize bytes,
// it returns nil, where crypto/ed25519 panics.
func Sign(privateKey PrivateKey, message []byte) []byte {
	signature, err := SignWithOptions(privateKey, message, nil)
	if err != nil {
		return nil
	}
	return signature
}

// SignWithOptions returns the signature of the message by the private key under
// the options, of SignatureSize bytes. If opts.Hash is crypto.SHA512, it is one
// of Ed25519ph, and message is the SHA-512 hash of what is signed; otherwise
// opts.Hash must be 0. If opts is nil, its fields count as zero.
//
// It returns an error if the key has another length than PrivateKeySize, if the
// context is longer than 255 bytes, if the hash function is another one, or if a
// message that should be a hash does not have 64 bytes.
func SignWithOptions(privateKey PrivateKey, message []byte, opts *Options) ([]byte, error) {
	if len(privateKey) != PrivateKeySize {
		return nil, lengthError("private key", len(privateKey), PrivateKeySize)
	}
	dom, err := domain(message, opts)
	if err != nil {
		return nil, err
	}
	seed, public := privateKey[:SeedSize], privateKey[SeedSize:]
	s, prefix := expand(seed)

	var r, k field25519.Scalar
	hashToScalar(&r, dom, prefix[:], message)
	var nonce edwards.Point
	encoded := nonce.ScalarBaseMult((*[32]byte)(r.Bytes())).Bytes()
	hashToScalar(&k, dom, encoded[:], public, message)
	s.MultiplyAdd(&k, &s, &r)

	signature := make([]byte, 0, SignatureSize)
	return append(append(signature, encoded[:]...), s.Bytes()...), nil
}

// hashToScalar sets z to the SHA-512 hash of the parts, modulo the order of the
// base point.
func hashToScalar(z *field25519.Scalar, parts ...[]byte) {
	h := sha512.New()
	for _, p := range parts {
		h.Write(p)
	}
	var digest [sha512.Size]byte
	z.SetWideBytes(h.Sum(digest[:0])) // no error: the length is right
}

// domain returns the string dom2 of RFC 8032, section 2, that the options ask
// for, which is empty for plain Ed25519. It returns an error if the options, or
// the message under them, are not allowed.
func domain(message []byte, opts *Options) ([]byte, error) {
	if opts == nil || opts.Hash == 0 && opts.Context == "" {
		return nil, nil
	}
	if len(opts.Context) > 255 {
		return nil, errors.New("ed25519: bad context length: got " + strconv.Itoa(len(opts.Context)) + " bytes, want at most 255")
	}
	prehashed := byte(0)
	switch opts.Hash {
	case 0:
	case crypto.SHA512:
		prehashed = 1
		if len(message) != sha512.Size {
			return nil, lengthError("Ed25519ph message hash", len(message), sha512.Size)
		}
	default:
		return nil, errors.New("ed25519: bad hash function: got crypto.Hash(" + strconv.Itoa(int(opts.Hash)) + "), want crypto.SHA512 or 0")
	}
	dom := append([]byte("SigEd25519 no Ed25519 collisions"), prehashed, byte(len(opts.Context)))
	return append(dom, opts.Context...), nil
}

func lengthError(what string, got, want int) error {
	return errors.New("ed25519: bad " + what + " length: got " + strconv.Itoa(got) + " bytes, want " + strconv.Itoa(want))
}
