package x25519_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/seed-6f9cd256/fieldproof/curves/x25519"
)

// Two sides agree on a secret.
func Example() {
	alice, alicePublic, err := x25519.GenerateKey(nil)
	if err != nil {
		log.Fatal(err)
	}
	bob, bobPublic, err := x25519.GenerateKey(nil)
	if err != nil {
		log.Fatal(err)
	}

	// Each sends the public key to the other. The secret should go through a
	// key derivation function, such as crypto/hkdf, before use.
	aliceSecret, err := x25519.X25519(alice, bobPublic)
	if err != nil {
		log.Fatal(err) // bobPublic is malicious
	}
	bobSecret, err := x25519.X25519(bob, alicePublic)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(aliceSecret), bytes.Equal(aliceSecret, bobSecret))
	// Output: 32 true
}
