// Curve is a program that computes on a curve.
package main

import "github.com/seed-6f9cd256/fieldproof/curves/x25519"

func main() {
	secret, err := x25519.X25519([]byte("0123456789abcdef0123456789abcdef"), x25519.Basepoint)
	if err != nil {
		panic(err)
	}
	secret, err = x25519.X25519(secret, secret)
	println(secret[0], err)
}
