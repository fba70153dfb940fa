// Command curve writes the routines on the points of a curve: portable Go, amd64
// assembly, dispatch and test tables.
//
//	go run ../../../gen/curve -out . -curve edwards25519
package main

import (
	"os"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/emit"
)

func main() { os.Exit(emit.Curves("curve", os.Args[1:], os.Stderr)) }
