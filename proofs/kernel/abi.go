package kernel

import (
	"fmt"
	"slices"
)

// A Convention says where arguments and the result are, and which registers a
// routine preserves; see Routine.v.
type Convention int

// The calling conventions.
const (
	ABI0    Convention = iota // of Go: one word each on the stack, the result above them
	SystemV                   // for AMD64: integer registers only
)

// argRegs are RDI, RSI, RDX, RCX, R8 and R9.
var argRegs = []Loc{8, 7, 3, 2, 9, 10}

// scratchRegs are the registers that a routine need not preserve. They hold
// anything on entry, but do hold something.
var scratchRegs = []Loc{1, 2, 3, 7, 8, 9, 10, 11, 12}

// redZone is the number of bytes below SP that System V lets a routine use.
const redZone = 128

const regAX Loc = 1

// saved returns the registers, besides SP, that a routine preserves.
func (v Convention) saved() []Loc {
	if v == SystemV {
		return []Loc{4, regBP, 13, 14, reg14, 16} // RBX RBP R12 R13 R14 R15
	}
	return []Loc{regBP, reg14}
}

// savedBuffer is the buffer, without words, in which the value of a preserved
// register looks like an address.
func savedBuffer(l Loc) int { return -1 - int(l) }

// ArgLoc returns the location of argument i, counted from 1.
func (r *Routine) ArgLoc(i int) Loc {
	if r.Conv == SystemV {
		return argRegs[i-1]
	}
	return Slot(0, r.Frame+i)
}

// ResultLoc returns the location of the result.
func (r *Routine) ResultLoc() Loc {
	if r.Conv == SystemV {
		return regAX
	}
	return Slot(0, r.Frame+1+len(r.Params))
}

func (r *Routine) stackWords() int {
	n := r.Frame + 1
	if r.Conv == SystemV {
		return n
	}
	n += len(r.Params)
	if r.Result {
		n++
	}
	return n
}

// stackWrites reports whether word k of the stack may be written.
func (r *Routine) stackWrites(k int) bool {
	return k < r.Frame || r.Conv == ABI0 && r.Result && k == r.Frame+1+len(r.Params)
}

func (r *Routine) checkArguments() error {
	if r.Conv == SystemV && len(r.Params) > len(argRegs) {
		return fmt.Errorf("%d parameters, want at most %d, which System V passes in registers", len(r.Params), len(argRegs))
	}
	for _, a := range r.Spec.Apart {
		for _, i := range a {
			if i < 0 || i >= len(r.Params) || !r.Params[i].Role.Pointer() {
				return fmt.Errorf("parameters %d and %d are to be apart, but one of them is no pointer", a[0], a[1])
			}
		}
	}
	return nil
}

// frameWords returns how far below the return address the code moves SP or,
// where there is a red zone, uses memory.
func (r *Routine) frameWords() int {
	low := int64(0)
	at := map[Loc]int64{regSP: 0} // registers that hold an address on the stack
	for _, m := range slices.Concat(r.Mops[:]...) {
		switch {
		case m.Kind == MopLoad || m.Kind == MopStore:
			if o, ok := at[m.Base]; ok && r.Conv == SystemV {
				low = min(low, o+m.Disp)
			}
			if m.Kind == MopLoad {
				delete(at, m.D)
			}
			continue
		case m.Kind == MopHavoc:
			delete(at, m.D)
			continue
		}
		o, ok := at[m.A.Loc]
		switch {
		case ok && m.Op == Mov:
		case ok && m.Op == Adc && !m.B.isLoc():
			o += signed(m.B.Imm)
		case ok && m.Op == Sbb && !m.B.isLoc():
			o -= signed(m.B.Imm)
		default:
			ok = false
		}
		for _, l := range m.Results() {
			delete(at, l)
		}
		if ok {
			at[m.D] = o
		}
		if m.D == regSP {
			low = min(low, o)
		}
	}
	return int((-low + 7) / 8)
}
