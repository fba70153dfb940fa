package kernel

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A Piece is a part of the code of a formula, which computes one value: after N
// operations it is in Out, and below Bound. Cert proves that, from what is
// known of the operands alone.
type Piece struct {
	N     int
	Value string // its name in Routine.Values
	Out   []Loc
	Bound *big.Int
	Cert  *Cert
}

// ghostWord and the locations after it are no code's: there stand the words
// that a piece starts from.
const ghostWord Loc = 2000000

// Pieces follows a program that computes a formula from piece to piece. By
// moves alone it knows which locations hold the same word, and by pieces which
// words are which value.
type Pieces struct {
	r       *Routine
	pat     Pattern
	code    []Instr // what is left
	offsets []int
	at      map[Loc]value
	next    int
	max     map[int]*big.Int // of the words that a piece may start from
	values  map[any]computed // by key
	names   map[int]string   // of words, for messages
}

// A computed value is congruent to what the formula says, and at most max.
type computed struct {
	words []value
	max   *big.Int
}

// key tells values apart: a number that has a name, or an operation.
func (e *RExpr) key() any {
	if e.Op == 'v' {
		return e.Var
	}
	return e
}

// Pieces returns the start of the routine's program for the pattern.
func (r *Routine) Pieces(p *Program, pat Pattern) (s *Pieces, err error) {
	err = Try(func() { s = r.pieces(p, pat) })
	return s, err
}

func (r *Routine) pieces(p *Program, pat Pattern) *Pieces {
	s := &Pieces{r: r, pat: pat, code: p.Code, offsets: p.Offsets, at: map[Loc]value{}, next: 1, max: map[int]*big.Int{}, names: map[int]string{}, values: map[any]computed{}}
	for _, in := range p.Inputs {
		s.max[s.next] = in.Max
		s.at[in.Loc] = s.fresh()
	}
	for i, q := range r.Params {
		if q.Role == spec.Out {
			continue
		}
		for j := range q.Words / q.Part {
			v, name := RVar{'b', i + 1, j}, r.Spec.Params[i].Name
			if parts := r.Spec.Params[i].Parts; parts != nil {
				name = spec.Part(name, parts[j])
			}
			s.know(v, name, computed{s.words(r.words(v, pat).Locs), q.Max})
		}
	}
	return s
}

// know records a value, which also gives its words names.
func (s *Pieces) know(key any, name string, x computed) {
	s.values[key] = x
	for i, w := range x.words {
		if s.names[w.num] = name; len(x.words) > 1 {
			s.names[w.num] = fmt.Sprintf("%s[%d]", name, i)
		}
	}
}

func (s *Pieces) fresh() value {
	s.next++
	return value{num: s.next - 1}
}

// words returns what stands in the locations.
func (s *Pieces) words(ls []Loc) (ws []value) {
	for _, l := range ls {
		w, ok := s.at[l]
		if !ok || w.num == 0 {
			Refuse("location %d holds no word that a formula computes", l)
		}
		ws = append(ws, w)
	}
	return ws
}

// follow moves n operations on.
func (s *Pieces) follow(n int) {
	for i := range s.code[:n] {
		in := &s.code[i]
		if in.Op != Mov {
			for _, l := range in.Results() {
				s.at[l] = s.fresh()
			}
			continue
		}
		if !in.A.isLoc() {
			s.at[in.D] = value{imm: in.A.Imm.Uint64()}
		} else if w, ok := s.at[in.A.Loc]; ok {
			s.at[in.D] = w
		} else {
			delete(s.at, in.D)
		}
	}
	s.code, s.offsets = s.code[n:], s.offsets[n:]
}

// program is a piece on its own. It starts from the words of parameters and of
// values, which stand in ghosts and are first moved to where the code reads them.
func (s *Pieces) program(c *Piece) *Program {
	v := s.r.Value(c.Value)
	if v == nil || c.N < 1 || c.N > len(s.code) {
		Refuse("a piece of %d operations for the value %q, with %d operations left, want at least 1, no more, and a value of the formula", c.N, c.Value, len(s.code))
	}
	p := &Program{Words: map[Loc]string{}}
	words := map[int]bool{}
	ghosts := func(ws []value) (ls []Loc) {
		for _, w := range ws {
			words[w.num] = true
			ls = append(ls, ghostWord+Loc(w.num))
		}
		return ls
	}
	done := map[Loc]bool{}
	read := func(l Loc) {
		w, ok := s.at[l]
		if !done[l] && ok {
			if w.num == 0 {
				p.Code = append(p.Code, Instr{Op: Mov, D: l, A: imm(new(big.Int).SetUint64(w.imm))})
			} else if s.max[w.num] != nil {
				p.Code = append(p.Code, Instr{Op: Mov, D: l, A: at(ghosts([]value{w})[0])})
			}
		}
		done[l] = true
	}
	code := s.code[:c.N]
	for i := range code {
		for _, l := range code[i].Reads() {
			read(l)
		}
		for _, l := range code[i].Results() {
			done[l] = true
		}
	}
	for _, l := range c.Out {
		read(l)
	}
	p.Moves = len(p.Code)
	for range p.Code {
		p.Offsets = append(p.Offsets, s.offsets[0])
	}
	p.Code, p.Offsets = append(p.Code, code...), append(p.Offsets, s.offsets[:c.N]...)

	var expr func(e *RExpr) *Expr
	expr = func(e *RExpr) *Expr {
		k, ok := s.values[e.key()]
		switch {
		case ok && e != v.Def:
			ls := ghosts(k.words)
			if len(ls) > 1 && !slices.ContainsFunc(p.Bounds, func(b Bound) bool { return b.Locs[0] == ls[0] }) {
				p.Bounds = append(p.Bounds, Bound{ls, k.max})
			}
			return num(false, ls...)
		case e.Op == 'v':
			Refuse("the value %s needs a number that is not known yet", c.Value)
		case e.Op == 'c':
			return con(e.Const)
		}
		return &Expr{Op: e.Op, L: expr(e.L), R: expr(e.R)}
	}
	p.Claims = []Claim{
		cong(num(true, c.Out...), expr(v.Def), s.r.Spec.Field.Modulus),
		within(c.Out, sub(c.Bound, one)),
	}
	for _, w := range slices.Sorted(maps.Keys(words)) {
		if p.Words[ghostWord+Loc(w)] = s.names[w]; s.names[w] == "" {
			p.Words[ghostWord+Loc(w)] = fmt.Sprintf("word %d", w)
		}
		p.Inputs = append(p.Inputs, Input{ghostWord + Loc(w), s.max[w]})
	}
	return p
}

// Program returns a piece as a program of its own, whose claims are that it
// computes its value, and that the bound holds.
func (s *Pieces) Program(c *Piece) (p *Program, err error) {
	err = Try(func() { p = s.program(c) })
	return p, err
}

// Step goes on behind a piece that is proved.
func (s *Pieces) Step(c *Piece) error { return Try(func() { s.step(c) }) }

func (s *Pieces) step(c *Piece) {
	s.follow(c.N)
	ws := s.words(c.Out)
	for _, w := range ws {
		if s.max[w.num] == nil {
			s.max[w.num] = WordMax
		}
	}
	s.know(s.r.Value(c.Value).Node.key(), c.Value, computed{ws, sub(c.Bound, one)})
}

// end refuses unless every claim of the routine follows at the end of the code.
func (s *Pieces) end() {
	s.follow(len(s.code))
	for i, q := range s.r.Claims {
		v := q.Var
		if q.Kind == ClaimCong {
			v = q.L.Var
		}
		k, ok := s.values[v]
		if !ok || v.Kind != 'a' || !slices.Equal(k.words, s.words(s.r.words(v, s.pat).Locs)) {
			Refuse("claim %d speaks of a number that is not where it must be", i+1)
		}
		switch {
		case q.Kind == ClaimRange && q.Lo.Sign() <= 0 && k.max.Cmp(q.Hi) <= 0:
		case q.Kind == ClaimCong && q.Mod.Cmp(s.r.Spec.Field.Modulus) == 0 && s.r.defines(v, q.R):
		default:
			Refuse("claim %d does not follow", i+1)
		}
	}
}

// defines reports whether e is what the formula says of a result.
func (r *Routine) defines(v RVar, e *RExpr) bool {
	return slices.ContainsFunc(r.Values, func(x Value) bool { return x.Node.key() == v && x.Def == e })
}

// replay refuses unless the certificate proves the program.
func (r *Routine) replay(p *Program, pat Pattern, k *Cert) error {
	if k.Kind != NodePieces {
		return Replay(p.Code, &p.Contract, k, nil)
	}
	return Try(func() {
		s := r.pieces(p, pat)
		for i := range k.Pieces {
			c := &k.Pieces[i]
			q := s.program(c)
			if err := Replay(q.Code, &q.Contract, c.Cert, nil); err != nil {
				Refuse("value %s: %v", c.Value, err)
			}
			s.step(c)
		}
		s.end()
	})
}
