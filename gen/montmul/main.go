// Command montmul writes the package files of a field held in Montgomery form:
// portable Go, amd64 assembly, dispatch, API and test tables.
//
//	go run ../gen/montmul -out . -field p256
package main

import (
	"os"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/emit"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

func main() { os.Exit(emit.Fields("montmul", spec.Montgomery, os.Args[1:], os.Stderr)) }
