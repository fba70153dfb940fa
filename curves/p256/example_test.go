package p256_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/curves/p256"
	"github.com/seed-6f9cd256/fieldproof/curves/p256/stdkeys"
)

// Two parties agree on a secret.
func ExamplePrivateKey_ECDH() {
	alice, err := p256.GenerateKey(rand.Reader)
	if err != nil {
		fmt.Println(err)
		return
	}
	bob, err := p256.GenerateKey(rand.Reader)
	if err != nil {
		fmt.Println(err)
		return
	}

	// Alice reads Bob's public key, of 33 bytes. It is checked here.
	peer, err := p256.NewPublicKey(bob.PublicKey().BytesCompressed())
	if err != nil {
		fmt.Println(err)
		return
	}
	secret, err := alice.ECDH(peer)
	if err != nil {
		fmt.Println(err)
		return
	}
	same, err := bob.ECDH(alice.PublicKey())
	fmt.Println(len(secret), bytes.Equal(secret, same), err)
	// Output: 32 true <nil>
}

// A signature that others can check, in both of its forms.
func ExampleSignASN1() {
	key, err := p256.GenerateKey(rand.Reader)
	if err != nil {
		fmt.Println(err)
		return
	}
	digest := sha256.Sum256([]byte("message"))
	sig, err := p256.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p256.VerifyASN1(key.PublicKey(), digest[:], sig))

	raw, err := p256.FromASN1(sig)
	fmt.Println(len(raw), p256.Verify(key.PublicKey(), digest[:], raw), err)
	// Output:
	// true
	// 64 true <nil>
}

// A key of crypto/ecdsa signs here, and the other way round.
func Example_convert() {
	std, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		fmt.Println(err)
		return
	}
	key, err := stdkeys.PrivateFromECDSA(std)
	if err != nil {
		fmt.Println(err)
		return
	}
	digest := sha256.Sum256([]byte("message"))
	sig, err := p256.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ecdsa.VerifyASN1(&std.PublicKey, digest[:], sig))
	// Output: true
}
