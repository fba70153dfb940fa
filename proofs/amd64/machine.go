package amd64

import "github.com/seed-6f9cd256/fieldproof/proofs/machine"

// A Flag is one of the status flags that modelled instructions read.
// AF is left out: none of them reads it.
type Flag uint8

// The flags.
const (
	CF Flag = iota // carry
	PF             // parity of the low byte
	ZF             // zero
	SF             // sign
	OF             // signed overflow
)

// NumFlags is the number of flags.
const NumFlags = 5

func (f Flag) String() string { return [...]string{"CF", "PF", "ZF", "SF", "OF"}[f] }

// A Machine is one reading of the instructions.
type Machine[W, B any] = machine.Machine[Reg, Flag, W, B]
