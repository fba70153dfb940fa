package emulate

import (
	"math/big"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

func pow2(k int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(k)) }

// edges returns values below bound at which arithmetic modulo the field's
// prime has its limits, without repetition.
func edges(f *spec.Field, bound *big.Int) []*big.Int {
	var list []*big.Int
	seen := make(map[string]bool)
	add := func(v *big.Int, d int64) {
		v = new(big.Int).Add(v, big.NewInt(d))
		if v.Sign() >= 0 && v.Cmp(bound) < 0 && !seen[v.String()] {
			seen[v.String()] = true
			list = append(list, v)
		}
	}
	p := f.Modulus
	minus := func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
	half := new(big.Int).Rsh(p, 1)
	r := new(big.Int).Mod(f.R(), p)
	centers := []*big.Int{new(big.Int), bound, p, new(big.Int).Lsh(p, 1), minus(bound, p), half, r, minus(p, r), minus(f.R(), p)}
	for _, c := range centers {
		for d := int64(-2); d <= 2; d++ {
			add(c, d)
		}
	}
	for _, d := range []int64{19, 38} {
		add(new(big.Int), d)
		add(p, d-1)
		add(bound, -d)
	}
	for k := 32; k <= bound.BitLen(); k += 32 {
		for d := int64(-1); d <= 1; d++ {
			add(pow2(k), d)
			add(pow2(k-1), d)
		}
		if k%64 == 0 { // ones in one limb only, and everywhere else
			ones := minus(pow2(k), pow2(k-64))
			add(ones, 0)
			add(minus(minus(pow2(bound.BitLen()), ones), big.NewInt(1)), 0)
			add(minus(minus(pow2(bound.BitLen()-1), ones), big.NewInt(1)), 0)
		}
	}
	return list
}

// mixed returns a number of n limbs, about half of them at the edges.
func (g *Inputs) mixed(n int) *big.Int {
	l := make([]uint64, n)
	for i := range l {
		if l[i] = g.rng.Uint64(); g.rng.IntN(2) == 0 {
			l[i] = g.words[g.rng.IntN(len(g.words))]
		}
	}
	return integer(l)
}

// distance returns a small or lopsided difference of either sign.
func (g *Inputs) distance() *big.Int {
	var d *big.Int
	switch g.rng.IntN(3) {
	case 0:
		d = big.NewInt(g.rng.Int64N(40))
	case 1:
		d = new(big.Int).SetUint64(g.words[g.rng.IntN(len(g.words))])
	default:
		d = pow2(g.rng.IntN(64 * g.routine.Field.Limbs))
	}
	if g.rng.IntN(2) == 0 {
		d.Neg(d)
	}
	return d
}

// draw returns a value below bound.
func (g *Inputs) draw(bound *big.Int) *big.Int {
	p, n := g.routine.Field.Modulus, (bound.BitLen()+63)/64
	v := new(big.Int)
	switch g.rng.IntN(8) {
	case 0: // near a multiple of the modulus
		k := new(big.Int).Div(bound, p)
		v.Mul(p, k.Mod(g.mixed(n), k.Add(k, big.NewInt(1))))
		v.Add(v, g.distance())
	case 1: // near the bound
		v.Add(bound, g.distance())
	case 2: // a run of ones
		v.Sub(pow2(g.rng.IntN(bound.BitLen()+1)), pow2(g.rng.IntN(bound.BitLen()+1)))
		v.Abs(v)
	case 3, 4: // at an edge after a part of the reduction
		v = g.partly(n)
	case 5: // uniform
		for range n {
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(g.rng.Uint64()))
		}
	default:
		v = g.mixed(n)
	}
	return v.Mod(v, bound)
}

// partly returns a number that has limbs at the edges once a multiple of the
// modulus has been added that clears some low limbs (Montgomery), or once its
// high part has been folded into the low one (pseudo-Mersenne).
func (g *Inputs) partly(n int) *big.Int {
	f := g.routine.Field
	if f.Form == spec.Weak {
		fold := new(big.Int).Mod(f.R(), f.Modulus)
		high := g.mixed(max(1, n-f.Limbs))
		low := new(big.Int).Sub(g.mixed(f.Limbs), fold.Mul(fold, high))
		if n <= f.Limbs {
			return low
		}
		return low.Add(low.Mod(low, f.R()), high.Lsh(high, uint(64*f.Limbs)))
	}
	k := 1 + g.rng.IntN(f.Limbs)
	multiple := g.mixed(k)
	multiple.Mul(multiple, f.Modulus)
	v := g.mixed(max(1, n-k))
	return v.Sub(v.Lsh(v, uint(64*k)), multiple)
}

// related returns a value below bound whose sum, difference or product with v
// is at an edge.
func (g *Inputs) related(v, bound *big.Int) *big.Int {
	p := g.routine.Field.Modulus
	w := new(big.Int)
	switch g.rng.IntN(5) {
	case 0:
		w.Add(v, g.distance())
	case 1:
		w.Add(w.Sub(p, v), g.distance())
	case 2:
		w.Add(w.Sub(bound, v), g.distance())
	case 3: // the product, as residues and in Montgomery form
		if w.ModInverse(v, p) == nil {
			return w.SetInt64(0)
		}
		w.Mul(w, g.distance())
		if g.routine.Field.Form == spec.Montgomery && g.rng.IntN(2) == 0 {
			w.Mul(w, g.routine.Field.R())
		}
		w.Mod(w, p)
	default:
		w.Set(v)
	}
	return w.Mod(w, bound)
}
