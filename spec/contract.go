package spec

import (
	"fmt"
	"maps"
	"math/big"
)

// A Relation connects the two sides of a Claim.
type Relation int

// The relations.
const (
	Equal     Relation = iota // L = R
	Congruent                 // L ≡ R (mod Mod)
	Less                      // 0 <= L < R
)

// A Claim is a statement about the values of a routine's parameters.
type Claim struct {
	Rel  Relation
	L, R Expr
	Mod  *big.Int // of a Congruent claim
}

// Holds reports whether the claim is true of the given values.
func (c Claim) Holds(env Env) (bool, error) {
	l, err := c.L.Eval(env)
	if err != nil {
		return false, err
	}
	r, err := c.R.Eval(env)
	if err != nil {
		return false, err
	}
	switch c.Rel {
	case Equal:
		return l.Cmp(r) == 0, nil
	case Congruent:
		d := new(big.Int).Sub(l, r)
		return d.Mod(d, c.Mod).Sign() == 0, nil
	case Less:
		return l.Sign() >= 0 && l.Cmp(r) < 0, nil
	}
	return false, fmt.Errorf("spec: unknown relation %d", c.Rel)
}

// String prints the claim in the notation of the documentation.
func (c Claim) String() string {
	switch c.Rel {
	case Congruent:
		return fmt.Sprintf("%v ≡ %v (mod p)", c.L, c.R)
	case Less:
		return fmt.Sprintf("%v < %v", c.L, c.R)
	}
	return fmt.Sprintf("%v = %v", c.L, c.R)
}

// A Role says how a routine uses a parameter.
type Role int

// The roles of parameters.
const (
	Out    Role = iota // pointer to limbs that the routine writes
	In                 // pointer to limbs that it reads
	InOut              // pointer to limbs that it reads and writes
	Value              // a uint64 passed by value
	Result             // the uint64 that it returns
)

// Pointer reports whether the parameter is a pointer to limbs.
func (r Role) Pointer() bool { return r == Out || r == In || r == InOut }

// A Param is one parameter of a routine, in the order of its Go signature.
type Param struct {
	Name  string
	Role  Role
	Limbs int // 64-bit little-endian limbs behind a pointer; 1 for Value and Result

	// Parts names the residues behind a pointer to several, such as the
	// coordinates of a point: each has as many limbs as the field, and
	// Part(Name, part) is its value. Nil where there is one number.
	Parts []string
	// Type is the Go type that such a pointer points to.
	Type string

	// Bound is exclusive: the caller must pass a value below it, for In,
	// InOut and Value; with Parts, each of them. What a routine returns is in
	// its claims.
	Bound *big.Int
	// BoundName prints Bound.
	BoundName string

	// Secret marks the value (the limbs, not their address) as one on which
	// neither control flow nor addresses may depend.
	Secret bool
}

// A Kind is what a routine does, independent of the field.
type Kind string

// The kinds of routine.
const (
	KindAdd        Kind = "Add"
	KindSubtract   Kind = "Subtract"
	KindNegate     Kind = "Negate"
	KindDouble     Kind = "Double"
	KindMultiply   Kind = "Multiply"
	KindSquare     Kind = "Square"
	KindMult32     Kind = "Mult32"
	KindMulAdd     Kind = "MultiplyAdd"
	KindCanon      Kind = "Reduce"
	KindReduceWide Kind = "ReduceWide"
	KindToMont     Kind = "ToMontgomery"
	KindFromMont   Kind = "FromMontgomery"
	KindSelect     Kind = "Select"
	KindSwap       Kind = "Swap"
	KindEqual      Kind = "Equal"
	KindIsZero     Kind = "IsZero"
	KindInvert     Kind = "Invert"
)

// A Routine is one operation on the limbs of one field: what it takes, what it
// promises, and nothing about how.
//
// Pointer parameters may be equal or disjoint in every combination but those
// of Apart; buffers that overlap in part are outside the contract.
type Routine struct {
	Field  *Field
	Kind   Kind
	Params []Param
	Claims []Claim

	// Of a routine on the points of a curve: Lets are names that stand in its
	// claims for expressions over the parameters and earlier names, each modulo
	// the field's modulus.
	Curve   *Curve
	Formula *Formula
	Lets    []Let

	// Apart has the indices of pairs of pointer parameters that may not be
	// equal. No routine of this module needs that.
	Apart [][2]int
}

// Name returns the Go name of the routine, such as feMultiply.
func (r *Routine) Name() string { return r.Field.Prefix + string(r.Kind) }

// Multiplies reports whether an implementation needs wide multiplication, and
// therefore has variants for instruction sets that differ in it.
func (r *Routine) Multiplies() bool {
	if r.Formula != nil {
		return r.Formula.Select == nil
	}
	switch r.Kind {
	case KindMultiply, KindSquare, KindMult32, KindMulAdd, KindReduceWide, KindToMont, KindFromMont, KindInvert:
		return true
	}
	return false
}

// HasProduct reports whether an implementation multiplies two full operands, and
// therefore has variants for machines that differ in how to do that.
func (r *Routine) HasProduct() bool {
	switch r.Kind {
	case KindMult32, KindFromMont, KindInvert:
		return false
	case KindReduceWide:
		return r.Field.Form == Montgomery
	}
	return r.Multiplies()
}

// Check compares the values that an implementation left with the contract. In
// env, every In, InOut and Value parameter has its value on entry under its
// name, every Out and Result its value on return, and every InOut its value on
// return under After(name). The error names the claim and what was expected.
func (r *Routine) Check(env Env) error {
	env = r.parts(env)
	for _, l := range r.Lets {
		v, err := l.Expr.Eval(env)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name(), err)
		}
		env[l.Name] = new(big.Int).Mod(v, r.Field.Modulus)
	}
	for _, c := range r.Claims {
		ok, err := c.Holds(env)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name(), err)
		}
		if !ok {
			l, _ := c.L.Eval(env)
			rv, _ := c.R.Eval(env)
			if c.Rel == Congruent {
				rv = new(big.Int).Mod(rv, c.Mod)
			}
			return fmt.Errorf("%s: claim %v fails: got %#x, want %#x", r.Name(), c, l, rv)
		}
	}
	return nil
}

// parts returns env with the values of the parts of parameters, and env itself
// where no parameter has any.
func (r *Routine) parts(env Env) Env {
	if r.Formula == nil {
		return env
	}
	env = maps.Clone(env)
	for _, p := range r.Params {
		for i, x := range p.Split(r.Field, env[p.Name]) {
			env[Part(p.Name, p.Parts[i])] = x
		}
		for i, x := range p.Split(r.Field, env[After(p.Name)]) {
			env[After(Part(p.Name, p.Parts[i]))] = x
		}
	}
	return env
}

// Split returns the parts of the number x behind the parameter, and nil where
// there is no number or it is one.
func (p Param) Split(f *Field, x *big.Int) []*big.Int {
	if x == nil || p.Parts == nil {
		return nil
	}
	var xs []*big.Int
	mask := new(big.Int).Sub(f.R(), big.NewInt(1))
	for i := range p.Parts {
		v := new(big.Int).Rsh(x, uint(64*f.Limbs*i))
		xs = append(xs, v.And(v, mask))
	}
	return xs
}

// Join is the inverse of Split.
func (p Param) Join(f *Field, parts []*big.Int) *big.Int {
	x := new(big.Int)
	for i, v := range parts {
		x.Or(x, new(big.Int).Lsh(v, uint(64*f.Limbs*i)))
	}
	return x
}

// Allows reports whether the caller may pass the number x.
func (p Param) Allows(f *Field, x *big.Int) bool {
	if p.Bound == nil {
		return true
	}
	if p.Parts == nil {
		return x.Cmp(p.Bound) < 0
	}
	for _, v := range p.Split(f, x) {
		if v.Cmp(p.Bound) >= 0 {
			return false
		}
	}
	return x.BitLen() <= 64*p.Limbs
}
