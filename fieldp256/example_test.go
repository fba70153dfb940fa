package fieldp256_test

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// A point is a point of P-256 in homogeneous coordinates: it is (x/z, y/z), or
// the point at infinity where z = 0.
type point struct{ x, y, z fieldp256.Element }

// Values of NIST SP 800-186, section 3.2.1.3: the coefficient b of the curve
// y² = x³ - 3x + b, and the base point.
var (
	curveB = element("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b")
	base   = [2]string{
		"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
		"4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
	}
)

// newPoint returns the point (x, y), or an error if it is not on the curve.
func newPoint(x, y []byte) (*point, error) {
	p := new(point)
	if _, err := p.x.SetBytes(x); err != nil {
		return nil, err
	}
	if _, err := p.y.SetBytes(y); err != nil {
		return nil, err
	}
	p.z.One()

	var left, right, t fieldp256.Element
	left.Square(&p.y)
	right.Square(&p.x)
	right.Multiply(&right, &p.x)
	t.Mult32(&p.x, 3)
	right.Subtract(&right, &t)
	right.Add(&right, curveB)
	if left.Equal(&right) == 0 {
		return nil, errors.New("expected a point on P-256")
	}
	return p, nil
}

// add sets p = q + r and returns p. The formulas hold for every pair of points,
// equal ones and infinity included.
//
// Source: J. Renes, C. Costello and L. Batina, "Complete addition formulas for
// prime order elliptic curves", EUROCRYPT 2016, algorithm 4 (for a = -3).
func (p *point) add(q, r *point) *point {
	var t0, t1, t2, t3, t4, x3, y3, z3 fieldp256.Element
	t0.Multiply(&q.x, &r.x)
	t1.Multiply(&q.y, &r.y)
	t2.Multiply(&q.z, &r.z)

	// t3 = q.x·r.y + q.y·r.x
	t3.Add(&q.x, &q.y)
	t4.Add(&r.x, &r.y)
	t3.Multiply(&t3, &t4)
	t4.Add(&t0, &t1)
	t3.Subtract(&t3, &t4)

	// t4 = q.y·r.z + q.z·r.y
	t4.Add(&q.y, &q.z)
	x3.Add(&r.y, &r.z)
	t4.Multiply(&t4, &x3)
	x3.Add(&t1, &t2)
	t4.Subtract(&t4, &x3)

	// y3 = q.x·r.z + q.z·r.x
	x3.Add(&q.x, &q.z)
	y3.Add(&r.x, &r.z)
	x3.Multiply(&x3, &y3)
	y3.Add(&t0, &t2)
	y3.Subtract(&x3, &y3)

	z3.Multiply(curveB, &t2)
	x3.Subtract(&y3, &z3)
	x3.Mult32(&x3, 3)
	z3.Subtract(&t1, &x3)
	x3.Add(&t1, &x3)

	y3.Multiply(curveB, &y3)
	t2.Mult32(&t2, 3)
	y3.Subtract(&y3, &t2)
	y3.Subtract(&y3, &t0)
	y3.Mult32(&y3, 3)
	t0.Mult32(&t0, 3)
	t0.Subtract(&t0, &t2)

	t1.Multiply(&t4, &y3)
	t2.Multiply(&t0, &y3)
	y3.Multiply(&x3, &z3)
	p.y.Add(&y3, &t2)
	x3.Multiply(&x3, &t3)
	p.x.Subtract(&x3, &t1)
	z3.Multiply(&z3, &t4)
	t1.Multiply(&t3, &t0)
	p.z.Add(&z3, &t1)
	return p
}

// multiply sets p = k·q, where k is a big-endian integer, and returns p. Its
// time does not depend on k or q: it doubles and adds for every bit, and uses
// the sum where the bit is 1.
func (p *point) multiply(k [32]byte, q *point) *point {
	var result, sum point
	result.y.One() // (0 : 1 : 0) is infinity
	for t := range 256 {
		bit := int(k[t/8]>>(7-t%8)) & 1
		result.add(&result, &result)
		sum.add(&result, q)
		result.x.Select(&sum.x, &result.x, bit)
		result.y.Select(&sum.y, &result.y, bit)
		result.z.Select(&sum.z, &result.z, bit)
	}
	*p = result
	return p
}

// affine returns the coordinates of p, which is not infinity.
func (p *point) affine() (x, y []byte) {
	var inverse, c fieldp256.Element
	inverse.Invert(&p.z)
	x = c.Multiply(&p.x, &inverse).Bytes()
	y = c.Multiply(&p.y, &inverse).Bytes()
	return x, y
}

// ecdh returns the x coordinate of k times the point (x, y): the shared secret
// of NIST SP 800-56A, section 5.7.1.2. The key k must be a valid one, between 1
// and the group order.
func ecdh(k [32]byte, x, y []byte) ([]byte, error) {
	q, err := newPoint(x, y)
	if err != nil {
		return nil, err
	}
	secret, _ := q.multiply(k, q).affine()
	return secret, nil
}

func fromHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func element(s string) *fieldp256.Element {
	e, err := new(fieldp256.Element).SetBytes(fromHex(s))
	if err != nil {
		panic(err)
	}
	return e
}

// publicKey returns k times the base point.
func publicKey(k [32]byte) (x, y []byte) {
	g, err := newPoint(fromHex(base[0]), fromHex(base[1]))
	if err != nil {
		panic(err) // the base point is on the curve
	}
	return g.multiply(k, g).affine()
}

// ECDH on P-256 with complete addition formulas, on the vector of RFC 5903,
// section 8.1.
func Example_ecdh() {
	initiator := [32]byte(fromHex("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"))
	responder := [32]byte(fromHex("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53"))

	ix, iy := publicKey(initiator)
	rx, ry := publicKey(responder)
	fmt.Printf("the initiator sends %x\n", ix)
	fmt.Printf("                    %x\n", iy)
	fmt.Printf("the responder sends %x\n", rx)
	fmt.Printf("                    %x\n", ry)

	secret, err := ecdh(initiator, rx, ry)
	fmt.Printf("the initiator knows %x %v\n", secret, err)
	secret, err = ecdh(responder, ix, iy)
	fmt.Printf("the responder knows %x %v\n", secret, err)

	// A point that is not on the curve could reveal bits of the key.
	_, err = ecdh(responder, ix, ix)
	fmt.Println(err)

	// Output:
	// the initiator sends dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180
	//                     5271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3
	// the responder sends d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63
	//                     56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab
	// the initiator knows d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de <nil>
	// the responder knows d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de <nil>
	// expected a point on P-256
}

// The y coordinate of a compressed point (SEC 1, section 2.3.4): here the base
// point, from its x coordinate and the byte 03, which says that y is odd.
func ExampleElement_Sqrt() {
	fromHex := func(s string) *fieldp256.Element {
		b, err := hex.DecodeString(s)
		if err != nil {
			panic(err)
		}
		e, err := new(fieldp256.Element).SetCanonicalBytes(b)
		if err != nil {
			panic(err)
		}
		return e
	}
	x := fromHex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
	b := fromHex("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b")

	// y² = x³ - 3x + b
	var y2, t, y, minus fieldp256.Element
	y2.Square(x).Multiply(&y2, x).Subtract(&y2, t.Mult32(x, 3)).Add(&y2, b)
	_, onCurve := y.Sqrt(&y2) // the even root
	y.Select(minus.Negate(&y), &y, 1)

	fmt.Println(onCurve)
	fmt.Printf("%x\n", y.Bytes())
	// Output:
	// 1
	// 4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5
}
