package ed25519_test

import (
	"fmt"
	"log"

	"github.com/seed-6f9cd256/fieldproof/curves/ed25519"
)

func Example() {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		log.Fatal(err)
	}
	message := []byte("what is signed")
	sig := ed25519.Sign(private, message)
	fmt.Println(ed25519.Verify(public, message, sig))
	fmt.Println(ed25519.Verify(public, []byte("what is not"), sig))
	// Output:
	// true
	// false
}

// Many signatures at once, and which of them is invalid.
func ExampleBatchVerifier() {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		log.Fatal(err)
	}
	batch := ed25519.NewBatchVerifier(ed25519.ZIP215)
	for i := range 4 {
		message := fmt.Appendf(nil, "message %d", i)
		sig := ed25519.Sign(private, message)
		if i == 2 {
			message = []byte("another message")
		}
		batch.Add(public, message, sig)
	}
	all, each := batch.Verify(nil)
	fmt.Println(all, each)
	// Output: false [true true false true]
}

// The rule for a protocol that also verifies in batches.
func ExampleRule() {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		log.Fatal(err)
	}
	message := []byte("what is signed")
	sig := ed25519.Sign(private, message)
	fmt.Println(ed25519.ZIP215.Verify(public, message, sig))
	// Output: true
}

// A context keeps signatures for one purpose from being valid for another.
func ExampleSignWithOptions() {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		log.Fatal(err)
	}
	message := []byte("what is signed")
	opts := &ed25519.Options{Context: "an invoice"}
	sig, err := ed25519.SignWithOptions(private, message, opts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ed25519.VerifyWithOptions(public, message, sig, opts))
	fmt.Println(ed25519.VerifyWithOptions(public, message, sig, &ed25519.Options{Context: "a receipt"}))
	// Output:
	// <nil>
	// ed25519: invalid signature
}
