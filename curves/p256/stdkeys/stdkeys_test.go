package stdkeys

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/curves/p256"
)

// TestRoundTrips converts keys to the standard library and back, and there
// between its own two packages, which know how to.
func TestRoundTrips(t *testing.T) {
	for range 20 {
		k, err := p256.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		dh, err := PrivateToECDH(k)
		if err != nil {
			t.Fatal(err)
		}
		dsa, err := PrivateToECDSA(k)
		if err != nil {
			t.Fatal(err)
		}
		if converted, err := dsa.ECDH(); err != nil || !converted.Equal(dh) {
			t.Errorf("%x: the two keys of the standard library differ, %v", k.Bytes(), err)
		}
		if back, err := PrivateFromECDH(dh); err != nil || !back.Equal(k) || !back.PublicKey().Equal(k.PublicKey()) {
			t.Errorf("%x: from crypto/ecdh: got another key, %v", k.Bytes(), err)
		}
		if back, err := PrivateFromECDSA(dsa); err != nil || !back.Equal(k) || !back.PublicKey().Equal(k.PublicKey()) {
			t.Errorf("%x: from crypto/ecdsa: got another key, %v", k.Bytes(), err)
		}

		pub := k.PublicKey()
		dhPub, err := PublicToECDH(pub)
		if err != nil || !dhPub.Equal(dh.PublicKey()) {
			t.Errorf("%x: got another public key for crypto/ecdh, %v", k.Bytes(), err)
		}
		dsaPub, err := PublicToECDSA(pub)
		if err != nil || !dsaPub.Equal(&dsa.PublicKey) {
			t.Errorf("%x: got another public key for crypto/ecdsa, %v", k.Bytes(), err)
		}
		if back, err := PublicFromECDH(dhPub); err != nil || !back.Equal(pub) {
			t.Errorf("%x: from crypto/ecdh: got another public key, %v", k.Bytes(), err)
		}
		if back, err := PublicFromECDSA(dsaPub); err != nil || !back.Equal(pub) {
			t.Errorf("%x: from crypto/ecdsa: got another public key, %v", k.Bytes(), err)
		}
	}
}

// TestRefused: other curves, nil and zero values give errors.
func TestRefused(t *testing.T) {
	x25519, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, key any, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: got a key, want an error", what)
		}
	}
	for _, k := range []*ecdh.PrivateKey{nil, {}, x25519} {
		key, err := PrivateFromECDH(k)
		refused("PrivateFromECDH", key, err)
	}
	for _, k := range []*ecdh.PublicKey{nil, {}, x25519.PublicKey()} {
		key, err := PublicFromECDH(k)
		refused("PublicFromECDH", key, err)
	}
	for _, k := range []*ecdsa.PrivateKey{nil, {}, {PublicKey: ecdsa.PublicKey{Curve: elliptic.P256()}}, p384} {
		key, err := PrivateFromECDSA(k)
		refused("PrivateFromECDSA", key, err)
	}
	for _, k := range []*ecdsa.PublicKey{nil, {}, {Curve: elliptic.P256()}, &p384.PublicKey} {
		key, err := PublicFromECDSA(k)
		refused("PublicFromECDSA", key, err)
	}
	for _, k := range []*p256.PrivateKey{nil, {}} {
		dh, err := PrivateToECDH(k)
		refused("PrivateToECDH", dh, err)
		dsa, err := PrivateToECDSA(k)
		refused("PrivateToECDSA", dsa, err)
	}
	for _, k := range []*p256.PublicKey{nil, {}} {
		dh, err := PublicToECDH(k)
		refused("PublicToECDH", dh, err)
		dsa, err := PublicToECDSA(k)
		refused("PublicToECDSA", dsa, err)
	}
}
