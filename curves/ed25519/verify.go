package ed25519

import (
	"errors"
	"strconv"

	"github.com/seed-6f9cd256/fieldproof/curves/internal/edwards"
	"github.com/seed-6f9cd256/fieldproof/field25519"
)

// A Rule says which signatures are valid, where standards differ. The package
// documentation defines both.
type Rule int

const (
	// Cofactorless is the rule of crypto/ed25519, and that of this package where no
	// other is chosen.
	Cofactorless Rule = iota
	// ZIP215 has the equation with the cofactor, and accepts every encoding of a
	// point. It is the rule for batches.
	ZIP215
)

// Verify reports whether sig is a valid signature of the message by the public
// key, under the rule Cofactorless: exactly if crypto/ed25519 does. Keys and
// signatures of any length may be given; those of a wrong one are not valid, where
// crypto/ed25519 panics for keys.
func Verify(publicKey PublicKey, message, sig []byte) bool {
	return Cofactorless.Verify(publicKey, message, sig)
}

// VerifyWithOptions returns nil if sig is a valid signature of the message by the
// public key, under the rule Cofactorless and the options, which SignWithOptions
// explains. It returns an error if not, or if a length or an option is not
// allowed.
func VerifyWithOptions(publicKey PublicKey, message, sig []byte, opts *Options) error {
	return Cofactorless.VerifyWithOptions(publicKey, message, sig, opts)
}

// Verify is the function of that name under the rule r.
func (r Rule) Verify(publicKey PublicKey, message, sig []byte) bool {
	return r.VerifyWithOptions(publicKey, message, sig, nil) == nil
}

// VerifyWithOptions is the function of that name under the rule r.
func (r Rule) VerifyWithOptions(publicKey PublicKey, message, sig []byte, opts *Options) error {
	var c claim
	if err := c.set(r, publicKey, message, sig, opts); err != nil {
		return err
	}
	if !c.holds(r) {
		return errInvalid
	}
	return nil
}

var errInvalid = errors.New("ed25519: invalid signature")

// A claim is a signature that has passed all checks but that of its equation: the
// difference [s]B - R - [k]A is neutral, or its order divides 8.
type claim struct {
	minusA, minusR edwards.Point
	s, k           field25519.Scalar
}

// set decodes a signature and all that belongs to it.
func (c *claim) set(r Rule, publicKey PublicKey, message, sig []byte, opts *Options) error {
	if r != Cofactorless && r != ZIP215 {
		return errors.New("ed25519: bad rule: got Rule(" + strconv.Itoa(int(r)) + "), want Cofactorless or ZIP215")
	}
	if len(publicKey) != PublicKeySize {
		return lengthError("public key", len(publicKey), PublicKeySize)
	}
	if len(sig) != SignatureSize {
		return lengthError("signature", len(sig), SignatureSize)
	}
	dom, err := domain(message, opts)
	if err != nil {
		return err
	}
	if _, err := c.s.SetCanonicalBytes(sig[32:]); err != nil {
		return errInvalid
	}
	if !c.minusA.SetBytesVarTime((*[32]byte)(publicKey)) {
		return errors.New("ed25519: invalid public key: no point has that encoding")
	}
	encoded := [32]byte(sig[:32])
	decode := c.minusR.SetBytesVarTime
	if r == Cofactorless {
		decode = c.minusR.SetCanonicalBytesVarTime
	}
	if !decode(&encoded) {
		return errInvalid
	}
	c.minusA.Negate(&c.minusA)
	c.minusR.Negate(&c.minusR)
	hashToScalar(&c.k, dom, encoded[:], publicKey, message)
	return nil
}

// holds reports whether the equation holds.
func (c *claim) holds(r Rule) bool {
	// Times an odd number v that is not a multiple of the order of B either, so
	// that the product is neutral, or has an order that divides 8, only if the
	// difference is or has. That makes the two other factors short.
	u, v, negative := edwards.HalveVarTime((*[32]byte)(c.k.Bytes()))
	var factor field25519.Scalar
	factor.SetWideBytes(v[:]) // no error: the length is right
	factor.Multiply(&factor, &c.s)
	terms := [2]edwards.Term{{Point: c.minusA, Scalar: u}, {Point: c.minusR, Scalar: v}}
	if negative {
		terms[0].Point.Negate(&terms[0].Point)
	}
	var d edwards.Point
	d.MultiScalarVarTime((*[32]byte)(factor.Bytes()), terms[:])
	return isNeutral(r, &d)
}

// isNeutral reports whether d is what the rule demands of a difference.
func isNeutral(r Rule, d *edwards.Point) bool {
	if r == ZIP215 {
		d.MultiplyByCofactor(d)
	}
	return d.IsIdentity() == 1
}
