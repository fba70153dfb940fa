// Package lint checks the machine code of assembly routines for what could
// leak a secret or break the rules of Go: it follows secrecy labels from a
// routine's contract through registers, flags and memory.
//
// A routine passes if, on every path through its bytes,
//
//   - no conditional jump and no address depends on a secret: the values that
//     the contract marks, and whatever is computed from them;
//   - every instruction is on the allow-list of its architecture;
//   - every access to memory lies in the buffers that the contract declares,
//     in the way it declares them, in the argument and result slots, or in the
//     frame, never below SP;
//   - every register, flag and memory word is defined before it is used, and
//     all outputs are written before the return;
//   - SP moves by constants and is restored; BP is left alone, or saved and
//     restored as the assembler does in a routine with a frame; R14 (g) and
//     X15 are not used; nothing is called, and control stays in the routine.
//
// R14 and X15 matter only to ABIInternal and these routines follow ABI0; they
// do not need the two registers, and the stricter rule is the simpler one.
//
// What a pass does not say: that the CPU runs the allowed instructions in
// constant time (see the allow-list for the reasons to believe so), that what
// is computed is right, or anything about the Go code around the routine.
package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A Kind classifies problems.
type Kind string

// The kinds of problem.
const (
	Branch      Kind = "secret jump"
	Address     Kind = "secret address"
	Secret      Kind = "secret made public"
	Instruction Kind = "instruction"
	Memory      Kind = "memory"
	Stack       Kind = "stack"
	Register    Kind = "register"
	Undefined   Kind = "undefined value"
	Flow        Kind = "flow of control"
	Decode      Kind = "decoding"
	Contract    Kind = "contract"
)

// A Problem is one reason to refuse a routine.
type Problem struct {
	Routine string
	Offset  int    // of the instruction in the routine, or -1 for the routine as a whole
	Inst    string // the instruction, in the syntax of Go's assembler
	Kind    Kind
	Reason  string
}

func (p Problem) String() string {
	if p.Offset < 0 {
		return fmt.Sprintf("%s: %s: %s", p.Routine, p.Kind, p.Reason)
	}
	return fmt.Sprintf("%s+%#x: %s: %s: %s", p.Routine, p.Offset, p.Inst, p.Kind, p.Reason)
}

// A Result is what was found in one routine.
type Result struct {
	Routine      string
	Instructions int       // in its code
	Steps        int       // followed, counting every turn of its loops
	Problems     []Problem // in the order of their offsets
}

// Routine lints the machine code of one routine against its contract. The name
// is the one to report problems under.
func Routine(name string, code []byte, contract *spec.Routine) Result {
	return analyze(name, code, contract).result
}

// analyze is Routine, with what it found on the way.
func analyze(name string, code []byte, contract *spec.Routine) *analysis {
	a := &analysis{result: Result{Routine: name}, index: make(map[int]int), seen: make(map[Problem]bool)}
	whole := func(kind Kind, err error) *analysis {
		a.result.Problems = append(a.result.Problems, Problem{Routine: name, Offset: -1, Kind: kind, Reason: err.Error()})
		return a
	}
	var err error
	if a.frame, err = newFrame(contract); err != nil {
		return whole(Contract, err)
	}
	if len(code) == 0 {
		return whole(Decode, errors.New("no code"))
	}
	a.code, err = amd64.DecodeAll(code)
	a.result.Instructions = len(a.code)
	a.rules()
	if err != nil {
		return whole(Decode, err)
	}
	for i, in := range a.code {
		a.index[in.Offset] = i
	}
	a.follow()
	slices.SortStableFunc(a.result.Problems, func(p, q Problem) int { return cmp.Compare(p.Offset, q.Offset) })
	return a
}

// rules applies what can be seen without following the code: the allow-list,
// and the registers that are not to be touched.
func (a *analysis) rules() {
	for _, in := range a.code {
		a.in = in
		if err := amd64.Allow(in); err != nil {
			a.report(Instruction, "%v", err)
		}
		for _, o := range in.Args {
			switch {
			case o.Kind == amd64.RegKind && o.Reg == amd64.R14,
				o.Kind == amd64.MemKind && (o.Base == amd64.R14 || o.Index == amd64.R14):
				a.report(Register, "uses R14, which holds the current goroutine (g)")
			case o.Kind == amd64.OtherKind && (o.Other == "X15" || o.Other == "Y15" || o.Other == "Z15"):
				a.report(Register, "uses X15, which Go keeps zero")
			}
		}
		if (in.Op == "PUSH" || in.Op == "POP") && (len(in.Args) != 1 || in.Args[0].Reg != amd64.BP) {
			a.report(Stack, "pushes or pops something other than BP")
		}
	}
}
