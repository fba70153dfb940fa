// Package explain shows in words what a proof says of each instruction: what it
// computes, and why the carries that it drops are 0. It reads certificates with
// the rules of package kernel, but decides nothing.
package explain

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// Names gives the variables and the locations of a program names.
//
//	x2    word 2 of parameter x, the least significant being 0; k, the parameter k
//	w1f   the low part, or the only part, of what the instruction at offset 0x1f computes
//	c1f   its carry or borrow
//	h1f   its high part
//
// Where a formula is proved value by value, A[2] is word 2 of its value A.
// If several operations of one instruction compute something, the others are w1f_2, and so on.
type Names struct {
	r     *k.Routine
	pat   k.Pattern
	p     *k.Program
	first int             // number of the first operation in variables
	nth   []int           // of each operation in its instruction, counted from 1
	state map[k.Loc]place // of an inversion
}

// NewNames returns the names for a program, which is that of the routine under the pattern.
func NewNames(r *k.Routine, pat k.Pattern, p *k.Program) *Names {
	n := &Names{r: r, pat: pat, p: p, first: len(p.Inputs) + 1, nth: make([]int, len(p.Code))}
	for i := range p.Code {
		if n.nth[i] = 1; i > 0 && p.Offsets[i] == p.Offsets[i-1] {
			n.nth[i] = n.nth[i-1]
			if computes(&p.Code[i-1]) {
				n.nth[i]++
			}
		}
	}
	return n
}

// computes reports whether the operation does more than move a word.
func computes(i *k.Instr) bool { return i.Op != k.Mov && i.Op != k.Cmov }

// Var returns the name of a variable.
func (n *Names) Var(v k.Var) string {
	pc := int(v) / 2
	switch {
	case pc < 1 || pc >= n.first+len(n.p.Code):
		return fmt.Sprintf("v%d", v)
	case pc < n.first:
		l := n.p.Inputs[pc-1].Loc
		if p, ok := n.state[l]; ok {
			return p.name
		}
		if name := n.argument(l); name != "" {
			return name
		}
		return n.Loc(l)
	}
	i := pc - n.first
	letter := "w"
	if v%2 == 1 {
		letter = "h"
		if op := n.p.Code[i].Op; op == k.Adc || op == k.Sbb {
			letter = "c"
		}
	}
	name := fmt.Sprintf("%s%02x", letter, n.p.Offsets[i])
	if n.nth[i] > 1 {
		name += fmt.Sprintf("_%d", n.nth[i])
	}
	return name
}

// Loc returns the name of a location, or "" if it holds what no instruction
// names.
func (n *Names) Loc(l k.Loc) string {
	if name, ok := n.p.Words[l]; ok {
		return name
	}
	if b, word, ok := k.Unslot(l); ok {
		if p, ok := n.state[l]; ok || l >= k.Ghost {
			return p.name
		}
		switch {
		case b == 0 && n.argument(l) != "":
			return n.argument(l)
		case b == 0 && n.r.Result && l == n.r.ResultLoc():
			return n.r.Spec.Params[len(n.r.Params)].Name
		case b == 0:
			return fmt.Sprintf("stack%d", word)
		}
		return fmt.Sprintf("%s%d", n.r.Spec.Params[b-1].Name, word)
	}
	switch reg, flag, ok := n.r.Conv.Register(l); {
	case !ok:
		return ""
	case flag != "":
		return flag
	case n.r.Conv == k.GoARM64:
		return arm64.Reg(reg).String()
	default:
		return amd64.Reg(reg).String()
	}
}

// Text replaces the numbers of locations in a message of the kernel by their names.
func (n *Names) Text(message string) string {
	return locations.ReplaceAllStringFunc(message, func(s string) string {
		l, err := strconv.Atoi(strings.TrimPrefix(s, "location "))
		if name := n.Loc(k.Loc(l)); err == nil && name != "" {
			return name
		}
		return s
	})
}

var locations = regexp.MustCompile(`location [0-9]+`)

// argument returns the name of the parameter that is passed in the location, or "".
func (n *Names) argument(l k.Loc) string {
	for i := range n.r.Params {
		if n.r.ArgLoc(i+1) == l {
			return n.r.Spec.Params[i].Name
		}
	}
	return ""
}

// shown is the number of terms of a polynomial that are printed.
const shown = 6

// Poly prints a polynomial, short.
func (n *Names) Poly(p k.Poly) string {
	if len(p) == 0 {
		return "0"
	}
	ms := p.Monos()
	var b strings.Builder
	for i := range ms {
		m := ms[len(ms)-1-i] // inputs first
		if i == shown && len(ms) > shown+1 {
			fmt.Fprintf(&b, " + … %d more terms", len(ms)-shown)
			break
		}
		c := p[m]
		switch {
		case i > 0 && c.Sign() < 0:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		case c.Sign() < 0:
			b.WriteString("-")
		}
		c = new(big.Int).Abs(c)
		var factors []string
		if m == 0 || c.Cmp(big.NewInt(1)) != 0 {
			factors = append(factors, Int(c))
		}
		vs := m.Vars()
		for j := range vs {
			factors = append(factors, n.Var(vs[len(vs)-1-j]))
		}
		b.WriteString(strings.Join(factors, "·"))
	}
	return b.String()
}

// Int prints an integer, short: with powers of two, in hexadecimal, and
// without the middle digits if there are many.
func Int(z *big.Int) string {
	if z.Sign() < 0 {
		return "-" + Int(new(big.Int).Neg(z))
	}
	if z.BitLen() <= 16 {
		return z.String()
	}
	one := big.NewInt(1)
	if n := z.TrailingZeroBits(); n >= 16 {
		if m := new(big.Int).Rsh(z, n); m.Cmp(one) == 0 {
			return fmt.Sprintf("2^%d", n)
		} else if m.BitLen() <= 64 {
			return fmt.Sprintf("%s·2^%d", Int(m), n)
		}
	}
	if s := new(big.Int).Add(z, one); s.TrailingZeroBits() == uint(s.BitLen()-1) {
		return fmt.Sprintf("(2^%d-1)", s.BitLen()-1)
	}
	s := z.Text(16)
	if len(s) > 20 {
		return fmt.Sprintf("0x%s…%s[%d bits]", s[:6], s[len(s)-6:], z.BitLen())
	}
	return "0x" + s
}

// Interval prints a range.
func Interval(i k.Interval) string {
	switch {
	case i.Lo.Cmp(i.Hi) == 0:
		return "= " + Int(i.Lo)
	case i.Lo.Cmp(i.Hi) > 0:
		return "in no range at all"
	}
	return fmt.Sprintf("in %s..%s", Int(i.Lo), Int(i.Hi))
}
