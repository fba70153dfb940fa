package algo

import (
	"fmt"
	"math/big"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Formulas on points are sequences of the operations on residues: each value is
// the same limbs that a call of the routine would leave, so that a fused routine
// agrees with one that calls them, limb by limb.

// A residue is a value of a formula.
type residue struct {
	words []*limb.Word
	bound *big.Int // exclusive
}

// formula records a routine on points.
func (m machine) formula(r *spec.Routine) {
	if s := r.Formula.Select; s != nil {
		m.pick(r, s)
		return
	}
	c := calculation{m, make(map[string]residue), make(map[string]*limb.Word)}
	for _, p := range r.Params {
		if p.Role == spec.Value {
			c.bits[p.Name] = m.Load(m.Param(p.Name), 0)
			continue
		}
		if p.Role == spec.Out {
			continue
		}
		words := m.LoadAll(m.Param(p.Name))
		for i, part := range p.Parts {
			c.values[spec.Part(p.Name, part)] = residue{words[m.f.Limbs*i : m.f.Limbs*(i+1)], p.Bound}
		}
	}
	for _, l := range r.Formula.Steps {
		z := c.eval(l.Expr)
		c.values[l.Name] = z
		for _, p := range r.Params {
			for i, part := range p.Parts {
				name := spec.Part(p.Name, part)
				if p.Role == spec.Out && name == l.Name || p.Role == spec.InOut && spec.After(name) == l.Name {
					for j, w := range z.words {
						m.Store(m.Param(p.Name), m.f.Limbs*i+j, w)
					}
				}
			}
		}
	}
}

// pick records a choice from a table, which reads all of it.
func (m machine) pick(r *spec.Routine, s *spec.Select) {
	out, table, index := m.Param(s.Out), m.Param(s.Table), m.Load(m.Param(s.Index), 0)
	var z []*limb.Word
	for _, d := range s.Default {
		z = append(z, m.consts(d)...)
	}
	for k := range s.Entries(r) {
		if z == nil { // what an index that is too large gets
			z = m.LoadAll(table)[:out.Limbs]
			continue
		}
		d, _ := m.Sub(index, m.Const(uint64(k+s.First())), nil)
		other := m.NonZero(d)
		for j := range z {
			z[j] = m.Select(other, z[j], m.Load(table, k*out.Limbs+j))
		}
	}
	m.StoreAll(out, z)
}

// A calculation evaluates the expressions of a formula.
type calculation struct {
	machine
	values map[string]residue
	bits   map[string]*limb.Word
}

func (c calculation) eval(e spec.Expr) residue {
	if bit, x, y, ok := e.Choice(); ok {
		return c.choice(bit, c.eval(x), c.eval(y))
	}
	switch e.Op {
	case spec.OpVar:
		z, ok := c.values[e.Name]
		if !ok {
			panic(fmt.Sprintf("no value for %q", e.Name))
		}
		return z
	case spec.OpConst:
		if e.Val.Sign() == 0 {
			return residue{c.zeros(c.f.Limbs), big.NewInt(1)}
		}
	case spec.OpAdd, spec.OpSub, spec.OpMul:
		if len(e.Args) != 2 {
			panic(fmt.Sprintf("%v has %d operands, expected 2", e, len(e.Args)))
		}
		return c.operation(e)
	}
	panic(fmt.Sprintf("no operation of the field for %v", e))
}

func (c calculation) operation(e spec.Expr) residue {
	weak := c.f.Form == spec.Weak
	if e.Op == spec.OpMul && e.Args[0].Op == spec.OpConst {
		k := e.Args[0].Val
		if k.Sign() < 0 || k.BitLen() > 32 {
			panic(fmt.Sprintf("%v: expected a factor below 2^32", e))
		}
		return c.reduced(c.mult32(c.eval(e.Args[1]).words, c.Const(k.Uint64())))
	}
	x, y := c.eval(e.Args[0]), c.eval(e.Args[1])
	same := e.Args[0].String() == e.Args[1].String()
	switch {
	case e.Op == spec.OpAdd:
		return c.reduced(c.add(x.words, y.words))
	case e.Op == spec.OpMul && same:
		return c.reduced(c.square(x.words))
	case e.Op == spec.OpMul:
		return c.reduced(c.mul(x.words, y.words))
	case weak:
		// A difference wraps around once only, where what is taken off is not
		// at the very end of its range.
		z := c.weakDifference(x.words, y.words, y.bound)
		return residue{z, c.f.Bound()}
	}
	return c.reduced(c.montSub(x.words, y.words))
}

// reduced returns the words with the bound that every operation but weak
// subtraction keeps.
func (c calculation) reduced(words []*limb.Word) residue {
	if c.f.Form == spec.Weak {
		b := c.f.Modulus.BitLen()
		z := new(big.Int).Lsh(big.NewInt(1), uint(b))
		return residue{words, z.Add(z, new(big.Int).Lsh(big.NewInt(1), uint(b-14)))}
	}
	return residue{words, c.f.Modulus}
}

// choice returns x where the bit is 1, and y where it is 0.
func (c calculation) choice(bit string, x, y residue) residue {
	w := c.bits[bit]
	if w == nil {
		panic(fmt.Sprintf("no bit %q", bit))
	}
	bound := x.bound
	if y.bound.Cmp(bound) > 0 {
		bound = y.bound
	}
	return residue{c.choose(x.words, y.words, c.Bit(w, 0)), bound}
}
