package amd64

import (
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// lower records a routine with the given body and lowers it.
func lower(t *testing.T, set Set, body func(m *limb.Machine)) error {
	t.Helper()
	r, err := spec.Fields()[0].Routine(spec.KindAdd)
	if err != nil {
		t.Fatal(err)
	}
	m := limb.New(r, set.Features)
	body(m)
	return Add(build.NewContext(), m.Program(), set, "f", []string{"a test"})
}

// TestRefusesLostFlags plants algorithms that read a carry after another
// instruction took its place. (Such faults in other libraries:
// guanzhi/GmSSL#858, cloudflare/circl#669 and #659.)
func TestRefusesLostFlags(t *testing.T) {
	type words = []*limb.Word
	in := func(m *limb.Machine) (x, y words) { return m.LoadAll(m.Param("x")), m.LoadAll(m.Param("y")) }
	for _, c := range []struct {
		name string
		set  Set
		lost bool
		body func(m *limb.Machine)
	}{
		{"carry, then And", ADX, true, func(m *limb.Machine) {
			x, y := in(m)
			s, f := m.Add(x[0], y[0], nil)
			a := m.And(x[1], y[1])
			s1, _ := m.Add(a, s, f)
			m.Store(m.Param("z"), 0, s1)
		}},
		{"carry, then MULQ", Baseline, true, func(m *limb.Machine) {
			x, y := in(m)
			s, f := m.Add(x[0], y[0], nil)
			h, l := m.Mul(x[1], y[1])
			s1, _ := m.Add(h, l, f)
			m.Store(m.Param("z"), 0, m.Sum(s, s1))
		}},
		{"carry, then MULX", ADX, false, func(m *limb.Machine) {
			x, y := in(m)
			s, f := m.Add(x[0], y[0], nil)
			h, l := m.Mul(x[1], y[1])
			s1, _ := m.Add(h, l, f)
			m.Store(m.Param("z"), 0, m.Sum(s, s1))
		}},
		{"second carry from before an addition that writes OF", ADX, true, func(m *limb.Machine) {
			x, y := in(m)
			_, d := m.Clear()
			s, _ := m.Add(x[0], y[0], nil)
			s1, _ := m.Add(s, y[1], d)
			m.Store(m.Param("z"), 0, s1)
		}},
		{"two chains", ADX, false, func(m *limb.Machine) {
			x, y := in(m)
			c, d := m.Clear()
			s, c := m.Add(x[0], y[0], c)
			u, d := m.Add(x[1], y[1], d)
			s, _ = m.Add(s, x[2], c)
			u, _ = m.Add(u, x[3], d)
			m.Store(m.Param("z"), 0, m.Sum(s, u))
		}},
		{"condition, then subtraction", Baseline, true, func(m *limb.Machine) {
			x, y := in(m)
			f := m.Bit(x[0], 3)
			s, _ := m.Sub(x[1], y[1], nil)
			m.Store(m.Param("z"), 0, m.Select(f, s, y[0]))
		}},
		{"word across the edge of a loop", Baseline, true, func(m *limb.Machine) {
			x, y := in(m)
			s, _ := m.Add(x[0], y[0], nil)
			m.Loop(3, func() { m.Store(m.Param("z"), 0, s) })
		}},
	} {
		err := lower(t, c.set, c.body)
		if lost := err != nil; lost != c.lost {
			t.Errorf("%s on %s: got error %v, want an error: %v", c.name, c.set.Name, err, c.lost)
		}
		if err != nil && !strings.Contains(err.Error(), "flag") && !strings.Contains(err.Error(), "loop") {
			t.Errorf("%s on %s: error %q names neither a flag nor a loop", c.name, c.set.Name, err)
		}
	}
}

// TestRefusesLoadAfterStore plants an algorithm that is wrong when the result
// aliases an operand.
func TestRefusesLoadAfterStore(t *testing.T) {
	defer func() {
		if r := recover(); r == nil {
			t.Error("a load after a store to the same index was accepted")
		}
	}()
	lower(t, Baseline, func(m *limb.Machine) {
		m.Store(m.Param("z"), 1, m.Load(m.Param("x"), 0))
		m.Store(m.Param("z"), 0, m.Load(m.Param("x"), 1))
	})
}

// TestFactorsStayInMemory counts the loads of products: MULX reads a word that is
// a first factor and nothing else where it stands; one that is a summand too is
// loaded once.
func TestFactorsStayInMemory(t *testing.T) {
	for _, summand := range []bool{false, true} {
		r, err := spec.Fields()[0].Routine(spec.KindAdd)
		if err != nil {
			t.Fatal(err)
		}
		m := limb.New(r, ADX.Features)
		x, y := m.LoadAll(m.Param("x")), m.LoadAll(m.Param("y"))
		z := m.Const(0)
		for _, w := range y[:2] {
			for _, v := range x {
				hi, lo := m.Mul(v, w)
				z = m.Sum(m.Sum(hi, lo), z)
			}
		}
		want := 2 // y[0] and y[1]
		if summand {
			z = m.Sum(m.Sum(x[0], x[1]), z)
			want += 2
		}
		m.Store(m.Param("z"), 0, z)
		ctx := build.NewContext()
		if err := Add(ctx, m.Program(), ADX, "f", nil); err != nil {
			t.Fatal(err)
		}
		f, err := ctx.Result()
		if err != nil {
			t.Fatal(err)
		}
		loads := 0
		for _, i := range f.Functions()[0].Instructions() {
			if len(i.Operands) == 0 || i.Opcode != "MOVQ" {
				continue
			}
			if from, ok := i.Operands[0].(operand.Mem); ok && from.Base != reg.FramePointer {
				loads++
			}
		}
		if loads != want {
			t.Errorf("x added as well: %v: %d words loaded, expected %d", summand, loads, want)
		}
	}
}
