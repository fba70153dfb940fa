package edwards

import "github.com/seed-6f9cd256/fieldproof/field25519"

// The routines on these types are generated, in files that begin with formulas_.
// None has exceptional cases: the addition laws are complete, because a = -1 is a
// square modulo p and d is not.

// element is a coordinate.
type element = field25519.Element

// extended is the point with x = X/Z, y = Y/Z and T = XY/Z (Hisil, Wong, Carter,
// Dawson, "Twisted Edwards Curves Revisited", Asiacrypt 2008, section 3).
type extended struct {
	projective
	T field25519.Element
}

// projective is the point with x = X/Z and y = Y/Z.
type projective struct {
	X, Y, Z field25519.Element
}

// cached is an extended point as the second operand of an addition.
type cached struct {
	YplusX, YminusX field25519.Element // Y + X and Y - X
	Z2, T2d         field25519.Element // 2·Z and 2·d·T
}

// affineCached is a point with Z = 1 as the second operand of an addition.
type affineCached struct {
	YplusX, YminusX field25519.Element // y + x and y - x
	XY2d            field25519.Element // 2·d·x·y
}

// ladder is the state of the Montgomery ladder: two points of the Montgomery
// curve by their coordinates u = X/Z.
type ladder struct {
	X2, Z2, X3, Z3 field25519.Element
}

// swap exchanges the two points if swap is 1.
func (s *ladder) swap(swap uint64) {
	s.X2.Swap(&s.X3, int(swap))
	s.Z2.Swap(&s.Z3, int(swap))
}
