package spec

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// invertible returns values at which inversions have gone wrong, and random ones
// of every length.
func invertible(f *Field, rng *rand.Rand) (xs []*big.Int) {
	p := f.Modulus
	add := func(v *big.Int) { xs = append(xs, v.Mod(v, p)) }
	for k := range int64(20) {
		add(big.NewInt(k))
		add(new(big.Int).Sub(p, big.NewInt(k)))
	}
	half := new(big.Int).Rsh(p, 1)
	add(half)
	add(new(big.Int).Add(half, big.NewInt(1)))
	for k := 0; k < p.BitLen(); k += 7 {
		for _, e := range []int64{-1, 0, 1} {
			v := new(big.Int).Add(pow2(k), big.NewInt(e))
			add(v)
			add(new(big.Int).Sub(p, v))
		}
	}
	for range 100 {
		add(random(rng, p.BitLen()))
		add(random(rng, 1+rng.IntN(p.BitLen())))
	}
	return xs
}

func random(rng *rand.Rand, bits int) *big.Int {
	v := new(big.Int)
	for range (bits + 63) / 64 {
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(rng.Uint64()))
	}
	return v.Rsh(v, uint(-bits&63))
}

func TestInvert(t *testing.T) {
	for _, f := range Fields() {
		t.Run(f.Name, func(t *testing.T) {
			r, err := f.Routine(KindInvert)
			if err != nil {
				t.Fatal(err)
			}
			xs := invertible(f, rand.New(rand.NewPCG(1, 2)))
			if f.Form == Weak { // not only reduced numbers
				for _, k := range []int64{0, 1, 18} {
					xs = append(xs, new(big.Int).Add(f.Modulus, big.NewInt(k)), new(big.Int).Sub(f.R(), big.NewInt(k+1)))
				}
			}
			for _, x := range xs {
				z, err := f.Invert(x)
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Check(Env{"x": x, "z": z}); err != nil {
					t.Errorf("x = %#x: %v", x, err)
				}
			}
		})
	}
}

// TestInvertReports has the values of defects in other libraries.
func TestInvertReports(t *testing.T) {
	for _, c := range []struct{ report, field, x, inverse string }{
		// A binary inversion dropped a carry: off by 2^48 in the top limb.
		{"wolfSSL/wolfssl#3845", "n256",
			"909135bdb6799286170f5ead2de4f6511453fe50914f3df2de54a36383df8dd4",
			"7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffd"},
		// A signed limb without headroom.
		{"RustCrypto/crypto-bigint#606", "p256",
			"8430e408979bfa2897559f2e7e03d965e4a99dbb6309961b505a6d903f05c5c0",
			"bb774cc9cca843aea5e04d4d147d41e7a84d494277151a9d8cb4ce5fc0e618bb"},
	} {
		f, err := Lookup(c.field)
		if err != nil {
			t.Fatal(err)
		}
		mont := func(v *big.Int) *big.Int { return v.Mul(v, f.R()).Mod(v, f.Modulus) }
		for _, pair := range [][2]string{{c.x, c.inverse}, {c.inverse, c.x}} {
			x, want := mont(hex(pair[0])), mont(hex(pair[1]))
			if got, err := f.Invert(x); err != nil || got.Cmp(want) != 0 {
				t.Errorf("%s: inverse of %#x: got %#x, %v, want %#x", c.report, x, got, err, want)
			}
		}
	}
}

// TestStepCounts holds the number of steps against the length of the modulus,
// not of the words that hold it (RustCrypto/elliptic-curves#1267).
func TestStepCounts(t *testing.T) {
	// Published values: github.com/sipa/safegcd-bounds has the formula; s2n-bignum
	// takes 590 steps for 2^255-19 (x86/curve25519/bignum_inv_p25519.S).
	for bits, want := range map[int]int{255: 588, 256: 591} {
		if got := StepBound(bits); got != want {
			t.Errorf("StepBound(%d): got %d, want %d", bits, got, want)
		}
	}
	for _, f := range Fields() {
		if got, min := f.Steps(), StepBound(f.Modulus.BitLen()); got < min {
			t.Errorf("%s: %d steps, at least %d needed for %d bits", f.Name, got, min, f.Modulus.BitLen())
		}
	}
}

// stepsFor returns the number of steps until g = 0.
func stepsFor(p, x *big.Int) int {
	s := divstepState{1, p, x}
	n := 0
	for ; s.g.Sign() != 0; n++ {
		s = s.step()
	}
	return n
}

// TestStepsThatRandomInputsNeed shows that the bound is no idle number: inputs
// come close to it, and none needs more.
func TestStepsThatRandomInputsNeed(t *testing.T) {
	for _, f := range Fields() {
		most, bound := 0, StepBound(f.Modulus.BitLen())
		for _, x := range invertible(f, rand.New(rand.NewPCG(3, 4))) {
			most = max(most, stepsFor(f.Modulus, x))
		}
		if most > bound || most < bound*85/100 {
			t.Errorf("%s: some input needs %d steps, want at most %d and at least 85 %% of it", f.Name, most, bound)
		}
	}
}

// altered returns a copy of f with other batches.
func altered(f *Field, batches int, sub ...int) *Field {
	g := *f
	g.Batches, g.SubSteps = batches, sub
	return &g
}

// TestInvariantsAreChecked plants faults: each is found by the invariant that it
// breaks.
func TestInvariantsAreChecked(t *testing.T) {
	p25519, p256 := Fields()[0], Fields()[2]
	x := new(big.Int).Sub(pow2(200), big.NewInt(3))
	needed := map[*Field]int{}
	for _, f := range []*Field{p25519, p256} {
		needed[f] = stepsFor(f.Modulus, x)
		if _, err := altered(f, needed[f], 1).Invert(x); err != nil {
			t.Errorf("%s in the exact number of steps: %v", f.Name, err)
		}
	}
	composite := *p25519
	composite.Modulus = new(big.Int).Sub(pow2(255), big.NewInt(21)) // divisible by 11
	for _, c := range []struct {
		name string
		f    *Field
		x    *big.Int
		want string
	}{
		{"one step too few", altered(p25519, needed[p25519]-1, 1), x, "g = 0"},
		{"one step too few, Montgomery form", altered(p256, needed[p256]-1, 1), x, "g = 0"},
		{"eight batches", altered(p25519, 8, 20, 20, 19), x, "g = 0"},
		{"sub-batch of 21 steps", altered(p25519, 10, 21, 20, 20), x, "at most 20 steps"},
		{"fourth sub-batch", altered(p256, 10, 20, 20, 20, 5), x, "bits of f and g are right"},
		{"common divisor", &composite, big.NewInt(11), "f = 1 or -1"},
	} {
		if z, err := c.f.Invert(c.x); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, error %v; want an error with %q", c.name, z, err, c.want)
		}
	}
}

// catcher returns a function that fails unless f violates the invariant whose
// text has want in it.
func catcher(t *testing.T) func(name, want string, f func()) {
	return func(name, want string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			v, ok := recover().(violation)
			if !ok || !strings.Contains(string(v), want) {
				t.Errorf("%s: got violation %q, want one with %q", name, v, want)
			}
		}()
		f()
	}
}

// TestFieldInvariants plants faults in the parts of an inversion that depend on
// the field.
func TestFieldInvariants(t *testing.T) {
	caught := catcher(t)
	for _, f := range Fields() {
		p := f.Modulus
		// Numbers above p do not shrink to p in one batch.
		caught(f.Name+": x is far above p", "|f|, |g| <= p", func() { f.invert(pow2(p.BitLen() + 200)) })

		x, c := big.NewInt(3), big.NewInt(5)
		fg := [2]*big.Int{big.NewInt(6), big.NewInt(9)}
		uv := [2]*big.Int{big.NewInt(10), new(big.Int).Sub(big.NewInt(15), p)}
		f.checkScaled(uv, fg, x, c)
		for i := range uv {
			wrong := uv
			wrong[i] = new(big.Int).Add(uv[i], big.NewInt(1))
			caught(f.Name+": wrong u or v", "u·x ≡ c·f", func() { f.checkScaled(wrong, fg, x, c) })
		}

		// The first numbers out of range, and those next to them.
		n := f.Steps() / f.Batches
		low, high := big.NewInt(-1), new(big.Int).Sub(pow2(p.BitLen()), p)
		high.Lsh(high, 64).Add(high, pow2(p.BitLen()))
		if f.Form == Montgomery {
			low.Neg(low.Quo(p, big.NewInt(15))).Sub(low, big.NewInt(1))
			high.Lsh(p, 4).Quo(high, big.NewInt(15)).Add(high, big.NewInt(1))
			caught(f.Name+": a row far too large", "u, v < 16p/15", func() { f.reduce(pow2(p.BitLen()+80), n) })
			caught(f.Name+": a row far too small", "-p/15 < u, v", func() { f.reduce(new(big.Int).Neg(pow2(p.BitLen()+80)), n) })
			caught(f.Name+": a result too large", "u, v < 16p/15", func() { f.canonical(high, false) })
		} else {
			caught(f.Name+": a row far too large", "quotient", func() { f.reduce(pow2(p.BitLen()+65), n) })
			caught(f.Name+": a row far too small", "4p·2^n >= 0", func() { f.reduce(new(big.Int).Neg(pow2(p.BitLen()+65)), n) })
		}
		f.checkRange(new(big.Int).Add(low, big.NewInt(1)))
		f.checkRange(new(big.Int).Sub(high, big.NewInt(1)))
		caught(f.Name+": too small", "u, v", func() { f.checkRange(low) })
		caught(f.Name+": too large", "u, v <", func() { f.checkRange(high) })
	}
}

// TestStepInvariants plants faults in a single step of the reference.
func TestStepInvariants(t *testing.T) {
	caught := catcher(t)
	odd := big.NewInt(5)
	caught("even f", "odd", func() { divstepState{1, big.NewInt(4), odd}.step() })
	caught("even d", "odd", func() { divstepState{2, odd, odd}.step() })
	s := divstepState{1, odd, odd}
	w := packed{h: 2, g: 5, n: -1}
	w.check(s)
	caught("wrong d", "d = -2n-1", func() { packed{2, 5, 0}.check(s) })
	caught("wrong F", "F = 2h+1", func() { packed{3, 5, -1}.check(s) })
	caught("wrong G", "G", func() { packed{2, 6, -1}.check(s) })
	caught("packed and plain decide differently", "decide alike", func() { s.checkAlike(divstepState{1, odd, big.NewInt(4)}) })
	caught("packed and plain differ in d", "decide alike", func() { s.checkAlike(divstepState{3, odd, odd}) })
	caught("half of an odd number", "exact", func() { shift(odd, 1) })
	large := divstepState{1, new(big.Int).Add(pow2(62), big.NewInt(1)), odd}
	caught("large F", "|F| < 2^62", func() { packed{1 << 61, 5, -1}.check(large) })
	caught("too many steps", "at most 20 steps", func() { subBatch(5, 5, -1, 21) })

	s.checkWords(-1, 5, 5, 20)
	caught("wrong d after a sub-batch", "d after", func() { s.checkWords(0, 5, 5, 20) })
	caught("wrong low bits of f", "bits of f", func() { s.checkWords(-1, 5+1<<43, 5, 20) })
	caught("wrong low bits of g", "bits of g", func() { s.checkWords(-1, 5, 5+1<<43, 20) })
	s.checkWords(-1, 5+1<<44, 5+1<<44, 20)

	n := func(a, b, c, d int64) Matrix {
		return Matrix{{big.NewInt(a), big.NewInt(b)}, {big.NewInt(c), big.NewInt(d)}}
	}
	n(-8, 0, 7, -1).checkRows(3)
	caught("an entry of 2^n", "below 2^3", func() { n(0, 1, 0, 8).checkRows(3) })
	caught("a row that is too large", "sum to at most", func() { n(-7, 2, 0, 1).checkRows(3) })
	s.checkMatrix(n(2, 0, 0, 2), odd, odd, 1)
	caught("wrong first row", "N·(f, g)", func() { s.checkMatrix(n(2, 1, 0, 2), odd, odd, 1) })
	caught("wrong second row", "N·(f, g)", func() { s.checkMatrix(n(2, 0, 0, 1), odd, odd, 1) })
	caught("wrong matrix", "packed form", func() { unpack(1<<40+1, 20, new(big.Int)) })
}

func TestInvertRefusesUnreduced(t *testing.T) {
	for _, f := range Fields() {
		for _, x := range []*big.Int{big.NewInt(-1), f.Bound()} {
			if z, err := f.Invert(x); err == nil || !strings.Contains(err.Error(), "inversion takes") {
				t.Errorf("%s: Invert(%#x): got %v, %v, want an error", f.Name, x, z, err)
			}
		}
	}
}
