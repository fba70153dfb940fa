// Package x25519 is the key exchange X25519 of RFC 7748, with the functions of
// golang.org/x/crypto/curve25519.
//
// # Encoding
//
// Private keys (scalars), public keys (points) and shared secrets have 32 bytes.
// Every string of 32 bytes is a private key, of which RFC 7748 clears and sets
// five bits before use, and a public key, of which it ignores the highest bit.
//
// # Constant time
//
// No branch and no address depends on a scalar, nor on a point but for two
// things: whether it is the base point, and whether the result is 0, which is an
// error. The arithmetic is that of package field25519; see there for what the
// promise rests on. Nothing is erased from memory.
//
// # What is proved
//
// The routines of package field25519 that its documentation names, and on amd64 that
// the assembly for points and for a step of the ladder computes its formulas. That the
// formulas are right, the ladder, the table of the base point and all else are tested
// only: against RFC 7748, Project Wycheproof, math/big and other libraries.
//
// # Who should use something else
//
// Programs that want keys with types of their own, and FIPS 140 mode, want
// crypto/ecdh.
package x25519

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-6f9cd256/fieldproof/curves/internal/edwards"
)

const (
	// ScalarSize is the length of a private key in bytes.
	ScalarSize = 32
	// PointSize is the length of a public key and of a shared secret in bytes.
	PointSize = 32
)

// Basepoint is the base point of RFC 7748, section 4.1: u = 9. It must not be
// modified.
var Basepoint = []byte{
	9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
}

var basepoint = [PointSize]byte{9}

// X25519 returns the product of the scalar and the point, both of 32 bytes, as
// RFC 7748, section 5, defines it: the public key of the scalar if the point is
// the base point, the shared secret if it is the public key of the other side.
//
// It returns an error if a length is wrong, or if the product is 0, as it is for
// every scalar where the order of the point divides 8 (RFC 7748, section 6.1).
func X25519(scalar, point []byte) ([]byte, error) {
	if err := checkLength("point", point, PointSize); err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare(point, basepoint[:]) == 1 {
		return ScalarBaseMult(scalar)
	}
	k, err := clamp(scalar)
	if err != nil {
		return nil, err
	}
	secret := edwards.Ladder(&k, (*[PointSize]byte)(point))
	var zero [PointSize]byte
	if subtle.ConstantTimeCompare(secret[:], zero[:]) == 1 {
		return nil, errors.New("x25519: bad input point: its order is low")
	}
	return secret[:], nil
}

// ScalarBaseMult returns the public key of the scalar of 32 bytes: the product
// of the scalar and the base point. It returns an error if the length is wrong.
//
// It uses a table of multiples of the base point of Ed25519, and is several
// times faster than a product with another point.
func ScalarBaseMult(scalar []byte) ([]byte, error) {
	k, err := clamp(scalar)
	if err != nil {
		return nil, err
	}
	// The result is never the point at infinity: k is 8·m for an m between 2^251
	// and 2^252, no multiple of the order of the base point.
	var p edwards.Point
	u := p.ScalarBaseMult(&k).MontgomeryU()
	return u[:], nil
}

// GenerateKey returns a new private key, 32 bytes read from random, and its
// public key. If random is nil, it reads from crypto/rand. It returns an error if
// reading fails.
func GenerateKey(random io.Reader) (private, public []byte, err error) {
	if random == nil {
		random = rand.Reader
	}
	private = make([]byte, ScalarSize)
	if _, err := io.ReadFull(random, private); err != nil {
		return nil, nil, fmt.Errorf("x25519: reading a private key: %w", err)
	}
	public, err = ScalarBaseMult(private)
	return private, public, err
}

// clamp is decodeScalar25519 of RFC 7748, section 5.
func clamp(scalar []byte) (k [ScalarSize]byte, err error) {
	if err := checkLength("scalar", scalar, ScalarSize); err != nil {
		return k, err
	}
	copy(k[:], scalar)
	k[0] &= 248
	k[31] &= 127
	k[31] |= 64
	return k, nil
}

func checkLength(what string, b []byte, want int) error {
	if len(b) != want {
		return errors.New("x25519: bad " + what + " length: got " + strconv.Itoa(len(b)) + " bytes, want " + strconv.Itoa(want))
	}
	return nil
}
