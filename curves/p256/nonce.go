package p256

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"

	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// A nonces makes candidates for the nonce of a signature: RFC 6979, section
// 3.2, with the additional input of section 3.6.
type nonces struct {
	newHash func() hash.Hash
	k, v    []byte
	first   bool
}

// newNonces starts with the key d, the number e that the digest stands for, and
// the additional input, which may be empty.
func newNonces(newHash func() hash.Hash, d, e *fieldp256.Scalar, extra []byte) *nonces {
	size := newHash().Size()
	g := &nonces{newHash: newHash, k: make([]byte, size), v: make([]byte, size), first: true}
	for i := range g.v {
		g.v[i] = 1
	}
	g.update(0, d.Bytes(), e.Bytes(), extra)
	g.update(1, d.Bytes(), e.Bytes(), extra)
	return g
}

// update sets K = HMAC_K(V || tag || data) and V = HMAC_K(V).
func (g *nonces) update(tag byte, data ...[]byte) {
	mac := hmac.New(g.newHash, g.k)
	mac.Write(g.v)
	mac.Write([]byte{tag})
	for _, b := range data {
		mac.Write(b)
	}
	g.k = mac.Sum(g.k[:0])
	g.step(hmac.New(g.newHash, g.k))
}

// step sets V = HMAC_K(V), where mac is that of K.
func (g *nonces) step(mac hash.Hash) {
	mac.Reset()
	mac.Write(g.v)
	g.v = mac.Sum(g.v[:0])
}

// next sets z to the next candidate, a number from 1 to n - 1.
func (g *nonces) next(z *fieldp256.Scalar) {
	for {
		if !g.first {
			g.update(0)
		}
		g.first = false
		var t []byte
		mac := hmac.New(g.newHash, g.k)
		for len(t) < 32 {
			g.step(mac)
			t = append(t, g.v...)
		}
		if setInteger(z, t[:32]) {
			return
		}
	}
}

// hashFor returns the hash function of the nonce for a digest of the length: the
// one of SHA-1 and SHA-2 that makes digests of that length, or SHA-256.
func hashFor(length int) func() hash.Hash {
	switch length {
	case sha1.Size:
		return sha1.New
	case sha256.Size224:
		return sha256.New224
	case sha512.Size384:
		return sha512.New384
	case sha512.Size:
		return sha512.New
	}
	return sha256.New
}
