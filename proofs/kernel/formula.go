package kernel

import (
	"fmt"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A Value is what one operation of a formula computes.
type Value struct {
	Name string // of the step; the operations inside of its expression have a number after it
	Text string // the operation, for messages
	// Node stands for the value in later expressions, and Def is the operation:
	// the same, but for a result, whose Node is a number on return.
	Node, Def *RExpr
}

// Value returns the value of that name, or nil.
func (r *Routine) Value(name string) *Value {
	i := slices.IndexFunc(r.Values, func(v Value) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Values[i]
}

// formula records the values of the formula, and gives names to those of its steps.
// A name that stands for two things would make values of different steps the same.
func (r *Routine) formula(vars map[string]*RExpr) error {
	defs := map[string]spec.Expr{}
	for _, l := range r.Spec.Lets {
		if _, ok := defs[l.Name]; ok || vars[l.Name] != nil {
			return fmt.Errorf("step %s has the name of another, or of a parameter", l.Name)
		}
		defs[l.Name] = l.Expr
	}
	for _, c := range r.Spec.Claims {
		if c.Rel != spec.Congruent {
			continue
		}
		if _, ok := defs[c.L.Name]; ok {
			return fmt.Errorf("a second congruence for %v", c.L)
		}
		defs[c.L.Name] = c.R
	}
	for _, step := range r.Spec.Formula.Steps {
		n := 0
		if err := r.operation(defs[step.Name], step.Name, &n, vars); err != nil {
			return fmt.Errorf("step %s: %w", step.Name, err)
		}
	}
	return nil
}

// operation records the value of e, and first those of the operations inside of it.
func (r *Routine) operation(e spec.Expr, name string, n *int, vars map[string]*RExpr) error {
	inner := func(a spec.Expr) (spec.Expr, error) {
		if len(a.Args) == 0 {
			return a, nil
		}
		*n++
		part := fmt.Sprintf("%s.%d", name, *n)
		return spec.Var(part), r.operation(a, part, new(int), vars)
	}
	if bit, x, y, ok := e.Choice(); ok {
		x, err := inner(x)
		if err != nil {
			return err
		}
		y, err := inner(y)
		if err != nil {
			return err
		}
		e = spec.Choose(spec.Var(bit), x, y)
	} else {
		e.Args = slices.Clone(e.Args)
		for i := range e.Args {
			a, err := inner(e.Args[i])
			if err != nil {
				return err
			}
			e.Args[i] = a
		}
	}
	def, err := expression(e, vars)
	if err != nil {
		return err
	}
	node := vars[name]
	if node == nil {
		node = def
		vars[name] = def
	}
	r.Values = append(r.Values, Value{name, e.String(), node, def})
	return nil
}
