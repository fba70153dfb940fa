package edwards

import (
	"bytes"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestConstants(t *testing.T) {
	if got := toInt(curveD.Bytes()); got.Cmp(modelD) != 0 {
		t.Errorf("got d = %x, want %x", got, modelD)
	}
	var b Point
	if b.Base(); !modelBase().is(&b.p) {
		t.Errorf("the base point is %x", b.Bytes())
	}
	if p := modelBase().times(order); p.x.Sign() != 0 || p.y.Cmp(big.NewInt(1)) != 0 {
		t.Error("the order of the model's base point is wrong")
	}
}

// TestFormulas compares each formula with the model, on all pairs of points of
// every order, with different Z and every aliasing.
func TestFormulas(t *testing.T) {
	points := samplePoints(t)
	z1, z2 := big.NewInt(7), new(big.Int).Sub(modelP, big.NewInt(3))
	for _, a := range points {
		p := a.scaled(z1)
		twice := a.add(a)
		var r projective
		double(&r, &p.projective)
		q := p.projective
		double(&q, &q)
		if !twice.isProjective(&r) || !twice.isProjective(&q) {
			t.Errorf("double(%x): got another point", a.bytes())
		}
		var e extended
		doubleExtended(&e, &p.projective)
		f := p
		doubleExtended(&f, &f.projective)
		if !twice.is(&e) || !twice.is(&f) {
			t.Errorf("doubleExtended(%x): got another point", a.bytes())
		}
		for _, b := range points {
			q := b.scaled(z2)
			var c cached
			c.setExtended(&q)
			ac := affine([]extended{q})[0]
			for minus, want := range []modelPoint{a.add(b), a.add(b.negative())} {
				addCached(&e, &p, &c, uint64(minus))
				f = p
				addCached(&f, &f, &c, uint64(minus))
				if !want.is(&e) || !want.is(&f) {
					t.Errorf("addCached(%x, %x, %d): got another point", a.bytes(), b.bytes(), minus)
				}
				addAffine(&e, &p, &ac, uint64(minus))
				f = p
				addAffine(&f, &f, &ac, uint64(minus))
				if !want.is(&e) || !want.is(&f) {
					t.Errorf("addAffine(%x, %x, %d): got another point", a.bytes(), b.bytes(), minus)
				}
			}
		}
	}
}

// TestSelect checks every index, with a table of eight different points.
func TestSelect(t *testing.T) {
	b := modelBase().scaled(big.NewInt(1))
	table := [8]affineCached(affine(multiples(&b, &b, 8)))
	var o Point
	o.Identity()
	for i := range uint64(9) {
		var got affineCached
		selectAffine(&got, &table, i)
		var sum extended
		addAffine(&sum, &o.p, &got, 0)
		if !modelBase().times(new(big.Int).SetUint64(i)).is(&sum) {
			t.Errorf("selectAffine(%d): got another point", i)
		}
	}
}

// TestTables checks every entry of the tables of the base point.
func TestTables(t *testing.T) {
	check := func(name string, entry *affineCached, want modelPoint) {
		t.Helper()
		var o Point
		var sum extended
		addAffine(&sum, &o.Identity().p, entry, 0)
		if !want.is(&sum) {
			t.Errorf("%s: got another point than %x", name, want.bytes())
		}
	}
	row := modelBase()
	for i := range baseTable() {
		p := row
		for j := range baseTable()[i] {
			check("baseTable", &baseTable()[i][j], p)
			p = p.add(row)
		}
		row = row.times(big.NewInt(256))
	}
	size := 1 << (baseWidth - 2)
	if len(oddTable()) != 2*size {
		t.Fatalf("got %d odd multiples, want %d", len(oddTable()), 2*size)
	}
	for half, p := range []modelPoint{modelBase(), modelBase().times(new(big.Int).Lsh(big.NewInt(1), splitBits))} {
		twice := p.add(p)
		for j := range size {
			check("oddTable", &oddTable()[half*size+j], p)
			p = p.add(twice)
		}
	}
}

// scalars are numbers below 2^255 with edges.
func scalars() (list []*big.Int) {
	for _, s := range []string{
		"0", "1", "8", "15", "16", "17", "88", "7f", "80", "ff",
		"1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ec",
		"1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed",
		"1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ee",
		"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"8888888888888888888888888888888888888888888888888888888888888",
		"7777777777777777777777777777777777777777777777777777777777777777",
		"7888888888888888888888888888888888888888888888888888888888888888",
		"4000000000000000000000000000000000000000000000000000000000000000",
		"80000000000000000000000000000000", "ffffffffffffffffffffffffffffffff", "100000000000000000000000000000000",
		"ffffffffffffffff", "10000000000000000", "8000000000000000",
	} {
		k, _ := new(big.Int).SetString(s, 16)
		list = append(list, k)
	}
	return list
}

func drawScalar(t *rapid.T, name string) *big.Int {
	b := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte{0, 255, 0x80, 0x7f})), 32, 32).Draw(t, name)
	b[31] &= 127
	return toInt(b)
}

func TestScalarBaseMult(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, k *big.Int) {
		b := fromInt(k)
		var p Point
		want := modelBase().times(k)
		if p.ScalarBaseMult(&b); !want.is(&p.p) || p.Bytes() != want.bytes() {
			t.Errorf("%x: got %x, want %x", k, p.Bytes(), want.bytes())
		}
	}
	for _, k := range scalars() {
		check(t, k)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, drawScalar(t, "k")) })
}

func TestSignedDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawScalar(t, "k")
		b := fromInt(k)
		sum := new(big.Int)
		for i, d := range signedDigits(&b) {
			if d < -8 || d > 8 {
				t.Errorf("%x: got digit %d", k, d)
			}
			sum.Add(sum, new(big.Int).Lsh(big.NewInt(int64(d)), uint(4*i)))
		}
		if sum.Cmp(k) != 0 {
			t.Errorf("the digits of %x add up to %x", k, sum)
		}
	})
}

// TestMultiScalar compares with the model, on terms of every order.
func TestMultiScalar(t *testing.T) {
	points := samplePoints(t)
	check := func(t interface{ Errorf(string, ...any) }, k *big.Int, n int, next func() (modelPoint, *big.Int)) {
		want := modelBase().times(k)
		terms := make([]Term, n)
		for i := range terms {
			p, m := next()
			b := p.bytes()
			if !terms[i].Point.SetBytesVarTime(&b) {
				t.Errorf("%x is refused", b)
			}
			terms[i].Scalar = fromInt(m)
			want = want.add(p.times(m))
		}
		b := fromInt(k)
		var got Point
		if got.MultiScalarVarTime(&b, terms); !want.is(&got.p) {
			t.Errorf("%x times the base point and %d terms: got %x, want %x", k, n, got.Bytes(), want.bytes())
		}
	}
	for i, k := range scalars() {
		check(t, k, 0, nil)
		check(t, new(big.Int), 1, func() (modelPoint, *big.Int) { return points[i%len(points)], k })
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, drawScalar(t, "k"), rapid.IntRange(0, 4).Draw(t, "terms"), func() (modelPoint, *big.Int) {
			return rapid.SampledFrom(points).Draw(t, "point"), drawScalar(t, "factor")
		})
	})
}

// TestSetBytes checks all encodings of points of order 8 and less, and that the
// others go to and fro.
func TestSetBytes(t *testing.T) {
	var p Point
	for _, want := range samplePoints(t) {
		b := want.bytes()
		if !p.SetBytesVarTime(&b) || !want.is(&p.p) || p.Bytes() != b {
			t.Errorf("%x: got %x", b, p.Bytes())
		}
		if !p.SetCanonicalBytesVarTime(&b) || !want.is(&p.p) {
			t.Errorf("canonical %x: got %x", b, p.Bytes())
		}
		// Not below the modulus, or with the other sign of 0.
		if y := new(big.Int).Add(want.y, modelP); y.BitLen() < 256 {
			b := fromInt(y)
			b[31] |= byte(want.x.Bit(0) << 7)
			if p.SetCanonicalBytesVarTime(&b) {
				t.Errorf("%x is accepted as canonical", b)
			}
			if !p.SetBytesVarTime(&b) || !want.is(&p.p) {
				t.Errorf("%x: got %x, want %x", b, p.Bytes(), want.bytes())
			}
		}
		if want.x.Sign() == 0 {
			b[31] |= 128
			if p.SetCanonicalBytesVarTime(&b) {
				t.Errorf("%x is accepted as canonical", b)
			}
			if !p.SetBytesVarTime(&b) || !want.is(&p.p) {
				t.Errorf("%x: got %x, want %x", b, p.Bytes(), want.bytes())
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "b"))
		y := toInt(b[:])
		sign := y.Bit(255)
		y.SetBit(y, 255, 0).Mod(y, modelP)
		yy := new(big.Int).Mul(y, y)
		u := new(big.Int).Sub(yy, big.NewInt(1))
		v := new(big.Int).Mul(yy, modelD)
		v.Add(v, big.NewInt(1)).ModInverse(v.Mod(v, modelP), modelP)
		x := new(big.Int).ModSqrt(u.Mul(u, v).Mod(u, modelP), modelP)
		if x != nil && x.Bit(0) != sign {
			x.Sub(modelP, x).Mod(x, modelP)
		}
		if got := p.SetBytesVarTime(&b); got != (x != nil) || got && !(modelPoint{x, y}).is(&p.p) {
			t.Errorf("%x: got %t, %x; want %t", b, got, p.Bytes(), x != nil)
		}
		canonical := x != nil && (modelPoint{x, y}).bytes() == b
		if got := p.SetCanonicalBytesVarTime(&b); got != canonical || got && !(modelPoint{x, y}).is(&p.p) {
			t.Errorf("canonical %x: got %t, %x; want %t", b, got, p.Bytes(), canonical)
		}
	})
}

func TestPredicates(t *testing.T) {
	for _, a := range samplePoints(t) {
		p := Point{a.scaled(big.NewInt(5))}
		isIdentity := a.x.Sign() == 0 && a.y.Cmp(big.NewInt(1)) == 0
		if got := p.IsIdentity() == 1; got != isIdentity {
			t.Errorf("IsIdentity(%x): got %t", a.bytes(), got)
		}
		var q Point
		if q.Negate(&p); !a.negative().is(&q.p) {
			t.Errorf("Negate(%x): got %x", a.bytes(), q.Bytes())
		}
		eight := a.times(big.NewInt(8))
		if q.MultiplyByCofactor(&p); !eight.is(&q.p) {
			t.Errorf("MultiplyByCofactor(%x): got %x, want %x", a.bytes(), q.Bytes(), eight.bytes())
		}
	}
}

// TestLadder compares the ladder with the model through the map of curves: it
// and the group give the same coordinate.
func TestLadder(t *testing.T) {
	points := samplePoints(t)
	rapid.Check(t, func(t *rapid.T) {
		a, k := rapid.SampledFrom(points).Draw(t, "point"), drawScalar(t, "k")
		p, product := Point{a.scaled(big.NewInt(1))}, Point{a.times(k).scaled(big.NewInt(9))}
		b, u := fromInt(k), p.MontgomeryU()
		got, want := Ladder(&b, &u), product.MontgomeryU()
		if !bytes.Equal(got[:], want[:]) {
			t.Errorf("%x times %x: got %x, want %x", k, u, got, want)
		}
		// The highest bits do not count.
		b[31] |= 128
		u[31] |= 128
		if high := Ladder(&b, &u); high != got {
			t.Errorf("%x times %x, with the highest bits set: got %x, want %x", k, u, high, got)
		}
	})
}

// A point that was never set equals no other, and the result may take the place of
// an argument.
func TestReport_FiloSottile_edwards25519_13(t *testing.T) {
	var zero Point
	if zero.IsIdentity() != 0 {
		t.Error("a point that was never set is the neutral element")
	}
	seven, nine := fromInt(big.NewInt(7)), fromInt(big.NewInt(9))
	for _, a := range samplePoints(t) {
		p := Point{a.scaled(big.NewInt(5))}
		if p.Negate(&p); !a.negative().is(&p.p) {
			t.Errorf("Negate(%x) in place: got %x", a.bytes(), p.Bytes())
		}
		p = Point{a.scaled(big.NewInt(5))}
		if p.MultiplyByCofactor(&p); !a.times(big.NewInt(8)).is(&p.p) {
			t.Errorf("MultiplyByCofactor(%x) in place: got %x", a.bytes(), p.Bytes())
		}
		terms := []Term{{Point{a.scaled(big.NewInt(5))}, seven}, {Point{a.scaled(big.NewInt(3))}, seven}}
		want := modelBase().times(big.NewInt(9)).add(a.times(big.NewInt(14)))
		if got := terms[1].Point.MultiScalarVarTime(&nine, terms); !want.is(&got.p) {
			t.Errorf("MultiScalarVarTime of %x in place: got %x, want %x", a.bytes(), got.Bytes(), want.bytes())
		}
	}
}
