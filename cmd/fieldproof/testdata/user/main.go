// User is a program that uses both field packages, but no inversion in Montgomery form.
package main

import (
	"github.com/seed-6f9cd256/fieldproof/field25519"
	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

func main() {
	var x field25519.Element
	x.One()
	x.Multiply(&x, &x).Add(&x, &x).Invert(&x)
	var y fieldp256.Scalar
	y.One()
	y.Negate(&y)
	println(x.Bytes()[0], y.Bytes()[0])
}
