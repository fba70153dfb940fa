package wei25519

import (
	"bytes"
	"crypto/ecdh"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f9cd256/fieldproof/curves/internal/edwards"
	"github.com/seed-6f9cd256/fieldproof/field25519"
)

// The model: affine points over math/big, with the constants computed from A.
var (
	prime  = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	order  = decimal("7237005577332262213973186563042994240857116359379907606001950938285454250989")
	montA  = big.NewInt(486662)
	modelA = quotient(new(big.Int).Sub(big.NewInt(3), new(big.Int).Mul(montA, montA)), 3)
	modelB = quotient(new(big.Int).Sub(
		new(big.Int).Mul(big.NewInt(2), new(big.Int).Exp(montA, big.NewInt(3), nil)),
		new(big.Int).Mul(big.NewInt(9), montA)), 27)
	modelThird = quotient(montA, 3)
)

func decimal(s string) *big.Int {
	v, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return v
}

func quotient(v *big.Int, d int64) *big.Int {
	r := new(big.Int).ModInverse(big.NewInt(d), prime)
	return r.Mul(r, v).Mod(r, prime)
}

// A modelPoint is (x, y), or infinity if nil.
type modelPoint struct{ x, y *big.Int }

func (p *modelPoint) String() string {
	if p == nil {
		return "infinity"
	}
	return fmt.Sprintf("(%x, %x)", p.x, p.y)
}

// modelAdd is by the chord and tangent, SEC 1, section 2.2.1.
func modelAdd(p, q *modelPoint) *modelPoint {
	if p == nil {
		return q
	}
	if q == nil {
		return p
	}
	num, den := new(big.Int), new(big.Int)
	if p.x.Cmp(q.x) == 0 {
		if den.Add(p.y, q.y).Mod(den, prime).Sign() == 0 {
			return nil
		}
		num.Mul(p.x, p.x).Mul(num, big.NewInt(3)).Add(num, modelA)
	} else {
		num.Sub(q.y, p.y)
		den.Sub(q.x, p.x).Mod(den, prime)
	}
	slope := num.Mul(num, den.ModInverse(den, prime))
	x := new(big.Int).Mul(slope, slope)
	x.Sub(x, p.x).Sub(x, q.x).Mod(x, prime)
	y := new(big.Int).Sub(p.x, x)
	y.Mul(y, slope).Sub(y, p.y).Mod(y, prime)
	return &modelPoint{x, y}
}

func modelMultiply(k *big.Int, p *modelPoint) (r *modelPoint) {
	for i := k.BitLen() - 1; i >= 0; i-- {
		if r = modelAdd(r, r); k.Bit(i) == 1 {
			r = modelAdd(r, p)
		}
	}
	return r
}

func (p *modelPoint) bytes() []byte {
	if p == nil {
		return []byte{0}
	}
	return append(append([]byte{4}, big32(p.x)...), big32(p.y)...)
}

func big32(v *big.Int) []byte { return v.FillBytes(make([]byte, 32)) }

func little32(v *big.Int) []byte {
	b := big32(v)
	slices.Reverse(b)
	return b
}

// lift returns a point with the x, or nil if there is none.
func lift(x *big.Int) *modelPoint {
	right := new(big.Int).Mul(x, x)
	right.Add(right, modelA).Mul(right, x).Add(right, modelB).Mod(right, prime)
	y := new(big.Int).ModSqrt(right, prime)
	if y == nil {
		return nil
	}
	return &modelPoint{x, y}
}

// torsion are the 8 points whose order divides 8: multiples of n times a point.
var torsion = func() (list []*modelPoint) {
	var eighth *modelPoint
	for v := int64(1); ; v++ {
		eighth = modelMultiply(order, lift2(v))
		if modelMultiply(big.NewInt(4), eighth) != nil {
			break
		}
	}
	for i := int64(0); i < 8; i++ {
		list = append(list, modelMultiply(big.NewInt(i), eighth))
	}
	return list
}()

// lift2 is the point of the first x from v on that has one.
func lift2(v int64) *modelPoint {
	for x := big.NewInt(v); ; x.Add(x, big.NewInt(1)) {
		if p := lift(x); p != nil {
			return p
		}
	}
}

var modelBase = &modelPoint{
	new(big.Int).Add(big.NewInt(9), modelThird),
	decimal("14781619447589544791020593568409986887264606134616475288964881837755586237401"),
}

// drawPoint draws a point of any order.
func drawPoint(t *rapid.T, label string) *modelPoint {
	p := rapid.SampledFrom(torsion).Draw(t, label+": torsion")
	if rapid.Bool().Draw(t, label+": large") {
		k := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, label))
		p = modelAdd(p, modelMultiply(k, modelBase))
	}
	return p
}

// point returns p with a z that is not 1, which the sum of two others gives.
func (p *modelPoint) point(t interface{ Fatal(...any) }) *Point {
	q := new(Point)
	if _, err := q.SetBytes(p.bytes()); err != nil {
		t.Fatal(err)
	}
	return q.Add(q, new(Point).Base()).Add(q, new(Point).Negate(new(Point).Base()))
}

func TestConstants(t *testing.T) {
	for _, c := range []struct {
		name string
		got  *field25519.Element
		want *big.Int
	}{
		{"A/3", &third, modelThird}, {"a", &curveA, modelA}, {"b", &curveB, modelB},
		{"1/2", &half, quotient(big.NewInt(1), 2)},
		{"x", &baseX, modelBase.x}, {"y", &baseY, modelBase.y},
	} {
		if got := bigEndian(c.got); !bytes.Equal(got, big32(c.want)) {
			t.Errorf("%s: got %x, want %x", c.name, got, c.want)
		}
	}
	// As the draft prints them.
	for _, c := range []struct {
		got  *big.Int
		want string
	}{
		{modelA, "19298681539552699237261830834781317975544997444273427339909597334573241639236"},
		{modelB, "55751746669818908907645289078257140818241103727901012315294400837956729358436"},
	} {
		if c.got.String() != c.want {
			t.Errorf("got %v, want %s", c.got, c.want)
		}
	}
	if p := modelMultiply(order, modelBase); p != nil {
		t.Errorf("n times the base point: got %v, want infinity", p)
	}
	if !order.ProbablyPrime(20) {
		t.Error("the order is not prime")
	}
	seen := make(map[string]bool)
	for _, p := range torsion {
		seen[p.String()] = true
	}
	if len(seen) != 8 {
		t.Errorf("got %d points of small order, want 8", len(seen))
	}
}

func TestAdd(t *testing.T) {
	check := func(fatalf func(string, ...any), p, q *Point, a, b *modelPoint) {
		want := modelAdd(a, b).bytes()
		if got := new(Point).Add(p, q).Bytes(); !bytes.Equal(got, want) {
			fatalf("%v + %v: got %x, want %x", a, b, got, want)
		}
		if got := new(Point).Set(p); !bytes.Equal(got.Add(got, q).Bytes(), want) {
			fatalf("%v + %v into the first: got %x, want %x", a, b, got.Bytes(), want)
		}
		if got := new(Point).Set(q); !bytes.Equal(got.Add(p, got).Bytes(), want) {
			fatalf("%v + %v into the second: got %x, want %x", a, b, got.Bytes(), want)
		}
		double := modelAdd(a, a).bytes()
		if got := new(Point).Set(p); !bytes.Equal(got.Double(got).Bytes(), double) || !bytes.Equal(new(Point).Add(p, p).Bytes(), double) {
			fatalf("twice %v: got %x, want %x", a, got.Bytes(), double)
		}
		if got, want := p.Equal(q), bytes.Equal(a.bytes(), b.bytes()); (got == 1) != want {
			fatalf("%v = %v: got %d, want %t", a, b, got, want)
		}
	}
	for _, a := range torsion {
		for _, b := range torsion {
			check(t.Errorf, a.point(t), b.point(t), a, b)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := drawPoint(t, "a")
		b := drawPoint(t, "b")
		switch rapid.SampledFrom([]string{"any", "equal", "opposite", "torsion apart"}).Draw(t, "case") {
		case "equal":
			b = a
		case "opposite":
			b = modelMultiply(new(big.Int).Sub(new(big.Int).Lsh(order, 3), big.NewInt(1)), a)
		case "torsion apart":
			b = modelAdd(a, rapid.SampledFrom(torsion).Draw(t, "difference"))
		}
		check(t.Fatalf, a.point(t), b.point(t), a, b)
	})
	// Infinity has many coordinates.
	p := new(Point)
	p.x.One()
	p.y.One()
	check(t.Errorf, p, new(Point), nil, nil)
	check(t.Errorf, p, new(Point).Base(), nil, modelBase)
}

func TestMultiply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawPoint(t, "point")
		k := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "k")
		switch rapid.SampledFrom([]string{"any", "small", "order", "full"}).Draw(t, "case") {
		case "small":
			clear(k[:31])
		case "order":
			v := new(big.Int).Mul(order, big.NewInt(int64(k[0]%16)))
			k = big32(v.Add(v, big.NewInt(int64(k[1]%5))))
		case "full":
			k = bytes.Repeat([]byte{255}, 32)
		}
		p := a.point(t)
		want := modelMultiply(new(big.Int).SetBytes(k), a)
		got, err := new(Point).Multiply(k, p)
		if err != nil || !bytes.Equal(got.Bytes(), want.bytes()) {
			t.Fatalf("%x·%v: got %x, %v, want %v", k, a, got.Bytes(), err, want)
		}
		if _, err := p.Multiply(k, p); err != nil || p.Equal(got) != 1 {
			t.Fatalf("%x·%v in place: got %x, %v, want %v", k, a, p.Bytes(), err, want)
		}
	})
	p := new(Point).Base()
	for _, length := range []int{0, 31, 33} {
		if q, err := p.Multiply(make([]byte, length), p); q != nil || err == nil || p.Equal(new(Point).Base()) != 1 {
			t.Errorf("scalar of %d bytes: got %v, %v", length, q, err)
		}
	}
}

func TestEncodings(t *testing.T) {
	check := func(fatalf func(string, ...any), a *modelPoint, p *Point) {
		if got, want := p.Bytes(), a.bytes(); !bytes.Equal(got, want) {
			fatalf("%v: got %x", a, got)
		}
		q, err := new(Point).SetBytes(p.BytesCompressed())
		if err != nil || q.Equal(p) != 1 {
			fatalf("%v from %x: got %v, %v", a, p.BytesCompressed(), q, err)
		}
		u, v, err := p.Montgomery()
		x, errX := p.X()
		if a == nil {
			if err == nil || errX == nil {
				fatalf("infinity: got no errors")
			}
			return
		}
		modelU := new(big.Int).Sub(a.x, modelThird)
		modelU.Mod(modelU, prime)
		if err != nil || errX != nil || !bytes.Equal(x, big32(a.x)) || !bytes.Equal(u, little32(modelU)) || !bytes.Equal(v, little32(a.y)) {
			fatalf("%v: got x = %x, u = %x, v = %x, %v, %v", a, x, u, v, err, errX)
		}
		// v² = u³ + Au² + u
		left, right := new(big.Int).Mul(a.y, a.y), new(big.Int).Add(modelU, montA)
		right.Mul(right, modelU).Add(right, big.NewInt(1)).Mul(right, modelU)
		if left.Sub(left, right).Mod(left, prime).Sign() != 0 {
			fatalf("%v is not on Curve25519 as (%x, %x)", a, u, v)
		}
		if q, err := new(Point).SetMontgomery(u, v); err != nil || q.Equal(p) != 1 {
			fatalf("%v from (%x, %x): got %v, %v", a, u, v, q, err)
		}
		gotX, errX := XFromU(u)
		gotU, errU := UFromX(x)
		if errX != nil || errU != nil || !bytes.Equal(gotX, x) || !bytes.Equal(gotU, u) {
			fatalf("%v: got x = %x, u = %x, %v, %v", a, gotX, gotU, errX, errU)
		}
	}
	for _, a := range torsion {
		check(t.Errorf, a, a.point(t))
	}
	rapid.Check(t, func(t *rapid.T) {
		a := drawPoint(t, "point")
		check(t.Fatalf, a, a.point(t))
	})
}

func TestEncodingErrors(t *testing.T) {
	base := new(Point).Base()
	b, c := base.Bytes(), base.BytesCompressed()
	two := torsion[4].bytes() // of order 2: y = 0
	with := func(first byte, rest ...[]byte) []byte { return append([]byte{first}, bytes.Join(rest, nil)...) }
	p256 := big32(prime)
	for _, test := range []struct {
		b      []byte
		expect string
	}{
		{nil, "got 0 from nothing"},
		{[]byte{1}, "got 1 from 01"},
		{b[:64], "got 64 from 04"},
		{append(bytes.Clone(b), 0), "got 66 from 04"},
		{with(6, b[1:]), "got 65 from 06"},
		{with(4, c[1:]), "got 33 from 04"},
		{make([]byte, 65), "got 65 from 00"},
		{with(4, b[1:33], b[1:33]), "expected a point on Wei25519"},
		{with(4, p256, b[33:]), "at or above it"},
		{with(4, b[1:33], p256), "at or above it"},
		{with(2, p256), "at or above it"},
		{with(3, bytes.Repeat([]byte{255}, 32)), "at or above it"},
		{with(3, two[1:33]), "expected 02"},
		{with(2, big32(big.NewInt(2))), "got one of none"},
	} {
		p := new(Point).Base()
		if q, err := p.SetBytes(test.b); q != nil || err == nil || !strings.Contains(err.Error(), test.expect) || p.Equal(base) != 1 {
			t.Errorf("%x: got %v, %v, want an error with %q", test.b, q, err, test.expect)
		}
	}
	if lift(big.NewInt(2)) != nil {
		t.Error("x = 2 has a point")
	}
	u, v, err := base.Montgomery()
	if err != nil {
		t.Fatal(err)
	}
	p := new(Point)
	for _, c := range [][2][]byte{{u[:31], v}, {u, v[:31]}, {nil, nil}, {u, u}, {little32(prime), v}, {u, bytes.Repeat([]byte{255}, 32)}} {
		if q, err := p.SetMontgomery(c[0], c[1]); q != nil || err == nil || p.IsInfinity() != 1 {
			t.Errorf("(%x, %x): got %v, %v, want an error", c[0], c[1], q, err)
		}
	}
	for _, length := range []int{0, 31, 33} {
		if _, err := XFromU(make([]byte, length)); err == nil {
			t.Errorf("XFromU of %d bytes: got no error", length)
		}
		if _, err := UFromX(make([]byte, length)); err == nil {
			t.Errorf("UFromX of %d bytes: got no error", length)
		}
		if _, err := X25519(make([]byte, length), u); err == nil {
			t.Errorf("X25519 of a scalar of %d bytes: got no error", length)
		}
		if _, err := X25519(u, make([]byte, length)); err == nil {
			t.Errorf("X25519 of a point of %d bytes: got no error", length)
		}
	}
	if _, err := UFromX(p256); err == nil {
		t.Error("UFromX of the prime: got no error")
	}
}

// TestX25519 compares with crypto/ecdh, on points of the curve and of its twist,
// encodings that are not canonical, and points of small order.
func TestX25519(t *testing.T) {
	check := func(fatalf func(string, ...any), k, u []byte) {
		key, err := ecdh.X25519().NewPrivateKey(k)
		if err != nil {
			fatalf("%v", err)
		}
		peer, err := ecdh.X25519().NewPublicKey(u)
		if err != nil {
			fatalf("%v", err)
		}
		want, wantErr := key.ECDH(peer)
		got, err := X25519(k, u)
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			fatalf("k = %x, u = %x: got %x, %v, want %x, %v", k, u, got, err, want, wantErr)
		}
	}
	k := bytes.Repeat([]byte{0x77}, 32)
	for _, p := range torsion[1:] {
		u, _, err := p.point(t).Montgomery()
		if err != nil {
			t.Fatal(err)
		}
		check(t.Errorf, k, u)
	}
	for v := int64(-25); v < 300; v++ { // from p - 25 on, and from 2^255 on
		u := new(big.Int).Add(prime, big.NewInt(v))
		check(t.Errorf, k, little32(u))
		check(t.Errorf, k, little32(u.Mod(u, prime)))
	}
	check(t.Errorf, k, bytes.Repeat([]byte{255}, 32))
	rapid.Check(t, func(t *rapid.T) {
		check(t.Fatalf, rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "k"), rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "u"))
	})
}

// TestPublished is a published key agreement: one side has a key on Curve25519, the other on Wei25519, scalars are
// big-endian, and not clamped.
func TestPublished(t *testing.T) {
	from := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	montKey := from("7178DAC11D42AA5F39B10A62A8584DB0C8864564ADC9DF84EC0B13D9AEC220F8")
	montPublic := from("3BA5048381744348D84E754B9944ABE080B37F7D4158DCE60CD79F66B98AB89E")
	weiKey := from("09CC5CCF43C656C1309EE5A3491D5A8361607CEEB0C9B2B31A575E0FEF2B8835")
	weiPublic := from("3F4BDE110EE7AF71EF428D1018D188E35BAFB019F34F84E6465C5194B363DC2D")
	weiMapped := from("14A13366643D04C74497E2656E26DE38B105056F48A4DA3B9BB1A6EA08B6B7DC")
	secret := from("1454BDCD6A94D6336AA5A76F3CB40BBE12B65A2CDC9DA6B478948906638896D1")

	reversed := func(b []byte) []byte { b = bytes.Clone(b); slices.Reverse(b); return b }
	// ladder is the Montgomery ladder on big-endian integers.
	ladder := func(k, u []byte) []byte {
		scalar, coordinate := [32]byte(reversed(k)), [32]byte(reversed(u))
		r := edwards.Ladder(&scalar, &coordinate)
		return reversed(r[:])
	}
	base := append(make([]byte, 31), 9)

	if got := ladder(montKey, base); !bytes.Equal(got, montPublic) {
		t.Errorf("Montgomery public key: got %x, want %x", got, montPublic)
	}
	p, err := new(Point).Multiply(weiKey, new(Point).Base())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.X(); err != nil || !bytes.Equal(got, weiPublic) {
		t.Errorf("Weierstrass public key: got %x, %v, want %x", got, err, weiPublic)
	}
	u, _, err := p.Montgomery()
	if err != nil || !bytes.Equal(reversed(u), weiMapped) {
		t.Errorf("Weierstrass public key, mapped: got %x, %v, want %x", reversed(u), err, weiMapped)
	}
	if got := ladder(montKey, weiMapped); !bytes.Equal(got, secret) {
		t.Errorf("secret on the Montgomery side: got %x, want %x", got, secret)
	}
	x, err := XFromU(reversed(montPublic))
	if err != nil {
		t.Fatal(err)
	}
	peer, err := new(Point).SetBytes(append([]byte{2}, x...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = peer.Multiply(weiKey, peer); err != nil {
		t.Fatal(err)
	}
	shared, _, err := peer.Montgomery()
	if err != nil || !bytes.Equal(reversed(shared), secret) {
		t.Errorf("secret on the Weierstrass side: got %x, %v, want %x", reversed(shared), err, secret)
	}
}

// TestEqualInfinity: infinity equals itself only.
func TestEqualInfinity(t *testing.T) {
	base, infinity := new(Point).Base(), new(Point)
	if infinity.Equal(base) != 0 || base.Equal(infinity) != 0 || infinity.Equal(new(Point)) != 1 {
		t.Errorf("got %d, %d, %d, want 0, 0, 1", infinity.Equal(base), base.Equal(infinity), infinity.Equal(new(Point)))
	}
}
