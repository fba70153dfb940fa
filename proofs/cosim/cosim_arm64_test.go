package cosim_test

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/cosim"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

var states = flag.Int("states", 200_000, "machine states to compare")

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
	for _, rule := range arm64.AllowList() {
		for _, form := range strings.Split(rule.Forms, " ") {
			name := rule.Op + "/" + form
			total += r.Forms[name]
			if r.Forms[name] == 0 && rule.Op != "RET" && rule.Op != "UDF" {
				t.Errorf("%s was not run", name)
			}
		}
	}
	if total != r.States {
		t.Errorf("the forms add up to %d states, want %d", total, r.States)
	}
}

// faults are wrong semantics, each of which must be noticed: they change what an
// instruction has done to the machine, given what it was before.
var faults = []struct {
	name  string
	wrong func(m, before *emulate.ARM64, in arm64.Inst)
	want  string // in the error
}{
	{"C is a borrow after SUBS", func(m, _ *emulate.ARM64, in arm64.Inst) {
		if in.Op == "SUBS" {
			m.Flags[arm64.C] = 1 - m.Flags[arm64.C]
		}
	}, "C: the CPU has"},
	{"ADCS loses the carry of a + ^a + 1", func(m, _ *emulate.ARM64, in arm64.Inst) {
		if in.Op == "ADCS" && m.Flags[arm64.Z] == 1 {
			m.Flags[arm64.C] = 0
		}
	}, "C: the CPU has 1, the emulator 0"},
	{"SBCS forgets the sign of its overflow", func(m, _ *emulate.ARM64, in arm64.Inst) {
		if in.Op == "SBCS" && m.Flags[arm64.N] == 1 {
			m.Flags[arm64.V] = 0
		}
	}, "V: the CPU has 1"},
	{"ANDS leaves V", func(m, before *emulate.ARM64, in arm64.Inst) {
		if in.Op == "ANDS" {
			m.Flags[arm64.V] = before.Flags[arm64.V]
		}
	}, "V: the CPU has 0"},
	{"register 31 of AND with a constant is XZR", func(m, before *emulate.ARM64, in arm64.Inst) {
		if in.Op == "AND" && in.Form() == "rri" {
			m.Regs[arm64.SP] = before.Regs[arm64.SP]
		}
	}, "SP: the CPU has"},
	{"UMADDL takes all of a register", func(m, before *emulate.ARM64, in arm64.Inst) {
		if in.Op == "UMADDL" && in.Args[0].Reg != arm64.ZR && in.Args[3].Reg == arm64.ZR && in.Args[1].Reg != arm64.ZR && in.Args[2].Reg != arm64.ZR {
			m.Regs[in.Args[0].Reg] = emulate.Number(before.Regs[in.Args[1].Reg].V * before.Regs[in.Args[2].Reg].V)
		}
	}, "UMULL"},
	{"GT looks at Z alone", func(m, before *emulate.ARM64, in arm64.Inst) {
		if d, n := in.Args[0].Reg, in.Args[1].Reg; in.Op == "CSINV" && in.Cond == arm64.GT && d != arm64.ZR && n != arm64.ZR && before.Flags[arm64.Z] == 0 {
			m.Regs[d] = before.Regs[n]
		}
	}, "CSINV"},
	{"STR does not change its base", func(m, before *emulate.ARM64, in arm64.Inst) {
		if in.Form() == "rp" {
			m.Regs[in.Args[1].Reg] = before.Regs[in.Args[1].Reg]
		}
	}, "the CPU has"},
	{"STP writes one register", func(m, before *emulate.ARM64, in arm64.Inst) {
		if in.Op == "STP" {
			copy(m.Mem.Regions[0].Data[56:], make([]byte, 8))
		}
	}, "memory: the CPU has"},
	{"a result is left undefined", func(m, _ *emulate.ARM64, in arm64.Inst) {
		if in.Op == "EXTR" && in.Args[0].Reg != arm64.ZR {
			m.Regs[in.Args[0].Reg] = emulate.Poison()
		}
	}, "undefined 0xffffffffffffffff"},
}

func TestRunNoticesFaults(t *testing.T) {
	for _, f := range faults {
		_, err := run(t, cosim.Options{States: 200_000, Seed: 2, ARM64: func(m *emulate.ARM64, in arm64.Inst) (machine.Exit[emulate.Bit], error) {
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
	_, err := run(t, cosim.Options{States: 200_000, Seed: 2, ARM64: func(m *emulate.ARM64, in arm64.Inst) (machine.Exit[emulate.Bit], error) {
		exit, err := m.Step(in)
		if in.Op == "CBNZ" {
			exit.Cond = 1
		}
		return exit, err
	}})
	if err == nil || !strings.Contains(err.Error(), "the CPU goes false, the emulator true") {
		t.Errorf("CBNZ always jumps: got error %v", err)
	}
	_, err = run(t, cosim.Options{States: 200_000, Seed: 2, ARM64: func(m *emulate.ARM64, in arm64.Inst) (machine.Exit[emulate.Bit], error) {
		if in.Op == "CSEL" {
			return machine.Exit[emulate.Bit]{}, errors.New("no CSEL today")
		}
		return m.Step(in)
	}})
	if err == nil || !strings.Contains(err.Error(), "the emulator refuses: no CSEL today") {
		t.Errorf("an error of the emulator: got %v", err)
	}
}
