package prove

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/explain"
	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/search"
)

// A Failure says on which path and at which instruction a proof fails.
type Failure struct {
	Pointers string   // the pattern, as kernel.Routine.Names prints it
	Part     string   // of an inversion, see kernel.Parts, or the value of a formula; else ""
	Cases    []string // the case splits on the way
	Offset   int      // of the instruction in the routine, -1 if it is not known
	Inst     string
	Claim    string // the claim that does not follow, if the path came to its end
	Reason   string // what is known instead, and the value that is in question
	Err      error  // what the search reported
}

func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pointers %s: ", f.Pointers)
	if f.Part != "" {
		fmt.Fprintf(&b, "part %s: ", f.Part)
	}
	for _, c := range f.Cases {
		fmt.Fprintf(&b, "%s: ", c)
	}
	if f.Offset >= 0 {
		fmt.Fprintf(&b, "offset %#x, %s: ", f.Offset, f.Inst)
	}
	if f.Claim != "" {
		fmt.Fprintf(&b, "the claim %s does not follow: ", f.Claim)
	}
	return b.String() + f.Reason
}

// Unwrap returns what the search reported.
func (f *Failure) Unwrap() error { return f.Err }

// failure names the place in the code where the search under a pattern ended. p
// is the program that it searched, which may be a part of the routine.
func failure(r *kernel.Routine, pat kernel.Pattern, p *kernel.Program, err error) *Failure {
	f := &Failure{Pointers: r.Names(pat), Offset: -1, Reason: err.Error(), Err: err}
	var at *search.Failure
	if !errors.As(err, &at) || p == nil {
		return f
	}
	claim := func(i int) string { return r.Spec.Claims[i-1].String() }
	var piece *search.PieceFailure
	if errors.As(err, &piece) {
		p, f.Part = piece.Program, piece.Value
		v := r.Value(piece.Value)
		claim = func(i int) string {
			return [...]string{fmt.Sprintf("%s ≡ %s (mod p)", v.Name, v.Text), "that bounds " + v.Name}[i-1]
		}
	}
	names := explain.NewNames(r, pat, p)
	f.Reason = names.Text(at.Err.Error())
	var left *search.Leftover
	if errors.As(err, &left) {
		f.Reason = fmt.Sprintf("%s %s", left.What, names.Poly(left.Poly))
	}
	offset := func(op int) int {
		if op < len(p.Offsets) {
			return p.Offsets[op]
		}
		if f.Part != "" || r.HasLoop() && len(p.Offsets) > 0 {
			return p.Offsets[len(p.Offsets)-1] // the last of the part
		}
		return len(r.Code) - 1 // the return
	}
	for _, c := range at.Cases {
		bit := names.Loc(c.Loc)
		if bit == "" {
			bit = "its bit"
		}
		f.Cases = append(f.Cases, fmt.Sprintf("case at %#x, %s is %d", offset(c.Op), bit, c.Bit))
	}
	f.Offset = offset(at.Op)
	list, _ := explain.Instructions(r)
	for _, in := range list {
		if at, _ := in.Span(); at == f.Offset {
			f.Inst = in.String()
		}
	}
	switch {
	case at.Claim > 0 && r.HasLoop():
		f.Claim = fmt.Sprintf("%d of the part", at.Claim)
	case at.Claim > 0:
		f.Claim = claim(at.Claim)
	}
	return f
}

// Counterexample runs the routine on up to n inputs, edges among them, and
// describes the first on which it does not keep its contract. It returns "" if
// there is none.
func (t *Target) Counterexample(n int, seed uint64) string {
	abis := map[kernel.Convention]emulate.ABI{kernel.ABI0: emulate.Go, kernel.SystemV: emulate.SystemV, kernel.GoARM64: emulate.GoARM64}
	p, err := emulate.NewProgram(t.Code, t.Contract, abis[t.Conv])
	if err != nil {
		return ""
	}
	inputs := emulate.NewInputs(t.Contract, seed)
	for i := range n {
		in := inputs.Next()
		if err := p.Check(in); err != nil {
			return fmt.Sprintf("input %d: %s: %v", i+1, in.Describe(t.Contract), err)
		}
	}
	return ""
}
