package cosim

import (
	"fmt"
	"math/rand/v2"
	"sort"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
)

// flagPositions are the bits of the flags in RFLAGS.
var flagPositions = []uint{amd64.CF: 0, amd64.PF: 2, amd64.ZF: 6, amd64.SF: 7, amd64.OF: 11}

// onAMD64 is the part of the architecture that does not need the CPU.
type onAMD64 struct {
	step   Semantics
	shapes []encode.Shape
	lacks  []string
	memory uint64 // the address of a state's memory while an instruction runs
}

func newAMD64(step Semantics, memory uint64, has func(op string) bool) onAMD64 {
	a := onAMD64{step: step, memory: memory}
	a.shapes, a.lacks = shapes(has)
	if step == nil {
		a.step = (*emulate.Machine).Step
	}
	return a
}

func (a *onAMD64) forms() (int, []string) { return len(a.shapes), a.lacks }

// shapes returns what to draw samples from, and the operations left out.
func shapes(has func(op string) bool) (list []encode.Shape, skipped []string) {
	lacking := make(map[string]bool)
	for _, s := range encode.Shapes() {
		switch {
		case s.Op == "RET":
		case !has(s.Op):
			lacking[s.Op] = true
		default:
			list = append(list, s)
		}
	}
	for op := range lacking {
		skipped = append(skipped, op)
	}
	sort.Strings(skipped)
	return list, skipped
}

func (a *onAMD64) draw(rng *rand.Rand, form int) (sample, error) {
	s := a.shapes[form]
	in := s.Sample(rng, 0)
	tame(rng, &in)
	code, err := encode.Inst(in)
	if err != nil {
		return sample{}, err
	}
	if len(in.Args) == 1 && in.Args[0].Kind == amd64.TargetKind {
		in.Args[0].Target = len(code) // behind a jump of this length
		if code, err = encode.Inst(in); err != nil {
			return sample{}, err
		}
	} else if all, err := encode.All(in); err == nil {
		code = all[rng.IntN(len(all))]
	}
	decoded, err := amd64.Decode(code, 0)
	return sample{form: fmt.Sprintf("%s/%d/%s", s.Op, s.Bits, s.Form), in: decoded, code: code}, err
}

// compare executes the sample on the emulator, and says what it does otherwise than
// the CPU.
func (a *onAMD64) compare(s sample, before, after *State) []string {
	var m emulate.Machine
	mem := region(before, a.memory)
	m.Mem.Regions = []*emulate.Region{mem}
	for i, v := range before.Regs {
		m.Regs[i] = emulate.Number(v)
	}
	for f, pos := range flagPositions {
		m.Flags[f] = emulate.Bit(before.Flags >> pos & 1)
	}
	in := s.in.(amd64.Inst)
	exit, err := a.step(&m, in)
	r := result{m.Regs[:], m.Flags[:], mem.Data, exit, err}
	return r.differences(after, flagPositions, in.Len,
		func(i int) string { return amd64.Reg(i).String() }, func(i int) string { return amd64.Flag(i).String() })
}

// state returns a state in which the instruction accesses its memory only.
func (a *onAMD64) state(rng *rand.Rand, sample sample) *State {
	in := sample.in.(amd64.Inst)
	s, flags := randomState(rng, amd64.NumRegs)
	for i, pos := range flagPositions {
		s.Flags |= uint64(flags>>i&1) << pos
	}
	if in.Op == "PUSH" || in.Op == "POP" {
		s.Regs[amd64.SP] = a.memory + 16 + uint64(rng.IntN(MemorySize-39))
	}
	for _, o := range in.Args {
		if o.Kind == amd64.MemKind && in.Op != "LEA" {
			s.place(o, a.memory+uint64(rng.IntN(MemorySize-16)), in.Op == "PUSH")
		}
	}
	return s
}

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
