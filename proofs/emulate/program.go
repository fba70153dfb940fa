package emulate

import (
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// An ABI says for which architecture a routine is, where parameters are, and what
// it must preserve.
type ABI int

// The calling conventions.
const (
	Go      ABI = iota // ABI0 for amd64: one word each on the stack, results behind them
	SystemV            // for amd64, integer registers only
	GoARM64            // ABI0 for arm64, as Go; the return address is in a register
)

// GoABI returns the calling convention of Go's assembly for an architecture, as in
// GOARCH.
func GoABI(arch string) (ABI, error) {
	switch arch {
	case "amd64":
		return Go, nil
	case "arm64":
		return GoARM64, nil
	}
	return 0, fmt.Errorf("no calling convention for %s, only for amd64 and arm64", arch)
}

// sysVArgs are the registers of the parameters, in order.
var sysVArgs = []amd64.Reg{amd64.DI, amd64.SI, amd64.DX, amd64.CX, amd64.R8, amd64.R9}

// sp returns the number of the stack pointer.
func (a ABI) sp() int {
	if a == GoARM64 {
		return int(arm64.SP)
	}
	return int(amd64.SP)
}

// name returns what a register is called.
func (a ABI) name(reg int) string {
	if a == GoARM64 {
		return arm64.Reg(reg).String()
	}
	return amd64.Reg(reg).String()
}

// A kept register is one that a routine must leave as it was, besides SP.
type kept struct {
	reg    int
	unread bool // there is no reason to read it
}

// preserved returns the registers that a routine must leave as they were, besides
// SP. Under ABI0, Go code around a routine relies on BP alone on amd64; R14 is there
// because these routines keep it too. On arm64 R18 belongs to the platform, R28 is
// the goroutine, R29 the frame pointer, and R30 is where RET goes.
func (a ABI) preserved() []kept {
	switch a {
	case SystemV:
		return []kept{{int(amd64.BX), false}, {int(amd64.BP), false}, {int(amd64.R12), false}, {int(amd64.R13), false}, {int(amd64.R14), false}, {int(amd64.R15), false}}
	case GoARM64:
		return []kept{{18, true}, {28, true}, {int(arm64.FP), false}, {int(arm64.LR), false}}
	}
	return []kept{{int(amd64.BP), false}, {int(amd64.R14), true}}
}

// redZone returns how many bytes below SP may be used. Go has none on amd64: a
// signal may preempt a goroutine and push a frame. On arm64 the assembler saves the
// frame pointer just below SP.
func (a ABI) redZone() uint64 {
	switch a {
	case SystemV:
		return 128
	case GoARM64:
		return 8
	}
	return 0
}

// decode decodes a routine, all of whose instructions must be modelled.
func (a ABI) decode(code []byte) ([]machine.Inst, error) {
	if a == GoARM64 {
		return instructions(code, arm64.DecodeAll, func(arm64.Inst) error { return nil })
	}
	return instructions(code, amd64.DecodeAll, amd64.Modelled)
}

func instructions[I machine.Inst](code []byte, decode func([]byte) ([]I, error), modelled func(I) error) ([]machine.Inst, error) {
	list, err := decode(code)
	if err != nil {
		return nil, err
	}
	all := make([]machine.Inst, len(list))
	for i, in := range list {
		if err := modelled(in); err != nil {
			return nil, fault(in, err)
		}
		all[i] = in
	}
	return all, nil
}

// processor returns a CPU.
func (a ABI) processor() processor {
	if a == GoARM64 {
		return new(ARM64)
	}
	return new(Machine)
}

// A processor is a machine of numbers, of any architecture.
type processor interface {
	execute(in machine.Inst) (machine.Exit[Bit], error)
	core() *Core
	file() ([]Word, []Bit)
}

// Limits of one call.
const (
	DefaultSteps = 1 << 19
	DefaultStack = 1024 // bytes below SP on entry
)

// A Program is the code of one routine together with its contract.
type Program struct {
	Routine *spec.Routine
	ABI     ABI
	Code    []machine.Inst // to be read only
	Steps   int            // instructions that a call may execute
	Stack   int            // bytes that it may use below SP on entry

	index []int32 // from offset to index in Code, -1 between instructions
}

// NewProgram decodes the code of a routine. Code that has an instruction that
// is not modelled is refused with an error that names it.
func NewProgram(code []byte, r *spec.Routine, abi ABI) (*Program, error) {
	p := &Program{Routine: r, ABI: abi, Steps: DefaultSteps, Stack: DefaultStack, index: make([]int32, len(code))}
	for i, q := range r.Params {
		switch {
		case q.Role < spec.Out || q.Role > spec.Result:
			return nil, fmt.Errorf("contract of %s: unknown role %d of %s", r.Name(), q.Role, q.Name)
		case q.Role == spec.Result && i != len(r.Params)-1:
			return nil, fmt.Errorf("contract of %s: result %s is not the last parameter", r.Name(), q.Name)
		case q.Limbs < 1:
			return nil, fmt.Errorf("contract of %s: %d limbs of %s, want at least 1", r.Name(), q.Limbs, q.Name)
		}
	}
	if n := arguments(r); abi == SystemV && n > len(sysVArgs) {
		return nil, fmt.Errorf("contract of %s: %d parameters, System V passes %d in registers", r.Name(), n, len(sysVArgs))
	}
	var err error
	if p.Code, err = abi.decode(code); err != nil {
		return nil, err
	}
	for i := range p.index {
		p.index[i] = -1
	}
	for i, in := range p.Code {
		offset, _ := in.Span()
		p.index[offset] = int32(i)
	}
	return p, nil
}

// arguments returns the number of parameters that are passed in.
func arguments(r *spec.Routine) int {
	n := len(r.Params)
	if n > 0 && r.Params[n-1].Role == spec.Result {
		n--
	}
	return n
}

// A Fault is an error at one instruction.
type Fault struct {
	Offset int
	Inst   string
	Err    error
}

func fault(in machine.Inst, err error) error {
	offset, _ := in.Span()
	return &Fault{offset, in.String(), err}
}

func (f *Fault) Error() string { return fmt.Sprintf("offset %#x: %s: %v", f.Offset, f.Inst, f.Err) }

// Unwrap returns what went wrong.
func (f *Fault) Unwrap() error { return f.Err }

// at returns the instruction at an offset.
func (p *Program) at(offset int) (machine.Inst, error) {
	if offset < 0 || offset >= len(p.index) || p.index[offset] < 0 {
		return nil, fmt.Errorf("control goes to offset %#x, where no instruction of the routine starts", offset)
	}
	return p.Code[p.index[offset]], nil
}

// Call runs the routine on the input and returns the values of its parameters,
// as spec.Routine.Check takes them. The error is about memory, registers,
// undefined values, control or the calling convention.
func (p *Program) Call(in Input) (spec.Env, error) {
	r, err := p.Start(in)
	if err != nil {
		return nil, err
	}
	for !r.Done() {
		if err := r.Step(); err != nil {
			return nil, err
		}
	}
	return r.Results()
}

// Check runs the routine on the input and compares the result with the
// contract.
func (p *Program) Check(in Input) error {
	env, err := p.Call(in)
	if err != nil {
		return err
	}
	return p.Routine.Check(env)
}
