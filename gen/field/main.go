// Command field writes the package files of a field modulo a pseudo-Mersenne
// prime: portable Go, amd64 assembly, dispatch, API and test tables.
//
//	go run ../gen/field -out . -field p25519
package main

import (
	"os"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/emit"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

func main() { os.Exit(emit.Fields("field", spec.Weak, os.Args[1:], os.Stderr)) }
