package field25519_test

import (
	"encoding/hex"
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/field25519"
)

// x25519 is the function X25519 of RFC 7748, section 5: it multiplies the point
// with coordinate u by the scalar k, with the Montgomery ladder. Its time does
// not depend on either.
func x25519(k, u [32]byte) [32]byte {
	// decodeScalar25519 of RFC 7748.
	k[0] &= 248
	k[31] &= 127
	k[31] |= 64

	// The points (x2 : z2) and (x3 : z3) differ by the point with coordinate
	// x1. They start as the neutral element and that point.
	var x1, x2, z2, x3, z3 field25519.Element
	if _, err := x1.SetBytes(u[:]); err != nil {
		panic(err) // u has 32 bytes
	}
	x2.One()
	x3.Set(&x1)
	z3.One()

	var a, aa, b, bb, c, d, e, da, cb field25519.Element
	swap := 0
	for t := 254; t >= 0; t-- {
		bit := int(k[t/8]>>(t%8)) & 1
		swap ^= bit
		x2.Swap(&x3, swap)
		z2.Swap(&z3, swap)
		swap = bit

		a.Add(&x2, &z2)
		aa.Square(&a)
		b.Subtract(&x2, &z2)
		bb.Square(&b)
		e.Subtract(&aa, &bb)
		c.Add(&x3, &z3)
		d.Subtract(&x3, &z3)
		da.Multiply(&d, &a)
		cb.Multiply(&c, &b)

		x3.Add(&da, &cb)
		x3.Square(&x3)
		z3.Subtract(&da, &cb)
		z3.Square(&z3)
		z3.Multiply(&z3, &x1)
		x2.Multiply(&aa, &bb)
		z2.Mult32(&e, 121665) // (486662 - 2) / 4
		z2.Add(&z2, &aa)
		z2.Multiply(&z2, &e)
	}
	x2.Swap(&x3, swap)
	z2.Swap(&z3, swap)

	// The neutral element has z2 = 0, and 1/0 = 0 makes its coordinate 0.
	z2.Invert(&z2)
	x2.Multiply(&x2, &z2)
	return [32]byte(x2.Bytes())
}

func fromHex(s string) [32]byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return [32]byte(b)
}

// X25519 with a plain Montgomery ladder, on the vectors of RFC 7748.
func Example_x25519() {
	// Section 5.2, the first two vectors.
	fmt.Printf("%x\n", x25519(
		fromHex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"),
		fromHex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")))
	fmt.Printf("%x\n", x25519(
		fromHex("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d"),
		fromHex("e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493")))

	// Section 6.1: Alice and Bob agree on a secret.
	base := [32]byte{9}
	alice := fromHex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
	bob := fromHex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
	alicePublic, bobPublic := x25519(alice, base), x25519(bob, base)
	fmt.Printf("Alice sends %x\n", alicePublic)
	fmt.Printf("Bob sends   %x\n", bobPublic)
	fmt.Printf("Alice knows %x\n", x25519(alice, bobPublic))
	fmt.Printf("Bob knows   %x\n", x25519(bob, alicePublic))

	// Output:
	// c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552
	// 95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957
	// Alice sends 8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a
	// Bob sends   de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f
	// Alice knows 4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742
	// Bob knows   4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742
}

// A batch of inverses for the price of one; zeros stay zero.
func ExampleInvertBatch() {
	var one field25519.Element
	one.One()
	v := make([]field25519.Element, 3)
	v[0].Mult32(&one, 3)
	v[2].Mult32(&one, 5)
	field25519.InvertBatch(v)

	for i, k := range []uint32{3, 0, 5} {
		v[i].Mult32(&v[i], k)
		fmt.Print(v[i].Equal(&one), v[i].IsZero(), " ")
	}
	// Output: 1 0 0 1 1 0
}
