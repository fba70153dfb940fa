// Package certs holds the certificates of the assembly routines, one file a
// routine; proofs/kernel describes their text. Command fieldproof prove writes
// them.
package certs

import "embed"

// Files are the certificates, as they were when the program was built.
//
//go:embed *.cert
var Files embed.FS
