package kernel_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

var wordMod = new(big.Int).Lsh(big.NewInt(1), 64)

// values are the words of a concrete run; a location without one is undefined.
type values map[k.Loc]*big.Int

func (v values) get(x k.Src) *big.Int {
	if x.Loc == 0 {
		return x.Imm
	}
	return v[x.Loc]
}

// exec performs an operation as Instr.v says, and returns the parts of what it divides.
func (v values) exec(i *k.Instr) (low, high *big.Int) {
	x := new(big.Int)
	split := func(n uint) {
		high, low = new(big.Int).DivMod(x, new(big.Int).Lsh(big.NewInt(1), n), new(big.Int))
	}
	a, b, c := v.get(i.A), v.get(i.B), v.get(i.C)
	switch i.Op {
	case k.Mov:
		v[i.D] = a
	case k.Mul:
		x.Mul(a, b)
		split(64)
		v[i.D] = low
		v[i.D2] = high
	case k.Adc:
		x.Add(x.Add(a, b), c)
		split(64)
		v[i.D] = low
		v[i.D2] = high
	case k.Sbb:
		x.Sub(x.Sub(a, b), c)
		split(64)
		v[i.D] = low
		v[i.D2] = new(big.Int).Neg(high)
	case k.Cmov:
		if a.Sign() != 0 {
			v[i.D] = b
		} else {
			v[i.D] = c
		}
	case k.And, k.Or, k.Xor:
		r := k.BitOp(i.Op)(a, b)
		low, high = r, new(big.Int)
		if i.Op == k.And {
			// the dividend is A, by the power of two that belongs to the mask
			n := new(big.Int).Add(b, big.NewInt(1))
			if n.TrailingZeroBits() != uint(n.BitLen()-1) {
				n.Sub(wordMod, b)
			}
			high, low = new(big.Int).DivMod(a, n, new(big.Int))
		}
		v[i.D] = r
	case k.Shr:
		x.Set(a)
		split(i.N)
		v[i.D] = high
	case k.Shl:
		x.Set(a)
		split(64 - i.N)
		v[i.D] = new(big.Int).Lsh(low, i.N)
	case k.IsZero:
		low, high = new(big.Int), new(big.Int)
		if a.Sign() == 0 {
			low.SetInt64(1)
		}
		v[i.D] = low
	case k.Bzhi:
		x.Lsh(big.NewInt(1), uint(new(big.Int).And(b, big.NewInt(255)).Uint64()))
		v[i.D] = new(big.Int).Mod(a, x)
	}
	return low, high
}

// draw returns a number of n words up to most, with many extreme words.
func draw(rnd *rand.Rand, n int, most *big.Int) *big.Int {
	z := new(big.Int)
	switch rnd.IntN(6) {
	case 0:
		return z
	case 1:
		return z.Set(most)
	case 2:
		return z.SetInt64(1).Sub(most, z).Abs(z)
	}
	for range n {
		w := rnd.Uint64()
		switch rnd.IntN(4) {
		case 0:
			w = 0
		case 1:
			w = ^uint64(0)
		}
		z.Lsh(z, 64).Or(z, new(big.Int).SetUint64(w))
	}
	if z.Cmp(most) > 0 {
		z.Mod(z, new(big.Int).Add(most, big.NewInt(1)))
	}
	return z
}

// start returns an initial state of the program under the pattern, and the values of the parameters.
func start(r *k.Routine, pat k.Pattern, p *k.Program, rnd *rand.Rand) (values, spec.Env) {
	v := values{}
	for _, in := range p.Inputs {
		v[in.Loc] = draw(rnd, 1, in.Max)
	}
	for i, q := range r.Params {
		for j := range q.Words {
			// the first members of classes, then what is larger in those of which only a later member is read
			if q.Role.Pointer() && q.Max != nil && j%q.Part == 0 && (pat[i] == i+1 || part(v, pat[i], j, q.Part).Cmp(q.Max) > 0) {
				z := draw(rnd, q.Part, q.Max)
				for n := range q.Part {
					v[k.Slot(pat[i], j+n)] = word(z, n)
				}
			}
		}
	}
	env := spec.Env{}
	for i, q := range r.Params {
		switch {
		case q.Role == spec.Value:
			env[r.Spec.Params[i].Name] = v[r.ArgLoc(i+1)]
		case q.Role != spec.Out:
			env[r.Spec.Params[i].Name] = number(v, pat[i], q.Words)
		}
	}
	return v, env
}

// end adds the results to env.
func end(r *k.Routine, pat k.Pattern, v values, env spec.Env) {
	for i, q := range r.Spec.Params {
		switch q.Role {
		case spec.Out:
			env[q.Name] = number(v, pat[i], q.Limbs)
		case spec.InOut:
			env[spec.After(q.Name)] = number(v, pat[i], q.Limbs)
		case spec.Result:
			env[q.Name] = v[r.ResultLoc()]
		}
	}
}

func word(z *big.Int, i int) *big.Int {
	return new(big.Int).Mod(new(big.Int).Rsh(z, uint(64*i)), wordMod)
}

func number(v values, buffer, n int) *big.Int { return part(v, buffer, 0, n) }

// part is the number in n words of a buffer from word at on.
func part(v values, buffer, at, n int) *big.Int {
	z := new(big.Int)
	for i := n - 1; i >= 0; i-- {
		z.Lsh(z, 64)
		if w := v[k.Slot(buffer, at+i)]; w != nil {
			z.Or(z, w)
		}
	}
	return z
}

// TestConcrete runs the operations that the decoder makes of each routine, and
// compares the results with the contract.
func TestConcrete(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, tt := range append(straight(t), formulas(t)...) {
		r := routine(t, tt)
		for _, pat := range r.Patterns() {
			p := program(t, r, pat)
			runs := 40
			if r.Values != nil {
				runs = 3 // of some thousand operations
			}
			for range runs {
				v, env := start(r, pat, p, rnd)
				for i := range p.Code {
					v.exec(&p.Code[i])
				}
				end(r, pat, v, env)
				if err := r.Spec.Check(env); err != nil {
					t.Fatalf("%s, pointers %s: %v", tt.Name, r.Names(pat), err)
				}
			}
		}
	}
}

// concretely runs a routine on n random inputs, and compares the results with its contract.
func concretely(t *testing.T, r *k.Routine, n int) error {
	t.Helper()
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, pat := range r.Patterns() {
		p := program(t, r, pat)
		for range n / len(r.Patterns()) {
			v, env := start(r, pat, p, rnd)
			for i := range p.Code {
				v.exec(&p.Code[i])
			}
			end(r, pat, v, env)
			if err := r.Spec.Check(env); err != nil {
				return fmt.Errorf("pointers %s: %w", r.Names(pat), err)
			}
		}
	}
	return nil
}
