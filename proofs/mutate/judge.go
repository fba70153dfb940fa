package mutate

import (
	"errors"
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A Verdict is what the emulator finds out about code.
type Verdict struct {
	// Fault is nil if the code kept its contract on every input. Otherwise it
	// is an *emulate.Fault, about memory, registers, undefined values, control
	// or the calling convention; or says which claim of the contract failed.
	Fault error
	// Inputs is the number of inputs tried, the one that failed included.
	Inputs int
}

// Equivalent reports whether no fault was found.
func (v Verdict) Equivalent() bool { return v.Fault == nil }

// BrokeRule reports whether the fault is not in a result but in how the code
// runs.
func (v Verdict) BrokeRule() bool {
	var f *emulate.Fault
	return errors.As(v.Fault, &f)
}

// Judge runs code on n inputs, edges among them, under every aliasing that the
// contract allows, until one shows a fault.
func Judge(code []byte, r *spec.Routine, abi emulate.ABI, n int, seed uint64) (Verdict, error) {
	p, err := emulate.NewProgram(code, r, abi)
	if err != nil {
		return Verdict{}, err
	}
	return judge(p, n, seed), nil
}

func judge(p *emulate.Program, n int, seed uint64) Verdict {
	inputs := emulate.NewInputs(p.Routine, seed)
	for i := range n {
		in := inputs.Next()
		if err := p.Check(in); err != nil {
			return Verdict{Fault: fmt.Errorf("%s: %w", in.Describe(p.Routine), err), Inputs: i + 1}
		}
	}
	return Verdict{Inputs: n}
}

// A Checker is what mutants are to be noticed by: it returns nil if it accepts
// the code of the routine.
type Checker func(code []byte, r *spec.Routine) error

// A Survey counts what became of mutants.
type Survey struct {
	Mutants    int
	Rejected   int      // by the checker
	BrokeRule  int      // of the mutants: those that break a rule when they run
	BrokeClaim int      // of the mutants: those that compute something wrong
	Equivalent int      // of the mutants: those without a fault on the inputs
	Noticed    int      // rejected or faulty
	Wrong      []string // accepted by the checker and faulty
	Same       []string // accepted by the checker and equivalent on all inputs
	Inputs     int      // runs of the emulator in all
}

func (s *Survey) String() string {
	return fmt.Sprintf("%d mutants: %d rejected by the checker; when run, %d break a rule, %d break the contract, %d are equivalent (%d runs); "+
		"%d accepted though wrong, %d accepted and equivalent",
		s.Mutants, s.Rejected, s.BrokeRule, s.BrokeClaim, s.Equivalent, s.Inputs, len(s.Wrong), len(s.Same))
}

// rejectedInputs is enough for a mutant that the checker has rejected, of which
// nothing needs to be shown.
const rejectedInputs = 100

// Add applies the mutants to the code of a routine, asks the checker, and
// judges each by n inputs, or by fewer if it is rejected.
func (s *Survey) Add(name string, code []byte, r *spec.Routine, abi emulate.ABI, list []Mutant, n int, check Checker) error {
	original, err := emulate.NewProgram(code, r, abi)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	inputs := emulate.NewInputs(r, 1)
	run, err := original.Start(inputs.Next())
	for err == nil && !run.Done() {
		err = run.Step()
	}
	if err == nil {
		err = original.Check(inputs.Next())
	}
	if err != nil {
		return fmt.Errorf("%s is wrong before any change: %w", name, err)
	}
	for i, m := range list {
		mutant, err := m.Apply(code)
		if err != nil {
			return fmt.Errorf("%s: %v: %w", name, m, err)
		}
		p, err := emulate.NewProgram(mutant, r, abi)
		if err != nil {
			return fmt.Errorf("%s: %v: %w", name, m, err)
		}
		p.Steps = 2*run.Taken + 100 // what takes longer does not end
		accepted, runs := check(mutant, r) == nil, n
		if !accepted {
			runs = min(n, rejectedInputs)
		}
		v := judge(p, runs, uint64(i))
		text := fmt.Sprintf("%s: %v", name, m)
		s.Mutants++
		s.Inputs += v.Inputs
		if !accepted {
			s.Rejected++
		}
		switch {
		case v.Equivalent():
			s.Equivalent++
		case v.BrokeRule():
			s.BrokeRule++
		default:
			s.BrokeClaim++
		}
		if !accepted || !v.Equivalent() {
			s.Noticed++
		}
		switch {
		case accepted && v.Equivalent():
			s.Same = append(s.Same, text)
		case accepted:
			s.Wrong = append(s.Wrong, fmt.Sprintf("%s: %v", text, v.Fault))
		}
	}
	return nil
}
