package algo

import (
	"math/big"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Inversion by divsteps. The method, with every invariant, is explained in
// spec/divstep.go; this is its form for words.

// divsteps is the state of an inversion, in memory: the integers f and g with
// their signs, u and v, and n = -(d+1)/2, which is negative where d > 0.
type divsteps struct {
	machine
	field      *spec.Field
	steps      int // of a batch
	f, g, u, v *limb.Buf
	n          *limb.Buf
}

// invert returns the inverse of x, canonical, or 0 for 0.
func (m machine) invert(x []*limb.Word) []*limb.Word {
	if m.f.Form == spec.Weak {
		x = m.canon(x)
	}
	d := m.newDivsteps()
	d.start(x)
	m.Loop(m.f.Batches, func() {
		t := d.batch()
		d.updateFG(t)
		if m.f.Form == spec.Weak {
			d.updateUVWeak(t)
		} else {
			d.updateUVMont(t)
		}
	})
	if m.f.Form == spec.Weak {
		return d.finishWeak()
	}
	return d.finishMont()
}

func (m machine) newDivsteps() *divsteps {
	d := &divsteps{machine: m, field: m.f}
	for _, s := range m.f.SubSteps {
		d.steps += s
	}
	n, signed := m.f.Limbs, m.f.Limbs
	if m.f.Modulus.BitLen() == 64*n {
		signed++ // a word for the sign
	}
	d.f, d.g = m.NewFrame("f", signed), m.NewFrame("g", signed)
	if m.f.Form == spec.Montgomery {
		n = signed
	}
	d.u, d.v = m.NewFrame("u", n), m.NewFrame("v", n)
	d.n = m.NewFrame("n", 1)
	return d
}

// start sets f = p, g = x, u = 0, v = c and d = 1.
func (d *divsteps) start(x []*limb.Word) {
	store := func(b *limb.Buf, x []*limb.Word) {
		d.StoreAll(b, append(append([]*limb.Word(nil), x...), d.zeros(b.Limbs-len(x))...))
	}
	store(d.f, d.consts(d.field.Modulus))
	store(d.g, x)
	store(d.u, nil)
	store(d.v, d.consts(d.field.Scale()))
	d.Store(d.n, 0, d.Const(1<<64-1))
}

// signed returns the words of b and one more for its sign.
func (d *divsteps) signed(b *limb.Buf) []*limb.Word {
	x := d.LoadAll(b)
	if b.Limbs == d.field.Limbs {
		x = append(x, d.Sar(x[b.Limbs-1], 63))
	}
	return x
}

// combine returns the n+1 words of a·x + b·y, for a, b < 2^62 and x, y of n+1
// words, the last of which is 0, -1 or 1.
func (d *divsteps) combine(a, b *limb.Word, x, y []*limb.Word) []*limb.Word {
	n := d.field.Limbs
	z := d.row(x[:n], a)
	d.addRow(z, 0, y[:n], b, nil)
	for _, t := range [][2]*limb.Word{{a, x[n]}, {b, y[n]}} {
		if !isConst(t[1], 0) {
			z[n], _ = d.Add(z[n], d.MulLo(t[0], t[1]), nil)
		}
	}
	return z
}

func (d *divsteps) sum(x, y []*limb.Word) []*limb.Word {
	z := make([]*limb.Word, len(x))
	var c *limb.Flag
	for i := range z {
		z[i], c = d.Add(x[i], y[i], c)
	}
	return z
}

func (d *divsteps) difference(x, y []*limb.Word) []*limb.Word {
	z := make([]*limb.Word, len(x))
	var c *limb.Flag
	for i := range z {
		z[i], c = d.Sub(x[i], y[i], c)
	}
	return z
}

// shiftLeft returns x·2^k modulo 2^64 to the number of words.
func (d *divsteps) shiftLeft(x []*limb.Word, k int) []*limb.Word {
	z := []*limb.Word{d.Shl(x[0], k)}
	for i := 1; i < len(x); i++ {
		z = append(z, d.ShrD(x[i], x[i-1], 64-k))
	}
	return z
}

// updateFG replaces f and g by the rows of t·(f, g) / 2^steps. The entries of t
// come with 2^steps added, so f + g is taken off after the division.
func (d *divsteps) updateFG(t matrix) {
	x, y := d.signed(d.f), d.signed(d.g)
	s := d.sum(x[:d.f.Limbs], y[:d.f.Limbs])
	var z [2][]*limb.Word
	for r := range z {
		w := d.combine(t[r][0], t[r][1], x, y)
		for i := range d.field.Limbs {
			z[r] = append(z[r], d.ShrD(w[i+1], w[i], d.steps))
		}
		if d.f.Limbs > d.field.Limbs {
			z[r] = append(z[r], d.Sar(w[d.field.Limbs], d.steps))
		}
		z[r] = d.difference(z[r], s)
	}
	d.StoreAll(d.f, z[0])
	d.StoreAll(d.g, z[1])
}

// updateUVWeak replaces u and v by numbers congruent to the rows of t·(u, v),
// below 2^b + c·2^64 for p = 2^b - c.
func (d *divsteps) updateUVWeak(t matrix) {
	n := d.field.Limbs
	s, c := d.shape()
	zero := d.Const(0)
	x, y := append(d.LoadAll(d.u), zero), append(d.LoadAll(d.v), zero)
	p4 := new(big.Int).Lsh(d.field.Modulus, 2)
	off := make([]*limb.Word, n+1)
	for i, k := range limbs(p4, n+1) {
		off[i] = d.Const(k)
	}
	off = d.shiftLeft(d.difference(d.difference(off, x), y), d.steps)
	var z [2][]*limb.Word
	for r := range z {
		w := d.sum(d.combine(t[r][0], t[r][1], x, y), off)
		q, rest := d.shiftOut(w[n], w[n-1], s)
		w[n-1] = rest
		hi, lo := d.Mul(q, d.Const(c))
		k := append([]*limb.Word{lo, hi}, d.zeros(n-2)...)
		z[r] = d.sum(w[:n], k)
	}
	d.StoreAll(d.u, z[0])
	d.StoreAll(d.v, z[1])
}

// updateUVMont replaces u and v by numbers congruent to the rows of
// t·(u, v) / 2^64, between -p/15 and 16p/15.
func (d *divsteps) updateUVMont(t matrix) {
	n := d.field.Limbs
	x, y := d.signed(d.u), d.signed(d.v)
	off := d.shiftLeft(d.sum(x, y), d.steps)
	var z [2][]*limb.Word
	for r := range z {
		w := d.difference(d.combine(t[r][0], t[r][1], x, y), off)
		top := d.Sar(w[n], 63)
		out := d.montStep(w, 0, nil)
		z[r] = append(w[1:], d.Sum(top, out))[:d.u.Limbs]
	}
	d.StoreAll(d.u, z[0])
	d.StoreAll(d.v, z[1])
}

// finishWeak returns u with the sign of f, canonical.
func (d *divsteps) finishWeak() []*limb.Word {
	u := d.LoadAll(d.u)
	minus := d.weakSub(d.zeros(len(u)), u)
	f := d.Negative(d.Load(d.f, d.f.Limbs-1))
	return d.canon(d.choose(minus, u, f))
}

// finishMont returns u or p - u, by the sign of f, canonical. Both are between
// -p/15 and 16p/15.
func (d *divsteps) finishMont() []*limb.Word {
	n := d.field.Limbs
	p := append(d.consts(d.field.Modulus), d.Const(0))[:d.u.Limbs]
	u := d.LoadAll(d.u)
	minus := d.difference(p, u)
	f := d.Negative(d.Load(d.f, d.f.Limbs-1))
	u = d.choose(minus, u, f)
	mask := d.Sar(u[len(u)-1], 63)
	add := make([]*limb.Word, len(p))
	for i, w := range p {
		add[i] = d.And(w, mask)
	}
	u = d.sum(u, add)
	var top *limb.Word
	if len(u) > n {
		top = u[n]
	}
	return d.subtractOnce(u[:n], top)
}
