package nist

import (
	"bytes"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

var prime = curve.Params().P

func elementOf(v *big.Int) (z fieldp256.Element) {
	if _, err := z.SetBytes(new(big.Int).Mod(v, prime).FillBytes(make([]byte, 32))); err != nil {
		panic(err)
	}
	return z
}

// elements draws coordinates: near 0, near the prime, near 2^256 minus the prime,
// and any.
func elements() *rapid.Generator[*big.Int] {
	near := func(center *big.Int) *rapid.Generator[*big.Int] {
		return rapid.Map(rapid.Int64Range(-3, 3), func(d int64) *big.Int {
			v := new(big.Int).Add(center, big.NewInt(d))
			return v.Mod(v, prime)
		})
	}
	return rapid.OneOf(
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 32, 32), func(b []byte) *big.Int {
			return new(big.Int).Mod(new(big.Int).SetBytes(b), prime)
		}),
		near(new(big.Int)),
		near(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), prime)),
		near(new(big.Int).Rsh(prime, 1)),
	)
}

// blinded returns k·G in Jacobian coordinates with the given Z.
func blinded(k, z *big.Int) *jacobian {
	p := pointOf(k)
	var r jacobian
	var t fieldp256.Element
	r.Z = elementOf(z)
	t.Square(&r.Z)
	r.X.Multiply(&p.a.X, &t)
	t.Multiply(&t, &r.Z)
	r.Y.Multiply(&p.a.Y, &t)
	return &r
}

func drawMultiple(t *rapid.T, label string) *big.Int {
	k := scalars().Draw(t, label)
	if k.Sign() == 0 {
		k.SetInt64(1)
	}
	return k
}

func drawZ(t *rapid.T) *big.Int {
	z := elements().Draw(t, "z")
	if z.Sign() == 0 {
		z.SetInt64(1)
	}
	return z
}

func TestDouble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawMultiple(t, "k")
		p := blinded(k, drawZ(t))
		want := modelBase(new(big.Int).Lsh(k, 1))
		var r jacobian
		if double(&r, p); !bytes.Equal(encodingOf(&r), want) {
			t.Fatalf("2·%x·G: got %x, want %x", k, encodingOf(&r), want)
		}
		if double(p, p); *words3(p) != *words3(&r) {
			t.Fatal("in place: got another result")
		}
	})
	var r jacobian
	r.X.One()
	if double(&r, &r); r.Z.IsZero() != 1 {
		t.Error("twice infinity is not infinity")
	}
}

// words3 makes points comparable.
func words3(p *jacobian) *[96]byte {
	return (*[96]byte)(append(append(p.X.Bytes(), p.Y.Bytes()...), p.Z.Bytes()...))
}

// TestAddAffine: right for unrelated and for opposite points, Z = 0 for equal ones
// and for infinity.
func TestAddAffine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, m := drawMultiple(t, "k"), drawMultiple(t, "m")
		switch rapid.SampledFrom([]string{"any", "equal", "opposite", "infinity"}).Draw(t, "case") {
		case "equal":
			m.Set(k)
		case "opposite":
			m.Sub(n, k)
		case "infinity":
			k.SetInt64(0)
		}
		q := pointOf(m).a
		p := new(jacobian)
		if k.Sign() == 0 {
			p.X, p.Y = elementOf(elements().Draw(t, "x")), elementOf(elements().Draw(t, "y"))
		} else {
			p = blinded(k, drawZ(t))
		}
		want := []byte{0}
		if k.Sign() != 0 && k.Cmp(m) != 0 {
			want = modelBase(new(big.Int).Add(k, m))
		}
		var r jacobian
		if addAffine(&r, p, &q, 0); !bytes.Equal(encodingOf(&r), want) {
			t.Fatalf("%x·G + %x·G: got %x, want %x", k, m, encodingOf(&r), want)
		}
		if addAffine(p, p, &q, 0); *words3(p) != *words3(&r) {
			t.Fatal("in place: got another result")
		}
	})
}

func TestSelect(t *testing.T) {
	var table [32]affine
	oddMultiples(table[:], generator())
	for i := range table {
		var r affine
		select32(&r, &table, uint64(i))
		if got := (&Point{r}).Equal(&Point{table[i]}); got != 1 {
			t.Errorf("select32 of %d: got another point", i)
		}
		if i < 16 {
			r = table[31] // what it was must not matter
			select16(&r, (*[16]affine)(table[:]), uint64(i))
			if got := (&Point{r}).Equal(&Point{table[i]}); got != 1 {
				t.Errorf("select16 of %d: got another point", i)
			}
		}
	}
}

// TestTables compares every point of the tables with the model.
func TestTables(t *testing.T) {
	check := func(p *affine, k *big.Int) {
		t.Helper()
		got := (&Point{*p}).Bytes()
		if want := modelBase(k); !bytes.Equal(got[:], want) {
			t.Errorf("%x·G: got %x, want %x", k, got, want)
		}
	}
	for i, row := range baseTable() {
		for j := range row {
			k := big.NewInt(int64(2*j + 1))
			check(&row[j], k.Lsh(k, uint(max(0, 6*i-1))))
		}
	}
	for j := range baseOdd() {
		check(&baseOdd()[j], big.NewInt(int64(2*j+1)))
	}
	rapid.Check(t, func(t *rapid.T) {
		k := drawMultiple(t, "k")
		p := pointOf(k)
		table := make([]affine, rapid.IntRange(1, 20).Draw(t, "length"))
		oddMultiples(table, &p.a)
		for j := range table {
			got, want := (&Point{table[j]}).Bytes(), modelBase(new(big.Int).Mul(k, big.NewInt(int64(2*j+1))))
			if !bytes.Equal(got[:], want) {
				t.Fatalf("%d·%x·G: got %x, want %x", 2*j+1, k, got, want)
			}
		}
	})
}

// TestDigits adds up the digits that multiplication uses, from the top, and checks
// what its comments say of the summands: they are never equal or opposite, but for
// the last sum of k = 0.
func TestDigits(t *testing.T) {
	// sum starts with top·2^at and adds digits of the widths, each below the last.
	sum := func(k *big.Int, v [5]uint64, top int64, at uint, widths []uint) *big.Int {
		total := big.NewInt(top)
		total.Lsh(total, at)
		for i, w := range widths {
			at -= w
			j, negative := digit(&v, at+1, w)
			if j >= 1<<(w-1) {
				t.Fatalf("width %d at %d: got place %d", w, at, j)
			}
			d := big.NewInt(int64(2*j + 1))
			if negative == 1 {
				d.Neg(d)
			}
			d.Lsh(d, at)
			difference, added := new(big.Int).Sub(total, d), new(big.Int).Add(total, d)
			last := i == len(widths)-1 && new(big.Int).Mod(k, n).Sign() == 0
			if difference.Mod(difference, n).Sign() == 0 || (new(big.Int).Mod(added, n).Sign() == 0) != last {
				t.Fatalf("k = %x: the sum at %d is one of %x and %x", k, at, total, d)
			}
			total = added
		}
		if at != 0 {
			t.Fatalf("the last digit is at %d", at)
		}
		return total
	}
	fives := slices.Repeat([]uint{5}, 51)
	sixes := append(slices.Repeat([]uint{6}, 41), 5)
	check := func(k *big.Int) {
		v, negated := oddScalar(scalarOf(k))
		want := new(big.Int).Mod(k, n)
		if negated == 1 {
			want.Sub(n, want)
		}
		if want.Bit(0) != 1 {
			t.Fatalf("k = %x: negated is %d", k, negated)
		}
		if got := sum(k, v, 1, 255, fives); got.Cmp(want) != 0 {
			t.Fatalf("k = %x: the digits of width 5 make %x, want %x", k, got, want)
		}
		if got := sum(k, v, int64(2*(v[3]>>60)+1), 251, sixes); got.Cmp(want) != 0 {
			t.Fatalf("k = %x: the digits of width 6 make %x, want %x", k, got, want)
		}
	}
	for _, k := range edgeScalars() {
		check(k)
	}
	rapid.Check(t, func(t *rapid.T) { check(scalars().Draw(t, "k")) })
}

// TestNonAdjacent checks the sum of the digits and the distance between them.
func TestNonAdjacent(t *testing.T) {
	check := func(fatalf func(string, ...any), k *big.Int, w uint) {
		total, last := new(big.Int), -1000
		for i, d := range nonAdjacent(scalarOf(k), w) {
			if d == 0 {
				continue
			}
			if d%2 == 0 || int(d) >= 1<<(w-1) || int(d) <= -1<<(w-1) || i-last < int(w) {
				fatalf("k = %x, width %d: digit %d is %d, the one before is digit %d", k, w, i, d, last)
			}
			last = i
			v := big.NewInt(int64(d))
			total.Add(total, v.Lsh(v, uint(i)))
		}
		if want := new(big.Int).Mod(k, n); total.Cmp(want) != 0 {
			fatalf("k = %x, width %d: the digits make %x", k, w, total)
		}
	}
	for _, k := range edgeScalars() {
		for w := uint(2); w <= 8; w++ {
			check(t.Fatalf, k, w)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t.Fatalf, scalars().Draw(t, "k"), rapid.UintRange(2, 8).Draw(t, "w"))
	})
}

// TestMultiplyReceiver: the result may replace the point, and stays away if it is
// infinity.
func TestMultiplyReceiver(t *testing.T) {
	p, q := pointOf(big.NewInt(3)), pointOf(big.NewInt(21))
	if p.Multiply(scalarOf(big.NewInt(7)), p) != 1 || p.Equal(q) != 1 {
		t.Error("7·(3·G) in place is wrong")
	}
	if p.Multiply(scalarOf(n), p) != 0 || p.Equal(q) != 1 {
		t.Error("0·(21·G) is not infinity, or changed the point")
	}
	if p.MultiplyBase(scalarOf(n)) != 0 || p.Equal(q) != 1 {
		t.Error("0·G is not infinity, or changed the point")
	}
	if p.MultiplyBase(scalarOf(big.NewInt(1))) != 1 || p.Equal(pointOf(big.NewInt(1))) != 1 {
		t.Error("1·G is wrong")
	}
}
