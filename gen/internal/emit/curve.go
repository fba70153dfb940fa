package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/algo"
	"github.com/seed-6f9cd256/fieldproof/gen/internal/gosrc"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// curveUnit is the routines on the points of a curve. Their portable form calls
// the methods of the field's Element.
func curveUnit(c *spec.Curve) unit {
	return unit{c.Field(), "formulas", "the points of " + c.Title, c.Routines(), genericFormulas}
}

func genericFormulas(u unit, command string) ([]byte, error) {
	var imports []string
	if slices.ContainsFunc(u.routines, func(r *spec.Routine) bool { return r.Formula.Select != nil }) {
		imports = []string{"crypto/subtle"}
	}
	b := source(u.Field, command, "", imports...)
	comment(b, heading(u, "Portable routines")...)
	for _, r := range u.routines {
		b.WriteByte('\n')
		comment(b, fmt.Sprintf("%sGeneric: %s", r.Name(), algo.Source(r)))
		comment(b, Contract(r, "that of the field's routines")...)
		fmt.Fprintf(b, "func %sGeneric%s {\n", r.Name(), gosrc.TypedSignature(r))
		w := &calls{b: b, names: make(map[string]string)}
		write := w.steps
		if r.Formula.Select != nil {
			write = w.choice
		}
		if err := write(r); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name(), err)
		}
		b.WriteString("}\n")
	}
	return format.Source(b.Bytes())
}

// element is the name of the type of a coordinate in the packages of curves.
const element = "element"

// calls writes a formula as calls of methods.
type calls struct {
	b     *bytes.Buffer
	names map[string]string // the variable that holds a name of the formula, by pointer
	body  []string
	temps int
}

func (w *calls) steps(r *spec.Routine) error {
	var locals, results []string
	outputs := make(map[string]string)
	for _, p := range r.Params {
		for _, part := range p.Parts {
			field := p.Name + "." + part
			if p.Type == element {
				field = p.Name // a pointer to one coordinate
			} else {
				field = "&" + field
			}
			name := spec.Part(p.Name, part)
			switch p.Role {
			case spec.Out:
				outputs[name] = p.Name + part
			case spec.InOut:
				outputs[spec.After(name)] = p.Name + part
			}
			if p.Role != spec.Out {
				w.names[name] = field
			}
			if p.Role != spec.In {
				results = append(results, fmt.Sprintf("%s.%s.Set(&%s)", p.Name, part, p.Name+part))
			}
		}
	}
	for _, l := range r.Formula.Steps {
		if l.Expr.Op == spec.OpVar {
			w.names[l.Name] = w.names[l.Expr.Name]
			continue
		}
		local := outputs[l.Name]
		if local == "" {
			local = l.Name
		}
		locals = append(locals, local)
		if err := w.eval(l.Expr, local); err != nil {
			return err
		}
		w.names[l.Name] = "&" + local
	}
	for i := range w.temps {
		locals = append(locals, fmt.Sprintf("t%d", i+1))
	}
	fmt.Fprintf(w.b, "var %s %s\n", strings.Join(locals, ", "), element)
	// The results come last: they may stand where the inputs do.
	for _, line := range append(w.body, results...) {
		fmt.Fprintln(w.b, line)
	}
	return nil
}

// eval writes the calls that leave the value of e in the variable z.
func (w *calls) eval(e spec.Expr, z string) error {
	if bit, x, y, ok := e.Choice(); ok {
		a, err := w.operand(x)
		if err != nil {
			return err
		}
		b, err := w.operand(y)
		if err != nil {
			return err
		}
		w.call(z, "Select", a, b, "int("+bit+")")
		return nil
	}
	if len(e.Args) != 2 {
		return fmt.Errorf("no method for %v", e)
	}
	if e.Op == spec.OpMul && e.Args[0].Op == spec.OpConst {
		a, err := w.operand(e.Args[1])
		if err != nil {
			return err
		}
		w.call(z, "Mult32", a, e.Args[0].Val.String())
		return nil
	}
	if zero := e.Args[0]; e.Op == spec.OpSub && zero.Op == spec.OpConst && zero.Val.Sign() == 0 {
		a, err := w.operand(e.Args[1])
		if err != nil {
			return err
		}
		w.call(z, "Negate", a)
		return nil
	}
	a, err := w.operand(e.Args[0])
	if err != nil {
		return err
	}
	b, err := w.operand(e.Args[1])
	if err != nil {
		return err
	}
	switch {
	case e.Op == spec.OpMul && a == b:
		w.call(z, "Square", a)
	case e.Op == spec.OpMul:
		w.call(z, "Multiply", a, b)
	case e.Op == spec.OpAdd:
		w.call(z, "Add", a, b)
	case e.Op == spec.OpSub:
		w.call(z, "Subtract", a, b)
	default:
		return fmt.Errorf("no method for %v", e)
	}
	return nil
}

// operand returns a pointer to the value of e.
func (w *calls) operand(e spec.Expr) (string, error) {
	if e.Op == spec.OpVar {
		if w.names[e.Name] == "" {
			return "", fmt.Errorf("no value for %q", e.Name)
		}
		return w.names[e.Name], nil
	}
	w.temps++
	t := fmt.Sprintf("t%d", w.temps)
	return "&" + t, w.eval(e, t)
}

func (w *calls) call(z, method string, args ...string) {
	w.body = append(w.body, fmt.Sprintf("%s.%s(%s)", z, method, strings.Join(args, ", ")))
}

// choice writes a choice from a table, which reads all of it.
func (w *calls) choice(r *spec.Routine) error {
	s := r.Formula.Select
	var out spec.Param
	for _, p := range r.Params {
		if p.Name == s.Out {
			out = p
		}
	}
	if s.Default == nil {
		fmt.Fprintf(w.b, "z := %s[0]\n", s.Table)
	} else {
		fmt.Fprintf(w.b, "var z %s\n", out.Type)
	}
	for i, d := range s.Default {
		part := out.Parts[i]
		switch {
		case d.Sign() == 0:
		case r.Field.Form == spec.Weak && d.IsInt64() && d.Int64() == 1:
			fmt.Fprintf(w.b, "z.%s.One()\n", part)
		case r.Field.Form == spec.Weak && d.BitLen() <= 32:
			fmt.Fprintf(w.b, "z.%[1]s.Mult32(z.%[1]s.One(), %[2]v)\n", part, d)
		default:
			return fmt.Errorf("default %v of coordinate %s: expected 0, or a small number in a field that is not in Montgomery form", d, part)
		}
	}
	entry := "k"
	if s.First() == 1 {
		entry = "k+1"
	}
	fmt.Fprintf(w.b, "for k := range %s {\nsame := subtle.ConstantTimeEq(int32(%s), int32(%s))\n", s.Table, s.Index, entry)
	for _, part := range out.Parts {
		fmt.Fprintf(w.b, "z.%[1]s.Select(&%[2]s[k].%[1]s, &z.%[1]s, same)\n", part, s.Table)
	}
	fmt.Fprintf(w.b, "}\n")
	for _, part := range out.Parts {
		fmt.Fprintf(w.b, "%s.%[2]s.Set(&z.%[2]s)\n", s.Out, part)
	}
	return nil
}
