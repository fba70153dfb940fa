package emulate

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// An Input is what one call gets.
type Input struct {
	// Limbs has the limbs of each parameter that the routine reads, one word
	// for a Value, and nil for the others. Of parameters that share a buffer,
	// the first that is read says what is in it.
	Limbs [][]uint64

	// Alias has, for each parameter, the index of the first parameter with the
	// same buffer: its own where there is none.
	Alias []int
}

// limbs returns what the buffer of parameter i holds on entry.
func (in Input) limbs(i int) []uint64 {
	for j := range in.Limbs {
		if in.Alias[j] == in.Alias[i] && in.Limbs[j] != nil {
			return in.Limbs[j]
		}
	}
	return nil
}

// Describe prints the input with the names of the parameters.
func (in Input) Describe(r *spec.Routine) string {
	var parts []string
	for i, q := range r.Params {
		if j := in.Alias[i]; j != i {
			parts = append(parts, fmt.Sprintf("%s and %s one buffer", r.Params[j].Name, q.Name))
		}
		if q.Bound != nil {
			parts = append(parts, fmt.Sprintf("%s = %#x", q.Name, integer(in.limbs(i))))
		}
	}
	return strings.Join(parts, ", ")
}

// check reports an input that the contract does not allow.
func (in Input) check(r *spec.Routine) error {
	if len(in.Limbs) != len(r.Params) || len(in.Alias) != len(r.Params) {
		return fmt.Errorf("input of %s has %d values and %d buffers, want %d of each", r.Name(), len(in.Limbs), len(in.Alias), len(r.Params))
	}
	for i, q := range r.Params {
		j := in.Alias[i]
		if j < 0 || j > i || in.Alias[j] != j || j != i && !(q.Role.Pointer() && r.Params[j].Role.Pointer() && q.Limbs == r.Params[j].Limbs) {
			return fmt.Errorf("input of %s: %s cannot share the buffer of parameter %d", r.Name(), q.Name, j)
		}
		if q.Bound == nil {
			continue
		}
		if len(in.Limbs[i]) != q.Limbs {
			return fmt.Errorf("input of %s: %d limbs for %s, want %d", r.Name(), len(in.Limbs[i]), q.Name, q.Limbs)
		}
		if v := integer(in.limbs(i)); v.Cmp(q.Bound) >= 0 {
			return fmt.Errorf("input of %s: %s = %#x, want less than %s", r.Name(), q.Name, v, q.BoundName)
		}
	}
	return nil
}

// Inputs draws inputs from a contract: the edges of each parameter in every
// combination, alternating with random ones, under every aliasing that the
// contract allows. The same seed draws the same inputs.
type Inputs struct {
	routine  *spec.Routine
	rng      *rand.Rand
	words    []uint64
	edges    [][]*big.Int // by parameter; nil where none is read
	patterns [][]int
	apart    [][]int // of them, those in which no two inputs are one
	drawn    int
	cross    []int // the next combination of edges, nil after the last
}

// NewInputs returns a generator for the routine.
func NewInputs(r *spec.Routine, seed uint64) *Inputs {
	g := &Inputs{routine: r, rng: rand.New(rand.NewPCG(seed, 0)), cross: make([]int, len(r.Params))}
	g.words = []uint64{0, 1, 2, 18, 19, 38, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(1), ^uint64(18), ^uint64(37)}
	m := limbsOf(r.Field.Modulus, r.Field.Limbs)
	for _, w := range m {
		g.words = append(g.words, w, w-1, w+1, -w)
	}
	for _, q := range r.Params {
		var list []*big.Int
		if q.Bound != nil {
			list = edges(r.Field, q.Bound)
			g.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		g.edges = append(g.edges, list)
	}
	g.patterns = slices.DeleteFunc(patterns(r.Params), func(p []int) bool {
		return slices.ContainsFunc(r.Apart, func(a [2]int) bool { return p[a[0]] == p[a[1]] })
	})
	for _, p := range g.patterns {
		if !merged(r.Params, p) {
			g.apart = append(g.apart, p)
		}
	}
	return g
}

// Next returns the next input.
func (g *Inputs) Next() Input {
	in := Input{Limbs: make([][]uint64, len(g.edges))}
	g.drawn++
	atEdge := g.drawn%2 == 1 && g.cross != nil
	patterns := g.patterns
	if atEdge { // a shared buffer would lose the edge of one parameter
		patterns = g.apart
	}
	in.Alias = patterns[0]
	if g.rng.IntN(2) == 0 {
		in.Alias = patterns[g.rng.IntN(len(patterns))]
	}
	var last *big.Int
	step := 0
	for i, q := range g.routine.Params {
		if g.edges[i] == nil {
			continue
		}
		var v *big.Int
		switch {
		case atEdge:
			// The first parameter moves on with every input. The others move
			// along with it, so that few inputs meet every edge of each.
			k := g.cross[i]
			if last != nil {
				k += step
			} else {
				step = k
			}
			v = g.edges[i][k%len(g.edges[i])]
		case last != nil && q.Role != spec.Value && g.rng.IntN(3) == 0:
			v = g.related(last, q.Bound)
		default:
			v = g.draw(q.Bound)
		}
		in.Limbs[i], last = limbsOf(v, q.Limbs), v
	}
	if atEdge {
		g.advance()
	}
	return in
}

// advance goes to the next combination of edges.
func (g *Inputs) advance() {
	for i := range g.cross {
		if g.edges[i] == nil {
			continue
		}
		if g.cross[i]++; g.cross[i] < len(g.edges[i]) {
			return
		}
		g.cross[i] = 0
	}
	g.cross = nil
}

// patterns returns every aliasing of the parameters, the one without first.
func patterns(params []spec.Param) [][]int {
	var all [][]int
	var extend func(p []int)
	extend = func(p []int) {
		i := len(p)
		if i == len(params) {
			all = append(all, append([]int(nil), p...))
			return
		}
		extend(append(p, i))
		for j := range i {
			if p[j] == j && mayShare(params, p, j, params[i]) {
				extend(append(p, j))
			}
		}
	}
	extend(nil)
	return all
}

// merged reports whether two parameters that are read share a buffer.
func merged(params []spec.Param, pattern []int) bool {
	seen := make(map[int]bool)
	for i, j := range pattern {
		if params[i].Role == spec.Out {
			continue
		}
		if seen[j] {
			return true
		}
		seen[j] = true
	}
	return false
}

// mayShare reports whether q can use the buffer of the block that begins with
// parameter j: buffers have one size, and inputs that share one have one bound.
func mayShare(params []spec.Param, p []int, j int, q spec.Param) bool {
	if !q.Role.Pointer() || !params[j].Role.Pointer() || params[j].Limbs != q.Limbs {
		return false
	}
	for k := range p {
		if b := params[k].Bound; p[k] == j && b != nil && q.Bound != nil && b.Cmp(q.Bound) != 0 {
			return false
		}
	}
	return true
}

// limbsOf returns the n little-endian limbs of v.
func limbsOf(v *big.Int, n int) []uint64 {
	b := v.FillBytes(make([]byte, 8*n))
	l := make([]uint64, n)
	for i, c := range b {
		k := n - 1 - i/8
		l[k] = l[k]<<8 | uint64(c)
	}
	return l
}
