package kernel

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// The text of certificates, one file for a routine:
//
//	fieldproof certificate 1
//	routine field25519.feAddAMD64
//	code sha256:…
//	pointers disjoint
//	run 12
//	…
//	pointers z=x | y=x
//	as disjoint
//
// After each line "pointers", which names patterns, follows the certificate
// for them, one node a line; or "as disjoint", where the routine computes the
// same words as with disjoint pointers. The node fork is followed by the certificate of
// its first case, then by that of its second; every certificate ends with an
// absurd node or with end, and as many goals as that says. Inversions have the node
// of inverttext.go instead.
//
// For a formula there are pieces instead, as many as the first line says, each
// with the number of its operations, the name of its value, where that is
// afterwards, and its bound; the certificate follows:
//
//	pieces 17
//	piece 118 A 10,11,12,13 16385<<241
//	run 118
//	end 2
//	…
const textHeader = "fieldproof certificate 1"

// alike stands for the certificate of a pattern that has none of its own.
const alike = "as disjoint\n"

// Text returns the certificates, one for each pattern, as text.
func (r *Routine) Text(name string, ks []*Cert) string {
	var order []string
	patterns := map[string][]string{}
	for i, pat := range slices.Backward(r.Patterns()) {
		var b strings.Builder
		if ks[i] == nil {
			b.WriteString(alike)
		}
		ks[i].text(&b)
		if patterns[b.String()] == nil {
			order = append(order, b.String())
		}
		patterns[b.String()] = append(patterns[b.String()], r.Names(pat))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nroutine %s\ncode sha256:%x\n", textHeader, name, sha256.Sum256(r.Code))
	for _, t := range order {
		fmt.Fprintf(&b, "pointers %s\n%s", strings.Join(patterns[t], " | "), t)
	}
	return b.String()
}

// ParseText reads what Text writes, and nothing else: a file that differs from
// its own text in one byte is an error.
func (r *Routine) ParseText(name, text string) ([]*Cert, error) {
	p := &parser{lines: strings.Split(text, "\n")}
	byNames := map[string]*Cert{}
	err := Try(func() {
		p.expect(textHeader)
		p.expect("routine " + name)
		p.expect(fmt.Sprintf("code sha256:%x", sha256.Sum256(r.Code)))
		for p.at < len(p.lines)-1 {
			names, ok := strings.CutPrefix(p.next(), "pointers ")
			if !ok {
				Refuse("want the line \"pointers …\"")
			}
			var k *Cert
			if p.lines[p.at]+"\n" == alike {
				p.next()
			} else {
				k = p.root()
			}
			for _, n := range strings.Split(names, " | ") {
				byNames[n] = k
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", p.at, err)
	}
	var ks []*Cert
	for _, pat := range r.Patterns() {
		k, ok := byNames[r.Names(pat)]
		if !ok {
			return nil, fmt.Errorf("no certificate for pointers %s", r.Names(pat))
		}
		ks = append(ks, k)
	}
	if again := r.Text(name, ks); again != text {
		return nil, fmt.Errorf("the text differs from what its certificates are written as, first in line %d", firstDifference(again, text))
	}
	return ks, nil
}

// Rehash returns the text of a certificate with the hash of other code. Whether
// it proves that code too is for Check to say.
func Rehash(text string, code []byte) string {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) < 4 || !strings.HasPrefix(lines[2], "code sha256:") {
		return text
	}
	lines[2] = fmt.Sprintf("code sha256:%x", sha256.Sum256(code))
	return strings.Join(lines, "\n")
}

func firstDifference(a, b string) int {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			return i + 1
		}
	}
	return len(x) + 1
}

// text writes the nodes from k on.
func (k *Cert) text(b *strings.Builder) {
	for ; k != nil; k = k.Next[0] {
		switch k.Kind {
		case NodeRun:
			fmt.Fprintf(b, "run %d\n", k.N)
		case NodeHint:
			b.WriteString(k.Hint.text())
		case NodeDerive:
			b.WriteString(k.Derive.text())
		case NodeCase:
			fmt.Fprintf(b, "case %d %d %d %s %s %s\n", k.Key, k.BitKey, k.Loc, polyText(k.Poly), combsText(k.Combs[0]), combsText(k.Combs[1]))
		case NodeFork:
			fmt.Fprintf(b, "fork %d %d\n", k.Loc, k.Key)
			k.Next[0].text(b)
			k.Next[1].text(b)
			return
		case NodeAbsurd:
			fmt.Fprintf(b, "absurd %s\n", combText(k.Comb))
		case NodeEnd:
			fmt.Fprintf(b, "end %d\n", len(k.Goals))
			for i := range k.Goals {
				k.Goals[i].text(b)
			}
		case NodeInversion:
			b.WriteString(k.Inversion.text())
			for i, part := range k.Parts {
				fmt.Fprintf(b, "part %s\n", Parts[i])
				part.text(b)
			}
		case NodePieces:
			fmt.Fprintf(b, "pieces %d\n", len(k.Pieces))
			for _, c := range k.Pieces {
				fmt.Fprintf(b, "piece %d %s %s %s\n", c.N, c.Value, joined(c.Out, ",", func(l Loc) string { return strconv.Itoa(int(l)) }), intText(c.Bound))
				c.Cert.text(b)
			}
		}
	}
}

func (h Hint) text() string {
	switch h.Kind {
	case HintComb:
		return "hint comb " + combsText(h.Combs) + "\n"
	case HintSame:
		return fmt.Sprintf("hint same %d\n", h.Var)
	case HintLow:
		return fmt.Sprintf("hint low %d\n", h.Loc)
	case HintExact:
		return "hint exact\n"
	case HintFunc:
		return fmt.Sprintf("hint func %d %s %s %s\n", h.Loc, intText(h.E0), intText(h.E1), combsText(h.Combs))
	}
	return fmt.Sprintf("hint alt %d %s\n", h.Var, combsText(h.Combs))
}

func (d *Derivation) text() string {
	switch d.Kind {
	case DeriveLearn:
		return fmt.Sprintf("learn %d %s %s\n", d.Key, polyText(d.Poly), combsText(d.Combs))
	case DeriveProd:
		return fmt.Sprintf("prod %d %d %d\n", d.Key, d.I, d.J)
	}
	return fmt.Sprintf("xor %d %d %s\n", d.Key, d.Var, combsText(d.Combs))
}

func (g *Goal) text(b *strings.Builder) {
	switch g.Kind {
	case GoalEqs:
		fmt.Fprintf(b, "goal eqs %s\n", termsText(g.Eqs))
	case GoalRange:
		fmt.Fprintf(b, "goal range %s\n", combsText(g.Combs))
	case GoalNot:
		fmt.Fprintf(b, "goal not %d %s %s %s %s %d\n", g.Key, termsText(g.Eqs), polyText(g.Poly), combsText(g.Combs), combText(g.Comb), len(g.Steps))
		for _, d := range g.Steps {
			b.WriteString(d.text())
		}
	}
}

// intText writes multiples of large powers of two as m<<n.
func intText(z *big.Int) string {
	if n := z.TrailingZeroBits(); n >= 16 {
		return fmt.Sprintf("%v<<%d", new(big.Int).Rsh(z, n), n)
	}
	return z.String()
}

// joined writes a list without spaces; "-" is the empty one.
func joined[T any](xs []T, sep string, f func(T) string) string {
	if len(xs) == 0 {
		return "-"
	}
	s := make([]string, len(xs))
	for i, x := range xs {
		s[i] = f(x)
	}
	return strings.Join(s, sep)
}

func polyText(p Poly) string {
	return joined(p.Monos(), ",", func(m Mono) string {
		s := intText(p[m])
		for _, v := range m.Vars() {
			s += fmt.Sprintf("*v%d", v)
		}
		return s
	})
}

func termsText(ts []Term) string {
	return joined(ts, ",", func(t Term) string { return fmt.Sprintf("%s*f%d", intText(t.K), t.Fact) })
}

func combText(k Comb) string { return intText(k.Scale) + ":" + termsText(k.Terms) }

func combsText(ks []Comb) string { return joined(ks, ";", combText) }

type parser struct {
	lines []string
	at    int
	words []string // of the current line, that are still to be read
}

func (p *parser) next() string {
	if p.at >= len(p.lines) {
		Refuse("the text stops before the end")
	}
	p.at++
	return p.lines[p.at-1]
}

func (p *parser) expect(line string) {
	if got := p.next(); got != line {
		Refuse("got %q, want %q", got, line)
	}
}

func (p *parser) word() string {
	if len(p.words) == 0 {
		Refuse("the line stops before its end")
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

// maxNesting bounds the case splits within each other, and the goals.
const maxNesting = 64

func (p *parser) line() {
	p.words = strings.Split(p.next(), " ")
}

func (p *parser) endLine() {
	if len(p.words) > 0 {
		Refuse("more words than expected: %q", p.words)
	}
}

// root reads the certificate of a program, which may be one of pieces.
func (p *parser) root() *Cert {
	if !strings.HasPrefix(p.lines[p.at], "pieces ") {
		return p.cert(0)
	}
	p.line()
	p.word()
	n := p.int()
	p.endLine()
	k := &Cert{Kind: NodePieces}
	for range n {
		p.line()
		if w := p.word(); w != "piece" {
			Refuse("got %q, want a piece", w)
		}
		c := Piece{N: p.int(), Value: p.word()}
		for _, l := range strings.Split(p.word(), ",") {
			n, err := strconv.Atoi(l)
			if err != nil || n <= 0 {
				Refuse("got %q, want a location", l)
			}
			c.Out = append(c.Out, Loc(n))
		}
		c.Bound = p.big(p.word())
		p.endLine()
		c.Cert = p.cert(0)
		k.Pieces = append(k.Pieces, c)
	}
	return k
}

func (p *parser) cert(depth int) *Cert {
	if depth > maxNesting {
		Refuse("more than %d nested case splits", maxNesting)
	}
	var root *Cert
	for tail := &root; ; {
		p.line()
		k := p.node(depth)
		p.endLine()
		*tail = k
		tail = &k.Next[0]
		switch k.Kind {
		case NodeFork:
			k.Next[0] = p.cert(depth + 1)
			k.Next[1] = p.cert(depth + 1)
			return root
		case NodeEnd:
			for i := range k.Goals {
				p.line()
				k.Goals[i] = p.goal()
			}
			return root
		case NodeAbsurd, NodeInversion:
			return root
		}
	}
}

func (p *parser) node(depth int) *Cert {
	switch w := p.word(); w {
	case "run":
		return &Cert{Kind: NodeRun, N: p.int()}
	case "hint":
		return &Cert{Kind: NodeHint, Hint: p.hint()}
	case "learn", "prod", "xor":
		return &Cert{Kind: NodeDerive, Derive: p.derivation(w)}
	case "case":
		return &Cert{Kind: NodeCase, Key: Key(p.int()), BitKey: Key(p.int()), Loc: Loc(p.int()), Poly: p.poly(p.word()), Combs: [2][]Comb{p.combs(), p.combs()}}
	case "fork":
		return &Cert{Kind: NodeFork, Loc: Loc(p.int()), Key: Key(p.int())}
	case "absurd":
		return &Cert{Kind: NodeAbsurd, Comb: p.comb(p.word())}
	case "end":
		n := p.int()
		if n > maxNesting {
			Refuse("%d goals", n)
		}
		return &Cert{Kind: NodeEnd, Goals: make([]Goal, n)}
	case "inversion":
		return p.inversion(depth)
	default:
		Refuse("unknown node %q", w)
		return nil
	}
}

func (p *parser) hint() Hint {
	switch w := p.word(); w {
	case "comb":
		return Hint{Kind: HintComb, Combs: p.combs()}
	case "same":
		return Hint{Kind: HintSame, Var: p.variable(p.word())}
	case "low":
		return Hint{Kind: HintLow, Loc: Loc(p.int())}
	case "exact":
		return Hint{Kind: HintExact}
	case "func":
		return Hint{Kind: HintFunc, Loc: Loc(p.int()), E0: p.big(p.word()), E1: p.big(p.word()), Combs: p.combs()}
	case "alt":
		return Hint{Kind: HintAlt, Var: p.variable(p.word()), Combs: p.combs()}
	default:
		Refuse("unknown hint %q", w)
		return Hint{}
	}
}

func (p *parser) derivation(w string) *Derivation {
	switch w {
	case "learn":
		return &Derivation{Kind: DeriveLearn, Key: Key(p.int()), Poly: p.poly(p.word()), Combs: p.combs()}
	case "prod":
		return &Derivation{Kind: DeriveProd, Key: Key(p.int()), I: Key(p.int()), J: Key(p.int())}
	case "xor":
		return &Derivation{Kind: DeriveXor, Key: Key(p.int()), Var: p.variable(p.word()), Combs: p.combs()}
	}
	Refuse("unknown derivation %q", w)
	return nil
}

func (p *parser) goal() (g Goal) {
	if w := p.word(); w != "goal" {
		Refuse("got %q, want a goal", w)
	}
	switch w := p.word(); w {
	case "eqs":
		g = Goal{Kind: GoalEqs, Eqs: p.terms(p.word())}
	case "range":
		g = Goal{Kind: GoalRange, Combs: p.combs()}
	case "not":
		g = Goal{Kind: GoalNot, Key: Key(p.int()), Eqs: p.terms(p.word()), Poly: p.poly(p.word()), Combs: p.combs(), Comb: p.comb(p.word())}
		n := p.int()
		p.endLine()
		for range n {
			p.line()
			g.Steps = append(g.Steps, p.derivation(p.word()))
			p.endLine()
		}
		return g
	default:
		Refuse("unknown goal %q", w)
	}
	p.endLine()
	return g
}

func (p *parser) int() int {
	w := p.word()
	n, err := strconv.Atoi(w)
	if err != nil || n < 0 || n > math.MaxInt32 {
		Refuse("got %q, want a number", w)
	}
	return n
}

func (p *parser) variable(w string) Var {
	n, err := strconv.ParseUint(w, 10, 16)
	if err != nil || n == 0 {
		Refuse("got %q, want the number of a variable", w)
	}
	return Var(n)
}

// maxBits bounds the integers of a certificate.
const maxBits = 1 << 14

func (p *parser) big(w string) *big.Int {
	m, s, shifted := strings.Cut(w, "<<")
	z, ok := new(big.Int).SetString(m, 10)
	n := uint64(0)
	if ok && shifted {
		var err error
		n, err = strconv.ParseUint(s, 10, 14)
		ok = err == nil
	}
	if !ok || len(m) > maxBits/4 {
		Refuse("got %q, want an integer", w)
	}
	return z.Lsh(z, uint(n))
}

func (p *parser) poly(w string) Poly {
	q := Poly{}
	if w == "-" {
		return q
	}
	for _, t := range strings.Split(w, ",") {
		parts := strings.Split(t, "*v")
		var vs []Var
		for _, v := range parts[1:] {
			vs = append(vs, p.variable(v))
		}
		q.AddTerm(MonoOf(vs...), p.big(parts[0]))
	}
	return q
}

func (p *parser) terms(w string) (ts []Term) {
	if w == "-" {
		return nil
	}
	for _, t := range strings.Split(w, ",") {
		c, f, ok := strings.Cut(t, "*f")
		n, err := strconv.Atoi(f)
		if !ok || err != nil || n <= 0 {
			Refuse("got %q, want a multiple of a fact", t)
		}
		ts = append(ts, Term{Key(n), p.big(c)})
	}
	return ts
}

func (p *parser) comb(w string) Comb {
	a, ts, ok := strings.Cut(w, ":")
	if !ok {
		Refuse("got %q, want a combination", w)
	}
	return Comb{p.big(a), p.terms(ts)}
}

func (p *parser) combs() (ks []Comb) {
	w := p.word()
	if w == "-" {
		return nil
	}
	for _, c := range strings.Split(w, ";") {
		ks = append(ks, p.comb(c))
	}
	return ks
}
