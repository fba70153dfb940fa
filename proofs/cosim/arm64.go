package cosim

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
)

// nzcv are the bits of the flags in NZCV.
var nzcv = []uint{arm64.N: 31, arm64.Z: 30, arm64.C: 29, arm64.V: 28}

// onARM64 is the part of the architecture that does not need the CPU.
type onARM64 struct {
	step   ARM64Semantics
	shapes [][2]string // operation, operands
	data   uint64      // the address of the data page
	memory uint64      // and of a state's memory while an instruction runs, a multiple of 16
}

func newARM64(step ARM64Semantics, data, memory uint64) onARM64 {
	a := onARM64{step: step, data: data, memory: memory}
	if step == nil {
		a.step = (*emulate.ARM64).Step
	}
	for _, r := range arm64.AllowList() { // which are the modelled forms
		if r.Op == "RET" || r.Op == "UDF" {
			continue
		}
		for _, form := range strings.Split(r.Forms, " ") {
			a.shapes = append(a.shapes, [2]string{r.Op, form})
		}
	}
	return a
}

func (a *onARM64) forms() (int, []string) { return len(a.shapes), nil }

// over is the distance that jumps go: over the next instruction.
const over = 2 * arm64.Length

// draw draws a sample, and the register that it leaves alone.
func (a *onARM64) draw(rng *rand.Rand, form int) (sample, error) {
	op, operands := a.shapes[form][0], a.shapes[form][1]
	in := encode.SampleARM64(rng, op, operands)
	used := make(map[arm64.Reg]bool)
	for i, o := range in.Args {
		used[o.Reg] = true
		if o.Kind == arm64.TargetKind {
			in.Args[i].Target = over
		}
	}
	s := sample{form: op + "/" + operands, scratch: rng.IntN(31)}
	for used[arm64.Reg(s.scratch)] {
		s.scratch = rng.IntN(31)
	}
	code, err := encode.ARM64(in)
	if err != nil {
		return s, err
	}
	s.code = code
	s.in, err = arm64.Decode(code, 0)
	return s, err
}

// state returns a state in which the instruction accesses its memory only.
func (a *onARM64) state(rng *rand.Rand, sample sample) *State {
	in := sample.in.(arm64.Inst)
	s, flags := randomState(rng, arm64.NumRegs)
	for i, pos := range nzcv {
		s.Flags |= uint64(flags>>i&1) << pos
	}
	s.Regs[sample.scratch] = a.data
	for _, o := range in.Args {
		if o.Kind != arm64.MemKind && o.Kind != arm64.PreKind {
			continue
		}
		// SP must be a multiple of 16 where it is an address, before it changes.
		base := a.memory + uint64(rng.IntN(MemorySize-15)) - uint64(o.Disp)
		if o.Reg == arm64.SP {
			base = a.memory + uint64(rng.IntN(MemorySize-31)) - uint64(o.Disp) + 15
			base &^= 15
		}
		s.Regs[o.Reg] = base
	}
	return s
}

// compare executes the sample on the emulator, and says what it does otherwise than
// the CPU.
func (a *onARM64) compare(s sample, before, after *State) []string {
	var m emulate.ARM64
	mem := region(before, a.memory)
	m.Mem.Regions = []*emulate.Region{mem}
	for i, v := range before.Regs {
		m.Regs[i] = emulate.Number(v)
	}
	for f, pos := range nzcv {
		m.Flags[f] = emulate.Bit(before.Flags >> pos & 1)
	}
	exit, err := a.step(&m, s.in.(arm64.Inst))
	r := result{m.Regs[:], m.Flags[:], mem.Data, exit, err}
	return r.differences(after, nzcv, over,
		func(i int) string { return fmt.Sprint(arm64.Reg(i)) }, func(i int) string { return fmt.Sprint(arm64.Flag(i)) })
}
