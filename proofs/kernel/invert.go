package kernel

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// An Inversion says where the state of an inversion by divsteps stands at the
// head of its loop, and how the loop is cut; see Invert.v. Nothing here is
// trusted.
type Inversion struct {
	F, G, U, V   []Loc
	N, Count     Loc
	Steps        []int // of the sub-batches of a batch
	Rounds       int
	Scale        *big.Int // v at the start
	Cut          int      // operations of the batch at the head of the body
	T            [2][2]Loc
	Modulus, Max *big.Int // Max is the largest value of u and v
	Weak         bool
}

// Ghost is the first of the locations that the code does not know: words that a
// segment computes first, so that its contract can speak of them.
const Ghost Loc = 1000000

// batchSteps returns the number of divsteps in a round.
func (v *Inversion) batchSteps() (n int) {
	for _, s := range v.Steps {
		n += s
	}
	return n
}

// NewInversion returns the shape of the routines that are generated.
func NewInversion(f *spec.Field) *Inversion {
	v := &Inversion{Steps: f.SubSteps, Rounds: f.Batches, Scale: f.Scale(), Modulus: f.Modulus, Weak: f.Form == spec.Weak}
	next := 0
	take := func(n int) (ls []Loc) {
		for range n {
			ls = append(ls, Slot(0, next))
			next++
		}
		return ls
	}
	bits := f.Modulus.BitLen()
	n, m := bits/64+1, f.Limbs
	if v.Weak {
		c := sub(pow2(uint(bits)), f.Modulus)
		v.Max = sub(add(pow2(uint(bits)), new(big.Int).Lsh(c, 64)), one)
	} else {
		m = (bits+1)/64 + 1
	}
	v.F, v.G, v.U, v.V = take(n), take(n), take(m), take(m)
	v.N, v.Count = take(1)[0], take(1)[0]
	return v
}

func num(after bool, ls ...Loc) *Expr { return &Expr{Op: 'v', Words: Words{after, ls}} }
func con(z *big.Int) *Expr            { return &Expr{Op: 'c', Const: z} }
func (e *Expr) plus(x *Expr) *Expr    { return &Expr{Op: '+', L: e, R: x} }
func (e *Expr) minus(x *Expr) *Expr   { return &Expr{Op: '-', L: e, R: x} }
func (e *Expr) times(x *Expr) *Expr   { return &Expr{Op: '*', L: e, R: x} }

func cong(l, r *Expr, m *big.Int) Claim { return Claim{Kind: ClaimCong, L: l, R: r, Mod: m} }
func equal(l, r *Expr) Claim            { return Claim{Kind: ClaimEq, L: l, R: r} }
func within(ls []Loc, most *big.Int) Claim {
	return Claim{Kind: ClaimRange, Words: Words{true, ls}, Interval: Interval{zero, most}}
}
func inputs(most *big.Int, ls ...Loc) (ins []Input) {
	for _, l := range ls {
		ins = append(ins, Input{l, most})
	}
	return ins
}

// signed is the number in words in two's complement, whose sign bit stands in s.
func signedNum(ls []Loc, s Loc) *Expr {
	return num(false, ls...).minus(con(pow2(uint(64 * len(ls)))).times(num(true, s)))
}

// Start is what is before the loop: low is the contract of the routine, x the
// number to be inverted.
func (v *Inversion) Start(code []Instr, low *Contract, x Words) *Program {
	p := v.Modulus
	ct := Contract{Inputs: low.Inputs, Bounds: low.Bounds, Claims: []Claim{
		equal(num(true, v.F...), con(p)),
		cong(num(true, v.G...), &Expr{Op: 'v', Words: x}, p),
		within(v.G, sub(p, one)),
		equal(num(true, v.U...), con(zero)),
		equal(num(true, v.V...), con(v.Scale)),
		equal(num(true, v.N), con(WordMax)),
		equal(num(true, v.Count), con(big.NewInt(int64(v.Rounds)))),
	}}
	return &Program{Code: code, Contract: ct}
}

// Update is what follows the batch in the body.
func (v *Inversion) Update(code []Instr) *Program {
	n := uint(v.batchSteps())
	top := len(v.F) - 1
	signF, signG := Ghost, Ghost+1
	pre := []Instr{
		{Op: Shr, D: signF, A: at(v.F[top]), N: 63},
		{Op: Shr, D: signG, A: at(v.G[top]), N: 63},
	}
	ct := Contract{
		Inputs: inputs(WordMax, append(append(append(append([]Loc{v.Count}, v.F...), v.G...), v.U...), v.V...)...),
		Bounds: []Bound{{v.U, v.Max}, {v.V, v.Max}},
	}
	bias := con(pow2(n))
	f, g := num(false, v.F...), num(false, v.G...)
	x, y := num(false, v.U...), num(false, v.V...)
	for i := range 2 {
		t0, t1 := v.T[i][0], v.T[i][1]
		ct.Inputs = append(ct.Inputs, inputs(pow2(n+1), t0, t1)...)
		a, b, j, r := Ghost+Loc(2+4*i), Ghost+Loc(3+4*i), Ghost+Loc(4+4*i), Ghost+Loc(5+4*i)
		pre = append(pre,
			Instr{Op: Mul, D: a, D2: j, A: at(t0), B: at(v.F[0])},
			Instr{Op: Mul, D: b, D2: j, A: at(t1), B: at(v.G[0])},
			Instr{Op: Adc, D: a, D2: j, A: at(a), B: at(b), C: imm(zero)},
			Instr{Op: And, D: r, A: at(a), B: imm(sub(pow2(n), one))})
		to, uv := [][]Loc{v.F, v.G}[i], [][]Loc{v.U, v.V}[i]
		m0, m1 := num(false, t0), num(false, t1)
		ct.Claims = append(ct.Claims,
			cong(bias.times(num(true, to...)).plus(num(true, r)),
				m0.times(signedNum(v.F, signF)).plus(m1.times(signedNum(v.G, signG))).minus(bias.times(f.plus(g))),
				pow2(n+uint(64*len(v.F)))),
			cong(num(true, uv...), m0.times(x).plus(m1.times(y)).minus(bias.times(x.plus(y))), v.Modulus),
			within(uv, v.Max))
	}
	ct.Claims = append(ct.Claims,
		cong(num(true, v.Count), num(false, v.Count).minus(con(one)), Radix),
		within([]Loc{v.Count}, WordMax),
		equal(num(true, locRes), num(true, v.Count)))
	return &Program{Code: append(pre, code...), Contract: ct}
}

// Finish is what follows the loop; z is where the inverse goes.
func (v *Inversion) Finish(code []Instr, z []Loc) *Program {
	pre := []Instr{{Op: Shr, D: Ghost, A: at(v.F[len(v.F)-1]), N: 63}}
	u := num(false, v.U...)
	ct := Contract{
		Inputs: inputs(WordMax, append(append([]Loc{}, v.F...), v.U...)...),
		Bounds: []Bound{{v.U, v.Max}},
		Claims: []Claim{
			cong(num(true, z...), u.minus(con(big.NewInt(2)).times(num(true, Ghost)).times(u)), v.Modulus),
			within(z, sub(v.Modulus, one)),
		},
	}
	return &Program{Code: append(pre, code...), Contract: ct}
}

// Segments returns the three segments of an inversion that have a contract.
func (v *Inversion) Segments(r *Routine, pat Pattern) (ps [3]*Program, err error) {
	l, err := r.Loop(pat)
	if err != nil {
		return ps, err
	}
	err = Try(func() {
		v.fits(r)
		if v.Cut > len(l.Parts[1]) {
			Refuse("the body of the loop has %d operations, want at least the %d of a batch", len(l.Parts[1]), v.Cut)
		}
		low := r.low(nil, pat)
		z, x := low.Claims[0].Words.Locs, Words{Locs: nil}
		for k := range r.Params[r.Claims[0].Arg.Index-1].Words {
			x.Locs = append(x.Locs, Slot(pat[r.Claims[0].Arg.Index-1], k))
		}
		ps = [3]*Program{v.Start(l.Parts[0], low, x), v.Update(l.Parts[1][v.Cut:]), v.Finish(l.Parts[2], z)}
		for i, offsets := range [3][]int{l.Offsets[0], l.Offsets[1][v.Cut:], l.Offsets[2]} {
			// what computes ghosts counts for the first instruction of its part
			ghosts := slices.Repeat(offsets[:min(1, len(offsets))], len(ps[i].Code)-len(offsets))
			ps[i].Offsets = append(ghosts, offsets...)
		}
	})
	return ps, err
}

func (v *Inversion) coq() string {
	locs := func(ls []Loc) string { return list(ls, coqPos[Loc]) }
	n := len(v.F) - 1
	return fmt.Sprintf("{| sF := %s; sFt := %s; sG := %s; sGt := %s; sU := %s; sV := %s; sN := %s; sCount := %s;\n"+
		"  sn0 := %d; sn1 := %d; sn2 := %d; sRounds := %d%%nat; sScale := %v; sCut := %d%%nat;\n"+
		"  sT := fun i j => match i, j with false, false => %s | false, true => %s | true, false => %s | true, true => %s end;\n"+
		"  sP := %v; sMax := %v |}",
		locs(v.F[:n]), coqPos(v.F[n]), locs(v.G[:n]), coqPos(v.G[n]), locs(v.U), locs(v.V), coqPos(v.N), coqPos(v.Count),
		v.Steps[0], v.Steps[1], v.Steps[2], v.Rounds, v.Scale, v.Cut,
		coqPos(v.T[0][0]), coqPos(v.T[0][1]), coqPos(v.T[1][0]), coqPos(v.T[1][1]), v.Modulus, v.Max)
}

// coqInversion writes the theorem that an inversion is correct, by the
// certificates of its parts for each pattern.
func (r *Routine) coqInversion(b *strings.Builder, name string, ks []*Cert) {
	v := shape(ks)
	n := v.batchSteps() * v.Rounds
	e, ok := enough[n]
	if !ok || len(v.Steps) != 3 {
		Refuse("%d rounds of %v divsteps: there is no theorem about so many", v.Rounds, v.Steps)
	}
	fmt.Fprintf(b, "Require Import FMapPositive Segment Divstep Invert InvertSound UniformInvert Bound.\n"+
		"Definition shape_%[1]s : shape := %[2]s.\n"+
		"Definition certs_%[1]s : list certs3 := %[3]s.\n"+
		"Theorem correct_%[1]s : routine_proved contract_%[1]s code_%[1]s.\n"+
		"Proof.\n"+
		"  apply (check_invert_proved _ shape_%[1]s %[4]v _ certs_%[1]s); [vm_cast_no_check (eq_refl true)|].\n"+
		"  change (enough %[5]v %[6]d). apply %[7]s; [reflexivity|]. vm_compute. discriminate.\n"+
		"Qed.\n",
		name, v.coq(),
		list(ks, func(k *Cert) string {
			return "\n (" + k.Parts[0].coq() + ",\n " + k.Parts[1].coq() + ",\n " + k.Parts[2].coq() + ")"
		}),
		r.Claims[0].Factor, v.Modulus, n, e.name)
}
