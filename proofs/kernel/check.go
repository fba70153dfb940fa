package kernel

import "math/big"

// Words is the number in some locations, the first least significant, on entry
// or on return.
type Words struct {
	After bool
	Locs  []Loc
}

// An Expr is an expression over numbers in locations, as in Claim.v.
type Expr struct {
	Op byte // 'v' Words, 'c' Const, '+', '-', '*'
	Words
	Const *big.Int
	L, R  *Expr
}

// A ClaimKind distinguishes claims.
type ClaimKind int

// The claims, as in Claim.v.
const (
	ClaimCong  ClaimKind = iota // L ≡ R (mod Mod)
	ClaimRange                  // Lo ≤ Words ≤ Hi
	ClaimEq                     // L = R
	ClaimIs                     // Words is 1 if L ≡ R (mod Mod), else 0
	ClaimInv                    // Words is the inverse of a number, times a constant, modulo Mod; no certificate shows it
)

// A Claim is one thing to prove.
type Claim struct {
	Kind ClaimKind
	Words
	L, R *Expr
	Mod  *big.Int
	Interval
}

// An Input is a word that a program may read, with its largest value.
type Input struct {
	Loc Loc
	Max *big.Int
}

// A Bound is the largest value of the number in some locations on entry.
type Bound struct {
	Locs []Loc
	Max  *big.Int
}

// A Contract is what a program on locations may assume and must ensure.
type Contract struct {
	Inputs []Input
	Bounds []Bound
	Claims []Claim
}

// A GoalKind says how a claim follows at the end of a path.
type GoalKind int

// The ways.
const (
	GoalEqs   GoalKind = iota // by adding multiples of known Equations
	GoalRange                 // from the range, by Combs
	GoalNot                   // not congruent: the difference is ≡ Poly, which is small and not 0
)

// A Goal is the hint for one claim.
type Goal struct {
	Kind  GoalKind
	Eqs   []Term
	Combs []Comb
	Poly  Poly
	Key   Key
	Steps []*Derivation
	Comb  Comb
}

// A NodeKind distinguishes the nodes of certificates.
type NodeKind int

// The nodes.
const (
	NodeRun       NodeKind = iota // N operations without hints
	NodeHint                      // one operation with a hint
	NodeDerive                    // a derivation
	NodeCase                      // the range of a polynomial, by cases on a bit
	NodeFork                      // go on by cases on a bit
	NodeAbsurd                    // the facts are contradictory
	NodeEnd                       // the claims
	NodeInversion                 // an inversion, by certificates of its Parts; alone in the certificate of a pattern
	NodePieces                    // of a formula: a certificate for each of its values; alone in the certificate of a pattern
)

// A Cert is a certificate: what to do at one point, and how to go on.
type Cert struct {
	Kind   NodeKind
	N      int
	Hint   Hint
	Derive *Derivation
	Key    Key
	BitKey Key
	Poly   Poly
	Loc    Loc
	Combs  [2][]Comb
	Comb   Comb
	Goals  []Goal
	Pieces []Piece
	Next   [2]*Cert // only NodeFork has two

	Inversion *Inversion
	Parts     [3]*Cert
}

// FirstBound is the key of the first bound on inputs.
const FirstBound Key = 1000000

// Entry returns the state on entry and the number of the first operation.
func (ct *Contract) Entry() (*State, int) {
	s := &State{map[Loc]*Word{}, NewContext()}
	pc := 1
	for _, in := range ct.Inputs {
		v := Var(2 * pc)
		w := VarWord(v, zero, in.Max)
		s.Regs[in.Loc] = w
		s.Ctx.bound(v, Interval{zero, in.Max})
		s.Ctx.Lows[v] = w
		pc++
	}
	for i, b := range ct.Bounds {
		s.Ctx.AddFact(FirstBound+Key(i), number(s.Regs, b.Locs).A, Interval{zero, b.Max})
	}
	return s, pc
}

// number returns the number in some locations.
func number(regs map[Loc]*Word, ls []Loc) *Word {
	r := ConstWord(zero)
	for i := len(ls) - 1; i >= 0; i-- {
		w := regs[ls[i]]
		if w == nil {
			Refuse("location %d is not known", ls[i])
		}
		if !w.IsWord() {
			Refuse("the word at location %d may not fit in 64 bits", ls[i])
		}
		r = AddWords(w, ScaleWord(Radix, r))
	}
	return r
}

// Number returns the number that v stands for; entry holds the words on entry.
func (s *State) Number(entry map[Loc]*Word, v Words) *Word {
	if v.After {
		return number(s.Regs, v.Locs)
	}
	return number(entry, v.Locs)
}

// Eval returns the A-form of an expression.
func (s *State) Eval(entry map[Loc]*Word, e *Expr) Poly {
	switch e.Op {
	case 'v':
		return s.Number(entry, e.Words).A
	case 'c':
		return PolyConst(e.Const)
	}
	l, r := s.Eval(entry, e.L), s.Eval(entry, e.R)
	switch e.Op {
	case '+':
		return l.Add(r)
	case '-':
		return l.Sub(r)
	}
	return l.Mul(r)
}

// Equations returns a polynomial that is 0, from known Equations.
func (c *Context) Equations(eqs []Term) Poly {
	p := Poly{}
	for _, t := range eqs {
		if f, ok := c.Facts[t.Fact]; ok && f.Lo.Cmp(f.Hi) == 0 {
			p = p.AddScaled(f.Poly.Sub(PolyConst(f.Lo)), t.K)
		}
	}
	return p
}

func (c *Context) vanishes(m *big.Int, p Poly, eqs []Term) bool {
	return m.Sign() > 0 && c.Simplify(p.Add(c.Equations(eqs))).divisible(m)
}

// refutes reports whether Poly, which is congruent to 0, cannot be.
func (c *Context) refutes(m *big.Int, g *Goal) bool {
	i := c.PolyRange(g.Poly, g.Combs)
	if i.Lo.Cmp(neg(m)) <= 0 || i.Hi.Cmp(m) >= 0 {
		return false
	}
	n := c.Clone()
	n.AssumeZero(g.Key, g.Poly)
	for _, d := range g.Steps {
		n.Derive(d)
	}
	return n.Absurd(g.Comb)
}

// AssumeZero records p = 0, in both forms.
func (c *Context) AssumeZero(key Key, p Poly) {
	q, _ := c.ToC(p)
	c.AddFact(2*key, p, point(zero))
	c.AddFact(2*key+1, q, point(zero))
}

// proves reports whether the claim follows.
func (s *State) proves(entry map[Loc]*Word, q *Claim, g *Goal) bool {
	c := s.Ctx
	diff := func() Poly { return s.Eval(entry, q.L).Sub(s.Eval(entry, q.R)) }
	switch {
	case q.Kind == ClaimCong && g.Kind == GoalEqs:
		return c.vanishes(q.Mod, diff(), g.Eqs)
	case q.Kind == ClaimRange && g.Kind == GoalRange:
		i := c.WordRange(s.Number(entry, q.Words), g.Combs)
		return q.Lo.Cmp(i.Lo) <= 0 && i.Hi.Cmp(q.Hi) <= 0
	case q.Kind == ClaimEq && g.Kind == GoalEqs:
		return len(c.Simplify(diff().Add(c.Equations(g.Eqs)))) == 0
	case q.Kind == ClaimIs && g.Kind == GoalEqs:
		z := s.Number(entry, q.Words).Const()
		return z != nil && z.Cmp(one) == 0 && c.vanishes(q.Mod, diff(), g.Eqs)
	case q.Kind == ClaimIs && g.Kind == GoalNot:
		z := s.Number(entry, q.Words).Const()
		return z != nil && z.Sign() == 0 && c.vanishes(q.Mod, diff().Sub(g.Poly), g.Eqs) && c.refutes(q.Mod, g)
	}
	return false
}

// Replay runs a certificate on a program and refuses unless every claim of the
// contract follows. Trace, if it is not nil, is called after every operation.
func Replay(code []Instr, ct *Contract, k *Cert, trace func(pc int, i *Instr, s *State)) error {
	return Try(func() {
		s, pc := ct.Entry()
		r := &replay{ct: ct, entry: s.Clone().Regs, trace: trace}
		r.run(code, k, pc, s)
	})
}

type replay struct {
	ct    *Contract
	entry map[Loc]*Word
	trace func(pc int, i *Instr, s *State)
}

func (r *replay) run(code []Instr, k *Cert, pc int, s *State) {
	step := func(h Hint) {
		if len(code) == 0 {
			Refuse("the certificate has more operations than the program")
		}
		s.Step(pc, &code[0], h)
		if r.trace != nil {
			r.trace(pc, &code[0], s)
		}
		code = code[1:]
		pc++
	}
	for ; ; k = k.Next[0] {
		if k == nil {
			Refuse("the certificate stops before the end")
		}
		switch k.Kind {
		case NodeRun:
			for range k.N {
				step(Hint{})
			}
		case NodeHint:
			step(k.Hint)
		case NodeDerive:
			s.Ctx.Derive(k.Derive)
		case NodeCase:
			s.Ctx.LearnCase(k.Key, k.Poly, s.MustFunc(k.Loc).Bit, k.BitKey, k.Combs)
		case NodeFork:
			b := s.MustFunc(k.Loc).Bit
			n := s.Clone()
			s.Fork(k.Key, b, 0)
			n.Fork(k.Key, b, 1)
			r.run(code, k.Next[0], pc, s)
			r.run(code, k.Next[1], pc, n)
			return
		case NodeAbsurd:
			if !s.Ctx.Absurd(k.Comb) {
				Refuse("the facts before operation %d are not shown to be contradictory", pc)
			}
			return
		case NodeEnd:
			r.end(code, k, s)
			return
		default:
			Refuse("unknown node %d of a certificate", k.Kind)
		}
	}
}

func (r *replay) end(code []Instr, k *Cert, s *State) {
	if len(code) != 0 {
		Refuse("%d operations are left at the end of the certificate", len(code))
	}
	if len(k.Goals) != len(r.ct.Claims) {
		Refuse("the certificate has hints for %d claims, want %d", len(k.Goals), len(r.ct.Claims))
	}
	for i := range k.Goals {
		if !s.proves(r.entry, &r.ct.Claims[i], &k.Goals[i]) {
			Refuse("claim %d does not follow", i+1)
		}
	}
}
