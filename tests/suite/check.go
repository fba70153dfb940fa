package suite

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unsafe"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// An input holds what a routine is called with: the limbs of each In or InOut
// pointer parameter (nil for an Out one), and the Value parameters.
type input struct {
	limbs  [][]uint64
	values []uint64
}

// An output holds what a call left behind: the limbs of each Out or InOut
// parameter (nil for an In one), and the Result.
type output struct {
	limbs  [][]uint64
	result uint64
}

func (o output) equal(p output) bool {
	return o.result == p.result && slices.EqualFunc(o.limbs, p.limbs, slices.Equal[[]uint64])
}

// A checker calls all implementations of one routine with the same inputs.
type checker struct {
	routine  *spec.Routine
	impls    []Impl
	ptrs     []spec.Param // pointer parameters
	vals     []spec.Param // Value parameters
	result   string       // name of the Result, if there is one
	patterns []pattern
	values   *values

	bufs  [][]uint64 // where the operands are: the arena, or guarded pages
	arena []uint64
	slot  int            // words of the arena from one operand to the next
	ran   map[string]int // calls by set
	now   Impl           // what is being called, for the message after a fault
	noise uint64
}

// canary surrounds every operand in the arena. The number of words between
// operands is odd, so that some operands are aligned to 16 bytes and others not.
const (
	canary      = 0xc0ffee5eed5a11ad
	canaryWords = 5
)

func newChecker(g group) *checker {
	c := &checker{routine: g.routine, values: newValues(g.routine.Field), ran: make(map[string]int)}
	for _, i := range g.impls {
		if i.Available {
			c.impls = append(c.impls, i)
		}
	}
	var limbs []int
	for _, p := range g.routine.Params {
		switch {
		case p.Role.Pointer():
			c.ptrs = append(c.ptrs, p)
			limbs = append(limbs, p.Limbs)
		case p.Role == spec.Value:
			c.vals = append(c.vals, p)
		default:
			c.result = p.Name
		}
	}
	c.patterns = patterns(limbs)
	c.useArena()
	return c
}

// useArena places the operands in ordinary memory, between canaries.
func (c *checker) useArena() {
	c.slot = canaryWords
	for _, p := range c.ptrs {
		c.slot = max(c.slot, p.Limbs+canaryWords)
	}
	c.arena = make([]uint64, canaryWords+len(c.ptrs)*c.slot)
	for i := range c.arena {
		c.arena[i] = canary
	}
	c.bufs = nil
	for i, p := range c.ptrs {
		at := canaryWords + i*c.slot
		c.bufs = append(c.bufs, c.arena[at:at+p.Limbs:at+p.Limbs])
	}
}

// nextNoise returns a word that no earlier call has seen. It fills Out
// parameters before a call, so that a routine that reads one gives itself away.
func (c *checker) nextNoise() uint64 {
	c.noise += 0x9e3779b97f4a7c15
	x := c.noise
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return x ^ x>>31
}

// check calls every implementation with the input under every pattern of
// aliasing, and returns an error that describes the first fault. Where a
// pattern makes two inputs one, both have the value of the first.
func (c *checker) check(in input) error {
	type run struct {
		in   input
		want output
	}
	var runs []run
	for _, p := range c.patterns {
		eff := c.effective(in, p)
		i := slices.IndexFunc(runs, func(r run) bool { return slices.EqualFunc(r.in.limbs, eff.limbs, slices.Equal[[]uint64]) })
		if i < 0 {
			// The first implementation without aliasing says what is expected,
			// once the contract agrees; the others must return the same limbs.
			want, err := c.call(c.impls[0], eff, c.patterns[0])
			if err == nil {
				err = c.contract(eff, want)
			}
			if err != nil {
				return c.fault(c.impls[0], eff, c.patterns[0], err)
			}
			i = len(runs)
			runs = append(runs, run{eff, want})
		}
		for _, impl := range c.impls {
			got, err := c.call(impl, eff, p)
			if err == nil && !got.equal(runs[i].want) {
				err = c.contract(eff, got)
				if err == nil {
					err = fmt.Errorf("the contract holds, but %s without aliasing returns other limbs: got %s, want %s",
						c.impls[0].Set, c.print(got), c.print(runs[i].want))
				}
			}
			if err != nil {
				return c.fault(impl, eff, p, err)
			}
		}
	}
	return nil
}

// effective returns the input with the values that a pattern makes equal.
func (c *checker) effective(in input, p pattern) input {
	eff := input{limbs: make([][]uint64, len(c.ptrs)), values: in.values}
	leader := make([][]uint64, len(c.ptrs))
	for i, q := range c.ptrs {
		if q.Role == spec.Out {
			continue
		}
		b := p[i]
		if leader[b] == nil {
			leader[b] = in.limbs[i]
		}
		eff.limbs[i] = leader[b]
	}
	return eff
}

// call runs one implementation on fresh copies of the input. The error is
// about what a routine may not touch.
func (c *checker) call(impl Impl, in input, p pattern) (output, error) {
	var args [4]unsafe.Pointer
	written := make([]bool, len(c.ptrs))
	for i, q := range c.ptrs {
		buf := c.bufs[p[i]]
		args[i] = unsafe.Pointer(&buf[0])
		written[p[i]] = written[p[i]] || q.Role != spec.In
		if p[i] == i {
			for j := range buf {
				buf[j] = c.nextNoise()
			}
		}
		if q.Role != spec.Out {
			copy(buf, in.limbs[i])
		}
	}
	c.ran[impl.Set]++
	c.now = impl
	out := output{result: impl.Call(args[:len(c.ptrs)], in.values), limbs: make([][]uint64, len(c.ptrs))}
	for i, q := range c.ptrs {
		buf := c.bufs[p[i]]
		if q.Role != spec.In {
			out.limbs[i] = slices.Clone(buf)
		} else if !written[p[i]] && !slices.Equal(buf, in.limbs[i]) {
			return out, fmt.Errorf("input %s was overwritten: got %s, want it unchanged", q.Name, hexLimbs(buf))
		}
	}
	return out, c.canaries()
}

func (c *checker) canaries() error {
	for i := range c.arena {
		if operand, at := i/c.slot, i%c.slot-canaryWords; operand < len(c.ptrs) && at >= 0 && at < c.ptrs[operand].Limbs {
			continue
		}
		if c.arena[i] != canary {
			got := c.arena[i]
			c.arena[i] = canary
			return fmt.Errorf("a word outside every operand was overwritten: got %#x at word %d", got, i)
		}
	}
	return nil
}

// contract evaluates the claims with math/big.
func (c *checker) contract(in input, out output) error {
	env := make(spec.Env, len(c.routine.Params)+1)
	for i, q := range c.ptrs {
		switch q.Role {
		case spec.In:
			env[q.Name] = fromLimbs(in.limbs[i])
		case spec.Out:
			env[q.Name] = fromLimbs(out.limbs[i])
		case spec.InOut:
			env[q.Name] = fromLimbs(in.limbs[i])
			env[spec.After(q.Name)] = fromLimbs(out.limbs[i])
		}
	}
	for i, q := range c.vals {
		env[q.Name] = new(big.Int).SetUint64(in.values[i])
	}
	if c.result != "" {
		env[c.result] = new(big.Int).SetUint64(out.result)
	}
	return c.routine.Check(env)
}

// fault describes a failing call so that it can be repeated by hand.
func (c *checker) fault(impl Impl, in input, p pattern, err error) error {
	var b strings.Builder
	for i, q := range c.ptrs {
		if in.limbs[i] != nil {
			fmt.Fprintf(&b, " %s=%s", q.Name, hexLimbs(in.limbs[i]))
		}
	}
	for i, q := range c.vals {
		fmt.Fprintf(&b, " %s=%#x", q.Name, in.values[i])
	}
	return fmt.Errorf("%v with pointers [%s] and input%s: %w", impl, p.name(c.ptrs), b.String(), err)
}

func (c *checker) print(o output) string {
	var s []string
	for i, q := range c.ptrs {
		if o.limbs[i] != nil {
			s = append(s, q.Name+"="+hexLimbs(o.limbs[i]))
		}
	}
	if c.result != "" {
		s = append(s, fmt.Sprintf("%s=%#x", c.result, o.result))
	}
	return strings.Join(s, " ")
}

// hexLimbs prints limbs as one number, the most significant first.
func hexLimbs(l []uint64) string { return fmt.Sprintf("%#x", fromLimbs(l)) }
