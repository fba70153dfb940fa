// Package cosim compares the semantics of instructions with the processor: it
// executes instructions on both, from the same random state, and compares what
// they leave in registers, flags and memory.
//
// Every modelled form is run, except RET, whose effect on the stack is not part
// of its meaning here. Flags that the semantics calls undefined are not
// compared. Instructions are executed on the emulator from their decoded bytes,
// so the decoder is compared as well.
package cosim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// ErrUnsupported says that this program cannot execute amd64 code.
var ErrUnsupported = errors.New("co-simulation runs on linux/amd64 only, in a build with assembly")

// A Semantics executes one instruction on the emulator; see
// [emulate.Machine.Step].
type Semantics func(m *emulate.Machine, in amd64.Inst) (machine.Exit[emulate.Bit], error)

// Options say what to run.
type Options struct {
	States    int       // to execute, in all
	Seed      uint64    // the same seed makes the same states
	Semantics Semantics // nil for that of package emulate

	// Progress, if not nil, is called from time to time with the number of
	// states that have been compared.
	Progress func(done int)
}

// A Report says what was compared.
type Report struct {
	States  int            // machine states executed and compared
	Forms   map[string]int // of them, by operation, width and operands
	Skipped []string       // operations that this CPU lacks
}

func (r Report) String() string {
	s := fmt.Sprintf("cosim: %d states of %d instruction forms, all equal", r.States, len(r.Forms))
	if len(r.Skipped) > 0 {
		s += "; this CPU lacks " + strings.Join(r.Skipped, ", ")
	}
	return s
}

// A Mismatch is a difference between the processor and the emulator.
type Mismatch struct {
	Inst   string
	Code   []byte
	Before State
	Faults []string // what differs
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("%s (bytes % x) from registers %#x, flags %05b, memory % x: %s",
		m.Inst, m.Code, m.Before.Regs, m.Before.flagBits(), m.Before.Memory, strings.Join(m.Faults, "; "))
}

// MemorySize is the number of bytes that an instruction may access.
const MemorySize = 64

// A State is what an instruction reads and changes.
type State struct {
	Regs   [amd64.NumRegs]uint64
	Flags  uint64 // as in RFLAGS
	Memory [MemorySize]byte
	Taken  bool // of a jump
}

// flagPositions are the bits of the flags in RFLAGS.
var flagPositions = [amd64.NumFlags]uint{amd64.CF: 0, amd64.PF: 2, amd64.ZF: 6, amd64.SF: 7, amd64.OF: 11}

// flagBits returns the flags in the order of amd64.Flag, the first one lowest.
func (s *State) flagBits() (bits uint64) {
	for f, pos := range flagPositions {
		bits |= s.Flags >> pos & 1 << f
	}
	return bits
}

// A sample is an instruction that is to be executed.
type sample struct {
	form string
	in   amd64.Inst // as decoded; a jump goes just behind itself
	code []byte
}

// Each round executes so many instructions, from so many states each.
const (
	samplesPerRound = 2000
	statesPerSample = 50
)

// Run executes and compares. It stops with a *Mismatch at the first difference.
func Run(o Options) (Report, error) {
	report := Report{Forms: make(map[string]int)}
	cpu, err := newProcessor()
	if err != nil {
		return report, err
	}
	defer cpu.close()
	shapes, skipped := shapes(cpu.has)
	report.Skipped = skipped
	step := o.Semantics
	if step == nil {
		step = (*emulate.Machine).Step
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	for round := 0; report.States < o.States; round++ {
		samples, err := draw(rng, shapes, round*samplesPerRound)
		if err != nil {
			return report, err
		}
		if err := cpu.load(samples); err != nil {
			return report, err
		}
		for i, s := range samples {
			n := min(statesPerSample, o.States-report.States)
			for range n {
				before := randomState(rng, cpu.memoryAddress(), s.in)
				after := cpu.run(i, before)
				if err := compare(step, s, cpu.memoryAddress(), before, after); err != nil {
					return report, err
				}
			}
			report.States += n
			report.Forms[s.form] += n
		}
		if o.Progress != nil {
			o.Progress(report.States)
		}
	}
	return report, nil
}

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

// draw returns the samples of one round, in which the shapes take turns.
func draw(rng *rand.Rand, shapes []encode.Shape, from int) ([]sample, error) {
	var list []sample
	for i := range samplesPerRound {
		s := shapes[(from+i)%len(shapes)]
		in := s.Sample(rng, 0)
		tame(rng, &in)
		code, err := encode.Inst(in)
		if err != nil {
			return nil, err
		}
		if len(in.Args) == 1 && in.Args[0].Kind == amd64.TargetKind {
			in.Args[0].Target = len(code) // behind a jump of this length
			if code, err = encode.Inst(in); err != nil {
				return nil, err
			}
		} else if all, err := encode.All(in); err == nil {
			code = all[rng.IntN(len(all))]
		}
		decoded, err := amd64.Decode(code, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, sample{fmt.Sprintf("%s/%d/%s", s.Op, s.Bits, s.Form), decoded, code})
	}
	return list, nil
}

// compare executes the sample on the emulator and returns a *Mismatch if it
// does not end up in the state after.
func compare(step Semantics, s sample, addr uint64, before, after *State) error {
	var m emulate.Machine
	data := before.Memory
	var undef [MemorySize]byte
	m.Mem.Regions = []*emulate.Region{{Name: "memory", Addr: addr, Data: data[:], Undef: undef[:], Write: true}}
	for i, v := range before.Regs {
		m.Regs[i] = emulate.Number(v)
	}
	for f, pos := range flagPositions {
		m.Flags[f] = emulate.Bit(before.Flags >> pos & 1)
	}
	exit, err := step(&m, s.in)
	var faults []string
	fail := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if err != nil {
		fail("the emulator refuses: %v", err)
	}
	for i, w := range m.Regs {
		if want := after.Regs[i]; w.V != want || w.Undef != 0 {
			fail("%v: the CPU has %#x, the emulator %#x (undefined %#x)", amd64.Reg(i), want, w.V, w.Undef)
		}
	}
	for f, pos := range flagPositions {
		if want := emulate.Bit(after.Flags >> pos & 1); m.Flags[f] != want && m.Flags[f] != emulate.Undefined {
			fail("%v: the CPU has %d, the emulator %d", amd64.Flag(f), want, m.Flags[f])
		}
	}
	if data != after.Memory {
		fail("memory: the CPU has % x, the emulator % x", after.Memory, data)
	}
	taken := exit.Kind == machine.Jump || exit.Kind == machine.Branch && exit.Cond == 1
	if taken != after.Taken || taken && exit.Target != s.in.Len {
		fail("jump: the CPU goes %t, the emulator %t, to offset %#x of %#x", after.Taken, taken, exit.Target, s.in.Len)
	}
	if faults == nil {
		return nil
	}
	return &Mismatch{s.in.String(), s.code, *before, faults}
}
