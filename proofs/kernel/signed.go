package kernel

import "math/big"

// Inversions in Montgomery form keep u and v with a sign, and divide them by 2^64
// after each batch. What is here are contracts of the two parts of the code that
// touch u and v. Replay proves them, but no theorem in Coq draws conclusions from
// them so far: Check does not look at them.

// SignedSegments returns the update of an inversion in Montgomery form, and what
// follows the loop. Between rounds, u and v lie between -p/6 and 7p/6: a row of the
// matrix makes them at most 2^61 times as large, and the quotient adds at most p.
// f and g must leave a bit free for their sign.
func (v *Inversion) SignedSegments(r *Routine, pat Pattern) (update, finish *Program, err error) {
	l, err := r.Loop(pat)
	if err != nil {
		return nil, nil, err
	}
	err = Try(func() {
		if len(r.Claims) != 2 || r.Claims[0].Kind != ClaimInv {
			Refuse("the contract does not claim an inverse")
		}
		if v.Cut > len(l.Parts[1]) {
			Refuse("the body of the loop has %d operations, want at least the %d of a batch", len(l.Parts[1]), v.Cut)
		}
		s := newSignedInversion(v)
		update = s.update(l.Parts[1][v.Cut:])
		finish = s.finish(l.Parts[2], r.low(nil, pat).Claims[0].Words.Locs)
	})
	return update, finish, err
}

type signedInversion struct {
	*Inversion
	low, most *big.Int // u and v are at least -low and at most most
}

func newSignedInversion(v *Inversion) *signedInversion {
	low := new(big.Int).Div(v.Modulus, big.NewInt(6))
	return &signedInversion{v, low, add(v.Modulus, low)}
}

// A signedNumber is u or v before the code, made of ghosts: a bit, and numbers m and
// n. It is m, or -n-1 if the bit is 1.
type signedNumber struct {
	value  *Expr
	code   []Instr // computes the words of the number in two's complement
	inputs []Input
	bounds []Bound
}

func (s *signedInversion) number(bit Loc, ls []Loc) (z signedNumber) {
	var m, n []Loc
	negative := sub(s.low, one)
	z.inputs = []Input{{bit, one}}
	for k, l := range ls {
		a, b, c := bit+Loc(3*k+1), bit+Loc(3*k+2), bit+Loc(3*k+3)
		m, n = append(m, a), append(n, b)
		z.inputs = append(z.inputs, Input{a, topMost(s.most, k, len(ls))}, Input{b, topMost(negative, k, len(ls))})
		z.code = append(z.code,
			Instr{Op: Sbb, D: c, D2: Ghost + 4, A: imm(WordMax), B: at(b), C: imm(zero)},
			Instr{Op: Cmov, D: l, A: at(bit), B: at(c), C: at(a)})
	}
	z.bounds = []Bound{{m, s.most}, {n, negative}}
	x, y, sign := num(false, m...), num(false, n...), num(false, bit)
	z.value = x.minus(sign.times(x.plus(y).plus(con(one))))
	return z
}

// topMost is what word k of n words is at most, if they hold a number up to most.
func topMost(most *big.Int, k, n int) *big.Int {
	if k < n-1 {
		return WordMax
	}
	return new(big.Int).Rsh(most, uint(64*k))
}

// biased adds low to the number in the words ls; the sum stands behind the carry.
func (s *signedInversion) biased(carry Loc, ls []Loc) (sum []Loc, code []Instr) {
	in := imm(zero)
	for k, l := range ls {
		w := new(big.Int).And(new(big.Int).Rsh(s.low, uint(64*k)), WordMax)
		d := carry + Loc(1+k)
		code = append(code, Instr{Op: Adc, D: d, D2: carry, A: at(l), B: imm(w), C: in})
		in, sum = at(carry), append(sum, d)
	}
	return sum, code
}

// update is Update for u and v with signs: f and g are as there, and the new u and
// v, times 2^64, are congruent to the rows of the product.
func (s *signedInversion) update(code []Instr) *Program {
	p := s.Update(code)
	rows := p.Claims
	x, y := s.number(Ghost+10, s.U), s.number(Ghost+40, s.V)
	words := inputs(WordMax, append(append([]Loc{s.Count}, s.F...), s.G...)...)
	ct := Contract{Inputs: append(append(words, x.inputs...), y.inputs...), Bounds: append(x.bounds, y.bounds...)}
	bias := con(pow2(uint(s.batchSteps())))
	var post []Instr
	for i, uv := range [][]Loc{s.U, s.V} {
		ct.Inputs = append(ct.Inputs, inputs(pow2(uint(s.batchSteps()+1)), s.T[i][:]...)...)
		sum, add := s.biased(Ghost+Loc(80+20*i), uv)
		post = append(post, add...)
		a, b := num(false, s.T[i][0]), num(false, s.T[i][1])
		ct.Claims = append(ct.Claims, rows[3*i],
			cong(con(Radix).times(num(true, sum...).minus(con(s.low))),
				a.times(x.value).plus(b.times(y.value)).minus(bias.times(x.value.plus(y.value))), s.Modulus),
			within(sum, new(big.Int).Add(s.low, s.most)))
	}
	ct.Claims = append(ct.Claims, rows[6:]...)
	return &Program{Code: append(append(append(x.code, y.code...), p.Code...), post...), Contract: ct}
}

// finish is Finish for u with a sign.
func (s *signedInversion) finish(code []Instr, z []Loc) *Program {
	u := s.number(Ghost+10, s.U)
	pre := append(u.code, Instr{Op: Shr, D: Ghost, A: at(s.F[len(s.F)-1]), N: 63})
	return &Program{Code: append(pre, code...), Contract: Contract{
		Inputs: append(inputs(WordMax, s.F...), u.inputs...),
		Bounds: u.bounds,
		Claims: []Claim{
			cong(num(true, z...), u.value.minus(con(big.NewInt(2)).times(num(true, Ghost)).times(u.value)), s.Modulus),
			within(z, sub(s.Modulus, one)),
		},
	}}
}
