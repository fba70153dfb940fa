// Package emulate executes machine code on numbers: it is the concrete reading of
// the instructions of packages amd64 and arm64.
//
// What an instruction leaves undefined is poison: every flag, every bit of a
// register and every byte of memory is defined or not, and using one that is
// not is an error. So is an access outside of the declared memory, a write to
// memory that may only be read, an access below SP, and an instruction that is
// not modelled. Errors name what was expected and what came.
package emulate

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// A Word is a 64-bit word of which some bits may be undefined.
type Word struct {
	V     uint64
	Undef uint64 // the bits that are undefined; those of V are then arbitrary
}

// Number returns a word that is defined.
func Number(v uint64) Word { return Word{V: v} }

// Poison returns a word without a defined bit.
func Poison() Word { return Word{Undef: ^uint64(0)} }

// A Bit is 0, 1 or Undefined.
type Bit int8

// Undefined is the value of a flag that may be 0 or 1.
const Undefined Bit = -1

func bitOf(v bool) Bit {
	if v {
		return 1
	}
	return 0
}

// A Core is what machines of every architecture have in common: memory, and
// arithmetic on words. The first error stays.
type Core struct {
	Mem Memory

	err error
}

func (c *Core) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// ended returns what a step leads to, unless something has failed.
func (c *Core) ended(exit machine.Exit[Bit], err error) (machine.Exit[Bit], error) {
	if err != nil {
		return exit, err
	}
	if exit.Kind == machine.Branch && exit.Cond == Undefined {
		c.fail(errors.New("jumps on an undefined condition"))
	}
	return exit, c.err
}

// flag returns a flag with the value b, which must be defined.
func (c *Core) flag(f fmt.Stringer, b Bit) Bit {
	if b == Undefined {
		c.fail(fmt.Errorf("uses %v, which is undefined here", f))
		return 0
	}
	return b
}

// load reads memory, all of which must be defined.
func (c *Core) load(addr Word, n int, sp Word) Word {
	w, err := c.Mem.load(addr.V, n, sp.V)
	if err == nil && w.Undef != 0 {
		err = fmt.Errorf("reads %d bytes at %s before they are written", n, c.Mem.Name(addr.V))
	}
	if err != nil {
		c.fail(err)
		return Word{}
	}
	return w
}

// store writes memory; a word that is not defined may be saved there.
func (c *Core) store(addr Word, n int, w, sp Word) {
	if err := c.Mem.store(addr.V, n, w, sp.V); err != nil {
		c.fail(err)
	}
}

func mask(n int) uint64 { return ^uint64(0) >> (64 - n) }

// Const returns the word v.
func (c *Core) Const(v uint64) Word { return Word{V: v} }

// Low returns the low n bits of w, which must be defined.
func (c *Core) Low(n int, w Word) Word {
	if u := w.Undef & mask(n); u != 0 {
		c.fail(fmt.Errorf("reads %d bits of a register of which the bits %#x are undefined here", n, u))
	}
	return Word{V: w.V & mask(n)}
}

// Insert replaces the low n bits of old.
func (c *Core) Insert(n int, old, w Word) Word {
	return Word{V: old.V&^mask(n) | w.V, Undef: old.Undef &^ mask(n)}
}

// FromBit returns 1 or 0.
func (c *Core) FromBit(b Bit) Word { return Word{V: uint64(b)} }

// Select returns w if b, else v.
func (c *Core) Select(b Bit, w, v Word) Word {
	if b == 1 {
		return w
	}
	return v
}

// Add returns the sum with its unsigned carry and signed overflow.
func (c *Core) Add(n int, w, v Word, carry Bit) (Word, Bit, Bit) {
	sum, over := bits.Add64(w.V, v.V, uint64(carry))
	if n < 64 {
		over = sum >> n
		sum &= mask(n)
	}
	o := (w.V ^ sum) & (v.V ^ sum) >> (n - 1) & 1
	return Word{V: sum}, Bit(over), Bit(o)
}

// Sub returns the difference with its unsigned borrow and signed overflow.
func (c *Core) Sub(n int, w, v Word, borrow Bit) (Word, Bit, Bit) {
	diff, under := bits.Sub64(w.V, v.V, uint64(borrow))
	diff &= mask(n)
	o := (w.V ^ v.V) & (w.V ^ diff) >> (n - 1) & 1
	return Word{V: diff}, Bit(under), Bit(o)
}

// Mul returns the unsigned product.
func (c *Core) Mul(n int, w, v Word) (hi, lo Word) {
	h, l := bits.Mul64(w.V, v.V)
	if n < 64 {
		h, l = l>>n&mask(n), l&mask(n)
	}
	return Word{V: h}, Word{V: l}
}

// signed returns the n-bit word v as a signed number.
func signed(n int, v uint64) int64 { return int64(v<<(64-n)) >> (64 - n) }

// MulOverflow reports whether the signed product exceeds n bits.
func (c *Core) MulOverflow(n int, w, v Word) Bit {
	s, t := signed(n, w.V), signed(n, v.V)
	h, l := bits.Mul64(uint64(s), uint64(t))
	h -= uint64(s>>63)&uint64(t) + uint64(t>>63)&uint64(s) // the high half of the signed product
	low := signed(n, l)
	return bitOf(uint64(low) != l || uint64(low>>63) != h)
}

// And returns the conjunction.
func (c *Core) And(w, v Word) Word { return Word{V: w.V & v.V} }

// Or returns the disjunction.
func (c *Core) Or(w, v Word) Word { return Word{V: w.V | v.V} }

// Xor returns the exclusive disjunction.
func (c *Core) Xor(w, v Word) Word { return Word{V: w.V ^ v.V} }

// Not returns the complement.
func (c *Core) Not(n int, w Word) Word { return Word{V: ^w.V & mask(n)} }

// Shl shifts left.
func (c *Core) Shl(n int, w, k Word) Word { return Word{V: w.V << k.V & mask(n)} }

// Shr shifts right.
func (c *Core) Shr(n int, w, k Word) Word { return Word{V: w.V >> k.V} }

// Sar shifts right and copies the sign.
func (c *Core) Sar(n int, w, k Word) Word {
	return Word{V: uint64(signed(n, w.V)>>k.V) & mask(n)}
}

// IsZero reports whether w is 0.
func (c *Core) IsZero(w Word) Bit { return bitOf(w.V == 0) }

// BitAt returns bit i.
func (c *Core) BitAt(w, i Word) Bit { return Bit(w.V >> i.V & 1) }

// Parity reports whether the low byte has an even number of ones.
func (c *Core) Parity(w Word) Bit { return bitOf(bits.OnesCount8(uint8(w.V))%2 == 0) }

// Bit returns v as a bit.
func (c *Core) Bit(v bool) Bit { return bitOf(v) }

// NotBit returns the complement.
func (c *Core) NotBit(b Bit) Bit { return 1 - b }

// OrBit returns the disjunction.
func (c *Core) OrBit(a, b Bit) Bit { return a | b }

// XorBit returns the exclusive disjunction.
func (c *Core) XorBit(a, b Bit) Bit { return a ^ b }

// Undefined returns poison.
func (c *Core) Undefined() Bit { return Undefined }
