package cosim

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
)

// words are values at which instructions have their limits, at every width.
var words = [...]uint64{0, 1, 2, ^uint64(0), ^uint64(1), 1 << 63, 1<<63 - 1, 1<<63 + 1,
	1 << 31, 1<<31 - 1, 1 << 32, 1<<32 - 1, 0xffffffff_80000000, 0x80, 0x7f, 0xff, 31, 32, 63, 64, 0xaaaaaaaaaaaaaaaa, 0x5555555555555555}

// tame changes an operand with which no state could make the instruction stay
// in its memory: PUSH moves SP, and reads memory too.
func tame(rng *rand.Rand, in *amd64.Inst) {
	for i, o := range in.Args {
		if o.Kind != amd64.MemKind || o.Base != amd64.SP {
			continue
		}
		if in.Op == "PUSH" {
			in.Args[i].Disp = int64(rng.IntN(25) - 8)
		}
	}
}

// randomState returns a state with many edges, in which the instruction
// accesses the memory at the given address only.
func randomState(rng *rand.Rand, memory uint64, in amd64.Inst) *State {
	s := new(State)
	choice := rng.Uint64()
	last := choice
	for i := range s.Regs {
		switch choice >> (3 * i) & 7 {
		case 0, 1, 2:
			s.Regs[i] = words[rng.Uint32()%uint32(len(words))]
		case 3:
			s.Regs[i] = last // equal to another
		case 4:
			s.Regs[i] = -last - choice>>63 // a sum of 0 or -1
		case 5:
			s.Regs[i] = uint64(rng.Uint32())
		default:
			s.Regs[i] = rng.Uint64()
		}
		last = s.Regs[i]
	}
	flags := rng.Uint32()
	for i, pos := range flagPositions {
		s.Flags |= uint64(flags>>i&1) << pos
	}
	for i := 0; i < MemorySize; i += 8 {
		w := rng.Uint64()
		if flags>>(8+i/8)&1 == 0 {
			w = words[w%uint64(len(words))]
		}
		binary.LittleEndian.PutUint64(s.Memory[i:], w)
	}
	if in.Op == "PUSH" || in.Op == "POP" {
		s.Regs[amd64.SP] = memory + 16 + uint64(rng.IntN(MemorySize-39))
	}
	for _, o := range in.Args {
		if o.Kind == amd64.MemKind && in.Op != "LEA" {
			s.place(o, memory+uint64(rng.IntN(MemorySize-16)), in.Op == "PUSH")
		}
	}
	return s
}

// place sets the registers of a memory operand so that its address is target,
// or up to 8 bytes more where the scale does not allow it. The sum may well
// wrap around. With spFixed, SP has its place already.
func (s *State) place(o amd64.Operand, target uint64, spFixed bool) {
	rest := target - uint64(o.Disp)
	scale := uint64(o.Scale)
	switch {
	case o.Index == amd64.NoReg:
		if o.Base == amd64.SP && spFixed {
			return
		}
		s.Regs[o.Base] = rest
	case o.Base == amd64.NoReg:
		s.Regs[o.Index] = (rest + scale - 1) / scale
	case o.Base == o.Index:
		if scale == 1 {
			s.Regs[o.Base] = (rest + 1) / 2
		} else {
			s.Regs[o.Base] = rest * inverse(scale+1)
		}
	default:
		s.Regs[o.Base] = rest - s.Regs[o.Index]*scale
	}
}

// inverse returns the inverse of an odd number modulo 2^64.
func inverse(c uint64) uint64 {
	x := c // right to three bits; each step of Newton's method doubles them
	for range 5 {
		x *= 2 - c*x
	}
	return x
}
