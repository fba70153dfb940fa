package cosim_test

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/cosim"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

var states = flag.Int("states", 500_000, "machine states to compare")

func run(t *testing.T, o cosim.Options) (cosim.Report, error) {
	t.Helper()
	r, err := cosim.Run(o)
	if errors.Is(err, cosim.ErrUnsupported) {
		t.Skip(err)
	}
	return r, err
}

func TestRun(t *testing.T) {
	calls := 0
	r, err := run(t, cosim.Options{States: *states, Seed: 1, Progress: func(int) { calls++ }})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	if r.States != *states || calls == 0 {
		t.Errorf("%d states with %d reports of progress, want %d and some", r.States, calls, *states)
	}
	total := 0
	for _, s := range encode.Shapes() {
		name := fmt.Sprintf("%s/%d/%s", s.Op, s.Bits, s.Form)
		total += r.Forms[name]
		if r.Forms[name] == 0 && s.Op != "RET" && !strings.Contains(strings.Join(r.Skipped, " "), s.Op) {
			t.Errorf("%s was not run", name)
		}
	}
	if total != r.States {
		t.Errorf("the forms add up to %d states, want %d", total, r.States)
	}
}

// faults are wrong semantics, each of which must be noticed. A fault changes
// what an instruction has done to the machine, given what it was before.
var faults = []struct {
	name  string
	wrong func(m, before *emulate.Machine, in amd64.Inst)
	want  string // in the error
}{
	{"ADC loses the carry of a + ^a + 1", func(m, before *emulate.Machine, in amd64.Inst) {
		if in.Op == "ADC" && in.Form() == "rr" && m.Flags[amd64.ZF] == 1 && m.Flags[amd64.CF] == 1 {
			m.Flags[amd64.CF] = 0
		}
	}, "CF: the CPU has 1, the emulator 0"},
	{"ADCX carries into OF", func(m, _ *emulate.Machine, in amd64.Inst) {
		if in.Op == "ADCX" {
			m.Flags[amd64.OF] = m.Flags[amd64.CF]
		}
	}, "ADCX"},
	{"MULX with one destination keeps the low half", func(m, before *emulate.Machine, in amd64.Inst) {
		if in.Op == "MULX" && in.Args[0].Reg == in.Args[1].Reg && in.Args[0].Bits == 64 && in.Args[2].Kind == amd64.RegKind {
			m.Regs[in.Args[0].Reg] = emulate.Number(before.Regs[amd64.DX].V * before.Regs[in.Args[2].Reg].V)
		}
	}, "MULX"},
	{"a 32-bit CMOV that does not move leaves the upper half", func(m, before *emulate.Machine, in amd64.Inst) {
		if in.Op == "CMOVcc" && in.Args[0].Bits == 32 {
			m.Regs[in.Args[0].Reg].V |= before.Regs[in.Args[0].Reg].V >> 32 << 32
		}
	}, "CMOV"},
	{"SBB forgets the sign of its overflow", func(m, _ *emulate.Machine, in amd64.Inst) {
		if in.Op == "SBB" && m.Flags[amd64.SF] == 1 {
			m.Flags[amd64.OF] = 0
		}
	}, "OF: the CPU has 1"},
	{"SHLD by 0 sets flags", func(m, _ *emulate.Machine, in amd64.Inst) {
		if in.Op == "SHLD" && len(in.Args) == 3 && in.Args[2].Kind == amd64.ImmKind && in.Args[2].Imm&31 == 0 {
			m.Flags[amd64.ZF] = 1 - m.Flags[amd64.ZF]
		}
	}, "ZF: the CPU has"},
	{"a store of 32 bits writes 64", func(m, before *emulate.Machine, in amd64.Inst) {
		if in.Op == "MOV" && in.Form() == "mr" && in.Args[0].Bits == 32 {
			m.Store(emulate.Number(m.Mem.Regions[0].Addr+8), 1, emulate.Number(0x55))
		}
	}, "memory: the CPU has"},
	{"POP moves SP before it loads", func(m, _ *emulate.Machine, in amd64.Inst) {
		if in.Op == "POP" && in.Args[0].Reg != amd64.SP {
			m.Regs[in.Args[0].Reg] = m.Load(m.Regs[amd64.SP], 8)
		}
	}, "POP"},
	{"IMUL claims to define ZF", func(m, _ *emulate.Machine, in amd64.Inst) {
		if in.Op == "IMUL" {
			m.Flags[amd64.ZF] = 1
		}
	}, "ZF"},
	{"a result is left undefined", func(m, _ *emulate.Machine, in amd64.Inst) {
		if in.Op == "RORX" {
			m.Regs[in.Args[0].Reg] = emulate.Poison()
		}
	}, "undefined 0xffffffffffffffff"},
}

func TestRunNoticesFaults(t *testing.T) {
	for _, f := range faults {
		_, err := run(t, cosim.Options{States: 200_000, Seed: 2, Semantics: func(m *emulate.Machine, in amd64.Inst) (machine.Exit[emulate.Bit], error) {
			before := *m
			exit, err := m.Step(in)
			f.wrong(m, &before, in)
			return exit, err
		}})
		var mismatch *cosim.Mismatch
		if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%s: got error %v, want a mismatch with %q", f.name, err, f.want)
		}
	}
	// Jumps, and errors of the emulator.
	_, err := run(t, cosim.Options{States: 200_000, Seed: 2, Semantics: func(m *emulate.Machine, in amd64.Inst) (machine.Exit[emulate.Bit], error) {
		exit, err := m.Step(in)
		if in.Op == "Jcc" && in.Cond == amd64.CondBE {
			exit.Cond = m.Flags[amd64.CF]
		}
		return exit, err
	}})
	if err == nil || !strings.Contains(err.Error(), "the CPU goes true, the emulator false") {
		t.Errorf("JBE without ZF: got error %v", err)
	}
	_, err = run(t, cosim.Options{States: 200_000, Seed: 2, Semantics: func(m *emulate.Machine, in amd64.Inst) (machine.Exit[emulate.Bit], error) {
		if in.Op == "LEA" {
			return machine.Exit[emulate.Bit]{}, errors.New("no LEA today")
		}
		return m.Step(in)
	}})
	if err == nil || !strings.Contains(err.Error(), "the emulator refuses: no LEA today") {
		t.Errorf("an error of the emulator: got %v", err)
	}
}
