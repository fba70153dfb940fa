// Package foreign reads other people's routines: machine code in an object
// file, and a contract in a file of JSON. proofs/README.md describes the
// contracts, with examples.
package foreign
