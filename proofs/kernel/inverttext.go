package kernel

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// The node of an inversion stands alone in the certificate of a pattern:
//
//	inversion 10 rounds of 20 20 19 divsteps
//	f 1000 1001 1002 1003
//	g 1004 1005 1006 1007
//	u 1008 1009 1010 1011
//	v 1012 1013 1014 1015
//	n 1016
//	count 1017
//	modulus …
//	most …
//	scale …
//	batch 2412
//	matrix 13 11 9 12
//	part start
//	run 43
//	…
//	part update
//	…
//	part finish
//	…
//
// It says in which locations the state is at the head of the loop; the largest
// value of u and v, and v at the start; how many operations at the head of the
// body are the batch, and where they leave the matrix, by rows. Then come the
// certificates of the parts; their first variables are the inputs of the parts'
// contracts (see Inversion).

// Parts are the names of the parts of an inversion, in the order of Segments.
var Parts = [3]string{"start", "update", "finish"}

func locsText(ls ...Loc) string {
	return joined(ls, " ", func(l Loc) string { return fmt.Sprint(int(l)) })
}

// text writes all but the certificates of the parts.
func (v *Inversion) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "inversion %d rounds of %s divsteps\n", v.Rounds, joined(v.Steps, " ", func(n int) string { return fmt.Sprint(n) }))
	fmt.Fprintf(&b, "f %s\ng %s\nu %s\nv %s\n", locsText(v.F...), locsText(v.G...), locsText(v.U...), locsText(v.V...))
	fmt.Fprintf(&b, "n %d\ncount %d\nmodulus %v\nmost %v\nscale %v\n", v.N, v.Count, v.Modulus, v.Max, v.Scale)
	fmt.Fprintf(&b, "batch %d\nmatrix %s\n", v.Cut, locsText(v.T[0][0], v.T[0][1], v.T[1][0], v.T[1][1]))
	return b.String()
}

// inversion reads what text writes, and the parts.
func (p *parser) inversion(depth int) *Cert {
	v := &Inversion{}
	k := &Cert{Kind: NodeInversion, Inversion: v}
	v.Rounds = p.int()
	p.is("rounds")
	p.is("of")
	for range 3 {
		v.Steps = append(v.Steps, p.int())
	}
	p.is("divsteps")
	p.endLine()
	locs := func(name string, ls *[]Loc) {
		p.line()
		p.is(name)
		for len(p.words) > 0 {
			*ls = append(*ls, Loc(p.int()))
		}
	}
	one := func(name string) int {
		p.line()
		p.is(name)
		n := p.int()
		p.endLine()
		return n
	}
	number := func(name string) *big.Int {
		p.line()
		p.is(name)
		z := p.big(p.word())
		p.endLine()
		return z
	}
	locs("f", &v.F)
	locs("g", &v.G)
	locs("u", &v.U)
	locs("v", &v.V)
	v.N, v.Count = Loc(one("n")), Loc(one("count"))
	v.Modulus, v.Max, v.Scale = number("modulus"), number("most"), number("scale")
	v.Cut = one("batch")
	var t []Loc
	locs("matrix", &t)
	if len(t) != 4 {
		Refuse("the matrix is in %d locations, want 4", len(t))
	}
	v.T = [2][2]Loc{{t[0], t[1]}, {t[2], t[3]}}
	if slices.Contains(slices.Concat(v.F, v.G, v.U, v.V, t, []Loc{v.N, v.Count}), 0) {
		Refuse("0 is no location")
	}
	for i, name := range Parts {
		p.expect("part " + name)
		k.Parts[i] = p.cert(depth + 1)
	}
	return k
}

// is reads a word that is known.
func (p *parser) is(want string) {
	if got := p.word(); got != want {
		Refuse("got %q, want %q", got, want)
	}
}
