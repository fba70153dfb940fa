package stdkeys

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"math/big"
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

// A foreign curve is made outside of the standard library. Values cannot be compared.
type foreign struct {
	elliptic.Curve
	_ []byte
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
	// Curves that are none, or that have the parameters of P-256 but other methods.
	for _, c := range []elliptic.Curve{
		elliptic.P224(), elliptic.P521(), elliptic.P256().Params(), (*elliptic.CurveParams)(nil), &elliptic.CurveParams{}, foreign{}, foreign{Curve: elliptic.P256()},
	} {
		g := elliptic.P256().Params()
		k := &ecdsa.PrivateKey{PublicKey: ecdsa.PublicKey{Curve: c, X: g.Gx, Y: g.Gy}, D: big.NewInt(1)}
		key, err := PrivateFromECDSA(k)
		refused("PrivateFromECDSA", key, err)
		pub, err := PublicFromECDSA(&k.PublicKey)
		refused("PublicFromECDSA", pub, err)
	}
	// Numbers that are no key.
	g := elliptic.P256().Params()
	huge := new(big.Int).Lsh(g.P, 1000)
	for _, d := range []*big.Int{nil, new(big.Int), big.NewInt(-1), g.N, new(big.Int).Add(g.N, big.NewInt(1)), huge} {
		key, err := PrivateFromECDSA(&ecdsa.PrivateKey{PublicKey: ecdsa.PublicKey{Curve: elliptic.P256(), X: g.Gx, Y: g.Gy}, D: d})
		refused("PrivateFromECDSA", key, err)
	}
	for _, y := range []*big.Int{nil, new(big.Int), big.NewInt(1), new(big.Int).Neg(g.Gy), new(big.Int).Add(g.Gy, g.P), huge} {
		key, err := PublicFromECDSA(&ecdsa.PublicKey{Curve: elliptic.P256(), X: g.Gx, Y: y})
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
