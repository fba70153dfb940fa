package emulate

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Where a run has its memory.
const (
	entrySP   = 0x7fff_0000
	firstArg  = 8 // above the return address
	buffers   = 0x2000_0000
	bufferGap = 0x1_0000
)

// A Run is one call of a routine, which can be followed instruction by
// instruction.
type Run struct {
	Regs  []Word // by their numbers
	Flags []Bit
	Mem   *Memory
	Taken int // instructions executed

	program *Program
	input   Input
	cpu     processor
	in      machine.Inst // the next instruction
	done    bool
	places  []*Region // of pointers and of the result, by parameter
	entry   []Word
}

// Start lays out registers, stack and buffers for a call with the given input.
// Registers that carry no parameter are undefined, as are the flags, the stack
// and what is behind an output; what the routine must preserve has an arbitrary
// value.
func (p *Program) Start(in Input) (*Run, error) {
	if err := in.check(p.Routine); err != nil {
		return nil, err
	}
	r := &Run{program: p, input: in, places: make([]*Region, len(p.Routine.Params)), cpu: p.ABI.processor()}
	r.Regs, r.Flags = r.cpu.file()
	r.Mem = &r.cpu.core().Mem
	for i := range r.Flags {
		r.Flags[i] = Undefined
	}
	for i := range r.Regs {
		r.Regs[i] = Poison()
	}
	r.Regs[p.ABI.sp()] = Number(entrySP)
	for i, k := range p.ABI.preserved() {
		r.Regs[k.reg] = Word{V: 0x5ca1ab1e_0ddba11 * uint64(i+1)}
		if k.unread {
			r.Regs[k.reg].Undef = ^uint64(0)
		}
	}
	if p.ABI == GoARM64 {
		// Go's code keeps its frame pointer there when it calls; the end of a routine
		// with a frame relies on it.
		r.Regs[arm64.FP] = Number(entrySP - 8)
	}
	stack := Defined("the stack", entrySP-uint64(p.Stack), p.Stack, true)
	stack.Stack, stack.RedZone = true, p.ABI.redZone()
	stack.Poison(stack.Addr, p.Stack)
	r.Mem.Regions = append(r.Mem.Regions, stack)
	args := Defined("the arguments", entrySP+firstArg, 8*arguments(p.Routine), false)
	for i, q := range p.Routine.Params {
		switch {
		case q.Role == spec.Value:
			r.pass(args, i, in.Limbs[i][0])
		case q.Role.Pointer():
			r.pass(args, i, r.buffer(i))
		case p.ABI != SystemV:
			res := Defined("the result", args.Addr+uint64(len(args.Data)), 8, true)
			res.Poison(res.Addr, 8)
			r.Mem.Regions = append(r.Mem.Regions, res)
			r.places[i] = res
		}
	}
	if p.ABI != SystemV && len(args.Data) > 0 {
		r.Mem.Regions = append(r.Mem.Regions, args)
	}
	r.entry = slices.Clone(r.Regs)
	var err error
	r.in, err = p.at(0)
	return r, err
}

// pass hands over parameter i.
func (r *Run) pass(args *Region, i int, v uint64) {
	if r.program.ABI == SystemV {
		r.Regs[sysVArgs[i]] = Number(v)
		return
	}
	args.SetLimb(8*i, v)
}

// buffer returns the address of the buffer of parameter i, which it shares with
// the other parameters of its block.
func (r *Run) buffer(i int) uint64 {
	q := r.program.Routine.Params[i]
	b := r.places[r.input.Alias[i]]
	if b == nil {
		b = Defined(q.Name, buffers+bufferGap*uint64(i), 8*q.Limbs, false)
		b.Poison(b.Addr, len(b.Data))
		r.Mem.Regions = append(r.Mem.Regions, b)
	} else {
		b.Name += "=" + q.Name
	}
	r.places[i] = b
	b.Write = b.Write || q.Role != spec.In
	if q.Role != spec.Out && b.Undef[0] != 0 {
		for k, l := range r.input.Limbs[i] {
			b.SetLimb(8*k, l)
		}
	}
	return b.Addr
}

// Done reports whether the routine has returned.
func (r *Run) Done() bool { return r.done }

// Inst returns the instruction that the next Step executes.
func (r *Run) Inst() machine.Inst { return r.in }

// Step executes one instruction.
func (r *Run) Step() error {
	if r.done {
		return errors.New("the routine has returned")
	}
	if r.Taken++; r.Taken > r.program.Steps {
		return fault(r.in, fmt.Errorf("no return within %d instructions", r.program.Steps))
	}
	exit, err := r.cpu.execute(r.in) // NewProgram has asked whether it is modelled
	if err != nil {
		return fault(r.in, err)
	}
	offset, length := r.in.Span()
	at := offset + length
	switch {
	case exit.Kind == machine.Return:
		r.done = true
		return nil
	case exit.Kind == machine.Jump, exit.Kind == machine.Branch && exit.Cond == 1:
		at = exit.Target
	}
	next, err := r.program.at(at)
	if err != nil {
		return fault(r.in, err)
	}
	r.in = next
	return nil
}

// Results checks what the calling convention asks for at the return, and that
// every output is written, and returns the values of the parameters.
func (r *Run) Results() (spec.Env, error) {
	if !r.done {
		return nil, errors.New("the routine has not returned")
	}
	abi := r.program.ABI
	sp := abi.sp()
	if r.Regs[sp] != r.entry[sp] {
		return nil, fault(r.in, fmt.Errorf("returns with SP %+d bytes from its value on entry, want the same", int64(r.Regs[sp].V-entrySP)))
	}
	for _, k := range abi.preserved() {
		if r.Regs[k.reg] != r.entry[k.reg] {
			return nil, fault(r.in, fmt.Errorf("returns with another value in %v than on entry", abi.name(k.reg)))
		}
	}
	env := make(spec.Env)
	for i, q := range r.program.Routine.Params {
		if q.Role == spec.In || q.Role == spec.InOut || q.Role == spec.Value {
			env[q.Name] = integer(r.input.limbs(i))
		}
		var out []uint64
		switch {
		case q.Role == spec.In || q.Role == spec.Value:
			continue
		case q.Role == spec.Result && abi == SystemV:
			w := r.Regs[amd64.AX]
			if w.Undef != 0 {
				return nil, fault(r.in, fmt.Errorf("returns before the result %s is in AX", q.Name))
			}
			out = []uint64{w.V}
		default:
			for k := range q.Limbs {
				l, ok := r.places[i].Limb(8 * k)
				if !ok {
					return nil, fault(r.in, fmt.Errorf("returns before limb %d of %s is written", k, q.Name))
				}
				out = append(out, l)
			}
		}
		name := q.Name
		if q.Role == spec.InOut {
			name = spec.After(name)
		}
		env[name] = integer(out)
	}
	return env, nil
}

// integer returns the number with the given limbs.
func integer(limbs []uint64) *big.Int {
	b := make([]byte, 8*len(limbs))
	for i, l := range limbs {
		for j := range 8 {
			b[len(b)-1-8*i-j] = byte(l >> (8 * j))
		}
	}
	return new(big.Int).SetBytes(b)
}
