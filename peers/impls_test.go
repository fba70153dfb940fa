package peers

import (
	"math/big"
	"slices"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
	"github.com/cloudflare/circl/math/fp25519"
	"github.com/consensys/gnark-crypto/ecc/secp256r1/fp"
	"github.com/consensys/gnark-crypto/ecc/secp256r1/fr"

	"github.com/seed-6f9cd256/fieldproof/field25519"
	"github.com/seed-6f9cd256/fieldproof/fieldp256"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// modulus returns the modulus of the field that the specification calls name.
func modulus(name string) *big.Int {
	f, err := spec.Lookup(name)
	if err != nil {
		panic(err)
	}
	return f.Modulus
}

// suites is the table of all that is compared. A new peer is one more element
// of impls; a new operation is one more line of each implementation that has
// it, and its definition in operations.
var suites = []suite{
	{"Field25519", modulus("p25519"), []impl{ours25519(), filippoField(), circlField(), bigImpl(modulus("p25519"))}},
	{"Scalar25519", modulus("n25519"), []impl{oursScalar25519(), filippoScalar(), bigImpl(modulus("n25519"))}},
	{"FieldP256", modulus("p256"), []impl{oursP256(), gnarkField(), bigImpl(modulus("p256"))}},
	{"ScalarP256", modulus("n256"), []impl{oursScalarP256(), gnarkScalar(), bigImpl(modulus("n256"))}},
}

// must returns what a setter returned for an encoding that is known to be valid.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// bigEndian and littleEndian return v in 32 bytes.
func bigEndian(v *big.Int) []byte { return v.FillBytes(make([]byte, 32)) }

func littleEndian(v *big.Int) []byte {
	b := bigEndian(v)
	slices.Reverse(b)
	return b
}

func fromLittleEndian(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

func ours25519() impl {
	type T = field25519.Element
	type C = chains[T]
	return newImpl("ours", codec[T]{
		func(z *T, v *big.Int) { must(z.SetBytes(littleEndian(v))) },
		func(z *T) *big.Int { return fromLittleEndian(z.Bytes()) },
	}, map[string]body[T]{
		"Add":       func(c *C) { c.each(func(z, y *T) { z.Add(z, y) }) },
		"Subtract":  func(c *C) { c.each(func(z, y *T) { z.Subtract(z, y) }) },
		"Multiply":  func(c *C) { c.each(func(z, y *T) { z.Multiply(z, y) }) },
		"Square":    func(c *C) { c.each(func(z, y *T) { z.Square(z) }) },
		"Mult32":    func(c *C) { c.each(func(z, y *T) { z.Mult32(z, small) }) },
		"Invert":    func(c *C) { c.each(func(z, y *T) { z.Add(z.Invert(z), y) }) },
		"Pow22523":  func(c *C) { c.each(func(z, y *T) { z.Pow22523(z) }) },
		"SqrtRatio": func(c *C) { c.each(func(z, y *T) { z.SqrtRatio(z, y); z.Add(z, y) }) },
	})
}

func filippoField() impl {
	type T = field.Element
	type C = chains[T]
	return newImpl("filippo", codec[T]{
		func(z *T, v *big.Int) { must(z.SetBytes(littleEndian(v))) },
		func(z *T) *big.Int { return fromLittleEndian(z.Bytes()) },
	}, map[string]body[T]{
		"Add":       func(c *C) { c.each(func(z, y *T) { z.Add(z, y) }) },
		"Subtract":  func(c *C) { c.each(func(z, y *T) { z.Subtract(z, y) }) },
		"Multiply":  func(c *C) { c.each(func(z, y *T) { z.Multiply(z, y) }) },
		"Square":    func(c *C) { c.each(func(z, y *T) { z.Square(z) }) },
		"Mult32":    func(c *C) { c.each(func(z, y *T) { z.Mult32(z, small) }) },
		"Invert":    func(c *C) { c.each(func(z, y *T) { z.Add(z.Invert(z), y) }) },
		"Pow22523":  func(c *C) { c.each(func(z, y *T) { z.Pow22523(z) }) },
		"SqrtRatio": func(c *C) { c.each(func(z, y *T) { z.SqrtRatio(z, y); z.Add(z, y) }) },
	})
}

func circlField() impl {
	type T = fp25519.Elt
	type C = chains[T]
	return newImpl("circl", codec[T]{
		func(z *T, v *big.Int) { copy(z[:], littleEndian(v)) },
		func(z *T) *big.Int { r := *z; fp25519.Modp(&r); return fromLittleEndian(r[:]) },
	}, map[string]body[T]{
		"Add":      func(c *C) { c.each(func(z, y *T) { fp25519.Add(z, z, y) }) },
		"Subtract": func(c *C) { c.each(func(z, y *T) { fp25519.Sub(z, z, y) }) },
		"Multiply": func(c *C) { c.each(func(z, y *T) { fp25519.Mul(z, z, y) }) },
		"Square":   func(c *C) { c.each(func(z, y *T) { fp25519.Sqr(z, z) }) },
		"Invert":   func(c *C) { c.each(func(z, y *T) { fp25519.Inv(z, z); fp25519.Add(z, z, y) }) },
		"SqrtRatio": func(c *C) {
			x := new(T) // InvSqrt reads its argument after it has written its result
			c.each(func(z, y *T) {
				*x = *z
				fp25519.InvSqrt(z, x, y)
				fp25519.Add(z, z, y)
			})
		},
	})
}

func oursScalar25519() impl {
	type T = field25519.Scalar
	type C = chains[T]
	return newImpl("ours", codec[T]{
		func(z *T, v *big.Int) { must(z.SetBytes(littleEndian(v))) },
		func(z *T) *big.Int { return fromLittleEndian(z.Bytes()) },
	}, map[string]body[T]{
		"Add":         func(c *C) { c.each(func(z, y *T) { z.Add(z, y) }) },
		"Subtract":    func(c *C) { c.each(func(z, y *T) { z.Subtract(z, y) }) },
		"Multiply":    func(c *C) { c.each(func(z, y *T) { z.Multiply(z, y) }) },
		"Square":      func(c *C) { c.each(func(z, y *T) { z.Square(z) }) },
		"MultiplyAdd": func(c *C) { c.each(func(z, y *T) { z.MultiplyAdd(z, y, y) }) },
		"Invert":      func(c *C) { c.each(func(z, y *T) { z.Add(z.Invert(z), y) }) },
	})
}

func filippoScalar() impl {
	type T = edwards25519.Scalar
	type C = chains[T]
	return newImpl("filippo", codec[T]{
		func(z *T, v *big.Int) { must(z.SetCanonicalBytes(littleEndian(v))) },
		func(z *T) *big.Int { return fromLittleEndian(z.Bytes()) },
	}, map[string]body[T]{
		"Add":         func(c *C) { c.each(func(z, y *T) { z.Add(z, y) }) },
		"Subtract":    func(c *C) { c.each(func(z, y *T) { z.Subtract(z, y) }) },
		"Multiply":    func(c *C) { c.each(func(z, y *T) { z.Multiply(z, y) }) },
		"Square":      func(c *C) { c.each(func(z, y *T) { z.Multiply(z, z) }) },
		"MultiplyAdd": func(c *C) { c.each(func(z, y *T) { z.MultiplyAdd(z, y, y) }) },
		"Invert":      func(c *C) { c.each(func(z, y *T) { z.Add(z.Invert(z), y) }) },
	})
}

func oursP256() impl {
	type T = fieldp256.Element
	type C = chains[T]
	return newImpl("ours", codec[T]{
		func(z *T, v *big.Int) { must(z.SetBytes(bigEndian(v))) },
		func(z *T) *big.Int { return new(big.Int).SetBytes(z.Bytes()) },
	}, map[string]body[T]{
		"Add":      func(c *C) { c.each(func(z, y *T) { z.Add(z, y) }) },
		"Subtract": func(c *C) { c.each(func(z, y *T) { z.Subtract(z, y) }) },
		"Multiply": func(c *C) { c.each(func(z, y *T) { z.Multiply(z, y) }) },
		"Square":   func(c *C) { c.each(func(z, y *T) { z.Square(z) }) },
		"Invert":   func(c *C) { c.each(func(z, y *T) { z.Add(z.Invert(z), y) }) },
		"Sqrt":     func(c *C) { c.each(func(z, y *T) { z.Sqrt(z); z.Add(z, y) }) },
	})
}

func gnarkField() impl {
	type T = fp.Element
	type C = chains[T]
	return newImpl("gnark", codec[T]{
		func(z *T, v *big.Int) { z.SetBigInt(v) },
		func(z *T) *big.Int { return z.BigInt(new(big.Int)) },
	}, map[string]body[T]{
		"Add":      func(c *C) { c.each(func(z, y *T) { z.Add(z, y) }) },
		"Subtract": func(c *C) { c.each(func(z, y *T) { z.Sub(z, y) }) },
		"Multiply": func(c *C) { c.each(func(z, y *T) { z.Mul(z, y) }) },
		"Square":   func(c *C) { c.each(func(z, y *T) { z.Square(z) }) },
		"Invert":   func(c *C) { c.each(func(z, y *T) { z.Add(z.Inverse(z), y) }) },
		"Sqrt":     func(c *C) { c.each(func(z, y *T) { z.Sqrt(z); z.Add(z, y) }) },
	})
}

func oursScalarP256() impl {
	type T = fieldp256.Scalar
	type C = chains[T]
	return newImpl("ours", codec[T]{
		func(z *T, v *big.Int) { must(z.SetBytes(bigEndian(v))) },
		func(z *T) *big.Int { return new(big.Int).SetBytes(z.Bytes()) },
	}, map[string]body[T]{
		"Add":         func(c *C) { c.each(func(z, y *T) { z.Add(z, y) }) },
		"Subtract":    func(c *C) { c.each(func(z, y *T) { z.Subtract(z, y) }) },
		"Multiply":    func(c *C) { c.each(func(z, y *T) { z.Multiply(z, y) }) },
		"Square":      func(c *C) { c.each(func(z, y *T) { z.Square(z) }) },
		"MultiplyAdd": func(c *C) { c.each(func(z, y *T) { z.MultiplyAdd(z, y, y) }) },
		"Invert":      func(c *C) { c.each(func(z, y *T) { z.Add(z.Invert(z), y) }) },
	})
}

func gnarkScalar() impl {
	type T = fr.Element
	type C = chains[T]
	return newImpl("gnark", codec[T]{
		func(z *T, v *big.Int) { z.SetBigInt(v) },
		func(z *T) *big.Int { return z.BigInt(new(big.Int)) },
	}, map[string]body[T]{
		"Add":         func(c *C) { c.each(func(z, y *T) { z.Add(z, y) }) },
		"Subtract":    func(c *C) { c.each(func(z, y *T) { z.Sub(z, y) }) },
		"Multiply":    func(c *C) { c.each(func(z, y *T) { z.Mul(z, y) }) },
		"Square":      func(c *C) { c.each(func(z, y *T) { z.Square(z) }) },
		"MultiplyAdd": func(c *C) { c.each(func(z, y *T) { z.Add(z.Mul(z, y), y) }) },
		"Invert":      func(c *C) { c.each(func(z, y *T) { z.Add(z.Inverse(z), y) }) },
	})
}

// bigImpl is math/big as an implementation of the field of p: not constant
// time, and what a Go program falls back to.
func bigImpl(p *big.Int) impl {
	type T = big.Int
	type C = chains[T]
	factor, exponent := big.NewInt(small), exponent22523(p)
	return newImpl("big", codec[T]{
		func(z *T, v *big.Int) { z.Set(v) },
		func(z *T) *big.Int { return new(big.Int).Set(z) },
	}, map[string]body[T]{
		"Add":         func(c *C) { c.each(func(z, y *T) { subtractIfNotBelow(z.Add(z, y), p) }) },
		"Subtract":    func(c *C) { c.each(func(z, y *T) { addIfNegative(z.Sub(z, y), p) }) },
		"Multiply":    func(c *C) { c.each(func(z, y *T) { z.Mul(z, y); z.Mod(z, p) }) },
		"Square":      func(c *C) { c.each(func(z, y *T) { z.Mul(z, z); z.Mod(z, p) }) },
		"Mult32":      func(c *C) { c.each(func(z, y *T) { z.Mul(z, factor); z.Mod(z, p) }) },
		"MultiplyAdd": func(c *C) { c.each(func(z, y *T) { z.Add(z.Mul(z, y), y); z.Mod(z, p) }) },
		"Invert":      func(c *C) { c.each(func(z, y *T) { subtractIfNotBelow(z.Add(z.ModInverse(z, p), y), p) }) },
		"Pow22523":    func(c *C) { c.each(func(z, y *T) { z.Exp(z, exponent, p) }) },
		"SqrtRatio": func(c *C) {
			inv := new(T)
			c.each(func(z, y *T) {
				z.Mul(z, inv.ModInverse(y, p))
				z.ModSqrt(z.Mod(z, p), p)
				subtractIfNotBelow(z.Add(z, y), p)
			})
		},
		"Sqrt": func(c *C) { c.each(func(z, y *T) { z.ModSqrt(z, p); subtractIfNotBelow(z.Add(z, y), p) }) },
	})
}

// subtractIfNotBelow and addIfNegative reduce the sum or difference of two
// residues, which is faster than Mod.
func subtractIfNotBelow(z, p *big.Int) {
	if z.Cmp(p) >= 0 {
		z.Sub(z, p)
	}
}

func addIfNegative(z, p *big.Int) {
	if z.Sign() < 0 {
		z.Add(z, p)
	}
}
