// Package bound shows how many divsteps suffice for an inversion, by a certificate
// that is checked without search, here and in Coq (proofs/coq/Hull.v).
//
// A divstep maps (d, f, g), with d odd and f odd, to
//
//	d > 0, g odd:  2-d, g, (g-f)/2
//	d < 0, g odd:  2+d, f, (g+f)/2
//	g even:        2+d, f, g/2
//
// The certificate has two convex sets, symmetric about 0, in the plane of (f, g):
// P for d = 1 and Q for d = -1. After n steps from (1, p, x), 0 <= x < p <= m, the
// state is in m·alpha^n times one of them, or in an image of P that is fixed for
// each other d. That follows step by step from a few inclusions: P or Q, mapped by
// a few steps, lies in alpha to their number times P or Q. As f is odd and g an
// integer, g must be 0 as soon as the sets have shrunk enough. The idea, two sets
// for all d, is that of github.com/sipa/safegcd-bounds (genproofhd.md).
package bound

import (
	_ "embed"
	"fmt"
	"math/big"
)

// Scale is the denominator of MaxF and MaxG.
const Scale = 4096

// A Plane is the bound |A·f + B·g| <= C.
type Plane struct{ A, B, C int64 }

// A Hint shows a bound of one set by two of another: D·(A, B)·T is
// L·(A_I, B_I) + M·(A_J, B_J) for the bounds number I and J and the matrix T.
type Hint struct {
	I, J    int
	L, M, D *big.Int
}

// A Certificate holds the sets P and Q as bounds, the factor alpha = Num/Den, a
// bound MaxG/Scale of |g| in P and MaxF/Scale of |f| in Q, and for each of the
// Rules one hint for each bound of its target.
type Certificate struct {
	Num, Den   int64
	P, Q       []Plane
	MaxG, MaxF int64
	Hints      [][]Hint
}

// A Rule says that T/Q maps one set into Num^Steps/Den^Steps times another.
type Rule struct {
	Name     string
	From, To string // P, Q, or the bounds G and F
	T        [4]int64
	Q        int64
	Steps    int
}

// Rules are the inclusions of a certificate.
//
// The states with d = 1+2i, i > 0, are those of which (f, 2^i·g) lies in P: i
// steps that halve g. Those with d = -3-2i are those of which (f-2g, 2^(i+2)·f)
// lies in P: i+2 halvings, and a step that swaps. From there, a step that halves
// or adds leads to d = -1-2i, and changes f-2g by f at most: a mean of the images by
// the two rules wide+ and wide-, for every i.
var Rules = []Rule{
	{"swap", "P", "P", [4]int64{0, 2, -1, 1}, 2, 1},
	{"halve, swap", "P", "Q", [4]int64{0, 2, -2, 1}, 4, 2},
	{"wide+", "P", "P", [4]int64{8, 1, 0, 8}, 16, 2},
	{"wide-", "P", "P", [4]int64{8, -1, 0, 8}, 16, 2},
	{"halve, halve, swap, halve", "P", "Q", [4]int64{0, 4, -4, 1}, 16, 4},
	{"halve, halve, swap, add", "P", "Q", [4]int64{0, 4, -4, 3}, 16, 4},
	{"halve", "Q", "P", [4]int64{2, 0, 0, 1}, 2, 1},
	{"add", "Q", "P", [4]int64{2, 0, 1, 1}, 2, 1},
	{"largest g", "P", "G", [4]int64{1, 0, 0, 1}, 1, 0},
	{"largest f", "Q", "F", [4]int64{1, 0, 0, 1}, 1, 0},
}

//go:embed divsteps.txt
var text string

// Default returns the certificate for the half-delta divsteps of package spec. It
// is not checked yet.
func Default() (*Certificate, error) { return Parse(text) }

func (c *Certificate) set(name string) []Plane {
	switch name {
	case "P":
		return c.P
	case "Q":
		return c.Q
	case "G":
		return []Plane{{0, Scale, c.MaxG}}
	}
	return []Plane{{Scale, 0, c.MaxF}}
}

func num(x int64) *big.Int             { return big.NewInt(x) }
func mul(x, y *big.Int) *big.Int       { return new(big.Int).Mul(x, y) }
func add(x, y *big.Int) *big.Int       { return new(big.Int).Add(x, y) }
func abs(x *big.Int) *big.Int          { return new(big.Int).Abs(x) }
func pow(x int64, e int) *big.Int      { return new(big.Int).Exp(num(x), num(int64(e)), nil) }
func dot(a, b, x, y *big.Int) *big.Int { return add(mul(a, x), mul(b, y)) }
func (r Rule) pull(t Plane) (a, b *big.Int) { // the bound t of the image, as one of the source
	return dot(num(t.A), num(t.B), num(r.T[0]), num(r.T[2])), dot(num(t.A), num(t.B), num(r.T[1]), num(r.T[3]))
}

// holds reports whether the hint shows the bound t by the rule.
func (c *Certificate) holds(r Rule, t Plane, h Hint) bool {
	from := c.set(r.From)
	if h.I < 0 || h.J < 0 || h.I >= len(from) || h.J >= len(from) || h.D.Sign() <= 0 {
		return false
	}
	p, q := from[h.I], from[h.J]
	a, b := r.pull(t)
	if mul(h.D, a).Cmp(dot(h.L, h.M, num(p.A), num(q.A))) != 0 || mul(h.D, b).Cmp(dot(h.L, h.M, num(p.B), num(q.B))) != 0 {
		return false
	}
	left := mul(dot(abs(h.L), abs(h.M), num(p.C), num(q.C)), pow(c.Den, r.Steps))
	right := mul(mul(mul(h.D, num(r.Q)), num(t.C)), pow(c.Num, r.Steps))
	return left.Cmp(right) <= 0
}

// Check checks the certificate, exactly. It does no search.
func (c *Certificate) Check() error {
	if c.Num <= 0 || c.Den <= 0 {
		return fmt.Errorf("bound: alpha = %d/%d, want a positive number", c.Num, c.Den)
	}
	if len(c.Hints) != len(Rules) {
		return fmt.Errorf("bound: hints for %d rules, want %d", len(c.Hints), len(Rules))
	}
	for i, r := range Rules {
		to := c.set(r.To)
		if len(c.Hints[i]) != len(to) {
			return fmt.Errorf("bound: rule %q has %d hints, want %d", r.Name, len(c.Hints[i]), len(to))
		}
		for j, t := range to {
			if !c.holds(r, t, c.Hints[i][j]) {
				return fmt.Errorf("bound: rule %q: hint %d does not show %v", r.Name, j, t)
			}
		}
	}
	// At the start (f, g) is in m times the triangle of (0, 0), (1, 0) and (1, 1).
	for _, h := range c.P {
		if a, b := abs(num(h.A)), abs(add(num(h.A), num(h.B))); a.Cmp(num(h.C)) > 0 || b.Cmp(num(h.C)) > 0 {
			return fmt.Errorf("bound: P does not hold (1, 0) and (1, 1): %v", h)
		}
	}
	// alpha >= 1/2 and 4·alpha³ >= 1: the images of P shrink no faster than P.
	two := mul(num(2), num(c.Num))
	if two.Cmp(num(c.Den)) < 0 || new(big.Int).Exp(two, num(3), nil).Cmp(mul(num(2), pow(c.Den, 3))) < 0 {
		return fmt.Errorf("bound: alpha = %d/%d is too small", c.Num, c.Den)
	}
	return nil
}

// Suffices reports whether the certificate, if it is right, shows that n divsteps
// lead to g = 0 for every odd p up to 2^bits and 0 <= x < p.
func (c *Certificate) Suffices(bits, n int) bool {
	left := new(big.Int).Lsh(mul(num(max(c.MaxG, c.MaxF)), pow(c.Num, n)), uint(bits))
	return left.Cmp(mul(num(Scale), pow(c.Den, n))) < 0
}

// Steps returns the smallest number of divsteps that the certificate shows to
// suffice for odd p up to 2^bits.
func (c *Certificate) Steps(bits int) (int, error) {
	if bits < 0 || c.Num <= 0 || c.Num >= c.Den {
		return 0, fmt.Errorf("bound: no number of steps for %d bits and alpha = %d/%d", bits, c.Num, c.Den)
	}
	n := 0
	left, right := new(big.Int).Lsh(num(max(c.MaxG, c.MaxF)), uint(bits)), num(Scale)
	for left.Cmp(right) >= 0 {
		left, right = left.Mul(left, num(c.Num)), right.Mul(right, num(c.Den))
		n++
	}
	return n, nil
}
