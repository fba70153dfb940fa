package peers

import "math/big"

// An operation is what one step of a benchmark computes from z and y.
type operation struct {
	name  string
	step  string // for messages
	holds func(p, z, y, got *big.Int) bool
}

// small is the factor of Mult32: the largest that its argument can hold.
const small = 1<<32 - 1

// operations defines every operation that is measured, in the order of the
// table. Inversions and roots add y to their result. Without that a chain of
// inversions alternates between two values, which a branch predictor learns:
// that would flatter implementations whose time depends on their input.
var operations = []operation{
	{"Add", "z + y", equals(func(p, z, y *big.Int) *big.Int { return z.Add(z, y) })},
	{"Subtract", "z - y", equals(func(p, z, y *big.Int) *big.Int { return z.Sub(z, y) })},
	{"Multiply", "z·y", equals(func(p, z, y *big.Int) *big.Int { return z.Mul(z, y) })},
	{"Square", "z²", equals(func(p, z, y *big.Int) *big.Int { return z.Mul(z, z) })},
	{"Mult32", "z·(2³² - 1)", equals(func(p, z, y *big.Int) *big.Int { return z.Mul(z, big.NewInt(small)) })},
	{"MultiplyAdd", "z·y + y", equals(func(p, z, y *big.Int) *big.Int { return z.Add(z.Mul(z, y), y) })},
	{"Invert", "z⁻¹ + y", equals(func(p, z, y *big.Int) *big.Int { return z.Add(z.ModInverse(z, p), y) })},
	{"Pow22523", "z^((p-5)/8)", equals(func(p, z, y *big.Int) *big.Int { return z.Exp(z, exponent22523(p), p) })},
	{"SqrtRatio", "√(z/y) + y", func(p, z, y, got *big.Int) bool {
		r := new(big.Int).Sub(got, y)
		return r.Mul(r, r).Mul(r, y).Sub(r, z).Mod(r, p).Sign() == 0
	}},
	{"Sqrt", "√z + y", func(p, z, y, got *big.Int) bool {
		r := new(big.Int).Sub(got, y)
		return r.Mul(r, r).Sub(r, z).Mod(r, p).Sign() == 0
	}},
}

// equals makes a definition from a function, which may write to z and need not
// reduce its result.
func equals(f func(p, z, y *big.Int) *big.Int) func(p, z, y, got *big.Int) bool {
	return func(p, z, y, got *big.Int) bool {
		want := f(p, new(big.Int).Set(z), y)
		return want.Mod(want, p).Cmp(got) == 0
	}
}

// exponent22523 returns (p-5)/8, which is 2^252 - 3 for p = 2^255 - 19.
func exponent22523(p *big.Int) *big.Int {
	e := new(big.Int).Sub(p, big.NewInt(5))
	return e.Rsh(e, 3)
}
