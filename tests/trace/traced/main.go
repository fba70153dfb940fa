// Command traced does an operation with a secret, for the test of the parent
// package:
//
//	traced operation secret
//
// It does it twice, and what counts is what happens between the calls of start and
// stop: by then all that is made once has been made.
package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/seed-6f9cd256/fieldproof/curves/ed25519"
	"github.com/seed-6f9cd256/fieldproof/curves/p256"
	"github.com/seed-6f9cd256/fieldproof/curves/wei25519"
	"github.com/seed-6f9cd256/fieldproof/curves/x25519"
	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// operations take a secret of 32 bytes.
var operations = map[string]func(secret []byte) error{
	"x25519.ScalarBaseMult": func(secret []byte) error {
		_, err := x25519.ScalarBaseMult(secret)
		return err
	},
	"x25519.X25519": func(secret []byte) error {
		point := [32]byte{0: 2, 31: 3}
		_, err := x25519.X25519(secret, point[:])
		return err
	},
	"ed25519.NewKeyFromSeed": func(secret []byte) error {
		ed25519.NewKeyFromSeed(secret)
		return nil
	},
	"ed25519.Sign": func(secret []byte) error {
		key := append(append([]byte(nil), secret...), make([]byte, 32)...)
		_, err := ed25519.SignWithOptions(key, []byte("message"), nil)
		return err
	},
	// What ECDSA does with a nonce, which its functions do not let one choose: a
	// multiple of the base point, and an inversion.
	"p256.nonce": func(secret []byte) error {
		k, err := new(fieldp256.Scalar).SetBytes(secret)
		if err != nil {
			return err
		}
		if _, err := p256.NewPrivateKey(secret); err != nil {
			return err
		}
		k.Invert(k)
		return nil
	},
	"p256.ECDH": func(secret []byte) error {
		key, err := p256.NewPrivateKey(secret)
		if err != nil {
			return err
		}
		_, err = key.ECDH(peer)
		return err
	},
	"p256.Sign": func(secret []byte) error {
		key, err := p256.NewPrivateKey(secret)
		if err != nil {
			return err
		}
		_, err = p256.Sign(bytes.NewReader(digest), key, digest)
		return err
	},
	"wei25519.X25519": func(secret []byte) error {
		_, err := wei25519.X25519(secret, x25519.Basepoint)
		return err
	},
	// Verification may take a time that depends on its arguments, and does.
	"p256.Verify": func(secret []byte) error {
		p256.Verify(peer, secret, append(digest, digest...))
		return nil
	},
	// These have the faults that the tests are there to find.
	"planted address": func(secret []byte) error {
		sink += table[secret[0]&63]
		return nil
	},
	"planted": func(secret []byte) error {
		if secret[0]&1 == 1 {
			sink++
		}
		return nil
	},
}

var (
	sink  int
	table [64]int
)

var digest = bytes.Repeat([]byte{0x5a}, 32)

// peer is the public key of some private key.
var peer = func() *p256.PublicKey {
	key, err := p256.NewPrivateKey(digest)
	if err != nil {
		panic(err)
	}
	return key.PublicKey()
}()

//go:noinline
func start() {}

//go:noinline
func stop() {}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "traced:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("got %d arguments, want an operation and a secret", len(args))
	}
	operation := operations[args[0]]
	secret, err := hex.DecodeString(args[1])
	if operation == nil || err != nil || len(secret) != 32 {
		return fmt.Errorf("got operation %q and secret %q, want one that there is and 32 bytes", args[0], args[1])
	}
	for range 2 {
		start()
		if err := operation(secret); err != nil {
			return err
		}
		stop()
	}
	return nil
}
