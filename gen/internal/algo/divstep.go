package algo

import (
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Inversion by divsteps. The method, with every invariant, is explained in
// spec/divstep.go; this is its form for words.

// divsteps is the state of an inversion. It stands in memory between batches:
// the integers f and g in two's complement, u and v, and n = -(d+1)/2, which
// is negative where d > 0.
type divsteps struct {
	machine
	field      *spec.Field
	steps      int // of a batch
	f, g, u, v *limb.Buf
	n          *limb.Buf
}

// invert returns the inverse of x, canonical, or 0 for 0.
func (m machine) invert(x []*limb.Word) []*limb.Word {
	update, finish := (*divsteps).updateUVMont, (*divsteps).finishMont
	if m.f.Form == spec.Weak {
		update, finish = (*divsteps).updateUVWeak, (*divsteps).finishWeak
		x = m.canon(x)
	}
	d := m.newDivsteps()
	d.start(x)
	m.Loop(m.f.Batches, func() {
		t := d.batch()
		update(d, t)
		d.updateFG(t)
	})
	return finish(d)
}

// wordsFor returns the number of words for integers of the given bits and a
// sign.
func wordsFor(bits int) int { return bits/64 + 1 }

func (m machine) newDivsteps() *divsteps {
	d := &divsteps{machine: m, field: m.f}
	for _, s := range m.f.SubSteps {
		if s < 1 || s > spec.PackLow {
			panic(fmt.Sprintf("sub-batch of %d divsteps, expected 1 to %d", s, spec.PackLow))
		}
		d.steps += s
	}
	if d.steps < 1 || d.steps > 64-4 || m.f.Batches < 1 {
		// Beyond 60 steps, a row of updateUVWeak does not fit.
		panic(fmt.Sprintf("%d batches of %d divsteps, expected at least 1 of 1 to 60", m.f.Batches, d.steps))
	}
	bits := m.f.Modulus.BitLen()
	if need := spec.StepBound(bits); m.f.Steps() < need {
		panic(fmt.Sprintf("%d divsteps, expected at least %d for a modulus of %d bits", m.f.Steps(), need, bits))
	}
	n := wordsFor(bits)
	d.f, d.g = m.NewFrame("f", n), m.NewFrame("g", n)
	n = m.f.Limbs
	if m.f.Form == spec.Montgomery {
		n = wordsFor(bits + 1) // for 16p/15
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

// finishWeak returns u with the sign of f, canonical.
func (d *divsteps) finishWeak() []*limb.Word {
	u := d.LoadAll(d.u)
	minus := d.weakSub(d.zeros(len(u)), u)
	f := d.Negative(d.Load(d.f, d.f.Limbs-1))
	return d.canon(d.choose(minus, u, f))
}

// finishMont returns u or p - u, by the sign of f, canonical. Both are between
// -p/15 and 16p/15: p is added once or taken off once.
func (d *divsteps) finishMont() []*limb.Word {
	u := d.LoadAll(d.u)
	p := append(d.consts(d.field.Modulus), d.zeros(len(u)-d.field.Limbs)...)
	minus := d.minus(p, u)
	f := d.Negative(d.Load(d.f, d.f.Limbs-1))
	u = d.choose(minus, u, f)
	mask := d.Sar(u[len(u)-1], 63)
	q := make([]*limb.Word, len(p))
	for i, w := range p {
		q[i] = d.And(w, mask)
	}
	u = d.plus(u, q)
	var top *limb.Word
	if len(u) > d.field.Limbs {
		top = u[d.field.Limbs]
	}
	return d.subtractOnce(u[:d.field.Limbs], top)
}
