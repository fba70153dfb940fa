package suite

import (
	"math/big"
	"math/bits"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A source makes the choices from which a value is built. The property tests
// and the fuzzer choose through rapid, which can shrink; most cases come from a
// plain generator, which takes less time.
type source interface {
	pick(n int) int // below n
	word() uint64
}

var one = big.NewInt(1)

func pow2(k int) *big.Int { return new(big.Int).Lsh(one, uint(k)) }

// toLimbs returns the n little-endian limbs of x, which is below 2^(64n).
func toLimbs(x *big.Int, n int) []uint64 {
	b := x.FillBytes(make([]byte, 8*n))
	l := make([]uint64, n)
	for i := range l {
		for _, c := range b[8*(n-1-i) : 8*(n-i)] {
			l[i] = l[i]<<8 | uint64(c)
		}
	}
	return l
}

// fromLimbs returns the integer with the given little-endian limbs.
func fromLimbs(l []uint64) *big.Int {
	b := make([]byte, 8*len(l))
	for i, w := range l {
		for j := range 8 {
			b[8*(len(l)-i)-1-j] = byte(w >> (8 * j))
		}
	}
	return new(big.Int).SetBytes(b)
}

// values makes operands for one field: limbs, carries and residues at the
// places where arithmetic goes wrong.
type values struct {
	field   *spec.Field
	words   []uint64   // weighted limbs
	factors []uint64   // limbs with a product at the edge of a word
	small   []*big.Int // distances from the edges
}

func newValues(f *spec.Field) *values {
	v := &values{field: f}
	for _, c := range []uint64{0, 1 << 32, 1 << 63, 38} {
		v.words = append(v.words, c, c-1, c+1)
	}
	v.words = append(v.words, 2, 3, 18, 19, 20, ^uint64(1), ^uint64(37), ^uint64(38), 1<<32-2, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa)
	for _, l := range toLimbs(f.Modulus, f.Limbs) {
		v.words = append(v.words, l, l-1, l+1, -l)
	}
	// Reductions multiply a limb by a limb of the modulus or of a power of R. The
	// carry out of the low word of such a product, when little is added to it,
	// shows for few limbs: where the product is -1 or so modulo 2^64.
	constants := []uint64{19, 38}
	for _, k := range []int64{1, 2, 3} {
		r := new(big.Int).Exp(f.R(), big.NewInt(k), f.Modulus)
		constants = append(constants, toLimbs(r, f.Limbs)...)
		constants = append(constants, toLimbs(r.Sub(f.Modulus, r), f.Limbs)...)
	}
	for _, c := range append(constants, toLimbs(f.Modulus, f.Limbs)...) {
		if c == 0 {
			continue
		}
		for _, d := range []uint64{1, ^uint64(0), ^uint64(1)} {
			v.factors = append(v.factors, d*inverseWord(c>>bits.TrailingZeros64(c)))
		}
	}
	for _, d := range []int64{0, 1, 2, 3, 4, 18, 19, 37, 38, 1 << 32} {
		v.small = append(v.small, big.NewInt(d))
	}
	for i := 1; i < f.Limbs; i++ {
		for _, d := range []int64{-1, 0, 1} {
			v.small = append(v.small, new(big.Int).Add(pow2(64*i), big.NewInt(d)))
		}
	}
	return v
}

// inverseWord returns the inverse of an odd number modulo 2^64.
func inverseWord(c uint64) uint64 {
	x := c // right to three bits; each step of Newton's method doubles them
	for range 5 {
		x *= 2 - c*x
	}
	return x
}

// edges returns the values below bound at which to test every operand,
// without repetition, the most telling first.
func (v *values) edges(bound *big.Int) []*big.Int {
	var all []*big.Int
	seen := make(map[string]bool)
	add := func(x *big.Int) {
		if x.Sign() >= 0 && x.Cmp(bound) < 0 && !seen[x.String()] {
			seen[x.String()] = true
			all = append(all, x)
		}
	}
	around := func(x *big.Int, d int64) {
		for i := -d; i <= d; i++ {
			add(new(big.Int).Add(x, big.NewInt(i)))
		}
	}
	m, size := v.field.Modulus, bound.BitLen()
	around(new(big.Int), 1)
	around(bound, 1)
	around(m, 1)
	around(new(big.Int).Sub(bound, m), 1)
	around(new(big.Int).Lsh(m, 1), 1)
	add(new(big.Int).Rsh(m, 1))
	add(new(big.Int).Add(new(big.Int).Rsh(m, 1), one))
	// What stands for 1, 2, -1 and R in Montgomery form, and its inverse.
	r := new(big.Int).Mod(v.field.R(), m)
	for _, x := range []*big.Int{r, new(big.Int).Lsh(r, 1), new(big.Int).Neg(r), new(big.Int).Mul(r, r), new(big.Int).ModInverse(r, m)} {
		add(x.Mod(x, m))
	}
	around(new(big.Int).Mod(new(big.Int).Neg(v.field.R()), m), 1)
	for _, d := range v.small {
		add(d)
		add(new(big.Int).Sub(bound, new(big.Int).Add(d, one)))
		add(new(big.Int).Add(m, d))
		add(new(big.Int).Sub(m, d))
		add(new(big.Int).Sub(new(big.Int).Sub(bound, m), d))
	}
	for k := 64; k <= size; k += 64 {
		around(pow2(k), 1)
		around(pow2(k-1), 1)
		around(pow2(k-32), 1)
		// One limb of ones, and ones in every limb but one.
		ones := new(big.Int).Sub(pow2(k), pow2(k-64))
		add(ones)
		add(new(big.Int).Xor(ones, new(big.Int).Sub(pow2(size), one)))
		add(new(big.Int).Xor(ones, new(big.Int).Sub(pow2(size-1), one)))
	}
	return all
}

// points returns values of a parameter with parts: each list of edges, from
// every place on, in turn.
func (v *values) points(p spec.Param, edges []*big.Int) []*big.Int {
	var all []*big.Int
	for k := range edges {
		for _, step := range []int{0, 1, 5} {
			var parts []*big.Int
			for i := range p.Parts {
				parts = append(parts, edges[(k+step*i)%len(edges)])
			}
			all = append(all, p.Join(v.field, parts))
		}
	}
	return all
}

// wideEdges returns the edges below a bound of twice the field's limbs: every
// edge of one half beside every edge of the other, and multiples of the modulus.
func (v *values) wideEdges(bound *big.Int) []*big.Int {
	all := v.edges(bound)
	half := v.edges(v.field.R())
	for _, hi := range half {
		for _, lo := range half {
			x := new(big.Int).Lsh(hi, uint(64*v.field.Limbs))
			all = append(all, x.Add(x, lo))
		}
		for d := int64(-1); d <= 1; d++ {
			x := new(big.Int).Mul(hi, v.field.Modulus)
			if x.Add(x, big.NewInt(d)); x.Sign() >= 0 {
				all = append(all, x)
			}
		}
	}
	return all
}

// wordEdges returns the values below bound at which to test a Value parameter:
// all of them, where they are few.
func wordEdges(bound *big.Int) []uint64 {
	max := new(big.Int).Sub(bound, one).Uint64()
	var all []uint64
	if max < 128 {
		for w := range max + 1 {
			all = append(all, w)
		}
		return all
	}
	seen := make(map[uint64]bool)
	for _, w := range []uint64{0, 1, max, max - 1, max / 2, max/2 + 1, 2, 3, 19, 38, 1<<16 - 1, 1 << 16, 121665, 121666} {
		if w <= max && !seen[w] {
			seen[w] = true
			all = append(all, w)
		}
	}
	return all
}

func (v *values) edgeWord(s source) uint64 {
	if s.pick(4) == 0 {
		return v.factors[s.pick(len(v.factors))]
	}
	return v.words[s.pick(len(v.words))]
}

// mixed returns a number of n limbs, some at the edges and some uniform.
func (v *values) mixed(s source, n int) *big.Int {
	l := make([]uint64, n)
	for i := range l {
		if l[i] = v.edgeWord(s); s.pick(2) == 1 {
			l[i] = s.word()
		}
	}
	return fromLimbs(l)
}

// folded returns a number of n limbs that is at an edge after a part of its
// reduction: where its high half was folded into the low one, or after some
// rows of Montgomery's reduction, each of which makes a limb zero by adding a
// multiple of the modulus. There the carries are that go far.
func (v *values) folded(s source, n int) *big.Int {
	f := v.field
	if f.Form == spec.Weak {
		high := v.mixed(s, max(0, n-f.Limbs))
		fold := new(big.Int).Mod(f.R(), f.Modulus)
		low := v.mixed(s, f.Limbs)
		low.Sub(low, fold.Mul(fold, high))
		return low.Add(low.Mod(low, f.R()), high.Lsh(high, uint(64*f.Limbs)))
	}
	rows := 1 + s.pick(f.Limbs)
	sum := v.mixed(s, rows)
	sum.Mul(sum, f.Modulus)
	// What is left after the rows: the high limbs that the multiple of the
	// modulus brings, and low limbs at will.
	free := uint(64 * max(0, n-rows))
	left := new(big.Int).Rsh(sum, uint(64*rows))
	left.Lsh(left.Rsh(left, free), free)
	left.Add(left, v.mixed(s, max(0, n-rows)))
	return left.Sub(left.Lsh(left, uint(64*rows)), sum)
}

// distance returns a small or lopsided difference, of either sign.
func (v *values) distance(s source) *big.Int {
	var d *big.Int
	switch s.pick(3) {
	case 0:
		d = v.small[s.pick(len(v.small))]
	case 1:
		d = new(big.Int).SetUint64(v.edgeWord(s))
	default:
		d = pow2(s.pick(64 * v.field.Limbs))
	}
	if s.pick(2) == 1 {
		return new(big.Int).Neg(d)
	}
	return d
}

// draw returns a value below bound.
func (v *values) draw(s source, bound *big.Int) *big.Int {
	n := (bound.BitLen() + 62) / 64 // limbs of the greatest value
	m := v.field.Modulus
	x := new(big.Int)
	switch s.pick(10) {
	case 0: // limbs at the edges
		l := make([]uint64, n)
		for i := range l {
			l[i] = v.edgeWord(s)
		}
		x = fromLimbs(l)
	case 1, 2: // uniform
		l := make([]uint64, n)
		for i := range l {
			l[i] = s.word()
		}
		x = fromLimbs(l)
	case 3: // limbs of both kinds
		x = v.mixed(s, n)
	case 4: // near a multiple of the modulus
		k := new(big.Int).Div(bound, m)
		if k.BitLen() < 31 { // an int may have 32 bits
			k.SetInt64(int64(s.pick(int(k.Int64()) + 1)))
		} else {
			k = v.draw(s, k)
		}
		x.Add(x.Mul(k, m), v.distance(s))
	case 5: // near the bound
		x.Sub(bound, one)
		x.Add(x, v.distance(s))
	case 6: // a run of ones
		x.Sub(pow2(s.pick(bound.BitLen()+1)), pow2(s.pick(bound.BitLen()+1)))
		x.Abs(x)
	case 7, 8: // an edge after a part of the reduction
		x = v.folded(s, n)
	default: // the Montgomery form of a number near 0
		x.Add(v.distance(s), big.NewInt(int64(s.pick(4))))
		x.Mod(x.Mul(x, v.field.R()), m)
	}
	return x.Mod(x, bound)
}

// quotient returns a value below bound whose product with k is at an edge, but
// for as many low limbs as k has.
func (v *values) quotient(s source, bound, k *big.Int) *big.Int {
	x := v.draw(s, new(big.Int).Mul(bound, k))
	return x.Div(x, k)
}

// tune replaces operands by others whose product with k is at an edge, or some
// of their limbs by limbs whose product with k is a little below a multiple of
// 2^64, so that adding to it carries.
func (v *values) tune(s source, operands [][]uint64, params []spec.Param, k uint64) {
	factor := inverseWord(k >> bits.TrailingZeros64(k))
	for i, l := range operands {
		if l == nil {
			continue
		}
		if s.pick(2) == 0 {
			x := v.quotient(s, params[i].Bound, new(big.Int).SetUint64(k))
			copy(l, toLimbs(x, len(l)))
			continue
		}
		for j := range l {
			if s.pick(2) == 0 {
				l[j] = -uint64(1+s.pick(3)) * factor
			}
		}
		x := fromLimbs(l)
		copy(l, toLimbs(x.Mod(x, params[i].Bound), len(l)))
	}
}

// related returns a value below bound that meets x in a special way: a sum,
// difference or product at an edge.
func (v *values) related(s source, x, bound *big.Int) *big.Int {
	m := v.field.Modulus
	y := new(big.Int)
	switch s.pick(6) {
	case 0: // the difference is at an edge
		y.Add(x, v.distance(s))
	case 1: // the sum is at the modulus
		y.Add(y.Sub(m, x), v.distance(s))
	case 2: // the sum is at the bound
		y.Add(y.Sub(bound, x), v.distance(s))
	case 3: // the product is at an edge, as residues and in Montgomery form
		if y.ModInverse(x, m) == nil {
			return y.SetInt64(0)
		}
		// As limbs, the product may be any number below 2^(64·Limbs) in the end.
		if s.pick(2) == 1 {
			y.Mul(y, v.mixed(s, v.field.Limbs))
		} else {
			y.Mul(y, v.distance(s))
		}
		if v.field.Form == spec.Montgomery && s.pick(2) == 1 {
			y.Mul(y, v.field.R())
		}
		y.Mod(y, m)
	case 4: // the product with the low limbs is at an edge: a sum of some rows
		low := new(big.Int).Mod(x, pow2(64*(1+s.pick(v.field.Limbs))))
		if low.Sign() == 0 {
			return low
		}
		return v.quotient(s, bound, low)
	default: // the same residue
		y.Set(x)
		if s.pick(2) == 1 {
			y.Add(x, m)
		}
	}
	return y.Mod(y, bound)
}
