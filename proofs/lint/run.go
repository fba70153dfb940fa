package lint

import (
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// maxSteps bounds the instructions followed in one routine. The longest
// routine, an inversion, takes some ten thousand.
const maxSteps = 1 << 19

// An analysis follows one routine.
type analysis struct {
	result Result
	frame  *frame
	arch   *arch
	code   []machine.Inst
	index  map[int]int // from offset to index in code
	seen   map[Problem]bool

	s    *state       // before the current instruction, and changed by it
	in   machine.Inst // the current instruction
	dead bool         // the current path cannot be followed any further

	states  map[int]*state // by offset, where paths start: at the entry, and where a jump was not decided
	reached []bool         // by index in code
	partial bool           // some path was given up
}

// report records a problem of the current instruction. Only the first of a
// kind is kept at each instruction, since loops repeat the others.
func (a *analysis) report(kind Kind, format string, args ...any) {
	offset, _ := a.in.Span()
	key := Problem{Offset: offset, Kind: kind}
	if a.seen[key] {
		return
	}
	a.seen[key] = true
	a.result.Problems = append(a.result.Problems, Problem{
		Routine: a.result.Routine, Offset: offset, Inst: a.in.String(), Kind: kind, Reason: fmt.Sprintf(format, args...),
	})
}

// fatal reports a problem after which the path means nothing.
func (a *analysis) fatal(kind Kind, format string, args ...any) {
	a.report(kind, format, args...)
	a.dead = true
}

// follow explores every path from the start of the routine.
//
// A jump whose condition is a known constant is followed one way only, so a
// loop with a constant trip count is followed turn by turn, and an index that
// counts its turns is known at each. Where a condition is not known, both ways
// are followed; states that meet there are merged until they change no more.
// That ends, because a merge only ever forgets.
func (a *analysis) follow() {
	a.reached = make([]bool, len(a.code))
	pending := []int{0}
	a.states = map[int]*state{0: a.frame.entry(a.arch)}
	for len(pending) > 0 {
		at := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		a.s = a.states[at].clone()
		for _, next := range a.path(at) {
			if known, ok := a.states[next]; !ok {
				a.states[next] = a.s.clone()
			} else if !known.merge(a.s) {
				continue
			}
			pending = append(pending, next)
		}
	}
	a.unreached()
}

// path follows the code from the given offset to the next place where control
// depends on something unknown, and returns where it may go from there.
func (a *analysis) path(at int) []int {
	for a.dead = false; ; {
		i, ok := a.index[at]
		if !ok {
			a.fatal(Flow, "goes to offset %#x, where no instruction of the routine starts", at)
		}
		if a.dead {
			a.partial = true
			return nil
		}
		a.in, a.reached[i] = a.code[i], true
		if a.result.Steps++; a.result.Steps > maxSteps {
			a.fatal(Flow, "no return within %d instructions", maxSteps)
			continue
		}
		if !a.s.regs[a.arch.sp].known {
			a.fatal(Stack, "SP depends on the path by which this is reached")
			continue
		}
		if a.arch.allow(a.in) != nil {
			a.dead = true // reported when the allow-list was applied
			continue
		}
		exit, err := a.arch.step(a, a.in)
		if err != nil {
			a.fatal(Instruction, "%v", err)
			continue
		}
		offset, length := a.in.Span()
		at = offset + length
		switch exit.Kind {
		case machine.Return:
			a.returns()
			return nil
		case machine.Jump:
			at = exit.Target
		case machine.Branch:
			switch c := exit.Cond; {
			case c.known && c.v:
				at = exit.Target
			case !c.known:
				if c.secret {
					a.report(Branch, "jumps on a condition that depends on a secret")
				}
				return []int{at, exit.Target}
			}
		}
	}
}

// returns checks the state at RET.
func (a *analysis) returns() {
	if sp := a.sp(); sp != 0 {
		a.report(Stack, "returns with SP %d bytes below its value on entry", -sp)
	}
	for _, r := range a.arch.kept {
		if !a.arch.restored(a, r) {
			a.report(Register, "returns without the caller's %s in %s", a.arch.reg(r), a.arch.reg(r))
		}
	}
	for obj, b := range a.frame.buffers {
		for off := int64(0); obj != stack && off < b.size; off += 8 {
			if a.s.mem[cell{obj, off}].defined < 64 {
				a.report(Undefined, "returns before bytes %d to %d of %s are written", off, off+7, b.Name)
			}
		}
	}
	if r := a.frame.result; r != nil && a.s.mem[cell{stack, a.frame.resultSlot()}].defined < 64 {
		a.report(Undefined, "returns before the result %s is written", r.Name)
	}
}

// unreached reports code that no path reaches, unless some path was given up.
func (a *analysis) unreached() {
	for i, in := range a.code {
		if a.partial || a.reached[i] || a.arch.padding(in) {
			continue
		}
		if i == 0 || a.reached[i-1] || a.arch.padding(a.code[i-1]) {
			a.in = in
			a.report(Flow, "is never reached")
		}
	}
}
