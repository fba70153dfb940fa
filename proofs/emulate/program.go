package emulate

import (
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// An ABI says where parameters are and what a routine must preserve.
type ABI int

// The calling conventions.
const (
	Go      ABI = iota // ABI0: one word each on the stack, results behind them
	SystemV            // integer registers only
)

// sysVArgs are the registers of the parameters, in order.
var sysVArgs = []amd64.Reg{amd64.DI, amd64.SI, amd64.DX, amd64.CX, amd64.R8, amd64.R9}

// Preserved returns the registers that a routine must leave as they were,
// besides SP. Under ABI0, Go code around a routine relies on BP alone; R14 is
// there because these routines keep it too.
func (a ABI) Preserved() []amd64.Reg {
	if a == SystemV {
		return []amd64.Reg{amd64.BX, amd64.BP, amd64.R12, amd64.R13, amd64.R14, amd64.R15}
	}
	return []amd64.Reg{amd64.BP, amd64.R14}
}

// redZone returns how many bytes below SP may be used. Go has none: a signal
// may preempt a goroutine and push a frame.
func (a ABI) redZone() uint64 {
	if a == SystemV {
		return 128
	}
	return 0
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
	Code    []amd64.Inst // to be read only
	Steps   int          // instructions that a call may execute
	Stack   int          // bytes that it may use below SP on entry

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
	if p.Code, err = amd64.DecodeAll(code); err != nil {
		return nil, err
	}
	for i := range p.index {
		p.index[i] = -1
	}
	for i, in := range p.Code {
		if err := amd64.Modelled(in); err != nil {
			return nil, fault(in, err)
		}
		p.index[in.Offset] = int32(i)
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

func fault(in amd64.Inst, err error) error { return &Fault{in.Offset, in.String(), err} }

func (f *Fault) Error() string { return fmt.Sprintf("offset %#x: %s: %v", f.Offset, f.Inst, f.Err) }

// Unwrap returns what went wrong.
func (f *Fault) Unwrap() error { return f.Err }

// at returns the instruction at an offset.
func (p *Program) at(offset int) (amd64.Inst, error) {
	if offset < 0 || offset >= len(p.index) || p.index[offset] < 0 {
		return amd64.Inst{}, fmt.Errorf("control goes to offset %#x, where no instruction of the routine starts", offset)
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
