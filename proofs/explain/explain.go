package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// A Listing is a routine with what its proof says of each instruction, when its
// pointers are equal in one way.
type Listing struct {
	Pointers     string
	Instructions []Instruction
	Claims       []Note // at the end of each path
}

// An Instruction is one line of the listing.
type Instruction struct {
	Offset  int
	Text    string   // in the syntax of Go's assembler
	Values  []Note   // what it computes
	Drops   bool     // whether it makes a carry or a high word that nothing reads
	Dropped []Note   // why that loses nothing
	Facts   []Note   // what is derived, or split by cases, before it
	paths   []string // that come by
}

// A Note is a text that is true on some paths.
type Note struct {
	Cases []string // the paths, by the case splits that lead to them; nil for all
	Text  string
}

// A walker follows a certificate and writes the listing.
type walker struct {
	n      *Names
	l      *Listing
	index  map[int]int // from offset to index in l.Instructions
	read   [][2]bool   // of each operation: whether anything reads its results
	entry  map[k.Loc]*k.Word
	claims []string // as they are printed
}

// A path is one run through the certificate, up to some point.
type path struct {
	*k.State
	cases []string
	facts map[k.Key]string
	open  map[k.Var]int // carries that nothing reads and whose reason is not yet known, with the instruction
}

func (p *path) clone() *path {
	n := &path{State: p.State.Clone(), cases: slices.Clone(p.cases), facts: map[k.Key]string{}, open: map[k.Var]int{}}
	for key, f := range p.facts {
		n.facts[key] = f
	}
	for v, i := range p.open {
		n.open[v] = i
	}
	return n
}

func (p *path) label() string { return strings.Join(p.cases, ", ") }

// Instructions returns the instructions of a routine, up to its return.
func Instructions(r *k.Routine) ([]machine.Inst, error) {
	var list []machine.Inst
	if r.Conv == k.GoARM64 {
		code, err := arm64.DecodeAll(r.Code)
		for _, in := range code {
			if in.Op != "UDF" { // which fills the space behind
				list = append(list, in)
			}
		}
		return list, err
	}
	code, err := amd64.DecodeAll(r.Code)
	for _, in := range code {
		list = append(list, in)
	}
	return list, err
}

// Routine explains the proof of a routine by one certificate, that of the pattern.
// It refuses a certificate that does not fit the program; that all claims follow
// is for the kernel to check.
func Routine(r *k.Routine, pat k.Pattern, cert *k.Cert) (*Listing, error) {
	code, err := Instructions(r)
	if err != nil {
		return nil, err
	}
	l, index := &Listing{Pointers: r.Names(pat)}, map[int]int{}
	for i, in := range code {
		offset, _ := in.Span()
		index[offset] = i
		l.Instructions = append(l.Instructions, Instruction{Offset: offset, Text: in.String()})
	}
	if cert != nil && cert.Kind == k.NodeInversion {
		err = inversion(r, pat, cert, l, index)
	} else if cert != nil && cert.Kind == k.NodePieces {
		err = pieces(r, pat, cert, l, index)
	} else {
		err = straight(r, pat, cert, l, index)
	}
	if err != nil {
		return nil, err
	}
	l.finish()
	return l, nil
}

func straight(r *k.Routine, pat k.Pattern, cert *k.Cert, l *Listing, index map[int]int) error {
	p, err := r.Program(pat)
	if err != nil {
		return err
	}
	w := &walker{n: NewNames(r, pat, p), l: l, index: index, read: read(p)}
	for _, c := range r.Spec.Claims {
		w.claims = append(w.claims, c.String())
	}
	return w.follow(cert)
}

// follow follows a certificate of the program.
func (w *walker) follow(cert *k.Cert) error {
	return k.Try(func() {
		s, first := w.n.p.Entry()
		w.entry = s.Clone().Regs
		w.run(&path{State: s, facts: map[k.Key]string{}, open: map[k.Var]int{}}, cert, 0, first)
	})
}

// read finds the results that a later operation or a claim reads.
func read(p *k.Program) [][2]bool {
	out := make([][2]bool, len(p.Code))
	live := map[k.Loc]bool{}
	for i := range p.Claims {
		for _, l := range p.Claims[i].Locs() {
			live[l] = true
		}
	}
	for i := len(p.Code) - 1; i >= 0; i-- {
		in := &p.Code[i]
		out[i] = [2]bool{live[in.D], in.D2 != 0 && live[in.D2]}
		for _, l := range in.Results() {
			delete(live, l)
		}
		for _, l := range in.Reads() {
			live[l] = true
		}
	}
	return out
}

// drops reports whether the operation makes a low part that is read, and a high
// part that is not.
func (w *walker) drops(i int) bool {
	switch w.n.p.Code[i].Op {
	case k.Adc, k.Sbb, k.Mul:
		return w.read[i][0] && !w.read[i][1]
	}
	return false
}

// run follows the certificate from operation i on.
func (w *walker) run(p *path, c *k.Cert, i, first int) {
	step := func(h k.Hint) {
		if i == len(w.n.p.Code) {
			k.Refuse("the certificate has more operations than the program")
		}
		w.step(p, i, first+i, h)
		i++
	}
	for ; c != nil; c = c.Next[0] {
		switch c.Kind {
		case k.NodeRun:
			for range c.N {
				step(k.Hint{})
			}
		case k.NodeHint:
			step(c.Hint)
		case k.NodeDerive:
			w.derive(p, i, c.Derive)
		case k.NodeCase:
			b := p.MustFunc(c.Loc).Bit
			p.Ctx.LearnCase(c.Key, c.Poly, b, c.BitKey, c.Combs)
			p.name(fmt.Sprintf("%s %s", w.n.Poly(c.Poly), Interval(p.Ctx.Facts[2*c.Key].Interval)), 2*c.Key, 2*c.Key+1)
			w.fact(p, i, fmt.Sprintf("%s, by cases on %s: if it is 0, by %s; if it is 1, by %s", p.facts[2*c.Key], w.bit(b), w.combs(p, c.Combs[0]), w.combs(p, c.Combs[1])))
		case k.NodeFork:
			b := p.MustFunc(c.Loc).Bit
			bit := w.bit(b)
			w.fact(p, i, "two cases, by "+bit)
			for v := range c.Next {
				n := p
				if v == 0 {
					n = p.clone()
				}
				n.cases = append(slices.Clone(p.cases), fmt.Sprintf("%s = %d", bit, v))
				n.Fork(c.Key, b, int64(v))
				n.name(fmt.Sprintf("%s = %d", bit, v), 2*c.Key, 2*c.Key+1, 4*c.Key, 4*c.Key+2)
				w.run(n, c.Next[v], i, first)
			}
			return
		case k.NodeAbsurd:
			w.fact(p, i, "this cannot happen, by "+w.comb(p, c.Comb))
			return
		case k.NodeEnd:
			if i != len(w.n.p.Code) {
				k.Refuse("%d operations are left at the end of the certificate", len(w.n.p.Code)-i)
			}
			w.end(p, c)
			return
		}
	}
	k.Refuse("the certificate stops before the end")
}

// at returns the instruction of operation i, or the last one of the program.
func (w *walker) at(i int) *Instruction {
	return &w.l.Instructions[w.index[w.n.p.Offsets[min(i, len(w.n.p.Offsets)-1)]]]
}

func (p *path) name(text string, keys ...k.Key) {
	for _, key := range keys {
		p.facts[key] = text
	}
}

// note adds a text that is true on a path.
func note(list *[]Note, p *path, text string) {
	for i := range *list {
		if (*list)[i].Text == text {
			if !slices.Contains((*list)[i].Cases, p.label()) {
				(*list)[i].Cases = append((*list)[i].Cases, p.label())
			}
			return
		}
	}
	*list = append(*list, Note{[]string{p.label()}, text})
}

func (w *walker) fact(p *path, i int, text string) { note(&w.at(i).Facts, p, text) }

// finish drops the paths of notes that are true on all paths that come by.
func (l *Listing) finish() {
	for i := range l.Instructions {
		in := &l.Instructions[i]
		for _, list := range [][]Note{in.Values, in.Dropped} {
			for j := range list {
				if len(list[j].Cases) == len(in.paths) {
					list[j].Cases = nil
				}
			}
		}
		for j := range in.Facts {
			if slices.Equal(in.Facts[j].Cases, []string{""}) {
				in.Facts[j].Cases = nil
			}
		}
	}
	for j := range l.Claims {
		if slices.Equal(l.Claims[j].Cases, []string{""}) {
			l.Claims[j].Cases = nil
		}
	}
}

// derive records what a derivation says.
func (w *walker) derive(p *path, i int, d *k.Derivation) {
	var text string
	switch d.Kind {
	case k.DeriveLearn:
		r := p.Ctx.PolyRange(d.Poly, d.Combs)
		text = fmt.Sprintf("%s %s", w.n.Poly(d.Poly), Interval(r))
		reason := "by " + w.combs(p, d.Combs)
		w.fact(p, i, text+", "+reason)
		if v, c, ok := d.Poly.Single(); ok && c.IsInt64() && c.Int64() == 1 {
			if at, open := p.open[v]; open && r.Lo.Cmp(r.Hi) == 0 {
				note(&w.l.Instructions[at].Dropped, p, fmt.Sprintf("%s, shown at %#x %s", text, w.at(i).Offset, reason))
				delete(p.open, v)
			}
		}
		p.name(text, 2*d.Key, 2*d.Key+1)
	case k.DeriveProd:
		text = fmt.Sprintf("(%s)·(%s)", w.key(p, d.I), w.key(p, d.J))
		w.fact(p, i, "the product of facts "+text)
		p.name("the product "+text, d.Key)
	case k.DeriveXor:
		text = fmt.Sprintf("%s is 0 exactly if its operands are equal", w.n.Var(d.Var))
		w.fact(p, i, text+", by "+w.combs(p, d.Combs))
		p.name(text, 2*d.Key, 2*d.Key+1)
	}
	p.Ctx.Derive(d)
}

// key names a fact.
func (w *walker) key(p *path, key k.Key) string {
	bounds := w.n.p.Bounds
	switch i := int(key - k.FirstBound); {
	case p.facts[key] != "":
		return p.facts[key]
	case 0 <= i && i < len(bounds):
		return fmt.Sprintf("%s ≤ %s", w.n.numberName(bounds[i].Locs), Int(bounds[i].Max))
	case key < 1<<17 && key%2 == 1:
		v := k.Var(key)
		return fmt.Sprintf("%s %s", w.n.Var(v), Interval(p.Ctx.Bound[v]))
	}
	if f, ok := p.Ctx.Facts[key]; ok {
		return fmt.Sprintf("%s %s", w.n.Poly(f.Poly), Interval(f.Interval))
	}
	return fmt.Sprintf("fact %d", key)
}

// comb prints a combination of facts.
func (w *walker) comb(p *path, c k.Comb) string {
	if len(c.Terms) == 0 {
		return "the ranges of its words"
	}
	var parts []string
	for _, t := range c.Terms {
		f := "[" + w.key(p, t.Fact) + "]"
		if !t.K.IsInt64() || t.K.Int64() != 1 {
			f = Int(t.K) + "·" + f
		}
		parts = append(parts, f)
	}
	return strings.Join(parts, " + ")
}

func (w *walker) combs(p *path, cs []k.Comb) string {
	if len(cs) == 0 {
		return "the ranges of its words"
	}
	var parts []string
	for _, c := range cs {
		parts = append(parts, w.comb(p, c))
	}
	return strings.Join(parts, " and ")
}

// bit prints the bit of a case split.
func (w *walker) bit(b *k.Bit) string {
	if v, c, ok := b.C.Single(); ok && b.E == 0 && c.IsInt64() && c.Int64() == 1 {
		return w.n.Var(v)
	}
	if v, c, ok := b.A.Single(); ok && c.IsInt64() && c.Int64() == 1 {
		return w.n.Var(v)
	}
	return "(" + w.n.Poly(b.A) + ")"
}
