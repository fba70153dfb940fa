package search

import (
	"fmt"
	"math/big"
	"slices"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// Keys of facts that a certificate derives; the kernel uses 2·key, 2·key+1,
// 4·key and 4·key+2 beside them, and smaller numbers for its own.
const firstKey k.Key = 1 << 20

// maxForks bounds the case splits on one path.
const maxForks = 9

// A policy is a way to search.
type policy int

const (
	splitMoves   policy = iota // split by cases only at conditional moves
	fineBounds                 // also bound what these moves leave, and compare bounds before they are rounded
	splitMasks                 // as splitMoves, but split also where a mask is applied
	splitCarries               // as splitMasks, and on the carry of a sum with words that were combined by and
	pinSigns                   // as splitMoves, and find by cases on the highest bit of a word what was dropped above it
	policies
)

type searcher struct {
	code   []k.Instr
	ct     *k.Contract
	first  int // number of the first operation
	entry  map[k.Loc]*k.Word
	dead   [][2]bool // results of an operation that nothing reads
	key    k.Key
	policy policy
	zeroed []k.Poly // leftovers that were shown to be 0 on other paths
	idx    int      // the operation that the search is at
	cases  []Case   // and the case splits on the way to it
	claim  int      // the claim that it is at, counted from 1
}

// A Failure says where a search ended.
type Failure struct {
	Op    int    // the operation, counted from 0; the number of all at the end
	Claim int    // the claim that does not follow, counted from 1; 0 if the search did not come to the claims
	Cases []Case // the case splits on the way, first to last
	Err   error
}

// A Case is a case split before operation Op: the bit at Loc is Bit.
type Case struct {
	Op  int
	Loc k.Loc
	Bit int
}

func (f *Failure) Error() string {
	return fmt.Sprintf("operation %d, claim %d: %v", f.Op, f.Claim, f.Err)
}

// A Leftover is a polynomial that should have vanished, or have had a range.
type Leftover struct {
	What string
	Poly k.Poly
}

func (l *Leftover) Error() string { return fmt.Sprintf("%s: %v", l.What, l.Poly) }

// Unwrap returns what is wrong there.
func (f *Failure) Unwrap() error { return f.Err }

func (s *searcher) newKey() k.Key {
	s.key++
	return s.key
}

// A writer appends nodes to a certificate.
type writer struct {
	root *k.Cert
	tail **k.Cert
	run  int // operations without hints that are still to be written
}

func newWriter() *writer {
	w := &writer{}
	w.tail = &w.root
	return w
}

func (w *writer) flush() {
	if w.run > 0 {
		n := w.run
		w.run = 0
		w.push(&k.Cert{Kind: k.NodeRun, N: n})
	}
}

func (w *writer) push(c *k.Cert) {
	w.flush()
	*w.tail = c
	w.tail = &c.Next[0]
}

func (w *writer) derive(d *k.Derivation) { w.push(&k.Cert{Kind: k.NodeDerive, Derive: d}) }

// takesSign reports whether an operation takes the highest bit of a word.
func takesSign(in k.Instr) bool { return in.Op == k.Shr && in.N == 63 }

// Prove looks for a certificate of a program. Its error is a *Failure.
func Prove(p *k.Program) (*k.Cert, error) {
	var first error
	for pol := range policies {
		if pol == pinSigns && !slices.ContainsFunc(p.Code, takesSign) {
			continue
		}
		cert, err := prove(p, pol)
		if err == nil {
			return cert, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func prove(p *k.Program, pol policy) (cert *k.Cert, err error) {
	s := &searcher{code: p.Code, ct: &p.Contract, key: firstKey, policy: pol}
	failed := k.Try(func() {
		st, first := s.ct.Entry()
		s.first = first
		s.entry = st.Clone().Regs
		s.liveness()
		w := newWriter()
		at := newPath(st)
		at.fine = pol == fineBounds
		s.products(at, w)
		if err = s.run(at, 0, 0, w); err == nil {
			cert = w.root
		}
	})
	if failed != nil {
		err = failed
	}
	if err != nil {
		return nil, &Failure{s.idx, s.claim, s.cases, err}
	}
	return cert, nil
}

// liveness finds the results that nothing reads.
func (s *searcher) liveness() {
	s.dead = make([][2]bool, len(s.code))
	live := map[k.Loc]bool{}
	for i := range s.ct.Claims {
		for _, l := range s.ct.Claims[i].Locs() {
			live[l] = true
		}
	}
	for n := len(s.code) - 1; n >= 0; n-- {
		in := &s.code[n]
		s.dead[n] = [2]bool{!live[in.D], in.D2 == 0 || !live[in.D2]}
		used := !s.dead[n][0] || !s.dead[n][1]
		for _, l := range in.Results() {
			delete(live, l)
		}
		if used || in.Op == k.Adc || in.Op == k.Sbb || in.Op == k.Mul {
			for _, l := range in.Reads() {
				live[l] = true
			}
		}
	}
}

// products derives the bounds of products of inputs, where the claims have some.
func (s *searcher) products(p *path, w *writer) {
	var pairs [][2]k.Words
	var walk func(e *k.Expr) []k.Words
	walk = func(e *k.Expr) []k.Words {
		if e == nil {
			return nil
		}
		if e.Op == 'v' && e.After {
			return nil // not known yet
		}
		if e.Op == 'v' {
			return []k.Words{e.Words}
		}
		l, r := walk(e.L), walk(e.R)
		if e.Op == '*' {
			for _, a := range l {
				for _, b := range r {
					pairs = append(pairs, [2]k.Words{a, b})
				}
			}
		}
		return append(l, r...)
	}
	for i := range s.ct.Claims {
		if q := &s.ct.Claims[i]; q.Kind == k.ClaimCong {
			walk(q.R)
		}
	}
	for _, pair := range pairs {
		f, ok := s.bound(p, pair[0], w)
		g, ok2 := s.bound(p, pair[1], w)
		if !ok || !ok2 {
			continue
		}
		s.prod(p, f.full, g.full, w)
		if f.word != g.word {
			// c·(x - max) ≤ 0 says more than c·x ≤ max·max
			if f.word {
				f, g = g, f
			}
			s.prod(p, s.learn(p, f.poly.Sub(k.PolyConst(f.Hi)), []k.Comb{{Scale: one, Terms: []k.Term{{Fact: f.full, K: one}}}}, w), g.full, w)
		}
	}
}

// A factor is a bounded input.
type factor struct {
	k.Fact
	poly k.Poly
	full k.Key
	word bool // one word, passed by value
}

func (s *searcher) bound(p *path, v k.Words, w *writer) (f factor, ok bool) {
	poly := p.Number(s.entry, v).A
	if len(v.Locs) == 1 {
		key := s.learn(p, poly, nil, w)
		return factor{p.Ctx.Facts[key], poly, key, true}, true
	}
	for i, b := range s.ct.Bounds {
		if len(b.Locs) == len(v.Locs) && b.Locs[0] == v.Locs[0] {
			key := k.FirstBound + k.Key(i)
			return factor{p.Ctx.Facts[key], poly, key, false}, b.Max.BitLen() < 64*len(b.Locs) || b.Max.Cmp(sub(pow2(uint(64*len(b.Locs))), one)) < 0
		}
	}
	return f, false
}

func (s *searcher) prod(p *path, f, g k.Key, w *writer) {
	d := &k.Derivation{Kind: k.DeriveProd, Key: s.newKey(), I: f, J: g}
	p.Ctx.Derive(d)
	w.derive(d)
}

// learn derives the range of a polynomial, and returns the key of its C-form.
func (s *searcher) learn(p *path, poly k.Poly, ks []k.Comb, w *writer) k.Key {
	d := &k.Derivation{Kind: k.DeriveLearn, Key: s.newKey(), Poly: poly, Combs: ks}
	p.Ctx.Derive(d)
	w.derive(d)
	return 2*d.Key + 1
}

// forkAt returns the location whose bit must be known before the operation, or 0.
func (s *searcher) forkAt(p *path, in *k.Instr) k.Loc {
	open := func(x k.Src) bool {
		w := p.Get(x)
		return x.Loc != 0 && w != nil && w.Const() == nil && w.Func() != nil
	}
	known := func(x k.Src) bool { w := p.Get(x); return w != nil && w.Const() != nil }
	switch in.Op {
	case k.Cmov:
		if open(in.A) {
			return in.A.Loc
		}
	case k.Adc, k.Sbb:
		if s.policy < splitMasks || in.C.Loc == 0 || known(in.C) && s.policy != splitCarries {
			return 0
		}
		for _, x := range [2][2]k.Src{{in.A, in.B}, {in.B, in.A}} {
			if known(x[1]) && open(x[0]) {
				if w := p.Get(x[0]); w.Fn != nil && w.Hi.Cmp(one) > 0 {
					return x[0].Loc
				}
			}
		}
	case k.And, k.Or, k.Xor:
		a, b := p.Get(in.A), p.Get(in.B)
		if a == nil || b == nil {
			return 0
		}
		if s.policy < splitMasks || in.Op != k.And {
			if k.Apply2(k.BitOp(in.Op), a, b) != nil || in.B.Loc == 0 || known(in.B) || in.Op == k.Or && k.Disjoint(a, b) {
				return 0
			}
		}
		if open(in.A) {
			return in.A.Loc
		}
		if open(in.B) {
			return in.B.Loc
		}
	}
	return 0
}

// run follows the program from operation idx, and writes the certificate.
func (s *searcher) run(p *path, idx, forks int, w *writer) error {
	for ; idx < len(s.code); idx++ {
		s.idx = idx
		in := &s.code[idx]
		if in.Op == k.IsZero && s.dead[idx][0] {
			p.Step(s.first+idx, in, k.Hint{})
			w.run++
			continue
		}
		if l := s.forkAt(p, in); l != 0 {
			if forks == maxForks {
				return fmt.Errorf("more than %d case splits", maxForks)
			}
			return s.fork(p, l, idx, forks, w)
		}
		h, use := s.hint(p, idx, in, w)
		if use {
			w.push(&k.Cert{Kind: k.NodeHint, Hint: h})
		} else {
			w.run++
		}
		p.step(s.first+idx, in, h, s.dead[idx][1] && in.D2 != 0)
		if s.policy == pinSigns && takesSign(*in) && !s.dead[idx][0] {
			s.pinAbove(p, in, w)
		}
		if l := s.carryOfAnd(p, idx); l != 0 && forks < maxForks {
			return s.fork(p, l, idx+1, forks, w)
		}
		if ls := s.selected(idx); ls != nil && s.policy == fineBounds {
			s.carries(p, w)
			s.reduced(p, ls, w)
		}
	}
	w.flush()
	s.idx = len(s.code)
	if l := s.forkResult(p); l != 0 && forks < maxForks {
		return s.fork(p, l, len(s.code), forks, w)
	}
	return s.goals(p, w)
}

// carryOfAnd returns the location of the carry of operation idx, if it adds to
// words that were combined by and.
func (s *searcher) carryOfAnd(p *path, idx int) k.Loc {
	in := &s.code[idx]
	if s.policy != splitCarries || !p.and || in.Op != k.Adc || s.dead[idx][1] {
		return 0
	}
	v := p.ors[len(p.ors)-1]
	x := p.Regs[in.D]
	if x == nil || x.A[k.Mono(v)] == nil {
		return 0
	}
	if w := p.Regs[in.D2]; w == nil || w.Const() != nil || w.Func() == nil {
		return 0
	}
	return in.D2
}

// forkResult returns the location of a result that says whether a congruence
// holds, if it is a bit that is not known.
func (s *searcher) forkResult(p *path) k.Loc {
	for i := range s.ct.Claims {
		q := &s.ct.Claims[i]
		if q.Kind != k.ClaimIs || len(q.Words.Locs) != 1 {
			continue
		}
		if w := p.Regs[q.Words.Locs[0]]; w != nil && w.Const() == nil && w.Func() != nil {
			return q.Words.Locs[0]
		}
	}
	return 0
}

// selected returns the locations that conditional moves up to operation idx
// have filled on one condition, if more such moves follow later.
func (s *searcher) selected(idx int) (ls []k.Loc) {
	move := func(n int) bool { return n >= 0 && n < len(s.code) && s.code[n].Op == k.Cmov }
	same := func(n int) bool { return move(n) && s.code[n].A.Loc == s.code[idx].A.Loc }
	if !move(idx) || same(idx+1) {
		return nil
	}
	for n := idx; same(n); n-- {
		ls = append([]k.Loc{s.code[n].D}, ls...)
	}
	for n := idx + 1; n < len(s.code); n++ {
		if move(n) && len(ls) > 1 {
			return ls
		}
	}
	return nil
}

// carries derives the values of the carries that the last case split decided.
func (s *searcher) carries(p *path, w *writer) {
	if p.bit == nil {
		return
	}
	for _, m := range p.bit.A.Monos() {
		v, ok := linear(m)
		if !ok || !isHigh(v) || isPoint(p.Ctx.Bound[v]) {
			continue
		}
		if i, ks, ok := p.attempt(k.PolyVar(v), toPoint); ok && isPoint(i) {
			s.learn(p, k.PolyVar(v), ks, w)
		}
	}
}

// reduced derives that a number is below the modulus, if it can: what follows
// a conditional subtraction may depend on it.
func (s *searcher) reduced(p *path, ls []k.Loc, w *writer) {
	for i := range s.ct.Claims {
		q := &s.ct.Claims[i]
		if q.Kind != k.ClaimCong {
			continue
		}
		x := p.Number(s.entry, k.Words{After: true, Locs: ls})
		number := x.A
		if x.E == 0 {
			number = x.C
		}
		top := sub(q.Mod, one)
		if r, ks, ok := p.attemptDeep(number, func(k.Interval) (lo, hi *big.Int) { return zero, top }); ok && r.Hi.Cmp(top) <= 0 {
			s.learn(p, number, ks, w)
		}
		return
	}
}

// fork goes on by cases on the bit at l.
func (s *searcher) fork(p *path, l k.Loc, idx, forks int, w *writer) error {
	b := p.MustFunc(l).Bit
	key := s.newKey()
	node := &k.Cert{Kind: k.NodeFork, Loc: l, Key: key}
	w.push(node)
	for v := range node.Next {
		n := p.clone()
		n.Fork(key, b, int64(v))
		n.bit = b
		next := newWriter()
		if cb := n.absurd(2*key+1, 4*key); cb != nil {
			next.push(&k.Cert{Kind: k.NodeAbsurd, Comb: *cb})
		} else {
			s.cases = append(s.cases, Case{idx, l, v})
			s.tighten(n, next)
			if err := s.run(n, idx, forks+1, next); err != nil {
				return err
			}
			s.cases = s.cases[:len(s.cases)-1]
		}
		node.Next[v] = next.root
	}
	return nil
}

// absurd looks for a proof that one of the facts cannot hold.
func (p *path) absurd(keys ...k.Key) *k.Comb {
	c := p.Ctx
	for _, key := range keys {
		f, ok := c.Facts[key]
		if !ok {
			continue
		}
		if _, ok := c.Range(f.Poly); !ok {
			continue
		}
		b, cb := p.beam(f.Poly, one, sub(f.Lo, one), false, key, beamWidth)
		if b.Cmp(f.Lo) >= 0 {
			b, cb = p.beam(f.Poly, one, add(f.Hi, one), true, key, beamWidth)
			if b.Cmp(f.Hi) <= 0 {
				continue
			}
		}
		cb.Terms = append(cb.Terms, k.Term{Fact: key, K: neg(cb.Scale)})
		cb.Scale = one
		return &cb
	}
	return nil
}
