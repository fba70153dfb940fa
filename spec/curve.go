package spec

import (
	"fmt"
	"math/big"
)

// A Curve is a set of routines on points: each computes a formula over the
// residues of one field, straight from the literature.
type Curve struct {
	Name     string // as in generator flags: edwards25519, nistp256
	Title    string // the curve in words
	Package  string // the folder of its package, from the root of the module
	Formulas []Formula

	field *Field // that of the coordinates, with the package of the curve
}

// A Formula computes points, or picks one from a table.
//
// Its steps run in order; each gives a name to an expression over coordinates
// and earlier names. In an expression, Mul is a product of two residues, or of a
// small constant and a residue.
type Formula struct {
	Kind   Kind
	Source string // where the formula is from
	Params []Param
	Steps  []Let

	// Select, if not nil, makes this a choice from a table in place of Steps.
	Select *Select
}

// A Let names a value.
type Let struct {
	Name string
	Expr Expr
}

// A Select chooses an entry of Table for Out: with Default, constants for each
// coordinate, entry Index - 1, and Default for Index 0; without, entry Index.
type Select struct {
	Out, Table, Index string
	Default           []*big.Int
}

// Part returns the name of a coordinate of the parameter called param.
func Part(param, coordinate string) string { return param + "." + coordinate }

// Curves returns every curve, in a fixed order.
func Curves() []*Curve { return curves }

// Field returns the field of the coordinates.
func (c *Curve) Field() *Field { return c.field }

// Routines returns the routines of the curve, in the order of its formulas.
func (c *Curve) Routines() []*Routine {
	var rs []*Routine
	for i := range c.Formulas {
		rs = append(rs, c.routine(&c.Formulas[i]))
	}
	return rs
}

// routine returns the routine that computes a formula: each coordinate of the
// result is congruent to what the formula says, and below the field's bound.
func (c *Curve) routine(f *Formula) *Routine {
	field := c.field
	r := &Routine{Field: field, Kind: f.Kind, Curve: c, Formula: f, Params: f.Params}
	if f.Select != nil {
		r.Claims = f.Select.claims(r)
		return r
	}
	outputs := make(map[string]string) // the name in claims of each result
	for _, p := range f.Params {
		for _, part := range p.Parts {
			switch p.Role {
			case Out:
				outputs[Part(p.Name, part)] = Part(p.Name, part)
			case InOut:
				outputs[After(Part(p.Name, part))] = After(Part(p.Name, part))
			}
		}
	}
	bound := NamedConst(field.BoundName(), field.Bound())
	for _, l := range f.Steps {
		e := field.inForm(l.Expr)
		if outputs[l.Name] == "" {
			r.Lets = append(r.Lets, Let{l.Name, e})
			continue
		}
		z := Var(l.Name)
		r.Claims = append(r.Claims, Claim{Rel: Congruent, L: z, R: e, Mod: field.Modulus}, Claim{Rel: Less, L: z, R: bound})
		delete(outputs, l.Name)
	}
	if len(outputs) > 0 {
		panic(fmt.Sprintf("spec: formula %s has no step for %v", f.Kind, outputs))
	}
	return r
}

// inForm returns the expression on residues as the field holds them: in
// Montgomery form, a product of two of them has a factor R too many.
func (f *Field) inForm(e Expr) Expr {
	if len(e.Args) == 0 {
		return e
	}
	if bit, x, y, ok := e.Choice(); ok {
		return Choose(Var(bit), f.inForm(x), f.inForm(y))
	}
	g := e
	g.Args = nil
	for _, a := range e.Args {
		g.Args = append(g.Args, f.inForm(a))
	}
	if e.Op == OpMul && f.Form == Montgomery && e.Args[0].Op != OpConst {
		g.Args = append(g.Args, f.radix(-1))
	}
	return g
}

// claims says that each word of the result is that of the entry.
func (s *Select) claims(r *Routine) []Claim {
	var cs []Claim
	out, _ := r.param(s.Out)
	table, _ := r.param(s.Table)
	n := len(table.Parts) / len(out.Parts)
	all := pow2(64)
	is := func(k int) Expr { return IsCong(Var(s.Index), Const(big.NewInt(int64(k))), all) }
	for j, part := range out.Parts {
		var sum []Expr
		if s.Default != nil {
			sum = append(sum, Mul(is(0), Const(s.Default[j])))
		}
		for k := range n {
			sum = append(sum, Mul(is(k+s.First()), Var(Part(table.Name, table.Parts[k*len(out.Parts)+j]))))
		}
		cs = append(cs, Claim{Rel: Equal, L: Var(Part(out.Name, part)), R: Add(sum...)})
	}
	return cs
}

// First returns the index that chooses the first entry.
func (s *Select) First() int {
	if s.Default != nil {
		return 1
	}
	return 0
}

// Entries returns the number of entries of the table.
func (s *Select) Entries(r *Routine) int {
	out, _ := r.param(s.Out)
	table, _ := r.param(s.Table)
	return len(table.Parts) / len(out.Parts)
}

func (r *Routine) param(name string) (Param, bool) {
	for _, p := range r.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

// A builder makes the parameters and steps of formulas over one field.
type builder struct{ f *Field }

func (b builder) point(role Role, name, typ string, parts ...string) Param {
	p := Param{Name: name, Role: role, Limbs: b.f.Limbs * len(parts), Parts: parts, Type: typ, Secret: true}
	if role != Out {
		p.Bound, p.BoundName = b.f.Bound(), b.f.BoundName()
	}
	return p
}

// table is a table of n points with the given coordinates.
func (b builder) table(name, typ string, n int, parts ...string) Param {
	var all []string
	for i := range n {
		for _, part := range parts {
			all = append(all, fmt.Sprintf("%d.%s", i, part))
		}
	}
	return b.point(In, name, fmt.Sprintf("[%d]%s", n, typ), all...)
}

func value(name string, bound int64) Param {
	return Param{Name: name, Role: Value, Limbs: 1, Bound: big.NewInt(bound), BoundName: fmt.Sprint(bound), Secret: true}
}

func bit(name string) Param { return value(name, 2) }

func let(name string, e Expr) Let { return Let{name, e} }

func small(k int64, e Expr) Expr { return Mul(Const(big.NewInt(k)), e) }

// vars returns the coordinates of a point.
func vars(param string, parts ...string) []Expr {
	var es []Expr
	for _, p := range parts {
		es = append(es, Var(Part(param, p)))
	}
	return es
}
