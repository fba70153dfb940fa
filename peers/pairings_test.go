package peers

import (
	"math/big"
	"testing"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
	"github.com/consensys/gnark-crypto/ecc/secp256r1/fp"
	"github.com/consensys/gnark-crypto/ecc/secp256r1/fr"

	"github.com/seed-6f9cd256/fieldproof/field25519"
	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

func TestElement25519(t *testing.T) {
	type O = field25519.Element
	type P = field.Element
	pairing[O, P]{
		modulus: modulus("p25519"),
		encode:  littleEndian,
		ours: side[O]{
			set:   func(z *O, b []byte) error { _, err := z.SetBytes(b); return err },
			bytes: (*O).Bytes,
		},
		peer: side[P]{
			set:   func(z *P, b []byte) error { _, err := z.SetBytes(b); return err },
			bytes: (*P).Bytes,
		},
		ops: []pairedOp[O, P]{
			nullary("Zero", (*O).Zero, (*P).Zero),
			nullary("One", (*O).One, (*P).One),
			unary("Set", (*O).Set, (*P).Set),
			binary("Add", (*O).Add, (*P).Add),
			binary("Subtract", (*O).Subtract, (*P).Subtract),
			unary("Negate", (*O).Negate, (*P).Negate),
			unary("Double", (*O).Double, func(z, x *P) *P { return z.Add(x, x) }),
			binary("Multiply", (*O).Multiply, (*P).Multiply),
			unary("Square", (*O).Square, (*P).Square),
			scaled("Mult32", (*O).Mult32, (*P).Mult32),
			unary("Invert", (*O).Invert, (*P).Invert),
			unary("Pow22523", (*O).Pow22523, (*P).Pow22523),
			unary("Absolute", (*O).Absolute, (*P).Absolute),
			asking("IsNegative", (*O).IsNegative, (*P).IsNegative),
			asking("IsZero", (*O).IsZero, func(z *P) int { return z.Equal(new(P)) }),
			comparing("Equal", (*O).Equal, (*P).Equal),
			selecting("Select", (*O).Select, (*P).Select),
			swapping("Swap", (*O).Swap, (*P).Swap),
			{"SqrtRatio",
				func(z, x, y *O, k uint32) int { _, ok := z.SqrtRatio(x, y); return ok },
				func(z, x, y *P, k uint32) int { _, ok := z.SqrtRatio(x, y); return ok }},
			{"Sqrt",
				func(z, x, y *O, k uint32) int { _, ok := z.Sqrt(x); return ok },
				func(z, x, y *P, k uint32) int { _, ok := z.SqrtRatio(x, new(P).One()); return ok }},
		},
	}.check(t)
}

func TestScalar25519(t *testing.T) {
	type O = field25519.Scalar
	type P = edwards25519.Scalar
	peerSmall := func(k uint32) *P {
		return must(new(P).SetCanonicalBytes(littleEndian(big.NewInt(int64(k)))))
	}
	pairing[O, P]{
		modulus: modulus("n25519"),
		encode:  littleEndian,
		ours: side[O]{
			set:   func(z *O, b []byte) error { _, err := z.SetBytes(b); return err },
			bytes: (*O).Bytes,
		},
		peer: side[P]{
			set:   func(z *P, b []byte) error { _, err := z.SetCanonicalBytes(b); return err },
			bytes: (*P).Bytes,
		},
		ops: []pairedOp[O, P]{
			nullary("Zero", (*O).Zero, func(z *P) *P { return z.Set(peerSmall(0)) }),
			nullary("One", (*O).One, func(z *P) *P { return z.Set(peerSmall(1)) }),
			unary("Set", (*O).Set, (*P).Set),
			binary("Add", (*O).Add, (*P).Add),
			binary("Subtract", (*O).Subtract, (*P).Subtract),
			unary("Negate", (*O).Negate, (*P).Negate),
			unary("Double", (*O).Double, func(z, x *P) *P { return z.Add(x, x) }),
			binary("Multiply", (*O).Multiply, (*P).Multiply),
			ternary("MultiplyAdd", (*O).MultiplyAdd, (*P).MultiplyAdd),
			unary("Square", (*O).Square, func(z, x *P) *P { return z.Multiply(x, x) }),
			scaled("Mult32", (*O).Mult32, func(z, x *P, k uint32) *P { return z.Multiply(x, peerSmall(k)) }),
			unary("Invert", (*O).Invert, (*P).Invert),
			asking("IsZero", (*O).IsZero, func(z *P) int { return z.Equal(new(P)) }),
			comparing("Equal", (*O).Equal, (*P).Equal),
		},
	}.check(t)
}

func TestElementP256(t *testing.T) {
	type O = fieldp256.Element
	type P = fp.Element
	pairing[O, P]{
		modulus: modulus("p256"),
		encode:  bigEndian,
		ours: side[O]{
			set:   func(z *O, b []byte) error { _, err := z.SetBytes(b); return err },
			bytes: (*O).Bytes,
		},
		peer: side[P]{
			set:   (*P).SetBytesCanonical,
			bytes: (*P).Marshal,
		},
		ops: []pairedOp[O, P]{
			nullary("Zero", (*O).Zero, (*P).SetZero),
			nullary("One", (*O).One, (*P).SetOne),
			unary("Set", (*O).Set, (*P).Set),
			binary("Add", (*O).Add, (*P).Add),
			binary("Subtract", (*O).Subtract, (*P).Sub),
			unary("Negate", (*O).Negate, (*P).Neg),
			unary("Double", (*O).Double, (*P).Double),
			binary("Multiply", (*O).Multiply, (*P).Mul),
			unary("Square", (*O).Square, (*P).Square),
			scaled("Mult32", (*O).Mult32, func(z, x *P, k uint32) *P { f := fp.NewElement(uint64(k)); return z.Mul(x, &f) }),
			unary("Invert", (*O).Invert, (*P).Inverse),
			asking("IsZero", (*O).IsZero, func(z *P) int { return bit(z.IsZero()) }),
			comparing("Equal", (*O).Equal, func(z, x *P) int { return bit(z.Equal(x)) }),
			selecting("Select", (*O).Select, func(z, x, y *P, cond int) *P { return z.Select(cond, y, x) }),
			swapping("Swap", (*O).Swap, func(z, x *P, cond int) {
				if cond == 1 {
					*z, *x = *x, *z
				}
			}),
			{"Sqrt",
				func(z, x, y *O, k uint32) int { _, ok := z.Sqrt(x); return ok },
				func(z, x, y *P, k uint32) int { return peerSqrtRatio(z, x, new(P).SetOne()) }},
			{"SqrtRatio",
				func(z, x, y *O, k uint32) int { _, ok := z.SqrtRatio(x, y); return ok },
				func(z, x, y *P, k uint32) int { return peerSqrtRatio(z, x, y) }},
		},
	}.check(t)
}

// peerSqrtRatio does with gnark-crypto what fieldp256.Element.SqrtRatio
// promises: the even root of u/v or, where there is none, of -u/v. It returns
// 1 if u/v is a square, and 0 for the quotient of u ≠ 0 by v = 0.
func peerSqrtRatio(z, u, v *fp.Element) int {
	wasSquare := bit(u.IsZero() || !v.IsZero())
	q := new(fp.Element).Inverse(v)
	q.Mul(q, u)
	if z.Sqrt(q) == nil {
		wasSquare = 0
		z.Sqrt(q.Neg(q))
	}
	if z.Bits()[0]&1 == 1 {
		z.Neg(z)
	}
	return wasSquare
}

func TestScalarP256(t *testing.T) {
	type O = fieldp256.Scalar
	type P = fr.Element
	pairing[O, P]{
		modulus: modulus("n256"),
		encode:  bigEndian,
		ours: side[O]{
			set:   func(z *O, b []byte) error { _, err := z.SetBytes(b); return err },
			bytes: (*O).Bytes,
		},
		peer: side[P]{
			set:   (*P).SetBytesCanonical,
			bytes: (*P).Marshal,
		},
		ops: []pairedOp[O, P]{
			nullary("Zero", (*O).Zero, (*P).SetZero),
			nullary("One", (*O).One, (*P).SetOne),
			unary("Set", (*O).Set, (*P).Set),
			binary("Add", (*O).Add, (*P).Add),
			binary("Subtract", (*O).Subtract, (*P).Sub),
			unary("Negate", (*O).Negate, (*P).Neg),
			unary("Double", (*O).Double, (*P).Double),
			binary("Multiply", (*O).Multiply, (*P).Mul),
			ternary("MultiplyAdd", (*O).MultiplyAdd, func(z, x, y, w *P) *P {
				product := new(P).Mul(x, y)
				return z.Add(product, w)
			}),
			unary("Square", (*O).Square, (*P).Square),
			scaled("Mult32", (*O).Mult32, func(z, x *P, k uint32) *P { f := fr.NewElement(uint64(k)); return z.Mul(x, &f) }),
			unary("Invert", (*O).Invert, (*P).Inverse),
			asking("IsZero", (*O).IsZero, func(z *P) int { return bit(z.IsZero()) }),
			comparing("Equal", (*O).Equal, func(z, x *P) int { return bit(z.Equal(x)) }),
			selecting("Select", (*O).Select, func(z, x, y *P, cond int) *P { return z.Select(cond, y, x) }),
			swapping("Swap", (*O).Swap, func(z, x *P, cond int) {
				if cond == 1 {
					*z, *x = *x, *z
				}
			}),
		},
	}.check(t)
}

// bit returns 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
