package p256

import (
	"crypto"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"

	"github.com/seed-6f9cd256/fieldproof/curves/internal/nist"
	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

const (
	// PrivateKeySize is the length of a private key in bytes.
	PrivateKeySize = 32
	// PublicKeySize is the length of an uncompressed public key.
	PublicKeySize = nist.UncompressedLength
	// CompressedPublicKeySize is the length of a compressed public key.
	CompressedPublicKeySize = nist.CompressedLength
	// SharedSecretSize is the length of what ECDH returns.
	SharedSecretSize = 32
	// SignatureSize is the length of a signature of the form r || s.
	SignatureSize = 64
)

// A PublicKey is a point of P-256 other than infinity. Make one with
// [NewPublicKey] or [PrivateKey.PublicKey]: the zero value is no key, and
// functions refuse it. It is safe for use by several goroutines.
type PublicKey struct {
	point nist.Point
	valid bool
}

// A PrivateKey is an integer d with 0 < d < n, with its public key. Make one with
// [GenerateKey] or [NewPrivateKey]: the zero value is no key, and functions
// refuse it. It is safe for use by several goroutines.
type PrivateKey struct {
	d      fieldp256.Scalar
	public PublicKey
}

var (
	errNoPrivateKey = errors.New("p256: expected a private key, got nil or the zero value")
	errNoPublicKey  = errors.New("p256: expected a public key, got nil or the zero value")
)

// GenerateKey returns a new private key, uniform in 1 to n - 1. It takes 32 bytes
// from the source, and 32 more after each that is out of that range, for which
// the odds are 2^-32. If the source is nil, that is crypto/rand.Reader.
//
// The method is that of FIPS 186-5, appendix A.2.2 (testing candidates).
func GenerateKey(source io.Reader) (*PrivateKey, error) {
	if source == nil {
		source = rand.Reader
	}
	var b [PrivateKeySize]byte
	for range maxCandidates {
		if _, err := io.ReadFull(source, b[:]); err != nil {
			return nil, fmt.Errorf("p256: GenerateKey: expected %d random bytes: %w", len(b), err)
		}
		if key, err := NewPrivateKey(b[:]); err == nil {
			return key, nil
		}
	}
	return nil, fmt.Errorf("p256: GenerateKey: expected random bytes, got %d values in a row that are out of range", maxCandidates)
}

// maxCandidates ends loops that would have no end with a source that is not
// random. The odds to get so many bad candidates are below 2^-512.
const maxCandidates = 16

// NewPrivateKey returns the private key of 32 bytes, big-endian. It refuses other
// lengths, zero, and integers that are not below the order of the group.
func NewPrivateKey(key []byte) (*PrivateKey, error) {
	if len(key) != PrivateKeySize {
		return nil, fmt.Errorf("p256: NewPrivateKey: expected %d bytes, got %d", PrivateKeySize, len(key))
	}
	k := new(PrivateKey)
	if _, err := k.d.SetBytes(key); err != nil {
		return nil, errors.New("p256: NewPrivateKey: expected an integer below the order of the group, got one at or above it")
	}
	if k.public.point.MultiplyBase(&k.d) == 0 {
		return nil, errors.New("p256: NewPrivateKey: expected a positive integer, got 0")
	}
	k.public.valid = true
	return k, nil
}

// NewPublicKey returns the public key of 65 or, if compressed, 33 bytes (SEC 1,
// version 2.0, section 2.3.4). It refuses other lengths and forms, infinity,
// coordinates that are not below the prime, and points that are not on the curve.
func NewPublicKey(key []byte) (*PublicKey, error) {
	k := new(PublicKey)
	if _, err := k.point.SetBytes(key); err != nil {
		return nil, fmt.Errorf("p256: NewPublicKey: %w", err)
	}
	k.valid = true
	return k, nil
}

// ok reports whether the key was made by a function of this package.
func (k *PublicKey) ok() bool { return k != nil && k.valid }

func (k *PrivateKey) ok() bool { return k != nil && k.public.valid }

// Bytes returns the uncompressed encoding of the key, of 65 bytes, or nil for the
// zero value.
func (k *PublicKey) Bytes() []byte {
	if !k.ok() {
		return nil
	}
	b := k.point.Bytes()
	return b[:]
}

// BytesCompressed returns the compressed encoding of the key, of 33 bytes, or nil
// for the zero value.
func (k *PublicKey) BytesCompressed() []byte {
	if !k.ok() {
		return nil
	}
	b := k.point.BytesCompressed()
	return b[:]
}

// Equal reports whether x is a *PublicKey that is the same point.
func (k *PublicKey) Equal(x crypto.PublicKey) bool {
	other, ok := x.(*PublicKey)
	return ok && k.ok() && other.ok() && k.point.Equal(&other.point) == 1
}

// Bytes returns the key as 32 bytes, big-endian, or nil for the zero value.
func (k *PrivateKey) Bytes() []byte {
	if !k.ok() {
		return nil
	}
	return k.d.Bytes()
}

// PublicKey returns the public key. That of the zero value is the zero value, and
// that of nil is nil.
func (k *PrivateKey) PublicKey() *PublicKey {
	if k == nil {
		return nil
	}
	public := k.public // what the caller does to it must not reach k
	return &public
}

// Public is [PrivateKey.PublicKey] for the interface crypto.Signer. The result is
// a *PublicKey.
func (k *PrivateKey) Public() crypto.PublicKey { return k.PublicKey() }

// Equal reports whether x is a *PrivateKey that is the same number. Its time does
// not depend on the numbers.
func (k *PrivateKey) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(*PrivateKey)
	return ok && k.ok() && other.ok() && subtle.ConstantTimeCompare(k.d.Bytes(), other.d.Bytes()) == 1
}

// ECDH returns the shared secret of the key and the peer's public key: the x
// coordinate of d·peer, in 32 bytes, big-endian (SP 800-56A, revision 3, section
// 5.7.1.2; SEC 1, section 3.3.1). It has to go through a key derivation function
// before use.
func (k *PrivateKey) ECDH(peer *PublicKey) ([]byte, error) {
	if !k.ok() {
		return nil, errNoPrivateKey
	}
	if !peer.ok() {
		return nil, errNoPublicKey
	}
	var p nist.Point
	if p.Multiply(&k.d, &peer.point) == 0 {
		// The order of the group is prime, so that this needs d = 0.
		return nil, errors.New("p256: ECDH: expected a point, got infinity")
	}
	x := p.BytesX()
	return x[:], nil
}
