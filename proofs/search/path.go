// Package search looks for certificates. Nothing here is trusted: what it finds
// is replayed by package kernel, and by Coq.
//
// It runs a program on the kernel's symbolic state, and before each operation
// decides whether a hint, a case split or a derived fact is needed. Ranges that
// follow from the kernel's interval rule alone need no hint; for the others,
// beam.go looks for a combination of known facts.
package search

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

var (
	zero = new(big.Int)
	one  = big.NewInt(1)
	mone = big.NewInt(-1)
)

func add(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
func sub(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
func mul(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
func neg(a *big.Int) *big.Int    { return new(big.Int).Neg(a) }
func abs(a *big.Int) *big.Int    { return new(big.Int).Abs(a) }
func pow2(n uint) *big.Int       { return new(big.Int).Lsh(one, n) }

func floorDiv(a, b *big.Int) *big.Int { return new(big.Int).Div(a, b) }

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

// isPow2 reports whether |z| is a power of two.
func isPow2(z *big.Int) bool {
	a := abs(z)
	return a.Sign() > 0 && a.TrailingZeroBits() == uint(a.BitLen()-1)
}

// linear returns the variable of a product of one.
func linear(m k.Mono) (k.Var, bool) { return k.Var(m), m != 0 && m>>16 == 0 }

// isHigh reports whether the variable stands for a high part: low parts and
// inputs are even.
func isHigh(v k.Var) bool { return v%2 == 1 }

// A path is the state of the search at one point of a run.
type path struct {
	*k.State
	view []seen
	eqs  []equation
	n    int              // facts of the context that view has
	open []k.Var          // high parts that nothing reads and that may not be 0
	ors  []k.Var          // variables of inclusive or
	bit  *k.Bit           // of the last case split
	fine bool             // whether the beam orders by unrounded bounds
	and  bool             // ors are those of logical ands, of the complements of words
	leaf []leaf           // the words that were combined by or
	low  map[string]k.Var // low parts, by their A-form modulo 2^64

	// sum is the fact that the sum of the words in leaf, times 2^sumE, is at
	// least that much; 0 if it is not known.
	sum  k.Key
	sumE uint
}

// A leaf is an operand of an inclusive or that is no result of one.
type leaf struct {
	*k.Word
	of    *k.Word // of which Word is the complement, or itself
	or    k.Var   // the result
	first bool    // of the two operands
}

func newPath(s *k.State) *path {
	p := &path{State: s, low: map[string]k.Var{}}
	for v, w := range s.Ctx.Lows {
		p.low[lowKey(w.A, 64)] = v
	}
	return p
}

func (p *path) clone() *path {
	return &path{
		State: p.State.Clone(), view: slices.Clone(p.view), eqs: slices.Clone(p.eqs), n: p.n,
		open: slices.Clone(p.open), ors: slices.Clone(p.ors), and: p.and, leaf: slices.Clone(p.leaf), low: maps.Clone(p.low), sum: p.sum, sumE: p.sumE, bit: p.bit, fine: p.fine,
	}
}

// lowKey identifies a polynomial modulo 2^n.
func lowKey(p k.Poly, n uint) string {
	mask := sub(pow2(n), one)
	var b strings.Builder
	for _, m := range p.Monos() {
		if c := new(big.Int).And(p[m], mask); c.Sign() != 0 {
			b.WriteString(c.Text(62))
			b.WriteByte(':')
			for _, v := range m.Vars() {
				b.WriteString(big.NewInt(int64(v)).Text(62))
				b.WriteByte('*')
			}
		}
	}
	return b.String()
}

// step performs an operation, and keeps the records of the path.
func (p *path) step(pc int, i *k.Instr, h k.Hint, dead bool) {
	orOf := func() (a, b *k.Word) {
		if i.Op == k.Or && i.B.Loc != 0 {
			return p.Get(i.A), p.Get(i.B)
		}
		if i.Op == k.And && i.B.Loc != 0 && (p.and || len(p.ors) == 0) {
			if b := p.Get(i.B); b != nil && b.Const() == nil {
				return p.Get(i.A), b
			}
		}
		return nil, nil
	}
	a, b := orOf()
	if p.Step(pc, i, h) {
		lv := k.Var(2 * pc)
		p.low[lowKey(p.Ctx.Lows[lv].A, 64)] = lv
		if dead {
			p.open = append(p.open, lv+1)
		}
	}
	if a == nil || b == nil {
		return
	}
	if v, c, ok := p.Regs[i.D].C.Single(); !ok || c.Cmp(one) != 0 || v != k.Var(2*pc) {
		return
	}
	p.and = i.Op == k.And
	for n, w := range []*k.Word{a, b} {
		if v, c, ok := w.C.Single(); ok && c.Cmp(one) == 0 && w.E == 0 && slices.Contains(p.ors, v) {
			continue
		}
		l := leaf{w, w, k.Var(2 * pc), n == 0}
		if p.and {
			l.Word = k.SubWords(k.ConstWord(k.WordMax), w)
		}
		p.leaf = append(p.leaf, l)
	}
	p.ors = append(p.ors, k.Var(2*pc))
}
