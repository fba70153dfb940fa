package search

import (
	"math/big"
	"math/bits"
	"math/rand/v2"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A machine runs operations on numbers, and knows the values of a formula for
// its inputs.
type machine struct {
	at     map[k.Loc]uint64
	values map[*k.RExpr]*big.Int
	params map[k.RVar]*big.Int
}

// newMachine draws inputs that the contract allows; the lowest bits of i are
// the bits that are passed.
func newMachine(r *k.Routine, p *k.Program, pat k.Pattern, rng *rand.Rand, i int) *machine {
	m := &machine{map[k.Loc]uint64{}, map[*k.RExpr]*big.Int{}, map[k.RVar]*big.Int{}}
	for _, in := range p.Inputs {
		m.at[in.Loc] = rng.Uint64()
	}
	for j, q := range r.Params {
		if q.Role == spec.Out {
			continue
		}
		for part := range q.Words / q.Part {
			v := k.RVar{Kind: 'b', Index: j + 1, Part: part}
			x := new(big.Int)
			for range q.Part + 1 {
				x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(rng.Uint64()))
			}
			if x.Mod(x, add(q.Max, one)); q.Max.Cmp(one) == 0 {
				x.SetInt64(int64(i & 1))
				i >>= 1
			}
			m.params[v] = x
			for n, l := range r.Where(v, pat) {
				m.at[l] = limb(x, n)
			}
		}
	}
	return m
}

// limb returns limb n of x.
func limb(x *big.Int, n int) uint64 {
	return new(big.Int).And(new(big.Int).Rsh(x, uint(64*n)), k.WordMax).Uint64()
}

// residue evaluates a value of the formula, and returns every number below R
// that is congruent to it.
func (m *machine) residue(f *spec.Field, v *k.Value) (all []*big.Int) {
	x := new(big.Int).Mod(m.eval(v.Def), f.Modulus)
	m.values[v.Node] = x
	for ; x.Cmp(f.R()) < 0; x = add(x, f.Modulus) {
		all = append(all, x)
	}
	return all
}

func (m *machine) eval(e *k.RExpr) *big.Int {
	if x := m.values[e]; x != nil {
		return x
	}
	switch e.Op {
	case 'v':
		return m.params[e.Var]
	case 'c':
		return e.Const
	case '+':
		return add(m.eval(e.L), m.eval(e.R))
	case '-':
		return sub(m.eval(e.L), m.eval(e.R))
	}
	return mul(m.eval(e.L), m.eval(e.R))
}

func (m *machine) read(x k.Src) uint64 {
	if x.Loc != 0 {
		return m.at[x.Loc]
	}
	if x.Imm == nil {
		return 0
	}
	return x.Imm.Uint64()
}

// step performs an operation.
func (m *machine) step(i *k.Instr) {
	a, b, c := m.read(i.A), m.read(i.B), m.read(i.C)
	var x, y uint64
	switch i.Op {
	case k.Mov:
		x = a
	case k.Mul:
		y, x = bits.Mul64(a, b)
	case k.Adc:
		x, y = bits.Add64(a, b, c)
	case k.Sbb:
		x, y = bits.Sub64(a, b, c)
	case k.Cmov:
		if x = c; a != 0 {
			x = b
		}
	case k.And:
		x = a & b
	case k.Or:
		x = a | b
	case k.Xor:
		x = a ^ b
	case k.Shr:
		x = a >> i.N
	case k.Shl:
		x = a << i.N
	case k.IsZero:
		if a == 0 {
			x = 1
		}
	case k.Bzhi:
		if x = a; b&255 < 64 {
			x &= 1<<(b&255) - 1
		}
	}
	m.at[i.D] = x
	if len(i.Results()) > 1 {
		m.at[i.D2] = y
	}
}
