// Package nist is the group of P-256: points of the curve y² = x³ - 3x + b over
// fieldp256.Element (NIST SP 800-186, section 3.2.1.3), and their multiples.
//
// A [Point] is never the point at infinity; functions whose result may be that
// say so. Scalar multiplication is constant-time but for the functions whose
// names end in VarTime, which are for public values.
//
// The formulas for sums are incomplete: they are wrong where the summands are
// equal. Each function says why that does not happen, or what it does then.
package nist
