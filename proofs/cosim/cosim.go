// Package cosim compares the semantics of instructions with the processor: it
// executes instructions on both, from the same random state, and compares what
// they leave in registers, flags and memory.
//
// It compares those of the architecture that it is compiled for, amd64 or arm64.
// Every modelled form is run, except RET, whose effect on the stack is not part of
// its meaning here, and UDF, which is not to be executed. Flags that the semantics
// calls undefined are not compared. Instructions are executed on the emulator from
// their decoded bytes, so the decoder is compared as well.
package cosim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// ErrUnsupported says that this program can execute neither amd64 nor arm64 code.
var ErrUnsupported = errors.New("co-simulation runs on linux/amd64 and linux/arm64 only, in a build with assembly")

// A Semantics executes one instruction of amd64 on the emulator; see
// [emulate.Machine.Step].
type Semantics func(m *emulate.Machine, in amd64.Inst) (machine.Exit[emulate.Bit], error)

// An ARM64Semantics executes one instruction of arm64 on the emulator; see
// [emulate.ARM64.Step].
type ARM64Semantics func(m *emulate.ARM64, in arm64.Inst) (machine.Exit[emulate.Bit], error)

// Options say what to run.
type Options struct {
	States    int            // to execute, in all
	Seed      uint64         // the same seed makes the same states
	Semantics Semantics      // on amd64; nil for that of package emulate
	ARM64     ARM64Semantics // on arm64, likewise

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
	return fmt.Sprintf("%s (bytes % x) from registers %#x, flags %#x, memory % x: %s",
		m.Inst, m.Code, m.Before.Regs, m.Before.Flags, m.Before.Memory, strings.Join(m.Faults, "; "))
}

// MemorySize is the number of bytes that an instruction may access.
const MemorySize = 64

// A State is what an instruction reads and changes.
type State struct {
	Regs   []uint64 // by their numbers
	Flags  uint64   // as in RFLAGS on amd64, NZCV on arm64
	Memory [MemorySize]byte
	Taken  bool // of a jump
}

// A sample is an instruction that is to be executed.
type sample struct {
	form    string
	in      machine.Inst // as decoded; a jump goes just behind itself, or over the next instruction
	code    []byte
	scratch int // on arm64: a register that in does not use, and which holds the address of the data
}

// An architecture draws instructions and states, executes them on the CPU, and
// compares what both made of them.
type architecture interface {
	forms() (n int, skipped []string)
	draw(rng *rand.Rand, form int) (sample, error)
	load(samples []sample) error
	state(rng *rand.Rand, s sample) *State
	run(i int, before *State) *State // executes sample i
	compare(s sample, before, after *State) []string
	close()
}

// Each round executes so many instructions, from so many states each.
const (
	samplesPerRound = 2000
	statesPerSample = 50
)

// Run executes and compares. It stops with a *Mismatch at the first difference.
func Run(o Options) (Report, error) {
	report := Report{Forms: make(map[string]int)}
	arch, err := newArchitecture(o)
	if err != nil {
		return report, err
	}
	defer arch.close()
	forms, skipped := arch.forms()
	report.Skipped = skipped
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	for next := 0; report.States < o.States; {
		var samples []sample
		for range samplesPerRound {
			s, err := arch.draw(rng, next%forms)
			if err != nil {
				return report, err
			}
			samples = append(samples, s)
			next++
		}
		if err := arch.load(samples); err != nil {
			return report, err
		}
		for i, s := range samples {
			n := min(statesPerSample, o.States-report.States)
			for range n {
				before := arch.state(rng, s)
				after := arch.run(i, before)
				if faults := arch.compare(s, before, after); faults != nil {
					return report, &Mismatch{s.in.String(), s.code, *before, faults}
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

// words are values at which instructions have their limits, at every width.
var words = [...]uint64{0, 1, 2, ^uint64(0), ^uint64(1), 1 << 63, 1<<63 - 1, 1<<63 + 1,
	1 << 31, 1<<31 - 1, 1 << 32, 1<<32 - 1, 0xffffffff_80000000, 0x80, 0x7f, 0xff, 31, 32, 63, 64, 0xaaaaaaaaaaaaaaaa, 0x5555555555555555}

// randomState returns a state of so many registers with many edges. The flags are
// the low bits of random.
func randomState(rng *rand.Rand, registers int) (s *State, random uint32) {
	s = &State{Regs: make([]uint64, registers)}
	var choice, last uint64
	for i := range s.Regs {
		if i%16 == 0 {
			choice = rng.Uint64()
			last = choice
		}
		switch choice >> (3 * (i % 16)) & 7 {
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
	random = rng.Uint32()
	for i := 0; i < MemorySize; i += 8 {
		w := rng.Uint64()
		if random>>(8+i/8)&1 == 0 {
			w = words[w%uint64(len(words))]
		}
		binary.LittleEndian.PutUint64(s.Memory[i:], w)
	}
	return s, random
}

// A result is what the emulator made of a sample.
type result struct {
	regs  []emulate.Word
	flags []emulate.Bit
	mem   []byte
	exit  machine.Exit[emulate.Bit]
	err   error
}

// region returns the memory of a state, for the emulator.
func region(s *State, addr uint64) *emulate.Region {
	var undef [MemorySize]byte
	data := s.Memory
	return &emulate.Region{Name: "memory", Addr: addr, Data: data[:], Undef: undef[:], Write: true}
}

// differences says what is not as it is in the state after. Bit i of the flags is at
// position positions[i]; target is where a jump goes.
func (r *result) differences(after *State, positions []uint, target int, reg, flag func(i int) string) (faults []string) {
	fail := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if r.err != nil {
		fail("the emulator refuses: %v", r.err)
	}
	for i, w := range r.regs {
		if want := after.Regs[i]; w.V != want || w.Undef != 0 {
			fail("%s: the CPU has %#x, the emulator %#x (undefined %#x)", reg(i), want, w.V, w.Undef)
		}
	}
	for f, pos := range positions {
		if want := emulate.Bit(after.Flags >> pos & 1); r.flags[f] != want && r.flags[f] != emulate.Undefined {
			fail("%s: the CPU has %d, the emulator %d", flag(f), want, r.flags[f])
		}
	}
	if string(r.mem) != string(after.Memory[:]) {
		fail("memory: the CPU has % x, the emulator % x", after.Memory, r.mem)
	}
	taken := r.exit.Kind == machine.Jump || r.exit.Kind == machine.Branch && r.exit.Cond == 1
	if taken != after.Taken || taken && r.exit.Target != target {
		fail("jump: the CPU goes %t, the emulator %t, to offset %#x of %#x", after.Taken, taken, r.exit.Target, target)
	}
	return faults
}
