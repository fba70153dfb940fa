package p256

import (
	"crypto"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/seed-6f9cd256/fieldproof/curves/internal/nist"
	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// SignASN1 signs a digest, the hash of a longer message, and returns the
// signature in DER. The leftmost 32 bytes of the digest count, as FIPS 186-5,
// section 6.4.1, says.
//
// If source is not nil, 32 bytes from it go into the nonce, together with the key
// and the digest. If it is nil, the signature is that of RFC 6979, with the hash
// function, of SHA-1 and SHA-2, that makes digests of that length, and SHA-256 for
// other lengths; [PrivateKey.Sign] takes any hash function.
func SignASN1(source io.Reader, key *PrivateKey, digest []byte) ([]byte, error) {
	sig, err := sign("SignASN1", source, key, digest, hashFor(len(digest)))
	if err != nil {
		return nil, err
	}
	return sig.der(), nil
}

// Sign is [SignASN1] with a result of 64 bytes, r || s.
func Sign(source io.Reader, key *PrivateKey, digest []byte) ([]byte, error) {
	sig, err := sign("Sign", source, key, digest, hashFor(len(digest)))
	if err != nil {
		return nil, err
	}
	return sig.raw(), nil
}

// Sign is [SignASN1] for the interface crypto.Signer. If opts is not nil and
// opts.HashFunc() is not 0, the digest must have the length of its digests, and
// the nonce is made with it.
func (k *PrivateKey) Sign(source io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	newHash := hashFor(len(digest))
	if opts != nil && opts.HashFunc() != 0 {
		h := opts.HashFunc()
		if !h.Available() {
			return nil, fmt.Errorf("p256: Sign: expected a hash function that is linked into the program, got %v", h)
		}
		if len(digest) != h.Size() {
			return nil, fmt.Errorf("p256: Sign: expected a digest of %d bytes for %v, got %d", h.Size(), h, len(digest))
		}
		newHash = h.New
	}
	sig, err := sign("Sign", source, k, digest, newHash)
	if err != nil {
		return nil, err
	}
	return sig.der(), nil
}

// number returns the number that a digest stands for: its leftmost 256 bits,
// modulo the order (FIPS 186-5, section 6.4.1, step 2).
func number(digest []byte) *fieldp256.Scalar {
	var b [32]byte
	digest = digest[:min(len(digest), len(b))]
	copy(b[len(b)-len(digest):], digest)
	e, err := new(fieldp256.Scalar).SetWideBytes(b[:])
	if err != nil {
		panic("p256: " + err.Error()) // 32 bytes are an accepted length
	}
	return e
}

// sign is ECDSA, FIPS 186-5, section 6.4.1.
func sign(method string, source io.Reader, key *PrivateKey, digest []byte, newHash func() hash.Hash) (*signature, error) {
	if !key.ok() {
		return nil, errNoPrivateKey
	}
	if len(digest) == 0 {
		return nil, fmt.Errorf("p256: %s: expected a digest, got 0 bytes", method)
	}
	var extra []byte
	if source != nil {
		extra = make([]byte, 32)
		if _, err := io.ReadFull(source, extra); err != nil {
			return nil, fmt.Errorf("p256: %s: expected %d random bytes: %w", method, len(extra), err)
		}
	}
	e := number(digest)
	candidates := newNonces(newHash, &key.d, e, extra)
	for range maxCandidates {
		var k fieldp256.Scalar
		candidates.next(&k)
		if sig := signWith(&key.d, e, &k); sig != nil {
			return sig, nil
		}
	}
	return nil, errors.New("p256: " + method + ": expected a signature, got zeros only") // odds below 2^-4000
}

// signWith makes the signature with the nonce k, or returns nil if r or s is 0.
func signWith(d, e, k *fieldp256.Scalar) *signature {
	var p nist.Point
	if p.MultiplyBase(k) == 0 {
		return nil
	}
	sig := new(signature)
	x := p.BytesX()
	if _, err := sig.r.SetWideBytes(x[:]); err != nil {
		panic("p256: " + err.Error()) // 32 bytes are an accepted length
	}
	var inverse fieldp256.Scalar
	inverse.Invert(k)
	sig.s.MultiplyAdd(&sig.r, d, e)
	sig.s.Multiply(&sig.s, &inverse)
	if sig.r.IsZero()|sig.s.IsZero() == 1 {
		return nil
	}
	return sig
}

// VerifyASN1 reports whether sig is the DER of a valid signature of the digest.
// It refuses every encoding but the one of DER, and an empty digest. Its time
// depends on its arguments.
func VerifyASN1(key *PublicKey, digest, sig []byte) bool {
	s, err := parseDER(sig)
	return err == nil && verify(key, digest, s)
}

// Verify is [VerifyASN1] for a signature of 64 bytes, r || s.
func Verify(key *PublicKey, digest, sig []byte) bool {
	s, err := parseRaw(sig)
	return err == nil && verify(key, digest, s)
}

// verify is FIPS 186-5, section 6.4.2. The numbers r and s are in range.
func verify(key *PublicKey, digest []byte, sig *signature) bool {
	if !key.ok() || len(digest) == 0 {
		return false
	}
	var u1, u2 fieldp256.Scalar
	u2.Invert(&sig.s)
	u1.Multiply(number(digest), &u2)
	u2.Multiply(&u2, &sig.r)
	return nist.HasXVarTime(&u1, &u2, &key.point, &sig.r)
}
