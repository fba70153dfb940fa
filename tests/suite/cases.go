package suite

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// crossCases bounds the number of combinations of edges that a routine is
// tested with. A tenth must do for a short run, on an emulated machine.
const crossCases = 16_000

// edgeCases checks every combination of edge values. Routines with three
// operands get the first edges of the list only, to keep within crossCases.
func (c *checker) edgeCases() error {
	f := c.routine.Field
	lists := make([][]*big.Int, len(c.ptrs))
	words := make([][]uint64, len(c.vals))
	budget, operands := crossCases, 0
	if testing.Short() {
		budget /= 10
	}
	for i, p := range c.ptrs {
		switch {
		case p.Role == spec.Out:
			continue
		case p.Parts != nil:
			lists[i] = c.values.points(p, c.values.edges(p.Bound))
		case p.Limbs > f.Limbs:
			lists[i] = c.values.wideEdges(p.Bound)
		default:
			lists[i] = c.values.edges(p.Bound)
		}
		operands++
	}
	for i, p := range c.vals {
		words[i] = wordEdges(p.Bound)
		budget /= len(words[i])
	}
	length := budget
	for power(length, operands) > budget {
		length--
	}
	in := input{limbs: make([][]uint64, len(c.ptrs)), values: make([]uint64, len(c.vals))}
	var cross func(i int) error
	cross = func(i int) error {
		switch {
		case i < len(c.ptrs) && lists[i] == nil:
			return cross(i + 1)
		case i < len(c.ptrs):
			for _, x := range lists[i][:min(length, len(lists[i]))] {
				in.limbs[i] = toLimbs(x, c.ptrs[i].Limbs)
				if err := cross(i + 1); err != nil {
					return err
				}
			}
			return nil
		case i < len(c.ptrs)+len(c.vals):
			for _, w := range words[i-len(c.ptrs)] {
				in.values[i-len(c.ptrs)] = w
				if err := cross(i + 1); err != nil {
					return err
				}
			}
			return nil
		}
		return c.check(in)
	}
	return cross(0)
}

// power returns x^k, or a large number where that is larger.
func power(x, k int) int {
	const large = 1 << 26
	p := 1
	for range k {
		if p *= x; p > large {
			return large
		}
	}
	return p
}

// draw makes one random input.
func (c *checker) draw(s source) input {
	in := input{limbs: make([][]uint64, len(c.ptrs)), values: make([]uint64, len(c.vals))}
	var last *big.Int
	// In either order, since what is drawn later depends on what came before,
	// and a routine does not treat its operands alike.
	backwards := s.pick(2) == 1
	for i := range c.ptrs {
		if backwards {
			i = len(c.ptrs) - 1 - i
		}
		p := c.ptrs[i]
		if p.Role == spec.Out {
			continue
		}
		var numbers []*big.Int
		for range max(1, len(p.Parts)) {
			last = c.operand(s, last, p)
			numbers = append(numbers, last)
		}
		x := last
		if p.Parts != nil {
			x = p.Join(c.routine.Field, numbers)
		}
		in.limbs[i] = toLimbs(x, p.Limbs)
	}
	for i, p := range c.vals {
		edges := wordEdges(p.Bound)
		if in.values[i] = edges[s.pick(len(edges))]; s.pick(2) == 0 {
			in.values[i] = s.word() % p.Bound.Uint64()
		}
		if k := in.values[i]; k > 1 && c.routine.Formula == nil && s.pick(2) == 0 {
			c.values.tune(s, in.limbs, c.ptrs, k)
		}
	}
	return in
}

// operand returns a number for the parameter, or for one of its parts; last is
// the one before, or nil.
func (c *checker) operand(s source, last *big.Int, p spec.Param) *big.Int {
	switch {
	case last == nil && s.pick(8) == 0:
		// A power of 2^64: a product with it has the limbs of the other
		// operand, so that its reduction meets what that was made for.
		x := pow2(64 * s.pick((p.Bound.BitLen()+62)/64))
		return x.Mod(x, p.Bound)
	case last != nil && s.pick(2) == 0:
		return c.values.related(s, last, p.Bound)
	}
	return c.values.draw(s, p.Bound)
}

// randomCases checks n weighted random inputs.
func (c *checker) randomCases(n int, seed uint64) error {
	s := plainSource{rand.New(rand.NewPCG(seed, 0))}
	for range n {
		if err := c.check(c.draw(s)); err != nil {
			return err
		}
	}
	return nil
}

// property is randomCases for one case drawn by rapid, which shrinks it.
func (c *checker) property(t *rapid.T) {
	if err := c.check(c.draw(rapidSource{t})); err != nil {
		t.Fatal(err)
	}
}

// plainSource chooses by a generator that is fast.
type plainSource struct{ r *rand.Rand }

func (s plainSource) pick(n int) int { return s.r.IntN(n) }
func (s plainSource) word() uint64   { return s.r.Uint64() }

// rapidSource chooses through rapid.
type rapidSource struct{ t *rapid.T }

var anyWord = rapid.Uint64()

func (s rapidSource) pick(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "choice") }

// word spreads rapid's words, which are mostly small, over the whole range:
// 0 stays 0, so that shrinking ends there.
func (s rapidSource) word() uint64 { return anyWord.Draw(s.t, "word") * 0x9e3779b97f4a7c15 }
