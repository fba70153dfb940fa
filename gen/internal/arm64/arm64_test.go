package arm64

import (
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// lower records a routine with the given body and lowers it.
func lower(t *testing.T, body func(m *limb.Machine)) (string, error) {
	t.Helper()
	r, err := spec.Fields()[0].Routine(spec.KindAdd)
	if err != nil {
		t.Fatal(err)
	}
	m := limb.New(r, Baseline.Features)
	body(m)
	return Func(m.Program(), "f", []string{"a test"})
}

// TestRefuses plants algorithms that read a flag that is not there any more, or
// a word that is not.
func TestRefuses(t *testing.T) {
	type words = []*limb.Word
	in := func(m *limb.Machine) (x, y words) { return m.LoadAll(m.Param("x")), m.LoadAll(m.Param("y")) }
	for _, c := range []struct {
		name, expect string
		body         func(m *limb.Machine)
	}{
		{"carry, then And and MUL", "", func(m *limb.Machine) {
			x, y := in(m)
			s, f := m.Add(x[0], y[0], nil)
			h, l := m.Mul(m.And(x[1], y[1]), s)
			s, _ = m.Add(h, l, f)
			m.Store(m.Param("z"), 0, s)
		}},
		{"two chains at once", "flag", func(m *limb.Machine) {
			x, y := in(m)
			s, f := m.Add(x[0], y[0], nil)
			u, g := m.Add(x[1], y[1], nil)
			s, _ = m.Add(s, x[2], f)
			u, _ = m.Add(u, x[3], g)
			m.Store(m.Param("z"), 0, m.Sum(s, u))
		}},
		{"a borrow in an addition", "flag", func(m *limb.Machine) {
			x, y := in(m)
			_, f := m.Sub(x[0], y[0], nil)
			s, _ := m.Add(x[1], y[1], f)
			m.Store(m.Param("z"), 0, s)
		}},
		{"condition, then comparison", "flag", func(m *limb.Machine) {
			x, y := in(m)
			f := m.Bit(x[0], 3)
			g := m.NonZero(x[1])
			m.Store(m.Param("z"), 0, m.Select(f, m.Select(g, x[1], x[2]), y[0]))
		}},
		{"word across the edge of a loop", "loop", func(m *limb.Machine) {
			x, y := in(m)
			s, _ := m.Add(x[0], y[0], nil)
			m.Loop(3, func() { m.Store(m.Param("z"), 0, s) })
		}},
		{"a loop inside a loop", "loop", func(m *limb.Machine) {
			m.Loop(3, func() { m.Loop(3, func() { m.Store(m.Param("z"), 0, m.Const(1)) }) })
		}},
	} {
		_, err := lower(t, c.body)
		if (err != nil) != (c.expect != "") || err != nil && !strings.Contains(err.Error(), c.expect) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.expect)
		}
	}
}

// TestRegisters checks that a routine with more live words than registers uses
// all that it may and none that it may not, and keeps nothing at 0(RSP).
func TestRegisters(t *testing.T) {
	text, err := lower(t, func(m *limb.Machine) {
		x := m.LoadAll(m.Param("x"))
		var all []*limb.Word
		for i := range 40 {
			all = append(all, m.MulLo(x[i%4], x[i/10]))
		}
		sum := m.Const(0)
		for _, w := range all {
			sum, _ = m.Add(sum, w, nil)
		}
		m.Store(m.Param("z"), 0, sum)
	})
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,()\n", r) }) {
		used[w] = true
	}
	for _, r := range allocatable(false) {
		if !used[r] {
			t.Errorf("%s is not used", r)
		}
	}
	for _, r := range []string{"R18", "R27", "R28", "R29", "R30", "g"} {
		if used[r] {
			t.Errorf("%s is used", r)
		}
	}
	if strings.Contains(text, " (RSP)") || strings.Contains(text, " 0(RSP)") || !strings.Contains(text, " 8(RSP)") {
		t.Errorf("expected words saved from 8(RSP) on:\n%s", text)
	}
}

// TestBitmask compares the test for logical immediates with the list of all of
// them: every run of ones in every element, rotated and repeated.
func TestBitmask(t *testing.T) {
	all := map[uint64]bool{}
	for size := 2; size <= 64; size *= 2 {
		for ones := 1; ones < size; ones++ {
			for turn := range size {
				e := uint64(1)<<ones - 1
				e = e<<turn | e>>(size-turn)
				if size < 64 {
					e &= 1<<size - 1
				}
				var k uint64
				for at := 0; at < 64; at += size {
					k |= e << at
				}
				all[k] = true
			}
		}
	}
	if len(all) != 5334 { // Arm ARM, DecodeBitMasks
		t.Fatalf("got %d immediates, want 5334", len(all))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	near := []uint64{0, 1<<64 - 1}
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if !bitmask(k) {
			t.Errorf("%#x is an immediate", k)
		}
		near = append(near, k^1<<rng.IntN(64), k^1<<rng.IntN(64)^1<<rng.IntN(64), bits.ReverseBytes64(k), rng.Uint64())
	}
	for _, k := range near {
		if bitmask(k) != all[k] {
			t.Errorf("%#x: got %t, want %t", k, bitmask(k), all[k])
		}
	}
}

// TestLoadBeforeStore checks that a word is read before a store that could
// overwrite it.
func TestLoadBeforeStore(t *testing.T) {
	text, err := lower(t, func(m *limb.Machine) {
		x := m.Load(m.Param("x"), 0)
		m.Store(m.Param("z"), 0, m.Const(0))
		m.Store(m.Param("z"), 1, x)
	})
	if err != nil {
		t.Fatal(err)
	}
	load, store := strings.Index(text, "MOVD (R"), strings.Index(text, "P (ZR")
	if load < 0 || store < load {
		t.Errorf("expected x[0] to be read before z is written:\n%s", text)
	}
}

// TestPairsOfStores checks that two stores become one only if nothing of the second
// is lost and no word that was loaded between them is read after both.
func TestPairsOfStores(t *testing.T) {
	for _, c := range []struct {
		name string
		want []string // in that order
		body func(m *limb.Machine, x []*limb.Word)
	}{
		{"two words", []string{"STP (R"}, func(m *limb.Machine, x []*limb.Word) {
			m.Store(m.Param("z"), 0, x[0])
			m.Store(m.Param("z"), 1, x[1])
		}},
		{"the second cell twice", []string{"STP (R", "MOVD R"}, func(m *limb.Machine, x []*limb.Word) {
			m.Store(m.Param("z"), 0, x[0])
			m.Store(m.Param("z"), 1, x[1])
			m.Store(m.Param("z"), 1, x[2])
		}},
		{"a load in between", []string{"MOVD ZR, (R", "MOVD 8(R", "MOVD ZR, 8(R", "MOVD R"}, func(m *limb.Machine, x []*limb.Word) {
			m.Store(m.Param("z"), 0, m.Const(0))
			y := m.Load(m.Param("y"), 1)
			m.Store(m.Param("z"), 1, m.Const(0))
			m.Store(m.Param("z"), 2, y)
		}},
	} {
		text, err := lower(t, func(m *limb.Machine) { c.body(m, m.LoadAll(m.Param("x"))) })
		if err != nil {
			t.Fatal(err)
		}
		rest := text
		for _, w := range c.want {
			_, after, ok := strings.Cut(rest, w)
			if !ok {
				t.Errorf("%s: expected %q in this order:\n%s", c.name, c.want, text)
				break
			}
			rest = after
		}
	}
}
