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
	GoARM64                   // of Go for arm64, as ABI0; the return address is in X30
)

// Arch returns the architecture, as GOARCH.
func (v Convention) Arch() string {
	if v == GoARM64 {
		return "arm64"
	}
	return "amd64"
}

// decode returns the operations of a routine's code, as Decode does.
func (v Convention) decode(code []byte) (parts [3][]Mop, err error) {
	if v == GoARM64 {
		parts[0], err = DecodeARM64(code)
		return parts, err
	}
	return Decode(code)
}

// sp is the stack pointer.
func (v Convention) sp() Loc {
	if v == GoARM64 {
		return regSP64
	}
	return regSP
}

// returnAt is where the return address is on entry.
func (r *Routine) returnAt() Loc {
	if r.Conv == GoARM64 {
		return regLR
	}
	return Slot(0, r.Frame)
}

// argRegs are RDI, RSI, RDX, RCX, R8 and R9.
var argRegs = []Loc{8, 7, 3, 2, 9, 10}

// scratchRegs are the registers that a routine need not preserve. They hold
// anything on entry, but do hold something.
var scratchRegs = []Loc{1, 2, 3, 7, 8, 9, 10, 11, 12}

// redZone is the number of bytes below SP that a routine may use, or -1 if that is
// not looked at. For arm64, Go's assembler saves the frame pointer there.
func (v Convention) redZone() int64 {
	switch v {
	case SystemV:
		return 128
	case GoARM64:
		return 8
	}
	return -1
}

const regAX Loc = 1

// saved returns the registers, besides SP, that a routine preserves.
func (v Convention) saved() []Loc {
	if v == SystemV {
		return []Loc{4, regBP, 13, 14, reg14, 16} // RBX RBP R12 R13 R14 R15
	}
	if v == GoARM64 {
		return []Loc{reg18, reg28, regFP}
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
	return k < r.Frame || r.Conv != SystemV && r.Result && k == r.Frame+1+len(r.Params)
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
	at := map[Loc]int64{r.Conv.sp(): 0} // registers that hold an address on the stack
	for _, m := range slices.Concat(r.Mops[:]...) {
		switch {
		case m.Kind == MopLoad || m.Kind == MopStore:
			if o, ok := at[m.Base]; ok && r.Conv.redZone() >= 0 {
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
		if m.D == r.Conv.sp() {
			low = min(low, o)
		}
	}
	return int((-low + 7) / 8)
}
