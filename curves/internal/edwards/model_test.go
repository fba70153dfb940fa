package edwards

import (
	"math/big"
	"slices"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/field25519"
)

// The model: affine points with math/big and the addition law of RFC 8032,
// section 5.1.4, which shares nothing with the formulas.

var (
	modelP, _ = new(big.Int).SetString("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed", 16)
	modelD, _ = new(big.Int).SetString("52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3", 16)
	order, _  = new(big.Int).SetString("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed", 16)
)

type modelPoint struct{ x, y *big.Int }

// modelBase is the base point of RFC 8032, section 5.1.
func modelBase() modelPoint {
	x, _ := new(big.Int).SetString("15112221349535400772501151409588531511454012693041857206046113283949847762202", 10)
	y, _ := new(big.Int).SetString("46316835694926478169428394003475163141307993866256225615783033603165251855960", 10)
	return modelPoint{x, y}
}

// add returns a + b.
func (a modelPoint) add(b modelPoint) modelPoint {
	mul := func(v ...*big.Int) *big.Int {
		r := big.NewInt(1)
		for _, x := range v {
			r.Mul(r, x).Mod(r, modelP)
		}
		return r
	}
	one := big.NewInt(1)
	t := mul(modelD, a.x, b.x, a.y, b.y)
	plus, minus := new(big.Int).Add(one, t), new(big.Int).Sub(one, t)
	inverse := mul(plus, minus) // one inversion for both denominators
	inverse.ModInverse(inverse, modelP)
	x := mul(new(big.Int).Add(mul(a.x, b.y), mul(b.x, a.y)), inverse, minus)
	y := mul(new(big.Int).Add(mul(a.y, b.y), mul(a.x, b.x)), inverse, plus)
	return modelPoint{x, y}
}

func modelIdentity() modelPoint { return modelPoint{new(big.Int), big.NewInt(1)} }

// doublings holds, by the encoding of a point, its doubles, as far as they were
// needed.
var doublings = make(map[[32]byte][]modelPoint)

// times returns k·a.
func (a modelPoint) times(k *big.Int) modelPoint {
	list := doublings[a.bytes()]
	if list == nil {
		list = []modelPoint{a}
	}
	for len(list) < k.BitLen() {
		last := list[len(list)-1]
		list = append(list, last.add(last))
	}
	doublings[a.bytes()] = list
	r := modelIdentity()
	for i := range k.BitLen() {
		if k.Bit(i) == 1 {
			r = r.add(list[i])
		}
	}
	return r
}

func (a modelPoint) negative() modelPoint {
	x := new(big.Int).Neg(a.x)
	return modelPoint{x.Mod(x, modelP), a.y}
}

// bytes returns the encoding.
func (a modelPoint) bytes() (b [32]byte) {
	b = fromInt(a.y)
	b[31] |= byte(a.x.Bit(0) << 7)
	return b
}

// fromInt returns v in 32 bytes, little-endian; toInt is its inverse.
func fromInt(v *big.Int) (b [32]byte) {
	v.FillBytes(b[:])
	slices.Reverse(b[:])
	return b
}

func toInt(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

func toElement(v *big.Int) (e field25519.Element) {
	b := fromInt(new(big.Int).Mod(v, modelP))
	if _, err := e.SetCanonicalBytes(b[:]); err != nil {
		panic(err)
	}
	return e
}

// scaled returns a in extended coordinates with that Z.
func (a modelPoint) scaled(z *big.Int) (p extended) {
	p.X = toElement(new(big.Int).Mul(a.x, z))
	p.Y = toElement(new(big.Int).Mul(a.y, z))
	p.Z = toElement(z)
	p.T = toElement(new(big.Int).Mul(new(big.Int).Mul(a.x, a.y), z))
	return p
}

// is reports whether p is a, and whether T belongs to the other coordinates.
func (a modelPoint) is(p *extended) bool {
	var xy, tz field25519.Element
	xy.Multiply(&p.X, &p.Y)
	tz.Multiply(&p.T, &p.Z)
	return a.isProjective(&p.projective) && xy.Equal(&tz) == 1
}

func (a modelPoint) isProjective(p *projective) bool {
	z := toInt(p.Z.Bytes())
	x, y := toInt(p.X.Bytes()), toInt(p.Y.Bytes())
	wantX, wantY := new(big.Int).Mul(a.x, z), new(big.Int).Mul(a.y, z)
	return z.Sign() != 0 && wantX.Mod(wantX, modelP).Cmp(x) == 0 && wantY.Mod(wantY, modelP).Cmp(y) == 0
}

// samplePoints returns points of every order: those whose order divides 8, some
// multiples of the base point, and sums of both.
func samplePoints(t testing.TB) (points []modelPoint) {
	t.Helper()
	// A point of order 8 is L times a point of order 8·L. One that y = 3 and up
	// gives, found by the model alone.
	eighth := modelIdentity()
	for y := int64(2); ; y++ {
		yy := big.NewInt(y * y)
		u := new(big.Int).Sub(yy, big.NewInt(1))
		v := new(big.Int).Add(new(big.Int).Mul(yy, modelD), big.NewInt(1))
		x := new(big.Int).ModSqrt(new(big.Int).Mod(u.Mul(u, v.ModInverse(v, modelP)), modelP), modelP)
		if x == nil {
			continue
		}
		eighth = modelPoint{x, big.NewInt(y)}.times(order)
		if four := eighth.times(big.NewInt(4)); four.y.Cmp(big.NewInt(1)) != 0 {
			break
		}
	}
	for i := range int64(8) {
		points = append(points, eighth.times(big.NewInt(i)))
	}
	b := modelBase()
	for _, k := range []int64{1, 2, 3, 12345678901} {
		p := b.times(big.NewInt(k))
		points = append(points, p, p.negative(), p.add(eighth), p.add(eighth.times(big.NewInt(4))))
	}
	return points
}
