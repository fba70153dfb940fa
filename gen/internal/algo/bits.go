package algo

import "github.com/seed-6f9cd256/fieldproof/gen/internal/limb"

// choose returns a where f is set and b elsewhere.
func (m machine) choose(a, b []*limb.Word, f *limb.Flag) []*limb.Word {
	z := make([]*limb.Word, len(a))
	for i := range z {
		z[i] = m.Select(f, a[i], b[i])
	}
	return z
}

// swap exchanges the contents of x and y where f is set.
func (m machine) swap(x, y *limb.Buf, f *limb.Flag) {
	for i := range x.Limbs {
		a, b := m.Load(x, i), m.Load(y, i)
		m.Store(x, i, m.Select(f, b, a))
		m.Store(y, i, m.Select(f, a, b))
	}
}

// isZero returns 1 where every word of x is 0 and 0 elsewhere.
func (m machine) isZero(x []*limb.Word) *limb.Word {
	w := x[0]
	for _, v := range x[1:] {
		w = m.Or(w, v)
	}
	return m.Select(m.NonZero(w), m.Const(0), m.Const(1))
}
