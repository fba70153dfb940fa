package spec_test

import (
	"crypto/elliptic"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// The formulas are compared with the group laws on affine coordinates: that of
// edwards25519 from RFC 8032, section 5.1.4, and that of P-256 from
// crypto/elliptic.

func curveNamed(t *testing.T, name string) *spec.Curve {
	t.Helper()
	for _, c := range spec.Curves() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no curve %s", name)
	return nil
}

func formula(t *testing.T, c *spec.Curve, kind spec.Kind) *spec.Routine {
	t.Helper()
	for _, r := range c.Routines() {
		if r.Kind == kind {
			return r
		}
	}
	t.Fatalf("%s has no %s", c.Name, kind)
	return nil
}

// A model computes with residues.
type model struct {
	*testing.T
	p   *big.Int
	rng *rand.Rand
}

func (m model) mul(x ...*big.Int) *big.Int {
	z := big.NewInt(1)
	for _, v := range x {
		z.Mul(z, v).Mod(z, m.p)
	}
	return z
}
func (m model) add(x, y *big.Int) *big.Int { z := new(big.Int).Add(x, y); return z.Mod(z, m.p) }
func (m model) sub(x, y *big.Int) *big.Int { z := new(big.Int).Sub(x, y); return z.Mod(z, m.p) }
func (m model) div(x, y *big.Int) *big.Int { return m.mul(x, new(big.Int).ModInverse(y, m.p)) }
func (m model) some() *big.Int {
	b := make([]byte, 40)
	for i := range b {
		b[i] = byte(m.rng.Uint32())
	}
	z := new(big.Int).SetBytes(b)
	return z.Add(z.Mod(z, new(big.Int).Sub(m.p, big.NewInt(1))), big.NewInt(1))
}

// holds checks that the routine's contract accepts the values of its parameters,
// in the field's form, and refuses each result changed in any coordinate.
func (m model) holds(r *spec.Routine, about string, values map[string][]*big.Int) {
	m.Helper()
	env := make(spec.Env)
	in := func(x *big.Int) *big.Int {
		if r.Field.Form == spec.Montgomery {
			return m.mul(x, r.Field.R())
		}
		return x
	}
	var results []string
	for _, p := range r.Params {
		names := []string{p.Name}
		if p.Role == spec.InOut {
			names = append(names, spec.After(p.Name))
		}
		if p.Role == spec.Out {
			results = append(results, p.Name)
		} else if p.Role == spec.InOut {
			results = append(results, spec.After(p.Name))
		}
		for _, n := range names {
			var parts []*big.Int
			for _, x := range values[n] {
				parts = append(parts, in(x))
			}
			if env[n] = p.Join(r.Field, parts); p.Role == spec.Value {
				env[n] = values[n][0]
			}
		}
	}
	if err := r.Check(env); err != nil {
		m.Errorf("%s: %v", about, err)
	}
	for _, n := range results {
		right := env[n]
		for i := range values[n] {
			env[n] = new(big.Int).Xor(right, new(big.Int).Lsh(big.NewInt(2), uint(64*r.Field.Limbs*i)))
			if r.Check(env) == nil {
				m.Errorf("%s: the contract of %s accepts a wrong coordinate %d of %s", about, r.Name(), i, n)
			}
		}
		env[n] = right
	}
}

func TestEdwardsFormulas(t *testing.T) {
	c := curveNamed(t, "edwards25519")
	m := model{t, c.Field().Modulus, rand.New(rand.NewPCG(1, 2))}
	one, two := big.NewInt(1), big.NewInt(2)
	d := m.div(m.sub(new(big.Int), big.NewInt(121665)), big.NewInt(121666))
	add := func(a, b [2]*big.Int) (z [2]*big.Int) {
		k := m.mul(d, a[0], a[1], b[0], b[1])
		z[0] = m.div(m.add(m.mul(a[0], b[1]), m.mul(a[1], b[0])), m.add(one, k))
		z[1] = m.div(m.add(m.mul(a[1], b[1]), m.mul(a[0], b[0])), m.sub(one, k))
		return z
	}
	negative := func(a [2]*big.Int) [2]*big.Int { return [2]*big.Int{m.sub(new(big.Int), a[0]), a[1]} }
	// Points: x from y = 4/5 (RFC 8032), and what it generates.
	y := m.div(big.NewInt(4), big.NewInt(5))
	xx := m.div(m.sub(m.mul(y, y), one), m.add(m.mul(d, y, y), one))
	x := new(big.Int).ModSqrt(xx, m.p)
	points := [][2]*big.Int{{new(big.Int), one}, {new(big.Int), m.sub(new(big.Int), one)}, {x, y}}
	for range 6 {
		points = append(points, add(points[len(points)-1], points[2+m.rng.IntN(len(points)-2)]))
	}
	points = append(points, negative(points[4]))
	scale := func(a [2]*big.Int, z *big.Int) []*big.Int {
		return []*big.Int{m.mul(a[0], z), m.mul(a[1], z), z, m.mul(a[0], a[1], z)}
	}
	// divided brings extended coordinates to the Z that the formula gives.
	for _, a := range points {
		p := scale(a, m.some())
		// Z of the doubled point: F·G with G = X² - Y² and F = G + 2Z².
		g := m.sub(m.mul(p[0], p[0]), m.mul(p[1], p[1]))
		z := m.mul(g, m.add(g, m.mul(two, p[2], p[2])))
		r := scale(add(a, a), z)
		m.holds(formula(t, c, "double"), "double", map[string][]*big.Int{"r": r[:3], "p": p[:3]})
		m.holds(formula(t, c, "doubleExtended"), "doubleExtended", map[string][]*big.Int{"r": r, "p": p[:3]})
		for _, b := range points {
			for minus := range int64(2) {
				want, q := add(a, b), scale(b, m.some())
				if minus == 1 {
					want = add(a, negative(b))
				}
				sign := big.NewInt(1 - 2*minus)
				// Z = (D - C)·(D + C).
				z := func(qz *big.Int, q []*big.Int) *big.Int {
					dd, cc := m.mul(two, p[2], qz), m.mul(sign, p[3], two, d, q[3])
					return m.mul(m.sub(dd, cc), m.add(dd, cc))
				}
				m.holds(formula(t, c, "addCached"), "addCached", map[string][]*big.Int{"minus": {big.NewInt(minus)}, "p": p, "r": scale(want, z(q[2], q)),
					"q": {m.add(q[1], q[0]), m.sub(q[1], q[0]), m.mul(two, q[2]), m.mul(two, d, q[3])}})
				q = scale(b, one)
				m.holds(formula(t, c, "addAffine"), "addAffine", map[string][]*big.Int{"minus": {big.NewInt(minus)}, "p": p, "r": scale(want, z(one, q)),
					"q": {m.add(q[1], q[0]), m.sub(q[1], q[0]), m.mul(two, d, q[3])}})
			}
		}
	}
}

// TestLadderFormula checks a step with u-coordinates of multiples of a point,
// from the affine laws of v² = u³ + 486662u² + u.
func TestLadderFormula(t *testing.T) {
	c := curveNamed(t, "edwards25519")
	r := formula(t, c, "ladderStep")
	m := model{t, r.Field.Modulus, rand.New(rand.NewPCG(3, 4))}
	a, one := big.NewInt(486662), big.NewInt(1)
	add := func(p, q [2]*big.Int) (z [2]*big.Int) {
		var l *big.Int
		if p[0].Cmp(q[0]) == 0 {
			l = m.div(m.add(m.add(m.mul(big.NewInt(3), p[0], p[0]), m.mul(big.NewInt(2), a, p[0])), one), m.mul(big.NewInt(2), p[1]))
		} else {
			l = m.div(m.sub(q[1], p[1]), m.sub(q[0], p[0]))
		}
		z[0] = m.sub(m.sub(m.sub(m.mul(l, l), a), p[0]), q[0])
		z[1] = m.sub(m.mul(l, m.sub(p[0], z[0])), p[1])
		return z
	}
	u := big.NewInt(9)
	v := new(big.Int).ModSqrt(m.add(m.add(m.mul(u, u, u), m.mul(a, u, u)), u), m.p)
	base := [2]*big.Int{u, v}
	n := base
	for range 20 {
		next := add(n, base)
		twice, sum := add(n, n), add(n, next)
		for swap := range int64(2) {
			z2, z3 := m.some(), m.some()
			before := []*big.Int{m.mul(n[0], z2), z2, m.mul(next[0], z3), z3}
			// Z of the doubled point: 4XZ(X² + aXZ + Z²), that is
			// E·(AA + 121665·E) up to the scaling that E = 4XZ brings; of the
			// sum: 4u·(X2Z3 - Z2X3)².
			e := m.mul(big.NewInt(4), before[0], z2)
			aa := m.add(before[0], z2)
			z2 = m.mul(e, m.add(m.mul(aa, aa), m.mul(big.NewInt(121665), e)))
			k := m.sub(m.mul(before[0], z3), m.mul(before[1], before[2]))
			z3 = m.mul(big.NewInt(4), u, k, k)
			after := []*big.Int{m.mul(twice[0], z2), z2, m.mul(sum[0], z3), z3}
			if swap == 1 {
				before = append(before[2:4:4], before[:2]...)
			}
			m.holds(r, "ladderStep", map[string][]*big.Int{"s": before, spec.After("s"): after, "u": {u}, "swap": {big.NewInt(swap)}})
		}
		n = next
	}
}

func TestP256Formulas(t *testing.T) {
	c := curveNamed(t, "nistp256")
	m := model{t, c.Field().Modulus, rand.New(rand.NewPCG(5, 6))}
	curve := elliptic.P256()
	times := func(k int64) [2]*big.Int {
		x, y := curve.ScalarBaseMult(big.NewInt(k).Bytes())
		return [2]*big.Int{x, y}
	}
	scale := func(a [2]*big.Int, z *big.Int) []*big.Int {
		return []*big.Int{m.mul(a[0], z, z), m.mul(a[1], z, z, z), z}
	}
	for i := int64(1); i < 8; i++ {
		a := times(i)
		p := scale(a, m.some())
		m.holds(formula(t, c, "double"), "double", map[string][]*big.Int{"p": p, "r": scale(times(2*i), m.mul(big.NewInt(2), p[1], p[2]))})
		m.holds(formula(t, c, "scale"), "scale", map[string][]*big.Int{"p": p[:2], "z": {m.div(big.NewInt(1), p[2])}, spec.After("p"): a[:]})
		for j := i + 1; j < 9; j++ {
			b := times(j)
			before := append(append(p[:2:2], scale(b, p[2])...), m.some())
			ratio := m.sub(before[2], before[0])
			z := m.mul(p[2], ratio)
			after := append(append(scale(times(i+j), z)[:2:2], scale(b, z)...), ratio)
			m.holds(formula(t, c, "addCoZ"), "addCoZ", map[string][]*big.Int{"s": before, spec.After("s"): after})
			for minus := range int64(2) {
				want := times(i + j)
				if minus == 1 {
					want = times(j - i)
					want[1] = m.sub(new(big.Int), want[1])
				}
				h := m.sub(m.mul(b[0], p[2], p[2]), p[0])
				m.holds(formula(t, c, "addAffine"), "addAffine", map[string][]*big.Int{"p": p, "q": b[:], "minus": {big.NewInt(minus)}, "r": scale(want, m.mul(p[2], h))})
			}
		}
	}
}

// TestSelectFormulas checks every index of every table.
func TestSelectFormulas(t *testing.T) {
	n := 0
	for _, c := range spec.Curves() {
		m := model{t, c.Field().Modulus, rand.New(rand.NewPCG(7, 8))}
		for _, r := range c.Routines() {
			s := r.Formula.Select
			if s == nil {
				continue
			}
			n++
			table := make([]*big.Int, len(r.Params[1].Parts))
			for i := range table {
				table[i] = m.some()
			}
			size := len(r.Params[0].Parts)
			for i := range int(r.Params[2].Bound.Int64()) {
				want := s.Default
				if at := (i - s.First()) * size; at >= 0 {
					want = table[at : at+size]
				}
				m.holds(r, string(r.Kind), map[string][]*big.Int{"r": want, "table": table, "i": {big.NewInt(int64(i))}})
			}
		}
	}
	if n != 3 {
		t.Errorf("got %d choices from tables, want 3", n)
	}
}

// TestFormulaBounds checks that a result or an operand out of bounds is refused.
func TestFormulaBounds(t *testing.T) {
	r := formula(t, curveNamed(t, "nistp256"), "double")
	p := r.Params[1]
	if ok := p.Allows(r.Field, p.Join(r.Field, []*big.Int{new(big.Int), new(big.Int), new(big.Int)})); !ok {
		t.Error("zero coordinates are not allowed")
	}
	if p.Allows(r.Field, p.Join(r.Field, []*big.Int{new(big.Int), r.Field.Modulus, new(big.Int)})) {
		t.Error("a coordinate equal to the modulus is allowed")
	}
	zero := new(big.Int)
	err := r.Check(spec.Env{"p": zero, "r": p.Join(r.Field, []*big.Int{zero, r.Field.Modulus, zero})})
	if err == nil || !strings.Contains(err.Error(), "r.Y < p") {
		t.Errorf("a result equal to the modulus: got error %v, want one with r.Y < p", err)
	}
}
