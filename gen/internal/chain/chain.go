// Package chain finds addition chains: short programs of squarings and
// multiplications that raise a field element to a fixed power.
package chain

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/mmcloughlin/addchain/acc"
	"github.com/mmcloughlin/addchain/acc/ir"
	"github.com/mmcloughlin/addchain/acc/pass"
	"github.com/mmcloughlin/addchain/alg/ensemble"
	"github.com/mmcloughlin/addchain/alg/exec"
)

// The variables of a Program that are not temporaries.
const (
	Input  = "x" // never written
	Output = "r" // written by the last step, and free for use before
)

// A Step is one assignment of a Program.
type Step struct {
	Out, X string

	// Y is the second factor of a multiplication Out = X·Y. Where it is empty,
	// the step squares: Out = X^(2^Squarings).
	Y         string
	Squarings int
}

// A Program computes Output = Input^Exponent. A variable may be assigned more
// than once, also from itself.
type Program struct {
	Exponent *big.Int
	Vars     []string // every variable that is written
	Steps    []Step
	Source   string // the algorithm that found the chain
}

// Find returns the shortest program for the exponent e that the algorithms of
// addchain's ensemble find. They run one after the other, in a fixed order, and
// the first of equally short programs wins, so that the answer is the same on
// every machine. For a 256-bit exponent this takes about a second.
func Find(e *big.Int) (*Program, error) {
	if e.Cmp(big.NewInt(2)) < 0 {
		return nil, fmt.Errorf("chain: expected an exponent of at least 2, got %v", e)
	}
	var best exec.Result
	for _, a := range ensemble.Ensemble() {
		r := exec.Execute(e, a)
		if r.Err != nil {
			return nil, fmt.Errorf("chain: algorithm %v: %w", a, r.Err)
		}
		if best.Program == nil || len(r.Program) < len(best.Program) {
			best = r
		}
	}
	steps, err := acc.Decompile(best.Program)
	if err != nil {
		return nil, fmt.Errorf("chain: %w", err)
	}
	alloc := pass.Allocator{Input: Input, Output: Output, Format: "t%d"}
	if err := alloc.Execute(steps); err != nil {
		return nil, fmt.Errorf("chain: %w", err)
	}
	p := &Program{
		Exponent: e,
		Vars:     append([]string{Output}, steps.Temporaries...),
		Source:   best.Algorithm.String(),
	}
	for _, i := range steps.Instructions {
		s := Step{Out: i.Output.Identifier}
		switch op := i.Op.(type) {
		case ir.Add:
			s.X, s.Y = op.X.Identifier, op.Y.Identifier
		case ir.Double:
			s.X, s.Squarings = op.X.Identifier, 1
		case ir.Shift:
			s.X, s.Squarings = op.X.Identifier, int(op.S)
		default:
			return nil, fmt.Errorf("chain: unexpected operation %v", i.Op)
		}
		p.Steps = append(p.Steps, s)
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	return p, nil
}

// Exponents runs the program on exponents, where squaring doubles and
// multiplication adds: element i of the result is the power of the input that
// step i computes.
func (p *Program) Exponents() ([]*big.Int, error) {
	vars := map[string]*big.Int{Input: big.NewInt(1)}
	powers := make([]*big.Int, len(p.Steps))
	for i, s := range p.Steps {
		if s.Out == Input {
			return nil, fmt.Errorf("chain: step %d writes to the input", i)
		}
		x, y := vars[s.X], vars[s.Y]
		if x == nil || s.Y != "" && y == nil {
			return nil, fmt.Errorf("chain: step %d reads a variable that has no value: %+v", i, s)
		}
		if s.Y == "" {
			powers[i] = new(big.Int).Lsh(x, uint(s.Squarings))
		} else {
			powers[i] = new(big.Int).Add(x, y)
		}
		vars[s.Out] = powers[i]
	}
	return powers, nil
}

// Check evaluates the exponent of the program and compares it with Exponent.
func (p *Program) Check() error {
	powers, err := p.Exponents()
	if err != nil {
		return err
	}
	last := len(p.Steps) - 1
	if last < 0 || p.Steps[last].Out != Output {
		return errors.New("chain: expected a program that ends with an assignment to " + Output)
	}
	if powers[last].Cmp(p.Exponent) != 0 {
		return fmt.Errorf("chain: expected the exponent %#x, the program computes %#x", p.Exponent, powers[last])
	}
	return nil
}

// Squarings returns the number of squarings.
func (p *Program) Squarings() int {
	n := 0
	for _, s := range p.Steps {
		n += s.Squarings
	}
	return n
}

// Multiplications returns the number of multiplications.
func (p *Program) Multiplications() int {
	n := 0
	for _, s := range p.Steps {
		if s.Y != "" {
			n++
		}
	}
	return n
}
