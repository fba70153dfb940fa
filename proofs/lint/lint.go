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
//   - SP moves by constants and is restored; nothing is called, and control stays in
//     the routine;
//   - on amd64, BP is left alone, or saved and restored as the assembler does in a
//     routine with a frame; R14 (g) and X15 are not used;
//   - on arm64, R18 (the platform's), R27 (the assembler's) and R28 (g) are not used;
//     R30 holds the return address throughout, and nothing else is kept at 0(SP) of a
//     frame; R29 points below SP as in Go's code; SP is a multiple of 16.
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

// Routine is RoutineArch for amd64.
func Routine(name string, code []byte, contract *spec.Routine) Result {
	return RoutineArch("amd64", name, code, contract)
}

// RoutineArch lints the machine code of one routine for an architecture (as GOARCH)
// against its contract. The name is the one to report problems under.
func RoutineArch(arch, name string, code []byte, contract *spec.Routine) Result {
	return analyze(arch, name, code, contract).result
}

// analyze is RoutineArch, with what it found on the way.
func analyze(arch, name string, code []byte, contract *spec.Routine) *analysis {
	a := &analysis{result: Result{Routine: name}, arch: arches[arch], index: make(map[int]int), seen: make(map[Problem]bool)}
	whole := func(kind Kind, err error) *analysis {
		a.result.Problems = append(a.result.Problems, Problem{Routine: name, Offset: -1, Kind: kind, Reason: err.Error()})
		return a
	}
	if a.arch == nil {
		return whole(Decode, fmt.Errorf("there is no lint for %s, only for amd64 and arm64", arch))
	}
	var err error
	if a.frame, err = newFrame(contract); err != nil {
		return whole(Contract, err)
	}
	if len(code) == 0 {
		return whole(Decode, errors.New("no code"))
	}
	a.code, err = a.arch.decode(code)
	a.result.Instructions = len(a.code)
	a.rules()
	if err != nil {
		return whole(Decode, err)
	}
	for i, in := range a.code {
		offset, _ := in.Span()
		a.index[offset] = i
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
		if err := a.arch.allow(in); err != nil {
			a.report(Instruction, "%v", err)
		}
		a.arch.rules(a, in)
	}
}
