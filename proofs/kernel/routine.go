package kernel

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A Param is a parameter of a routine, as in Routine.v.
type Param struct {
	Role  spec.Role
	Words int      // behind a pointer
	Part  int      // words of each number behind it: all of them, or those of a coordinate
	Max   *big.Int // largest value of each number, of In, InOut and Value
}

// A Routine is a routine with its contract: what Routine.v calls a routine.
type Routine struct {
	Conv   Convention
	Spec   *spec.Routine
	Params []Param // counted from 1 in variables
	Result bool
	Frame  int // words below the return address that may be written
	Claims []RClaim
	Values []Value // of a formula, in the order in which it computes them
	Code   []byte
	Mops   [3][]Mop // before, in and after its loop; the first alone without one
}

// An RVar is a number that a claim speaks of: what parameter Index, counted
// from 1, holds or points to, or a part of that, or the result.
type RVar struct {
	Kind  byte // 'b' before, 'a' after, 'r' result
	Index int
	Part  int // counted from 0
}

// An RExpr is an expression over such numbers.
type RExpr struct {
	Op    byte // 'v', 'c', '+', '-', '*'
	Var   RVar
	Const *big.Int
	L, R  *RExpr
}

// An RClaim is a claim of the contract.
type RClaim struct {
	Kind ClaimKind
	Var  RVar
	L, R *RExpr
	Mod  *big.Int
	Interval
	Arg    RVar     // of ClaimInv: what is inverted
	Factor *big.Int // of ClaimInv: what the inverse is multiplied by
}

// NewRoutine decodes the code of a routine and reads its contract.
func NewRoutine(r *spec.Routine, conv Convention, code []byte) (*Routine, error) {
	mops, err := conv.decode(code)
	if err != nil {
		return nil, err
	}
	k := &Routine{Conv: conv, Spec: r, Code: code, Mops: mops}
	k.Frame = k.frameWords()
	vars := map[string]*RExpr{}
	name := func(name string, v RVar) { vars[name] = &RExpr{Op: 'v', Var: v} }
	for i, p := range r.Params {
		if p.Role == spec.Result {
			if i != len(r.Params)-1 {
				return nil, fmt.Errorf("result %s is not the last parameter", p.Name)
			}
			k.Result = true
			name(p.Name, RVar{Kind: 'r'})
			continue
		}
		q := Param{Role: p.Role, Words: p.Limbs, Part: p.Limbs}
		parts := []string{p.Name}
		if p.Parts != nil {
			q.Part, parts = r.Field.Limbs, nil
			for _, part := range p.Parts {
				parts = append(parts, spec.Part(p.Name, part))
			}
		}
		if p.Bound != nil {
			q.Max = sub(p.Bound, one)
		}
		if p.Role != spec.Out && q.Max == nil {
			return nil, fmt.Errorf("parameter %s has no bound", p.Name)
		}
		k.Params = append(k.Params, q)
		for j, part := range parts {
			switch p.Role {
			case spec.Out:
				name(part, RVar{'a', i + 1, j})
			case spec.InOut:
				name(spec.After(part), RVar{'a', i + 1, j})
				fallthrough
			default:
				name(part, RVar{'b', i + 1, j})
			}
		}
	}
	if r.Formula != nil && r.Formula.Select == nil {
		if err := k.formula(vars); err != nil {
			return nil, err
		}
	}
	for _, c := range r.Claims {
		q, err := claim(c, vars)
		if err != nil {
			return nil, fmt.Errorf("claim %v: %w", c, err)
		}
		if v := k.Value(c.L.Name); v != nil && q.Kind == ClaimCong {
			q.R = v.Def
		}
		k.Claims = append(k.Claims, q)
	}
	if err := k.checkArguments(); err != nil {
		return nil, err
	}
	return k, nil
}

func claim(c spec.Claim, vars map[string]*RExpr) (RClaim, error) {
	l, err := expression(c.L, vars)
	if err != nil {
		return RClaim{}, err
	}
	switch {
	case c.Rel == spec.Less:
		if l.Op != 'v' || c.R.Op != spec.OpConst {
			return RClaim{}, fmt.Errorf("want a parameter below a constant")
		}
		return RClaim{Kind: ClaimRange, Var: l.Var, Interval: Interval{zero, sub(c.R.Val, one)}}, nil
	case c.Rel == spec.Equal && c.R.Op == spec.OpIsCong:
		if l.Op != 'v' {
			return RClaim{}, fmt.Errorf("want a parameter on the left")
		}
		a, err := expression(c.R.Args[0], vars)
		if err != nil {
			return RClaim{}, err
		}
		b, err := expression(c.R.Args[1], vars)
		return RClaim{Kind: ClaimIs, Var: l.Var, L: a, R: b, Mod: c.R.Val}, err
	}
	if arg, factor, ok := inverse(c.R); ok && c.Rel == spec.Congruent {
		a, err := expression(arg, vars)
		if err != nil || a.Op != 'v' || l.Op != 'v' {
			return RClaim{}, fmt.Errorf("want the inverse of a parameter: %v", err)
		}
		return RClaim{Kind: ClaimInv, Var: l.Var, Arg: a.Var, Factor: mod(factor, c.Mod), Mod: c.Mod}, nil
	}
	r, err := expression(c.R, vars)
	if c.Rel == spec.Equal {
		return RClaim{Kind: ClaimEq, L: l, R: r}, err
	}
	return RClaim{Kind: ClaimCong, L: l, R: r, Mod: c.Mod}, err
}

// inverse takes an inverse times a constant apart.
func inverse(e spec.Expr) (arg spec.Expr, factor *big.Int, ok bool) {
	switch {
	case e.Op == spec.OpInv:
		return e.Args[0], one, true
	case e.Op == spec.OpMul && len(e.Args) == 2 && e.Args[0].Op == spec.OpInv && e.Args[1].Op == spec.OpConst:
		return e.Args[0].Args[0], e.Args[1].Val, true
	}
	return spec.Expr{}, nil, false
}

func expression(e spec.Expr, vars map[string]*RExpr) (*RExpr, error) {
	var op byte
	switch e.Op {
	case spec.OpVar:
		v, ok := vars[e.Name]
		if !ok {
			return nil, fmt.Errorf("unknown parameter %s", e.Name)
		}
		return v, nil
	case spec.OpConst:
		return &RExpr{Op: 'c', Const: e.Val}, nil
	case spec.OpAdd:
		op = '+'
	case spec.OpSub:
		op = '-'
	case spec.OpMul:
		op = '*'
	default:
		return nil, fmt.Errorf("%v is not a polynomial", e)
	}
	var x *RExpr
	for _, a := range e.Args {
		y, err := expression(a, vars)
		if err != nil {
			return nil, err
		}
		if x == nil {
			x = y
		} else {
			x = &RExpr{Op: op, L: x, R: y}
		}
	}
	return x, nil
}

// A Pattern says which pointers are equal: it gives each parameter the number
// of the first pointer that is equal to it, or its own.
type Pattern []int

// Patterns returns every pattern that the contract allows, in the order of Proof.v.
func (r *Routine) Patterns() []Pattern {
	var out []Pattern
	var rec func(pat Pattern, seen []int)
	rec = func(pat Pattern, seen []int) {
		i := len(pat) + 1
		if i > len(r.Params) {
			if !r.excluded(pat) {
				out = append(out, slices.Clone(pat))
			}
			return
		}
		pat = pat[:len(pat):len(pat)]
		if !r.Params[i-1].Role.Pointer() {
			rec(append(pat, i), seen)
			return
		}
		for _, b := range seen {
			rec(append(pat, b), seen)
		}
		rec(append(pat, i), append(seen[:len(seen):len(seen)], i))
	}
	rec(nil, nil)
	return out
}

// excluded reports whether the contract does not allow the pattern.
func (r *Routine) excluded(pat Pattern) bool {
	return slices.ContainsFunc(r.Spec.Apart, func(a [2]int) bool { return pat[a[0]] == pat[a[1]] })
}

// Names prints the pattern with the names of the parameters, such as "z=x".
func (r *Routine) Names(pat Pattern) string {
	s := ""
	for i, b := range pat {
		if b != i+1 {
			if s != "" {
				s += " "
			}
			s += r.Spec.Params[i].Name + "=" + r.Spec.Params[b-1].Name
		}
	}
	if s == "" {
		return "disjoint"
	}
	return s
}

// A Program is a routine under one pattern: operations on locations, and their contract.
type Program struct {
	Code []Instr
	Contract
	Offsets []int // of the instruction that each operation is a part of

	// Of a piece: Moves operations come first that the code does not have, and
	// Words names the locations where its words start.
	Moves int
	Words map[Loc]string
}

// Program translates the routine.
func (r *Routine) Program(pat Pattern) (p *Program, err error) {
	err = Try(func() { p = r.program(pat) })
	return p, err
}

// entry returns a translator for the state on entry, and for locations the tags of
// which one must be found on return.
func (r *Routine) entry(pat Pattern) (t *translator, ends map[Loc][]tag) {
	if r.stackWords() > maxSlots {
		Refuse("%d words of stack, at most %d can be handled", r.stackWords(), maxSlots)
	}
	sp := tag{buffer: 0, offset: 8 * int64(r.Frame)}
	t = &translator{redZone: r.Conv.redZone(), sp: r.Conv.sp(), tags: map[Loc]tag{r.Conv.sp(): sp, r.returnAt(): {buffer: -1}}}
	if r.Conv != GoARM64 {
		sp.offset += 8 // what a return leaves
	}
	ends = map[Loc][]tag{r.Conv.sp(): {sp}, regIP: {{buffer: -1}}}
	for _, l := range r.Conv.saved() {
		t.tags[l] = tag{buffer: savedBuffer(l)}
		ends[l] = []tag{t.tags[l]}
	}
	if r.Conv == GoARM64 {
		// the assembler does not load the frame pointer at the end of a frame, but sets
		// it to what it is in Go's code
		ends[regFP] = append(ends[regFP], tag{buffer: 0, offset: sp.offset - 8})
	}
	t.size = func(b int) int {
		if b == 0 {
			return r.stackWords()
		}
		n := 0
		for i, p := range r.Params {
			if p.Role.Pointer() && pat[i] == b {
				n = max(n, p.Words)
			}
		}
		return n
	}
	t.writes = func(b, k int) bool {
		if b == 0 {
			return r.stackWrites(k)
		}
		for i, p := range r.Params {
			if (p.Role == spec.Out || p.Role == spec.InOut) && pat[i] == b && k < p.Words {
				return true
			}
		}
		return false
	}
	for i, p := range r.Params {
		if p.Role.Pointer() {
			t.tags[r.ArgLoc(i+1)] = tag{buffer: pat[i]}
		}
	}
	return t, ends
}

// returns refuses unless the tags and the contract fit at the end.
func (t *translator) returns(ends map[Loc][]tag, ct *Contract) {
	for _, l := range slices.Sorted(maps.Keys(ends)) {
		if g, ok := t.tags[l]; !ok || !slices.Contains(ends[l], g) {
			Refuse("on return, register %d does not hold what it must", l-1)
		}
	}
	for _, q := range ct.Claims {
		for _, l := range q.Locs() {
			if _, tagged := t.tags[l]; tagged {
				Refuse("on return, location %d of a result holds an address", l)
			}
		}
	}
}

func (r *Routine) program(pat Pattern) *Program {
	if len(r.Mops[1]) > 0 {
		Refuse("the routine has a loop")
	}
	t, ends := r.entry(pat)
	offsets := t.all(r.Mops[0])
	ct := r.low(t, pat)
	t.returns(ends, ct)
	order(t.out)
	return &Program{Code: t.out, Contract: *ct, Offsets: offsets}
}

// Locs returns the locations on return that the claim speaks of.
func (q *Claim) Locs() []Loc {
	var ls []Loc
	for _, v := range q.words() {
		if v.After {
			ls = append(ls, v.Locs...)
		}
	}
	return ls
}

func slots(b, n int) (ls []Loc) {
	for k := range n {
		ls = append(ls, Slot(b, k))
	}
	return ls
}

// words returns where a number stands.
func (r *Routine) words(v RVar, pat Pattern) Words {
	if v.Kind == 'r' {
		return Words{true, []Loc{r.ResultLoc()}}
	}
	p := r.Params[v.Index-1]
	if p.Role == spec.Value {
		return Words{false, []Loc{r.ArgLoc(v.Index)}}
	}
	return Words{v.Kind == 'a', slots(pat[v.Index-1], p.Words)[p.Part*v.Part : p.Part*(v.Part+1)]}
}

// Where returns the locations of a number.
func (r *Routine) Where(v RVar, pat Pattern) []Loc { return r.words(v, pat).Locs }

// low returns the contract over locations: low in Proof.v.
func (r *Routine) low(t *translator, pat Pattern) *Contract {
	ct := &Contract{}
	if r.Conv == SystemV {
		for _, l := range scratchRegs {
			ct.Inputs = append(ct.Inputs, Input{l, WordMax})
		}
	}
	for i, p := range r.Params {
		if p.Role == spec.Value {
			ct.Inputs = append(ct.Inputs, Input{r.ArgLoc(i + 1), p.Max})
		} else {
			// as many words for each pointer, though nothing reads some of them,
			// so that all patterns number their variables alike
			n := 0
			for _, q := range r.Params {
				n = max(n, q.Words)
			}
			for _, l := range slots(i+1, n) {
				ct.Inputs = append(ct.Inputs, Input{l, WordMax})
			}
		}
		if p.Role == spec.In || p.Role == spec.InOut {
			for ls := range slices.Chunk(slots(pat[i], p.Words), p.Part) {
				ct.Bounds = append(ct.Bounds, Bound{ls, p.Max})
			}
		}
	}
	var expr func(e *RExpr) *Expr
	expr = func(e *RExpr) *Expr {
		if e == nil {
			return nil
		}
		x := &Expr{Op: e.Op, Const: e.Const, L: expr(e.L), R: expr(e.R)}
		if e.Op == 'v' {
			x.Words = r.words(e.Var, pat)
		}
		return x
	}
	for _, c := range r.Claims {
		q := Claim{Kind: c.Kind, L: expr(c.L), R: expr(c.R), Mod: c.Mod, Interval: c.Interval}
		if c.Kind == ClaimRange || c.Kind == ClaimIs || c.Kind == ClaimInv {
			q.Words = r.words(c.Var, pat)
		}
		ct.Claims = append(ct.Claims, q)
	}
	return ct
}

// Check refuses unless the certificates, one for each pattern, prove the
// routine: check_routine in Alias.v. The last is for disjoint pointers; where
// another is nil, the same words must be computed as with disjoint pointers. A
// routine with a loop must be an inversion: check_invert in InvertSound.v.
func (r *Routine) Check(ks []*Cert) error {
	pats := r.Patterns()
	if len(ks) != len(pats) {
		return fmt.Errorf("%d certificates, want %d, one for each way in which pointers may be equal", len(ks), len(pats))
	}
	if r.HasLoop() {
		return Try(func() { r.inversion(ks) })
	}
	disjoint, err := r.Program(pats[len(pats)-1])
	if err != nil {
		return fmt.Errorf("pointers disjoint: %w", err)
	}
	for i, pat := range slices.Backward(pats) {
		p := disjoint
		if i < len(pats)-1 {
			p, err = r.Program(pat)
		}
		switch {
		case err != nil:
		case ks[i] != nil:
			err = r.replay(p, pat, ks[i])
		case p == disjoint:
			err = fmt.Errorf("no certificate")
		default:
			err = Alias(disjoint, p, pat)
		}
		if err != nil {
			return fmt.Errorf("pointers %s: %w", r.Names(pat), err)
		}
	}
	return nil
}
