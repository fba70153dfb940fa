package kernel

import (
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"
)

// A Var is a variable of a polynomial. Operation number n of a program (and
// each input word, counted before them) has two, 2n and 2n+1, which stand for
// the low and the high part of what it divides.
type Var uint16

// A Mono is a product of at most four variables, the smallest in the highest
// bits; 0 is the empty product.
type Mono uint64

// maxDegree is the number of variables that fit in a Mono.
const maxDegree = 4

// MonoOf returns the product of the given variables.
func MonoOf(vars ...Var) Mono {
	if len(vars) > maxDegree {
		Refuse("a product of %d variables: at most %d can be handled", len(vars), maxDegree)
	}
	slices.Sort(vars)
	var m Mono
	for _, v := range vars {
		m = m<<16 | Mono(v)
	}
	return m
}

// Vars returns the variables of the product, largest first.
func (m Mono) Vars() []Var {
	var vs []Var
	for ; m != 0; m >>= 16 {
		vs = append(vs, Var(m))
	}
	return vs
}

// Has reports whether v occurs in the product.
func (m Mono) Has(v Var) bool {
	for ; m != 0; m >>= 16 {
		if Var(m) == v {
			return true
		}
	}
	return false
}

func (m Mono) mul(n Mono) Mono {
	if m == 0 {
		return n
	}
	if n == 0 {
		return m
	}
	return MonoOf(append(m.Vars(), n.Vars()...)...)
}

// A Poly is a polynomial with integer coefficients, none of which is zero.
// Polynomials are values: no function changes one that it was given.
type Poly map[Mono]*big.Int

var (
	zero = new(big.Int)
	one  = big.NewInt(1)
	mone = big.NewInt(-1)
)

// PolyConst returns the constant z.
func PolyConst(z *big.Int) Poly {
	if z.Sign() == 0 {
		return Poly{}
	}
	return Poly{0: z}
}

// PolyVar returns the variable v.
func PolyVar(v Var) Poly { return Poly{Mono(v): one} }

// AddTerm adds c·m to p, which nothing else may hold yet.
func (p Poly) AddTerm(m Mono, c *big.Int) {
	if c.Sign() == 0 {
		return
	}
	old, ok := p[m]
	if !ok {
		p[m] = c
		return
	}
	if s := new(big.Int).Add(old, c); s.Sign() == 0 {
		delete(p, m)
	} else {
		p[m] = s
	}
}

// AddScaled returns p + k·q.
func (p Poly) AddScaled(q Poly, k *big.Int) Poly {
	r := make(Poly, len(p)+len(q))
	for m, c := range p {
		r[m] = c
	}
	if k.Sign() == 0 {
		return r
	}
	for m, c := range q {
		r.AddTerm(m, mul(c, k))
	}
	return r
}

// Add returns p + q.
func (p Poly) Add(q Poly) Poly { return p.AddScaled(q, one) }

// Sub returns p - q.
func (p Poly) Sub(q Poly) Poly { return p.AddScaled(q, mone) }

// Scale returns k·p.
func (p Poly) Scale(k *big.Int) Poly {
	if k.Cmp(one) == 0 {
		return p
	}
	return Poly{}.AddScaled(p, k)
}

// Mul returns p·q.
func (p Poly) Mul(q Poly) Poly {
	r := make(Poly, len(p)*len(q))
	for m, c := range p {
		for n, d := range q {
			r.AddTerm(m.mul(n), mul(c, d))
		}
	}
	return r
}

// Equal reports whether p and q have the same coefficients.
func (p Poly) Equal(q Poly) bool {
	if len(p) != len(q) {
		return false
	}
	for m, c := range p {
		if d, ok := q[m]; !ok || c.Cmp(d) != 0 {
			return false
		}
	}
	return true
}

// Single returns v and k if p = k·v.
func (p Poly) Single() (v Var, k *big.Int, ok bool) {
	if len(p) != 1 {
		return 0, nil, false
	}
	for m, c := range p {
		if m == 0 || m>>16 != 0 {
			return 0, nil, false
		}
		return Var(m), c, true
	}
	panic("unreachable")
}

// Divide returns p/2^k if that divides every coefficient.
func (p Poly) Divide(k uint) (Poly, bool) {
	r := make(Poly, len(p))
	for m, c := range p {
		if c.TrailingZeroBits() < k {
			return nil, false
		}
		r[m] = new(big.Int).Rsh(c, k)
	}
	return r, true
}

// divisible reports whether d divides every coefficient.
func (p Poly) divisible(d *big.Int) bool {
	r := new(big.Int)
	for _, c := range p {
		if r.Mod(c, d).Sign() != 0 {
			return false
		}
	}
	return true
}

// Monos returns the products that occur in p, in the order in which
// certificates list them: those with the larger variables first.
func (p Poly) Monos() []Mono {
	ms := make([]Mono, 0, len(p))
	for m := range p {
		ms = append(ms, m)
	}
	sort.Slice(ms, func(i, j int) bool { return cmpMono(ms[i], ms[j]) > 0 })
	return ms
}

// cmpMono compares products from their largest variables down.
func cmpMono(a, b Mono) int {
	for {
		switch {
		case a == b:
			return 0
		case Var(a) != Var(b):
			return int(Var(a)) - int(Var(b))
		}
		a, b = a>>16, b>>16
	}
}

func (p Poly) String() string {
	if len(p) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, m := range p.Monos() {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%+d", p[m])
		for _, v := range m.Vars() {
			fmt.Fprintf(&b, "*v%d", v)
		}
	}
	return b.String()
}

func add(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
func sub(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
func mul(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
func neg(a *big.Int) *big.Int    { return new(big.Int).Neg(a) }
func mod(a, b *big.Int) *big.Int { return new(big.Int).Mod(a, b) }

func pow2(k uint) *big.Int { return new(big.Int).Lsh(one, k) }

// floorDiv returns ⌊a/b⌋ and ceilDiv ⌈a/b⌉, for b > 0.
func floorDiv(a, b *big.Int) *big.Int { return new(big.Int).Div(a, b) }
func ceilDiv(a, b *big.Int) *big.Int  { return neg(floorDiv(neg(a), b)) }

func minInt(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func maxInt(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}
