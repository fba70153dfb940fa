package spec

import (
	"fmt"
	"math/big"
	"strings"
)

// An Op is the operation at the root of an Expr.
type Op int

// The operations of an Expr. Every one is total over the integers.
const (
	OpVar    Op = iota // the value of the parameter Name
	OpConst            // Val, shown as Name when that is not empty
	OpAdd              // sum of Args
	OpSub              // Args[0] - Args[1]
	OpMul              // product of Args
	OpInv              // inverse of Args[0] modulo Val; the inverse of 0 is 0
	OpIsCong           // 1 if Args[0] ≡ Args[1] (mod Val), else 0
)

// An Expr is an integer expression over the parameters of a routine. It is
// evaluated by the reference model, printed in documentation, and read by the
// proofs, so that no claim is ever stated twice.
type Expr struct {
	Op   Op
	Name string
	Val  *big.Int
	Args []Expr
}

// Env maps the names of parameters to their values.
type Env map[string]*big.Int

// Var returns the value of the parameter called name. In the claims of a
// routine, name alone is the value on entry for an In, InOut or Value
// parameter and the value on return for an Out or Result one; name followed
// by a prime (see After) is the value of an InOut parameter on return.
func Var(name string) Expr { return Expr{Op: OpVar, Name: name} }

// After returns the name that stands for the value of the InOut parameter
// called name when the routine returns.
func After(name string) string { return name + "′" }

// Const returns the integer v.
func Const(v *big.Int) Expr { return Expr{Op: OpConst, Val: v} }

// NamedConst returns the integer v, printed as name.
func NamedConst(name string, v *big.Int) Expr { return Expr{Op: OpConst, Name: name, Val: v} }

// Add returns the sum of its arguments.
func Add(args ...Expr) Expr { return Expr{Op: OpAdd, Args: args} }

// Sub returns a - b.
func Sub(a, b Expr) Expr { return Expr{Op: OpSub, Args: []Expr{a, b}} }

// Mul returns the product of its arguments.
func Mul(args ...Expr) Expr { return Expr{Op: OpMul, Args: args} }

// Inv returns the inverse of a modulo the prime m, and 0 where a ≡ 0.
func Inv(a Expr, m *big.Int) Expr { return Expr{Op: OpInv, Val: m, Args: []Expr{a}} }

// IsCong returns 1 where a ≡ b (mod m) and 0 elsewhere.
func IsCong(a, b Expr, m *big.Int) Expr { return Expr{Op: OpIsCong, Val: m, Args: []Expr{a, b}} }

// Choose returns a where the bit c is 1 and b where it is 0, as the
// polynomial c·a + (1-c)·b.
func Choose(c, a, b Expr) Expr {
	return Add(Mul(c, a), Mul(Sub(Const(big.NewInt(1)), c), b))
}

// Choice returns the arguments of Choose, for a named bit, where the expression
// was made by it.
func (e Expr) Choice() (bit string, a, b Expr, ok bool) {
	if e.Op != OpAdd || len(e.Args) != 2 || e.Args[0].Op != OpMul || e.Args[1].Op != OpMul {
		return
	}
	l, r := e.Args[0].Args, e.Args[1].Args
	if len(l) != 2 || len(r) != 2 || l[0].Op != OpVar || r[0].Op != OpSub {
		return
	}
	if not := Sub(Const(big.NewInt(1)), l[0]); r[0].String() != not.String() {
		return
	}
	return l[0].Name, l[1], r[1], true
}

// Eval evaluates the expression. A name without a value is an error.
func (e Expr) Eval(env Env) (*big.Int, error) {
	args := make([]*big.Int, len(e.Args))
	for i, a := range e.Args {
		v, err := a.Eval(env)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	z := new(big.Int)
	switch e.Op {
	case OpVar:
		v := env[e.Name]
		if v == nil {
			return nil, fmt.Errorf("spec: no value for %q", e.Name)
		}
		return v, nil
	case OpConst:
		return e.Val, nil
	case OpAdd:
		for _, a := range args {
			z.Add(z, a)
		}
	case OpSub:
		z.Sub(args[0], args[1])
	case OpMul:
		z.SetInt64(1)
		for _, a := range args {
			z.Mul(z, a)
		}
	case OpInv:
		z.Mod(args[0], e.Val)
		if z.Sign() != 0 && z.ModInverse(z, e.Val) == nil {
			return nil, fmt.Errorf("spec: modulus %v is not prime", e.Val)
		}
	case OpIsCong:
		if z.Sub(args[0], args[1]).Mod(z, e.Val).Sign() == 0 {
			return big.NewInt(1), nil
		}
		return new(big.Int), nil
	default:
		return nil, fmt.Errorf("spec: unknown operation %d", e.Op)
	}
	return z, nil
}

// String prints the expression in the notation of the documentation, with the
// modulus written as p.
func (e Expr) String() string { return e.print(false) }

func (e Expr) print(tight bool) string {
	parts := func(sep string, tight bool) string {
		s := make([]string, len(e.Args))
		for i, a := range e.Args {
			s[i] = a.print(tight || i > 0 && e.Op == OpSub)
		}
		return strings.Join(s, sep)
	}
	var s string
	switch e.Op {
	case OpVar:
		return e.Name
	case OpConst:
		if e.Name != "" {
			return e.Name
		}
		return e.Val.String()
	case OpAdd:
		s = parts(" + ", false)
	case OpSub:
		s = parts(" - ", false)
	case OpMul:
		return parts("·", true)
	case OpInv:
		return e.Args[0].print(true) + "⁻¹"
	case OpIsCong:
		return "[" + parts(" ≡ ", false) + "]"
	}
	if tight {
		return "(" + s + ")"
	}
	return s
}
