package emulate

import (
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// ARM64 is an arm64 CPU.
type ARM64 struct {
	Regs  [arm64.NumRegs]Word
	Flags [arm64.NumFlags]Bit
	Core
}

var _ arm64.Machine[Word, Bit] = (*ARM64)(nil)

// Step executes one instruction.
func (m *ARM64) Step(in arm64.Inst) (machine.Exit[Bit], error) {
	return m.ended(arm64.Step(m, in))
}

func (m *ARM64) execute(in machine.Inst) (machine.Exit[Bit], error) { return m.Step(in.(arm64.Inst)) }

// Reg returns the register as it is; Low is where undefined bits are an error.
func (m *ARM64) Reg(r arm64.Reg) Word { return m.Regs[r] }

// SetReg sets a register. What SP moves above is undefined from then on.
func (m *ARM64) SetReg(r arm64.Reg, w Word) {
	if r == arm64.SP {
		m.Mem.release(m.Regs[r].V, w.V)
	}
	m.Regs[r] = w
}

// Flag returns a flag, which must be defined.
func (m *ARM64) Flag(f arm64.Flag) Bit { return m.flag(f, m.Flags[f]) }

// SetFlag sets a flag, perhaps to Undefined.
func (m *ARM64) SetFlag(f arm64.Flag, b Bit) { m.Flags[f] = b }

// Load reads memory, all of which must be defined.
func (m *ARM64) Load(addr Word, n int) Word { return m.load(addr, n, m.Regs[arm64.SP]) }

// Store writes memory; a word that is not defined may be saved there.
func (m *ARM64) Store(addr Word, n int, w Word) { m.store(addr, n, w, m.Regs[arm64.SP]) }

func (m *ARM64) core() *Core { return &m.Core }

func (m *ARM64) file() ([]Word, []Bit) { return m.Regs[:], m.Flags[:] }
