package wei25519_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/curves/wei25519"
)

// A device whose code and formats are for Weierstrass curves agrees on a secret
// with a peer that speaks X25519.
func Example() {
	// The device has a scalar, big-endian, a multiple of 8 as X25519 wants.
	scalar := make([]byte, 32)
	if _, err := rand.Read(scalar); err != nil {
		fmt.Println(err)
		return
	}
	scalar[0] = scalar[0]&127 | 64
	scalar[31] &= 248
	public, err := new(wei25519.Point).Multiply(scalar, new(wei25519.Point).Base())
	if err != nil {
		fmt.Println(err)
		return
	}
	u, _, err := public.Montgomery() // what the peer gets
	if err != nil {
		fmt.Println(err)
		return
	}

	peer, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		fmt.Println(err)
		return
	}
	key, err := ecdh.X25519().NewPublicKey(u)
	if err != nil {
		fmt.Println(err)
		return
	}
	secret, err := peer.ECDH(key)
	if err != nil {
		fmt.Println(err)
		return
	}

	// The device reads the peer's public key as a compressed point. Either of the
	// two points with that x coordinate will do.
	x, err := wei25519.XFromU(peer.PublicKey().Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	point, err := new(wei25519.Point).SetBytes(append([]byte{2}, x...))
	if err != nil {
		fmt.Println(err)
		return
	}
	shared, err := point.Multiply(scalar, point)
	if err != nil {
		fmt.Println(err)
		return
	}
	u, _, err = shared.Montgomery()
	fmt.Println(bytes.Equal(u, secret), err)
	// Output: true <nil>
}
