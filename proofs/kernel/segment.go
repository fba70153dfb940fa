package kernel

import (
	"fmt"
	"slices"
)

// What is here is what check_invert of InvertSound.v checks of an inversion, with
// shape_ok of Invert.v and check_segments of Segment.v. That it suffices is proved
// there.

// enough says how many divsteps lead to g = 0 for a modulus of at most so many
// bits, and by which theorem of Bound.v.
var enough = map[int]struct {
	bits uint
	name string
}{590: {255, "enough_255"}, 600: {256, "enough_256"}}

// HasLoop reports whether the routine is not straight-line code.
func (r *Routine) HasLoop() bool { return len(r.Mops[1]) > 0 }

// inversion refuses unless the certificates, one for each pattern, prove the
// inversion: check_invert in InvertSound.v.
func (r *Routine) inversion(ks []*Cert) {
	v := shape(ks)
	v.check()
	for i, pat := range r.Patterns() {
		if err := r.segments(v, pat, ks[i]); err != nil {
			Refuse("pointers %s: %v", r.Names(pat), err)
		}
	}
}

// shape returns what the certificates for all patterns say of the state.
func shape(ks []*Cert) *Inversion {
	text := ""
	for i, k := range ks {
		if k == nil || k.Kind != NodeInversion || k.Inversion == nil {
			Refuse("the routine has a loop, and certificate %d is not that of an inversion", i+1)
		}
		if t := k.Inversion.text(); i > 0 && t != text {
			Refuse("certificates 1 and %d differ in where the state is", i+1)
		} else {
			text = t
		}
	}
	return ks[0].Inversion
}

// check is shape_ok.
func (v *Inversion) check() {
	if len(v.F) == 0 || len(v.F) != len(v.G) {
		Refuse("f and g have %d and %d words, want as many, and at least 1", len(v.F), len(v.G))
	}
	if p := v.Modulus; p.Sign() <= 0 || p.Bit(0) == 0 || p.Cmp(pow2(uint(64*len(v.F)-1))) >= 0 {
		Refuse("the modulus %v is not odd, or has no room in %d words with a sign", p, len(v.F))
	}
	if v.Scale.Sign() < 0 || v.Scale.Cmp(v.Max) > 0 {
		Refuse("v is %v at the start, want 0 to %v", v.Scale, v.Max)
	}
	if v.Rounds < 1 || v.Rounds > 1000 {
		Refuse("%d rounds, want 1 to 1000", v.Rounds)
	}
	if s := v.Steps; !slices.Equal(s, []int{20, 20, 19}) && !slices.Equal(s, []int{20, 20, 20}) {
		Refuse("sub-batches of %v divsteps, want 20, 20, and 19 or 20", s)
	}
	n := v.Rounds * v.batchSteps()
	e, ok := enough[n]
	if !ok {
		Refuse("%d divsteps: there is no theorem about so many", n)
	}
	if v.Modulus.Cmp(pow2(e.bits)) > 0 {
		Refuse("%d divsteps are enough for %d bits, the modulus has %d", n, e.bits, v.Modulus.BitLen())
	}
}

// fits refuses unless the claims of the routine are those of an inversion, which
// the state at the start leads to: inverse_claims and scale_ok.
func (v *Inversion) fits(r *Routine) {
	after, before := RVar{Kind: 'a', Index: 1}, RVar{Kind: 'b', Index: 2}
	if len(r.Claims) != 2 {
		Refuse("the contract has %d claims, want the 2 of an inversion", len(r.Claims))
	}
	inv, below := &r.Claims[0], &r.Claims[1]
	if inv.Kind != ClaimInv || inv.Var != after || inv.Arg != before || inv.Mod.Cmp(v.Modulus) != 0 {
		Refuse("the contract does not claim that its first parameter is the inverse of its second modulo %v", v.Modulus)
	}
	if below.Kind != ClaimRange || below.Var != after || below.Lo.Sign() != 0 || below.Hi.Cmp(sub(v.Modulus, one)) != 0 {
		Refuse("the contract does not claim that the inverse is below the modulus, and no more")
	}
	if len(r.Params) != 2 || !r.Params[0].Role.Pointer() || !r.Params[1].Role.Pointer() {
		Refuse("want two pointers as parameters")
	}
	c := mul(v.Scale, pow2(uint(v.Rounds*v.batchSteps())))
	if inv.Factor.Sign() <= 0 || mod(sub(c, inv.Factor), v.Modulus).Sign() != 0 {
		Refuse("the start leads to another multiple of the inverse than the contract claims")
	}
}

// segments checks the parts of the routine under one pattern: check_segments.
func (r *Routine) segments(v *Inversion, pat Pattern, k *Cert) error {
	l, err := r.Loop(pat)
	if err != nil {
		return err
	}
	ps, err := v.Segments(r, pat)
	if err != nil {
		return err
	}
	if err := Try(func() { v.parts(l, ps[2].Claims[1].Words.Locs) }); err != nil {
		return err
	}
	for i, p := range ps {
		if err := Replay(p.Code, &p.Contract, k.Parts[i], nil); err != nil {
			return fmt.Errorf("%s: %w", Parts[i], err)
		}
	}
	return nil
}

// parts checks what the certificates of the segments do not: the batch, and that
// each part leaves alone what the others need. z is where the result goes.
func (v *Inversion) parts(l *Loop, z []Loc) {
	start, batch, update, finish := l.Parts[0], l.Parts[1][:v.Cut], l.Parts[1][v.Cut:], l.Parts[2]
	soundOps(start)
	soundOps(batch)
	soundOps(update)
	ghostFree(update)
	ghostFree(finish)
	known := slices.Concat([]Loc{v.Count}, v.F, v.G, v.U, v.V)
	keeps(batch, known)
	keeps(update, []Loc{v.N})
	t := []Loc{v.T[0][0], v.T[0][1], v.T[1][0], v.T[1][1]}
	for _, l := range slices.Concat([]Loc{v.N}, known, t, z) {
		if isGhost(l) {
			Refuse("location %d is none of the routine's", l)
		}
	}
	code, ins, outs := v.Batch()
	same(batch, code, ins, outs)
}

// Batch returns the batch of BatchCode.v with as many divsteps, and the
// locations of the routine and of that program that correspond before and after
// a batch: afterwards the matrix, by rows, and n.
func (v *Inversion) Batch() (code []Instr, ins, outs []Pair) {
	ins = []Pair{{v.F[0], batchF}, {v.G[0], batchG}, {v.N, batchN}}
	for i := range 2 {
		for j := range 2 {
			outs = append(outs, Pair{v.T[i][j], batchT(i, j)})
		}
	}
	return batchCode([3]uint{uint(v.Steps[0]), uint(v.Steps[1]), uint(v.Steps[2])}), ins, append(outs, Pair{v.N, batchN})
}

func isGhost(l Loc) bool { return l >= Ghost }

// soundOps refuses operations that could lead from words to what is none.
func soundOps(code []Instr) {
	for n := range code {
		i := &code[n]
		if i.Op == Shl && i.N > 64 {
			Refuse("a shift by %d", i.N)
		}
		for _, x := range i.Sources() {
			if !x.isLoc() && (x.Imm.Sign() < 0 || x.Imm.Cmp(Radix) >= 0) {
				Refuse("constant %v is no word", x.Imm)
			}
		}
	}
}

func ghostFree(code []Instr) {
	for n := range code {
		if i := &code[n]; slices.ContainsFunc(i.Reads(), isGhost) || slices.ContainsFunc(i.Results(), isGhost) {
			Refuse("operation %d uses a location that is none of the routine's", n)
		}
	}
}

// keeps refuses unless the code leaves the locations alone.
func keeps(code []Instr, ls []Loc) {
	for n := range code {
		for _, l := range code[n].Results() {
			if slices.Contains(ls, l) {
				Refuse("operation %d of the part writes to location %d, which must stay as it is", n, l)
			}
		}
	}
}
