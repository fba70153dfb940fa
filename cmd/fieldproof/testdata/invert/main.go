// Invert is a program that inverts.
package main

import "github.com/seed-6f9cd256/fieldproof/fieldp256"

func main() {
	var x fieldp256.Element
	x.One()
	x.Invert(&x)
	println(x.Bytes()[0])
}
