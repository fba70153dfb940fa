// Package wei25519 is Curve25519 in short Weierstrass form, and the way there and
// back: for devices and protocols that have code, or formats, for curves such as
// P-256 only, and must interoperate with X25519 and Ed25519.
//
// # The curve
//
// Wei25519 is y² = x³ + ax + b modulo p = 2^255 - 19. It has 8·n points, where n is
// the prime order of the subgroup that the base point generates. Curve25519, v² =
// u³ + Au² + u with A = 486662, becomes it by x = u + A/3, y = v, so that
// a = (3 - A²)/3 and b = (2A³ - 9A)/27. Source:
// draft-ietf-lwig-curve-representations, "Alternative Elliptic Curve
// Representations", which calls this curve Wei25519.
//
// # Encoding
//
// On the Weierstrass side, integers are big-endian, of 32 bytes, and points are
// encoded as in SEC 1 (version 2.0, section 2.3.3): 65 bytes, or 33 if compressed,
// or one byte for infinity. On the Montgomery side they are as in RFC 7748:
// little-endian, of 32 bytes. Setters that refuse their input return nil and an
// error and leave the receiver as it was.
//
// Points may have any order: the curve has a point of order 2, and others of
// orders up to 8, besides those of order n and more. The methods are right for all
// of them, also for equal and opposite points and for infinity.
//
// # Constant time
//
// The time of methods does not depend on coordinates or scalars. What does show:
// lengths of slices, the form of an encoding, and whether it, or a result, is
// refused. The promise is that of package field25519. Receivers and arguments may
// be the same pointer.
//
// # Who should use something else
//
// Programs that are free to choose want curves/x25519 and curves/ed25519, which are
// many times faster. Nothing here is proved but the assembly of the field
// arithmetic; the rest is tested, against the Montgomery ladder and math/big.
package wei25519
