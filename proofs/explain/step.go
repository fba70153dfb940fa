package explain

import (
	"fmt"
	"slices"
	"strings"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// word prints a word: a constant, a variable, or a short polynomial.
func (w *walker) word(x *k.Word) string {
	if x == nil {
		return "undefined"
	}
	if z := x.Const(); z != nil {
		return Int(z)
	}
	if v, c, ok := x.C.Single(); ok && x.E == 0 && c.IsInt64() && c.Int64() == 1 {
		return w.n.Var(v)
	}
	if x.Fn != nil {
		return fmt.Sprintf("(%s ? %s : %s)", w.bit(x.Fn.Bit), Int(x.Fn.V1), Int(x.Fn.V0))
	}
	if _, _, ok := x.A.Single(); ok {
		return w.n.Poly(x.A)
	}
	return "(" + w.n.Poly(x.A) + ")"
}

func (w *walker) source(p *path, x k.Src) string { return w.word(p.Get(x)) }

// step performs operation i and writes down what it does.
func (w *walker) step(p *path, i, pc int, h k.Hint) {
	in := &w.n.p.Code[i]
	at := w.at(i)
	if !slices.Contains(at.paths, p.label()) {
		at.paths = append(at.paths, p.label())
	}
	operands := w.operands(p, in)
	x, bits := p.Dividend(in)
	var before k.Interval
	if x != nil {
		x = p.Ctx.SimplifyWord(x)
		before = p.Ctx.WordRange(x, nil)
	}
	fresh := p.Step(pc, in, h)
	if i < w.n.p.Moves {
		return // no instruction does that
	}

	var parts []string
	show := func(l k.Loc) {
		name := w.n.Loc(l)
		if name == "" {
			return
		}
		text := w.word(p.Regs[l])
		parts = append(parts, name+" = "+text)
		if in.Op == k.Cmov || in.Op == k.Mov {
			return
		}
		if r := p.Regs[l]; r != nil && r.Const() == nil && r.Fn == nil && r.Hi.BitLen() < 64 {
			parts[len(parts)-1] += " " + Interval(k.Interval{Lo: r.Lo, Hi: r.Hi})
		}
	}
	for j, l := range in.Results() {
		if w.read[i][j] {
			show(l)
		}
	}
	if len(parts) > 0 {
		text := strings.Join(parts, ", ")
		if operands != "" {
			text += ": " + operands
		}
		if fresh {
			low := p.Ctx.Lows[k.Var(2*pc)]
			text += fmt.Sprintf("; %s = %s", w.n.Var(k.Var(2*pc)), w.n.Poly(low.A))
		}
		note(&at.Values, p, text)
	}
	if w.drops(i) {
		at.Drops = true
		w.dropped(p, i, pc, h, before, bits, fresh)
	}
}

// operands prints what an operation computes.
func (w *walker) operands(p *path, in *k.Instr) string {
	a := w.source(p, in.A)
	switch in.Op {
	case k.Mov:
		return ""
	case k.Mul:
		return a + "·" + w.source(p, in.B)
	case k.Adc, k.Sbb:
		op := " + "
		if in.Op == k.Sbb {
			op = " - "
		}
		text := a + op + w.source(p, in.B)
		if c := w.source(p, in.C); c != "0" {
			text += op + c
		}
		return text
	case k.Cmov:
		return fmt.Sprintf("%s ? %s : %s", a, w.source(p, in.B), w.source(p, in.C))
	case k.And:
		return a + " and " + w.source(p, in.B)
	case k.Or:
		return a + " or " + w.source(p, in.B)
	case k.Xor:
		return a + " xor " + w.source(p, in.B)
	case k.Shr:
		return fmt.Sprintf("%s >> %d", a, in.N)
	case k.Shl:
		return fmt.Sprintf("%s << %d", a, in.N)
	case k.IsZero:
		return "whether " + a + " is 0"
	}
	return ""
}

// dropped says why nothing is lost though nothing reads the high part that
// operation i made.
func (w *walker) dropped(p *path, i, pc int, h k.Hint, before k.Interval, bits uint, fresh bool) {
	at := w.at(i)
	in := &w.n.p.Code[i]
	what := map[k.Op]string{k.Adc: "carry", k.Sbb: "borrow", k.Mul: "high word"}[in.Op]
	high := p.Regs[in.D2]
	switch z := high.Const(); {
	case fresh:
		p.open[k.Var(2*pc+1)] = w.index[at.Offset]
		return
	case z != nil && h.Kind == k.HintComb && len(h.Combs) > 0:
		note(&at.Dropped, p, fmt.Sprintf("the %s is %s, by %s", what, Int(z), w.combs(p, h.Combs)))
	case z != nil && h.Kind == k.HintAlt:
		note(&at.Dropped, p, fmt.Sprintf("the %s is %s, by the one before it, %s, and %s", what, Int(z), w.n.Var(h.Var), w.combs(p, h.Combs)))
	case z != nil:
		note(&at.Dropped, p, fmt.Sprintf("the %s is %s, by the range of the result: %s, with 2^%d", what, Int(z), Interval(before), bits))
	default:
		note(&at.Dropped, p, fmt.Sprintf("the %s is %s, a number that is known: the proof goes on with it", what, w.word(high)))
	}
}

// end writes why each claim follows, and what becomes of carries that nothing
// reads and whose value was left open.
func (w *walker) end(p *path, c *k.Cert) {
	if len(c.Goals) != len(w.n.p.Claims) {
		k.Refuse("the certificate has hints for %d claims, want %d", len(c.Goals), len(w.n.p.Claims))
	}
	tied := map[k.Var]string{} // to others, by a fact that a claim uses
	for i := range c.Goals {
		g := &c.Goals[i]
		claim := w.claims[i]
		switch g.Kind {
		case k.GoalEqs:
			text := claim + ": the difference of the two sides vanishes, apart from multiples of the modulus"
			if len(g.Eqs) > 0 {
				var facts []string
				for _, t := range g.Eqs {
					facts = append(facts, "["+w.key(p, t.Fact)+"]")
					for m := range p.Ctx.Facts[t.Fact].Poly {
						for _, v := range m.Vars() {
							tied[v] = w.key(p, t.Fact)
						}
					}
				}
				text += ", by " + strings.Join(facts, ", ")
			}
			note(&w.l.Claims, p, text)
		case k.GoalRange:
			note(&w.l.Claims, p, claim+": by "+w.combs(p, g.Combs))
		case k.GoalNot:
			note(&w.l.Claims, p, fmt.Sprintf("%s: the difference is congruent to %s, which is too small to be a multiple of the modulus, and is not 0, by %s",
				claim, w.n.Poly(g.Poly), w.comb(p, g.Comb)))
		}
	}
	vars := make([]k.Var, 0, len(p.open))
	for v := range p.open {
		vars = append(vars, v)
	}
	slices.Sort(vars)
	for _, v := range vars {
		at := &w.l.Instructions[p.open[v]]
		b := p.Ctx.Bound[v]
		switch name := w.n.Var(v); {
		case b.Lo.Cmp(b.Hi) == 0:
			note(&at.Dropped, p, fmt.Sprintf("%s %s, on this path", name, Interval(b)))
		case tied[v] != "":
			note(&at.Dropped, p, fmt.Sprintf("%s %s; the claims need only [%s]", name, Interval(b), tied[v]))
		default:
			note(&at.Dropped, p, fmt.Sprintf("%s %s, and it does not matter which: its factor in every claim is 0 or a multiple of the modulus", name, Interval(b)))
		}
	}
}
