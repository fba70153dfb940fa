// Package gosrc turns a limb program into portable Go on math/bits.
package gosrc

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Features are those of the machine that Go offers: carries are variables, so
// any number of them can be live.
var Features = limb.Features{MulKeepsCarry: true}

// Signature returns the parameters and result of r as Go source, without name,
// with pointers to arrays of limbs.
func Signature(r *spec.Routine) string { return signature(r, array) }

// TypedSignature is Signature with the types that the parameters name.
func TypedSignature(r *spec.Routine) string { return signature(r, Type) }

func array(p spec.Param) string {
	if p.Role.Pointer() {
		return fmt.Sprintf("*[%d]uint64", p.Limbs)
	}
	return "uint64"
}

// Type returns the Go type of a parameter.
func Type(p spec.Param) string {
	if p.Type != "" {
		return "*" + p.Type
	}
	return array(p)
}

func signature(r *spec.Routine, typ func(spec.Param) string) string {
	var b strings.Builder
	result := ""
	var params []string
	for i, p := range r.Params {
		if p.Role == spec.Result {
			result = fmt.Sprintf(" (%s uint64)", p.Name)
			continue
		}
		s := p.Name
		// Go style: the type once for a run of parameters of the same type.
		if next := i + 1; next == len(r.Params) || r.Params[next].Role == spec.Result || typ(r.Params[next]) != typ(p) {
			s += " " + typ(p)
		}
		params = append(params, s)
	}
	fmt.Fprintf(&b, "(%s)%s", strings.Join(params, ", "), result)
	return b.String()
}

// Func returns the Go source of the program as a function called name.
func Func(p *limb.Program, name string) ([]byte, error) {
	p.DropDead()
	w := &writer{uses: p.Uses(), declared: map[*limb.Word]bool{}}
	w.line("func %s%s {", name, Signature(p.Routine))
	for _, f := range p.Frames {
		w.line("var %s [%d]uint64", f.Name, f.Limbs)
	}
	for _, i := range p.Instrs {
		if err := w.instr(i); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	w.line("}")
	return w.b.Bytes(), nil
}

type writer struct {
	b        bytes.Buffer
	uses     limb.Uses
	declared map[*limb.Word]bool
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// read names an operand.
func read(v *limb.Word) string {
	if v.IsConst {
		if v.K < 1024 {
			return fmt.Sprint(v.K)
		}
		return fmt.Sprintf("%#x", v.K)
	}
	return fmt.Sprintf("t%d", v.ID)
}

func flag(f *limb.Flag) string {
	if f == nil {
		return "0"
	}
	return fmt.Sprintf("c%d", f.ID)
}

// def names a result, or the blank identifier if nothing reads it.
func (w *writer) def(v *limb.Word) string {
	if len(w.uses.Word[v]) == 0 {
		return "_"
	}
	return read(v)
}

func (w *writer) defFlag(f *limb.Flag) string {
	if len(w.uses.Flag[f]) == 0 {
		return "_"
	}
	return flag(f)
}

func cell(c limb.Cell) string {
	if c.Buf.Kind == limb.Scalar {
		return c.Buf.Name
	}
	return fmt.Sprintf("%s[%d]", c.Buf.Name, c.Index)
}

func (w *writer) instr(i *limb.Instr) error {
	var a, b string
	if len(i.In) > 0 {
		a = read(i.In[0])
	}
	if len(i.In) > 1 {
		b = read(i.In[1])
	}
	one := func(format string, args ...any) {
		w.line("%s := "+format, append([]any{w.def(i.Out[0])}, args...)...)
	}
	switch i.Op {
	case limb.Load:
		one("%s", cell(i.Cell))
	case limb.Store:
		w.line("%s = %s", cell(i.Cell), a)
	case limb.Add, limb.Sub:
		fn := map[limb.Op]string{limb.Add: "Add64", limb.Sub: "Sub64"}[i.Op]
		w.line("%s, %s := bits.%s(%s, %s, %s)", w.def(i.Out[0]), w.defFlag(i.Flag[0]), fn, a, b, flag(i.Cond))
	case limb.Mul:
		w.line("%s, %s := bits.Mul64(%s, %s)", w.def(i.Out[0]), w.def(i.Out[1]), a, b)
	case limb.MulLo:
		one("%s * %s", a, b)
	case limb.And:
		one("%s & %s", a, b)
	case limb.Or:
		one("%s | %s", a, b)
	case limb.Xor:
		one("%s ^ %s", a, b)
	case limb.Shl:
		one("%s << %d", a, i.Imm)
	case limb.Shr:
		one("%s >> %d", a, i.Imm)
	case limb.Sar:
		one("uint64(int64(%s) >> %d)", a, i.Imm)
	case limb.ShrD:
		one("%s>>%d | %s<<%d", b, i.Imm, a, 64-i.Imm)
	case limb.Halve:
		one("uint64(int64(%s) >> 1)", a)
		w.line("%s := %s & 1", w.defFlag(i.Flag[0]), a)
	case limb.Sum:
		if i.Imm != 0 {
			one("%s + %s + %d", a, b, i.Imm)
		} else {
			one("%s + %s", a, b)
		}
	case limb.Bit:
		w.line("%s := %s >> %d & 1", w.defFlag(i.Flag[0]), a, i.Imm)
	case limb.Neg:
		w.line("%s := %s >> 63", w.defFlag(i.Flag[0]), a)
	case limb.NonZ:
		w.line("%s := (%s | -%s) >> 63", w.defFlag(i.Flag[0]), a, a)
	case limb.BitIf:
		w.line("%s := %s & %s", w.defFlag(i.Flag[0]), a, b)
	case limb.Select:
		// A mask and not a branch: the flag is secret.
		one("%s ^ -%s&(%s^%s)", b, flag(i.Cond), a, b)
	case limb.Mask:
		one("-%s", flag(i.Cond))
	case limb.Return:
		w.line("return %s", a)
	case limb.Loop:
		w.line("for range %d {", i.Imm)
	case limb.EndLoop:
		w.line("}")
	case limb.Assign:
		w.assign(i)
	default:
		return fmt.Errorf("gosrc: operation %v is not part of portable Go", i.Op)
	}
	return nil
}

func (w *writer) assign(i *limb.Instr) {
	var l, r []string
	declare := " ="
	for n, v := range i.Out {
		if !w.declared[v] {
			declare = " :="
			w.declared[v] = true
		}
		l, r = append(l, read(v)), append(r, read(i.In[n]))
	}
	w.line("%s%s %s", strings.Join(l, ", "), declare, strings.Join(r, ", "))
}
