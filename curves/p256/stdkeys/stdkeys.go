// Package stdkeys converts keys of package p256 from and to those of crypto/ecdh
// and crypto/ecdsa. It is apart from p256 because crypto/ecdsa brings math/big into
// a program.
//
// Converting from a key of the standard library fails if it is nil or of another
// curve. Converting to one fails for nil and for the zero value of a key.
package stdkeys

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"errors"
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/curves/p256"
)

var errNil = errors.New("stdkeys: expected a key, got nil or the zero value")

// PrivateFromECDH returns the same key for package p256.
func PrivateFromECDH(k *ecdh.PrivateKey) (*p256.PrivateKey, error) {
	if k == nil {
		return nil, errNil
	}
	if k.Curve() != ecdh.P256() {
		return nil, fmt.Errorf("stdkeys: expected a key of P-256, got one of %v", k.Curve())
	}
	return p256.NewPrivateKey(k.Bytes())
}

// PublicFromECDH returns the same key for package p256.
func PublicFromECDH(k *ecdh.PublicKey) (*p256.PublicKey, error) {
	if k == nil {
		return nil, errNil
	}
	if k.Curve() != ecdh.P256() {
		return nil, fmt.Errorf("stdkeys: expected a key of P-256, got one of %v", k.Curve())
	}
	return p256.NewPublicKey(k.Bytes())
}

// PrivateToECDH returns the same key for crypto/ecdh.
func PrivateToECDH(k *p256.PrivateKey) (*ecdh.PrivateKey, error) {
	if k == nil || k.Bytes() == nil {
		return nil, errNil
	}
	return ecdh.P256().NewPrivateKey(k.Bytes())
}

// PublicToECDH returns the same key for crypto/ecdh.
func PublicToECDH(k *p256.PublicKey) (*ecdh.PublicKey, error) {
	if k == nil || k.Bytes() == nil {
		return nil, errNil
	}
	return ecdh.P256().NewPublicKey(k.Bytes())
}

// PrivateFromECDSA returns the same key for package p256. The public key is
// computed, not copied.
func PrivateFromECDSA(k *ecdsa.PrivateKey) (*p256.PrivateKey, error) {
	if k == nil || k.Curve == nil || k.D == nil || k.X == nil || k.Y == nil {
		return nil, errNil
	}
	if k.Curve != elliptic.P256() {
		return nil, fmt.Errorf("stdkeys: expected a key of P-256, got one of %s", name(k.Curve))
	}
	b, err := k.Bytes()
	if err != nil {
		return nil, fmt.Errorf("stdkeys: %w", err)
	}
	return p256.NewPrivateKey(b)
}

// name returns what to call a curve that is not P-256. Only those of the standard
// library are asked: others may have no parameters.
func name(c elliptic.Curve) string {
	switch c {
	case elliptic.P224(), elliptic.P384(), elliptic.P521():
		return c.Params().Name
	}
	return fmt.Sprintf("%T", c)
}

// PublicFromECDSA returns the same key for package p256.
func PublicFromECDSA(k *ecdsa.PublicKey) (*p256.PublicKey, error) {
	if k == nil || k.Curve == nil || k.X == nil || k.Y == nil {
		return nil, errNil
	}
	if k.Curve != elliptic.P256() {
		return nil, fmt.Errorf("stdkeys: expected a key of P-256, got one of %s", name(k.Curve))
	}
	b, err := k.Bytes()
	if err != nil {
		return nil, fmt.Errorf("stdkeys: %w", err)
	}
	return p256.NewPublicKey(b)
}

// PrivateToECDSA returns the same key for crypto/ecdsa.
func PrivateToECDSA(k *p256.PrivateKey) (*ecdsa.PrivateKey, error) {
	if k == nil || k.Bytes() == nil {
		return nil, errNil
	}
	return ecdsa.ParseRawPrivateKey(elliptic.P256(), k.Bytes())
}

// PublicToECDSA returns the same key for crypto/ecdsa.
func PublicToECDSA(k *p256.PublicKey) (*ecdsa.PublicKey, error) {
	if k == nil || k.Bytes() == nil {
		return nil, errNil
	}
	return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), k.Bytes())
}
