package emulate

import (
	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// A Machine is an amd64 CPU.
type Machine struct {
	Regs  [amd64.NumRegs]Word
	Flags [amd64.NumFlags]Bit
	Core
}

var _ amd64.Machine[Word, Bit] = (*Machine)(nil)

// Step executes one instruction.
func (m *Machine) Step(in amd64.Inst) (machine.Exit[Bit], error) {
	if err := amd64.Modelled(in); err != nil {
		return machine.Exit[Bit]{}, err
	}
	return m.ended(amd64.Execute(m, in))
}

// execute is Step for an instruction that is known to be modelled.
func (m *Machine) execute(in machine.Inst) (machine.Exit[Bit], error) {
	return m.ended(amd64.Execute(m, in.(amd64.Inst)))
}

// Reg returns the register as it is; Low is where undefined bits are an error.
func (m *Machine) Reg(r amd64.Reg) Word { return m.Regs[r] }

// SetReg sets a register. What SP moves above is undefined from then on.
func (m *Machine) SetReg(r amd64.Reg, w Word) {
	if r == amd64.SP {
		m.Mem.release(m.Regs[r].V, w.V)
	}
	m.Regs[r] = w
}

// Flag returns a flag, which must be defined.
func (m *Machine) Flag(f amd64.Flag) Bit { return m.flag(f, m.Flags[f]) }

// SetFlag sets a flag, perhaps to Undefined.
func (m *Machine) SetFlag(f amd64.Flag, b Bit) { m.Flags[f] = b }

// Load reads memory, all of which must be defined.
func (m *Machine) Load(addr Word, n int) Word { return m.load(addr, n, m.Regs[amd64.SP]) }

// Store writes memory; a word that is not defined may be saved there.
func (m *Machine) Store(addr Word, n int, w Word) { m.store(addr, n, w, m.Regs[amd64.SP]) }

func (m *Machine) core() *Core { return &m.Core }

func (m *Machine) file() ([]Word, []Bit) { return m.Regs[:], m.Flags[:] }
