package search

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// ProvePieces proves a program that computes a formula, value by value. It runs
// the program on random inputs, for which the model knows the residue of every
// value, to see which operations leave the words of which value.
func ProvePieces(r *k.Routine, p *k.Program, pat k.Pattern) (*k.Cert, error) {
	t := newTraces(r, p, pat)
	s, err := r.Pieces(p, pat)
	if err != nil {
		return nil, err
	}
	found := make([]place, len(r.Values)+1)
	for i := range r.Values {
		if found[i], err = t.find(&r.Values[i]); err != nil {
			return nil, err
		}
	}
	found[len(r.Values)].first = len(p.Code)
	root := &k.Cert{Kind: k.NodePieces}
	start := 0
	for i := range r.Values {
		v := &r.Values[i]
		c := k.Piece{Value: v.Name}
		var end int
		if c.Out, end = t.last(&found[i], found[i+1].first); end < start {
			return nil, fmt.Errorf("the value %s is there before the one that precedes it", v.Name)
		}
		c.N = end - start
		if err := bounded(r, s, &c); err != nil {
			return nil, err
		}
		if err := s.Step(&c); err != nil {
			return nil, err
		}
		root.Pieces = append(root.Pieces, c)
		start = end
	}
	return root, nil
}

// A PieceFailure says at which value of a formula a search ended.
type PieceFailure struct {
	Value   string
	Program *k.Program // the piece
	Err     error
}

func (f *PieceFailure) Error() string { return fmt.Sprintf("value %s: %v", f.Value, f.Err) }

// Unwrap returns what the search for the value's certificate reported.
func (f *PieceFailure) Unwrap() error { return f.Err }

// bounded proves a piece, with the least bound that it can.
func bounded(r *k.Routine, s *k.Pieces, c *k.Piece) (first error) {
	f := r.Spec.Field
	bounds := []*big.Int{f.Bound()}
	if f.Form == spec.Weak && r.Value(c.Value).Def.Op != '-' {
		// what sums and products are reduced to
		b := uint(f.Modulus.BitLen())
		bounds = []*big.Int{add(pow2(b), pow2(b-14)), f.Bound()}
	}
	for _, c.Bound = range bounds {
		p, err := s.Program(c)
		if err != nil {
			return err
		}
		if c.Cert, err = Prove(p); err == nil {
			return nil
		}
		if first == nil {
			first = &PieceFailure{c.Value, p, err}
		}
	}
	return first
}

// runs is the number of runs: so many that a conditional subtraction happens in
// one of them, if it ever does.
const runs = 16

// traces are runs of a program.
type traces struct {
	f      *spec.Field
	p      *k.Program
	ms     [runs]*machine
	writes []write // in order; first those of the inputs
}

// A write is a word that an operation left, in each run.
type write struct {
	op    int // -1 on entry
	loc   k.Loc
	moved bool // from elsewhere
	words [runs]uint64
}

func newTraces(r *k.Routine, p *k.Program, pat k.Pattern) *traces {
	t := &traces{f: r.Spec.Field, p: p}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range t.ms {
		t.ms[i] = newMachine(r, p, pat, rng, i)
	}
	for _, in := range p.Inputs {
		t.record(-1, in.Loc, false)
	}
	for op := range p.Code {
		in := &p.Code[op]
		for _, m := range t.ms {
			m.step(in)
		}
		for _, l := range in.Results() {
			t.record(op, l, in.Op == k.Mov)
		}
	}
	return t
}

func (t *traces) record(op int, l k.Loc, moved bool) {
	w := write{op: op, loc: l, moved: moved}
	for i, m := range t.ms {
		w.words[i] = m.at[l]
	}
	t.writes = append(t.writes, w)
}

// A place says where the words of a value come from.
type place struct {
	limbs [][]int // the writes that leave each limb
	first int     // the first operation after which all are there
}

// find looks for a value: in each run, any number below R of its residue.
func (t *traces) find(v *k.Value) (at place, err error) {
	at.limbs = make([][]int, t.f.Limbs)
	at.first = -1
	var want [runs][]*big.Int
	for i, m := range t.ms {
		want[i] = m.residue(t.f, v)
	}
	for n := range at.limbs {
		for i := range t.writes {
			fits := true
			for j := 0; j < runs && fits; j++ {
				fits = slices.ContainsFunc(want[j], func(x *big.Int) bool { return limb(x, n) == t.writes[i].words[j] })
			}
			if fits {
				at.limbs[n] = append(at.limbs[n], i)
			}
		}
		if at.limbs[n] == nil {
			return at, fmt.Errorf("no operation leaves limb %d of the value %s", n, v.Name)
		}
		at.first = max(at.first, t.writes[at.limbs[n][0]].op)
	}
	return at, nil
}

// last returns the locations that hold the value, and after how many
// operations. A value may be there early, but for a carry that is 0 on these
// inputs, so the last operations count that are not after the given one and
// leave its words anew.
func (t *traces) last(at *place, before int) (out []k.Loc, end int) {
	chosen := make([]int, len(at.limbs))
	for n, ws := range at.limbs {
		for _, i := range ws {
			if w := &t.writes[i]; !w.moved && w.op < before {
				chosen[n] = i
			}
		}
		end = max(end, t.writes[chosen[n]].op+1)
	}
	for _, i := range chosen {
		// the copies of the word that are left at the end
		copies := []k.Loc{t.writes[i].loc}
		for op := t.writes[i].op + 1; op < end; op++ {
			in := &t.p.Code[op]
			from := in.Op == k.Mov && in.A.Loc != 0 && slices.Contains(copies, in.A.Loc)
			for _, l := range in.Results() {
				copies = slices.DeleteFunc(copies, func(c k.Loc) bool { return c == l })
			}
			if from {
				copies = append(copies, in.D)
			}
		}
		if len(copies) == 0 {
			copies = []k.Loc{t.writes[i].loc}
		}
		out = append(out, slices.Min(copies))
	}
	return out, end
}
