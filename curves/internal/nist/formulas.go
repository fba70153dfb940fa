package nist

import "github.com/seed-6f9cd256/fieldproof/fieldp256"

// The routines on these types are generated, in files that begin with formulas_.
//
// addAffine is for p that is neither infinity nor ±q. If p = -q, then its result is
// infinity. If p = q or p is infinity, then r.Z = 0, and r is wrong. (For minus = 1
// that is said of -q.)

// element is a coordinate.
type element = fieldp256.Element

// A jacobian is the point (X/Z², Y/Z³), or infinity if Z = 0.
type jacobian struct{ X, Y, Z element }

// An affine is the point (X, Y).
type affine struct{ X, Y element }

// A coZ is two points with a common Z: (PX/Z², PY/Z³) and (DX/Z², DY/Z³). Ratio is
// what the last sum multiplied Z by.
type coZ struct{ PX, PY, DX, DY, Z, Ratio element }
