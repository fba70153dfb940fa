package spec

import (
	"fmt"
	"math/big"
)

// This file explains inversion, in Go that runs: first over integers, then in
// the words that the generated routines use. Each invariant is checked where it
// is stated; Invert returns an error that names the first one that fails.
//
// # 1. The step
//
// The state of a divstep is an odd integer d, an odd integer f and an integer g:
//
//	d > 0, g odd:  d, f, g  <-  2-d, g, (g-f)/2
//	d < 0, g odd:  d, f, g  <-  2+d, f, (g+f)/2
//	g even:        d, f, g  <-  2+d, f, g/2
//
// It starts with d = 1, f = p, g = x, for an odd p and 0 <= x < p. The greatest
// common divisor of f and g never changes, and |f|, |g| <= p throughout. Once g
// is 0, it stays 0, and |f| is the divisor: 1, if p is prime and x is not 0.
// Here d is 2·delta of Bernstein and Yang (Fast constant-time gcd computation
// and modular inversion, TCHES 2019(3)), in the variant that starts with delta =
// 1/2, by Wuille (github.com/sipa/safegcd-bounds), which takes fewer steps.

// A violation is the text of an invariant that failed; see Invert.
type violation string

func must(holds bool, format string, args ...any) {
	if !holds {
		panic(violation(fmt.Sprintf(format, args...)))
	}
}

type divstepState struct {
	d    int64
	f, g *big.Int
}

func (s divstepState) step() divstepState {
	must(s.d&1 == 1 && s.f.Bit(0) == 1, "d and f are odd: d = %d, f = %#x", s.d, s.f)
	t := new(big.Int)
	switch {
	case s.g.Bit(0) == 0:
		return divstepState{s.d + 2, s.f, shift(s.g, 1)}
	case s.d > 0:
		return divstepState{2 - s.d, s.g, shift(t.Sub(s.g, s.f), 1)}
	}
	return divstepState{s.d + 2, s.f, shift(t.Add(s.g, s.f), 1)}
}

// shift returns v/2^n, which is an integer.
func shift(v *big.Int, n int) *big.Int {
	z := new(big.Int).Rsh(v, uint(n))
	must(new(big.Int).Lsh(z, uint(n)).Cmp(v) == 0, "the division by 2^%d is exact: %#x", n, v)
	return z
}

// # 2. The number of steps
//
// g reaches 0 within a number of steps that depends on the size of p alone, so
// a fixed number of steps suffices and nothing shows which x it was.

// StepBound returns a number of divsteps that is known to lead to g = 0 for
// every odd p below 2^bits and 0 <= x < p, for 23 <= bits <= 3805: the published
// floor((3787·bits + 2166)/1644) of github.com/sipa/safegcd-bounds ("A faster
// variant of divsteps"), computed there from the convex hull of all states. It
// is 588 for 255 bits and 591 for 256 bits. Package proofs/bound proves 589 and 591.
func StepBound(bits int) int { return (3787*bits + 2166) / 1644 }

// # 3. Matrices
//
// A step is linear: 2·(f', g') = T·(f, g) for one of three matrices T. So n
// steps are a matrix M with 2^n·(f', g') = M·(f, g). Which of the three it is
// depends on d and on the parity of g, so that M and the new d depend on d and
// on the lowest n bits of f and g only, and are the same for (-f, -g). The
// magnitudes in a row of M sum to at most 2^n, and no entry is -2^n.
//
// The words below hold N = -M, which leads to -f' and -g'. That is as good.

// A Matrix is a 2×2 matrix of integers, by rows.
type Matrix [2][2]*big.Int

// times returns m·x for the column x.
func (m Matrix) times(x [2]*big.Int) (y [2]*big.Int) {
	for i := range y {
		y[i] = new(big.Int).Mul(m[i][0], x[0])
		y[i].Add(y[i], new(big.Int).Mul(m[i][1], x[1]))
	}
	return y
}

// after returns m·k, the matrix of the steps of k followed by those of m.
func (m Matrix) after(k Matrix) (z Matrix) {
	for j := range 2 {
		col := m.times([2]*big.Int{k[0][j], k[1][j]})
		z[0][j], z[1][j] = col[0], col[1]
	}
	return z
}

// checkRows checks the size of the entries of N for n steps.
func (m Matrix) checkRows(n int) {
	for _, row := range m {
		sum := new(big.Int)
		for _, e := range row {
			must(e.Cmp(pow2(n)) < 0, "entries of N are below 2^%d: %v", n, e)
			sum.Add(sum, new(big.Int).Abs(e))
		}
		must(sum.Cmp(pow2(n)) <= 0, "magnitudes in a row of N sum to at most 2^%d: %v", n, row)
	}
}

// # 4. A step on words
//
// A sub-batch packs the low 20 bits of f and g into two words,
//
//	F = f mod 2^20 - 2^41,  G = g mod 2^20 - 2^62,
//
// and applies at most 20 divsteps to (d, F, G). As 2^41 and 2^62 stay even, the
// decisions are those for f and g. By linearity, n steps lead to
//
//	F' = A - 2^(41-n)·m00 - 2^(62-n)·m01,  |A| < 2^20,
//	G' = B - 2^(41-n)·m10 - 2^(62-n)·m11,  |B| < 2^20,
//
// for the results A and B of the low parts alone: the matrix can be read off.
// No word overflows, as |F| < 2^62 and |G| <= 2^62 throughout.
//
// The words hold h = (F-1)/2, G, and n = -(d+1)/2, which is negative where
// d > 0. With T = -F where d > 0 and F elsewhere, (T-1)/2 is h with all bits
// flipped or h, and where G is odd, the next G is (G+T)/2 = (G-1)/2 + (T-1)/2 + 1.

// The packing of a sub-batch: F = f mod 2^PackLow - 2^PackF and
// G = g mod 2^PackLow - 2^PackG. PackG - PackF is the distance in bits of the
// two entries of a row within a word.
const (
	PackLow = 20 // low bits of f and g in the words, and the most steps of a sub-batch
	PackF   = 41
	PackG   = 62
)

type packed struct{ h, g, n int64 }

func (w packed) step() packed {
	mask := w.n >> 63   // -1 where d > 0
	t := w.h ^ mask     // (T-1)/2
	half := w.g >> 1    // floor(G/2)
	sum := half + t + 1 // (G+T)/2 where G is odd
	next := packed{w.h, half, w.n - 1}
	if w.g&1 == 1 {
		next.g = sum
	}
	if w.g&1 == 1 && w.n < 0 {
		next.h, next.n = half, -2-w.n
	}
	return next
}

// check compares the words with the state that they stand for.
func (w packed) check(s divstepState) {
	must(s.d == -2*w.n-1, "d = -2n-1: %d and %d", s.d, w.n)
	must(s.f.IsInt64() && s.f.Int64() == 2*w.h+1, "F = 2h+1: %v and %d", s.f, w.h)
	must(s.g.IsInt64() && s.g.Int64() == w.g, "G: %v and %d", s.g, w.g)
	must(s.f.CmpAbs(pow2(PackG)) < 0 && s.g.CmpAbs(pow2(PackG)) <= 0, "|F| < 2^62, |G| <= 2^62: %v, %v", s.f, s.g)
}

// checkAlike checks that s takes the same steps as the same numbers unpacked.
func (s divstepState) checkAlike(plain divstepState) {
	must(plain.d == s.d && plain.g.Bit(0) == s.g.Bit(0), "packed and plain numbers decide alike: %v and %v", s, plain)
}

// subBatch runs steps divsteps on the low bits of the words f and g. It returns
// N and the new n.
func subBatch(f, g uint64, n int64, steps int) (Matrix, int64) {
	must(steps <= PackLow, "at most %d steps in a sub-batch: %d", PackLow, steps)
	const low = 1<<PackLow - 1
	w := packed{h: int64(f&low)>>1 - 1<<(PackF-1), g: int64(g&low) - 1<<PackG, n: n}
	s := divstepState{-2*n - 1, big.NewInt(2*w.h + 1), big.NewInt(w.g)}
	small := divstepState{s.d, new(big.Int).SetUint64(f & low), new(big.Int).SetUint64(g & low)}
	for range steps {
		w.check(s)
		s.checkAlike(small)
		w, s, small = w.step(), s.step(), small.step()
	}
	w.check(s)
	m := Matrix{unpack(2*w.h+1, steps, small.f), unpack(w.g, steps, small.g)}
	m.checkRows(steps)
	return m, w.n
}

// unpack returns -a and -b for w = r - 2^(41-n)·a - 2^(62-n)·b; r is passed for
// the check only. Adding 2^20 makes r + 2^20 a nonnegative number, which the
// first shift drops; adding 2^(61-n) rounds where the second one drops a too.
func unpack(w int64, n int, r *big.Int) [2]*big.Int {
	const k = PackG - PackF
	v := (w + 1<<PackLow) >> (PackF - n) // -a - 2^21·b
	b := (w + 1<<PackLow + 1<<(PackG-n-1)) >> (PackG - n)
	a := v - b<<k
	sum := new(big.Int).Add(r, new(big.Int).Mul(pow2(PackF-n), big.NewInt(a)))
	sum.Add(sum, new(big.Int).Mul(pow2(PackG-n), big.NewInt(b)))
	must(sum.IsInt64() && sum.Int64() == w, "packed form: %v, want %d", sum, w)
	return [2]*big.Int{big.NewInt(a), big.NewInt(b)}
}

// # 5. A batch
//
// A batch is a few sub-batches. Between two of them the lowest words of f and g
// advance modulo 2^64: after 20 steps their lowest 44 bits are right, after 40
// steps the lowest 24, enough for 20 more. The signs of f and g change with each
// sub-batch. The product of the matrices of all of them fits into words.

// batch runs the sub-batches on the lowest words of f and g. It returns the
// product of their matrices, which is N or M, and the new n.
func batch(f, g *big.Int, n int64, sub []int) (total Matrix, _ int64) {
	fw, gw := lowWord(f), lowWord(g)
	s := divstepState{-2*n - 1, f, g}
	taken := 0
	for i, steps := range sub {
		must(64-taken >= steps, "%d bits of f and g are right, %d needed", 64-taken, steps)
		var m Matrix
		m, n = subBatch(fw, gw, n, steps)
		if i == 0 {
			total = m
		} else {
			total = m.after(total)
		}
		for range steps {
			s = s.step()
		}
		s.f, s.g = new(big.Int).Neg(s.f), new(big.Int).Neg(s.g)
		taken += steps
		fw, gw = advance(m[0], fw, gw, steps), advance(m[1], fw, gw, steps)
		s.checkWords(n, fw, gw, taken)
	}
	s.checkMatrix(total, f, g, taken)
	return total, n
}

// checkWords compares the words after a number of steps with the state.
func (s divstepState) checkWords(n int64, f, g uint64, taken int) {
	must(s.d == -2*n-1, "d after %d steps: %d, want %d", taken, -2*n-1, s.d)
	right := func(w uint64, v *big.Int) bool { return (w-lowWord(v))<<taken == 0 }
	must(right(f, s.f), "low %d bits of f: %#x, want those of %#x", 64-taken, f, s.f)
	must(right(g, s.g), "low %d bits of g: %#x, want those of %#x", 64-taken, g, s.g)
}

// checkMatrix checks that n leads from f and g to the state.
func (s divstepState) checkMatrix(n Matrix, f, g *big.Int, taken int) {
	v := n.times([2]*big.Int{f, g})
	for i, want := range []*big.Int{s.f, s.g} {
		must(v[i].Cmp(new(big.Int).Lsh(want, uint(taken))) == 0, "2^n·(f', g') = N·(f, g) for n = %d", taken)
	}
}

// advance returns a row times (f, g), divided by 2^steps, in words.
func advance(row [2]*big.Int, f, g uint64, steps int) uint64 {
	return uint64(int64(lowWord(row[0])*f+lowWord(row[1])*g) >> steps)
}

// lowWord returns v mod 2^64.
func lowWord(v *big.Int) uint64 {
	return new(big.Int).And(v, new(big.Int).Sub(pow2(64), big.NewInt(1))).Uint64()
}

// # 6. The inverse
//
// Besides f and g, two numbers u and v are kept with
//
//	u·x ≡ c·f,  v·x ≡ c·g  (mod p)
//
// for a constant c. This holds at the start for u = 0 and v = c, whatever c is. A
// batch of n steps replaces (f, g) by N·(f, g)/2^n and (u, v) by N·(u, v), or by
// N·(u, v)/2^64 with the division of Montgomery, which multiplies c by 2^n or by
// 2^(n-64). At the end c must be 1, or R² in Montgomery form, and f = ±1: then
// ±u is the inverse.

// Invert returns the inverse of x as the generated routine does: in the form of
// the field, below the modulus, and 0 for 0. It is an error if x is not below
// the bound of the field, or if an invariant fails, which is then named.
func (f *Field) Invert(x *big.Int) (z *big.Int, err error) {
	if x.Sign() < 0 || x.Cmp(f.Bound()) >= 0 {
		return nil, fmt.Errorf("spec: %s: inversion takes 0 <= x < %s, got %#x", f.Name, f.BoundName(), x)
	}
	defer func() {
		if r := recover(); r != nil {
			v, ok := r.(violation)
			if !ok {
				panic(r)
			}
			z, err = nil, fmt.Errorf("spec: %s: inverse of %#x: invariant fails: %s", f.Name, x, v)
		}
	}()
	return f.invert(new(big.Int).Mod(x, f.Modulus)), nil
}

// Scale returns c at the start of an inversion.
func (f *Field) Scale() *big.Int {
	c, e := big.NewInt(1), int64(-f.Steps())
	if f.Form == Montgomery {
		c.Exp(f.R(), big.NewInt(2), f.Modulus)
		e += int64(64 * f.Batches)
	}
	c.Mul(c, new(big.Int).Exp(big.NewInt(2), big.NewInt(e), f.Modulus))
	return c.Mod(c, f.Modulus)
}

func (f *Field) invert(x *big.Int) *big.Int {
	p, n := f.Modulus, f.Steps()/f.Batches
	c := f.Scale()
	fg, uv, words := [2]*big.Int{p, x}, [2]*big.Int{new(big.Int), c}, int64(-1)
	for range f.Batches {
		var m Matrix
		m, words = batch(fg[0], fg[1], words, f.SubSteps)
		fg, uv = m.times(fg), m.times(uv)
		for i := range fg {
			fg[i] = shift(fg[i], n)
			must(fg[i].CmpAbs(p) <= 0, "|f|, |g| <= p: %#x", fg[i])
			uv[i] = f.reduce(uv[i], n)
		}
		c = new(big.Int).Mul(c, new(big.Int).Exp(big.NewInt(2), big.NewInt(f.perBatch()), p))
		f.checkScaled(uv, fg, x, c)
	}
	must(fg[1].Sign() == 0, "g = 0 after %d steps", f.Steps())
	must(x.Sign() == 0 || fg[0].CmpAbs(big.NewInt(1)) == 0, "f = 1 or -1: %v", fg[0])
	return f.canonical(uv[0], fg[0].Sign() < 0)
}

// checkScaled checks that u·x ≡ c·f and v·x ≡ c·g.
func (f *Field) checkScaled(uv, fg [2]*big.Int, x, c *big.Int) {
	for i := range uv {
		d := new(big.Int).Mul(uv[i], x)
		d.Sub(d, new(big.Int).Mul(c, fg[i]))
		must(d.Mod(d, f.Modulus).Sign() == 0, "u·x ≡ c·f and v·x ≡ c·g: u = %#x, v = %#x", uv[0], uv[1])
	}
}

// perBatch returns the power of 2 by which a batch multiplies c.
func (f *Field) perBatch() int64 {
	n := int64(f.Steps() / f.Batches)
	if f.Form == Montgomery {
		n -= 64
	}
	return n
}

// # 7. Ranges
//
// For p = 2^b - c, u and v stay in [0, 2^b + c·2^64): adding 4p·2^n to a row
// makes it positive, and folding its top bits down c times over makes it small
// again. With Montgomery's division they stay between -p/15 and 16p/15, as a row
// is at most 2^60 times as large as its arguments.

// reduce returns the new u or v from a row of N·(u, v), for n steps.
func (f *Field) reduce(row *big.Int, n int) *big.Int {
	p := f.Modulus
	if f.Form == Weak {
		b := p.BitLen()
		c := new(big.Int).Sub(pow2(b), p)
		row.Add(row, new(big.Int).Lsh(p, uint(n+2)))
		must(row.Sign() >= 0, "N·(u, v) + 4p·2^n >= 0: %#x", row)
		q := new(big.Int).Rsh(row, uint(b))
		must(q.BitLen() <= 64, "the quotient by 2^%d is a word: %#x", b, q)
		row.Sub(row, new(big.Int).Lsh(q, uint(b)))
		row.Add(row, q.Mul(q, c))
		f.checkRange(row)
		return row
	}
	inv := new(big.Int).ModInverse(p, pow2(64))
	q := new(big.Int).Mul(row, inv.Neg(inv))
	q.Mod(q, pow2(64))
	row = shift(row.Add(row, q.Mul(q, p)), 64)
	f.checkRange(row)
	return row
}

// checkRange checks the bounds of u and v.
func (f *Field) checkRange(v *big.Int) {
	p := f.Modulus
	if f.Form == Weak {
		b := p.BitLen()
		c := new(big.Int).Sub(pow2(b), p)
		must(v.Sign() >= 0 && v.Cmp(c.Lsh(c, 64).Add(c, pow2(b))) < 0, "0 <= u, v < 2^b + c·2^64: %#x", v)
		return
	}
	t := new(big.Int).Mul(v, big.NewInt(15))
	must(t.Cmp(new(big.Int).Neg(p)) > 0, "-p/15 < u, v: %#x", v)
	must(t.Cmp(new(big.Int).Lsh(p, 4)) < 0, "u, v < 16p/15: %#x", v)
}

// canonical returns u, or -u, below p.
func (f *Field) canonical(u *big.Int, minus bool) *big.Int {
	z, p := new(big.Int).Set(u), f.Modulus
	if minus {
		z.Sub(p, u)
	}
	if f.Form == Weak {
		return z.Mod(z, p)
	}
	// p - u has the bounds of u: add p once, or subtract it once.
	f.checkRange(z)
	if z.Sign() < 0 {
		return z.Add(z, p)
	}
	if z.Cmp(p) >= 0 {
		return z.Sub(z, p)
	}
	return z
}
