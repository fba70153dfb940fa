// Package emulate executes amd64 machine code on numbers: it is the concrete
// reading of the instructions of package amd64.
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

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
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

// A Machine holds registers, flags and memory. The first error stays.
type Machine struct {
	Regs  [amd64.NumRegs]Word
	Flags [amd64.NumFlags]Bit
	Mem   Memory

	err error
}

var _ amd64.Machine[Word, Bit] = (*Machine)(nil)

// Step executes one instruction.
func (m *Machine) Step(in amd64.Inst) (amd64.Exit[Bit], error) {
	if err := amd64.Modelled(in); err != nil {
		return amd64.Exit[Bit]{}, err
	}
	return m.execute(in)
}

// execute is Step for an instruction that is known to be modelled.
func (m *Machine) execute(in amd64.Inst) (amd64.Exit[Bit], error) {
	exit, err := amd64.Execute(m, in)
	if err != nil {
		return exit, err
	}
	if exit.Kind == amd64.Branch && exit.Cond == Undefined {
		m.fail(errors.New("jumps on an undefined condition"))
	}
	return exit, m.err
}

func (m *Machine) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

func mask(n int) uint64 { return ^uint64(0) >> (64 - n) }

// Reg returns the register as it is; Low is where undefined bits are an error.
func (m *Machine) Reg(r amd64.Reg) Word { return m.Regs[r] }

// SetReg sets a register. What SP moves above is undefined from then on.
func (m *Machine) SetReg(r amd64.Reg, w Word) {
	if r == amd64.SP {
		m.Mem.release(m.Regs[r].V, w.V)
	}
	m.Regs[r] = w
}

// Flag returns a flag, which must be defined.
func (m *Machine) Flag(f amd64.Flag) Bit {
	b := m.Flags[f]
	if b == Undefined {
		m.fail(fmt.Errorf("uses %v, which is undefined here", f))
		return 0
	}
	return b
}

// SetFlag sets a flag, perhaps to Undefined.
func (m *Machine) SetFlag(f amd64.Flag, b Bit) { m.Flags[f] = b }

// Load reads memory, all of which must be defined.
func (m *Machine) Load(addr Word, n int) Word {
	w, err := m.Mem.load(addr.V, n, m.Regs[amd64.SP].V)
	if err == nil && w.Undef != 0 {
		err = fmt.Errorf("reads %d bytes at %s before they are written", n, m.Mem.Name(addr.V))
	}
	if err != nil {
		m.fail(err)
		return Word{}
	}
	return w
}

// Store writes memory; a word that is not defined may be saved there.
func (m *Machine) Store(addr Word, n int, w Word) {
	if err := m.Mem.store(addr.V, n, w, m.Regs[amd64.SP].V); err != nil {
		m.fail(err)
	}
}

// Const returns the word v.
func (m *Machine) Const(v uint64) Word { return Word{V: v} }

// Low returns the low n bits of w, which must be defined.
func (m *Machine) Low(n int, w Word) Word {
	if u := w.Undef & mask(n); u != 0 {
		m.fail(fmt.Errorf("reads %d bits of a register of which the bits %#x are undefined here", n, u))
	}
	return Word{V: w.V & mask(n)}
}

// Insert replaces the low n bits of old.
func (m *Machine) Insert(n int, old, w Word) Word {
	return Word{V: old.V&^mask(n) | w.V, Undef: old.Undef &^ mask(n)}
}

// FromBit returns 1 or 0.
func (m *Machine) FromBit(b Bit) Word { return Word{V: uint64(b)} }

// Select returns w if b, else v.
func (m *Machine) Select(b Bit, w, v Word) Word {
	if b == 1 {
		return w
	}
	return v
}

// Add returns the sum with its unsigned carry and signed overflow.
func (m *Machine) Add(n int, w, v Word, carry Bit) (Word, Bit, Bit) {
	sum, c := bits.Add64(w.V, v.V, uint64(carry))
	if n < 64 {
		c = sum >> n
		sum &= mask(n)
	}
	o := (w.V ^ sum) & (v.V ^ sum) >> (n - 1) & 1
	return Word{V: sum}, Bit(c), Bit(o)
}

// Sub returns the difference with its unsigned borrow and signed overflow.
func (m *Machine) Sub(n int, w, v Word, borrow Bit) (Word, Bit, Bit) {
	diff, c := bits.Sub64(w.V, v.V, uint64(borrow))
	diff &= mask(n)
	o := (w.V ^ v.V) & (w.V ^ diff) >> (n - 1) & 1
	return Word{V: diff}, Bit(c), Bit(o)
}

// Mul returns the unsigned product.
func (m *Machine) Mul(n int, w, v Word) (hi, lo Word) {
	h, l := bits.Mul64(w.V, v.V)
	if n < 64 {
		h, l = l>>n&mask(n), l&mask(n)
	}
	return Word{V: h}, Word{V: l}
}

// signed returns the n-bit word v as a signed number.
func signed(n int, v uint64) int64 { return int64(v<<(64-n)) >> (64 - n) }

// MulOverflow reports whether the signed product exceeds n bits.
func (m *Machine) MulOverflow(n int, w, v Word) Bit {
	s, t := signed(n, w.V), signed(n, v.V)
	h, l := bits.Mul64(uint64(s), uint64(t))
	h -= uint64(s>>63)&uint64(t) + uint64(t>>63)&uint64(s) // the high half of the signed product
	low := signed(n, l)
	return bitOf(uint64(low) != l || uint64(low>>63) != h)
}

// And returns the conjunction.
func (m *Machine) And(w, v Word) Word { return Word{V: w.V & v.V} }

// Or returns the disjunction.
func (m *Machine) Or(w, v Word) Word { return Word{V: w.V | v.V} }

// Xor returns the exclusive disjunction.
func (m *Machine) Xor(w, v Word) Word { return Word{V: w.V ^ v.V} }

// Not returns the complement.
func (m *Machine) Not(n int, w Word) Word { return Word{V: ^w.V & mask(n)} }

// Shl shifts left.
func (m *Machine) Shl(n int, w, k Word) Word { return Word{V: w.V << k.V & mask(n)} }

// Shr shifts right.
func (m *Machine) Shr(n int, w, k Word) Word { return Word{V: w.V >> k.V} }

// Sar shifts right and copies the sign.
func (m *Machine) Sar(n int, w, k Word) Word {
	return Word{V: uint64(signed(n, w.V)>>k.V) & mask(n)}
}

// IsZero reports whether w is 0.
func (m *Machine) IsZero(w Word) Bit { return bitOf(w.V == 0) }

// BitAt returns bit i.
func (m *Machine) BitAt(w, i Word) Bit { return Bit(w.V >> i.V & 1) }

// Parity reports whether the low byte has an even number of ones.
func (m *Machine) Parity(w Word) Bit { return bitOf(bits.OnesCount8(uint8(w.V))%2 == 0) }

// Bit returns v as a bit.
func (m *Machine) Bit(v bool) Bit { return bitOf(v) }

// NotBit returns the complement.
func (m *Machine) NotBit(b Bit) Bit { return 1 - b }

// OrBit returns the disjunction.
func (m *Machine) OrBit(a, b Bit) Bit { return a | b }

// XorBit returns the exclusive disjunction.
func (m *Machine) XorBit(a, b Bit) Bit { return a ^ b }

// Undefined returns poison.
func (m *Machine) Undefined() Bit { return Undefined }
