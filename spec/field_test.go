package spec

import (
	"crypto/elliptic"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
)

func decimal(t *testing.T, s string) *big.Int {
	t.Helper()
	v, ok := new(big.Int).SetString(s, 10)
	if !ok {
		t.Fatalf("bad constant %q", s)
	}
	return v
}

// TestModuli compares the moduli with the standard library and with the decimal
// numbers of the RFCs.
func TestModuli(t *testing.T) {
	order := decimal(t, "27742317777372353535851937790883648493") // RFC 8032, section 5.1
	want := map[string]*big.Int{
		// RFC 7748, section 4.1.
		"p25519": decimal(t, "57896044618658097711785492504343953926634992332820282019728792003956564819949"),
		"n25519": order.SetBit(order, 252, 1),
		"p256":   elliptic.P256().Params().P,
		"n256":   elliptic.P256().Params().N,
	}
	if len(Fields()) != len(want) {
		t.Errorf("got %d fields, want %d", len(Fields()), len(want))
	}
	for _, f := range Fields() {
		if w := want[f.Name]; w == nil || f.Modulus.Cmp(w) != 0 {
			t.Errorf("%s: got %v, want %v", f.Name, f.Modulus, w)
		}
		if !f.Modulus.ProbablyPrime(32) {
			t.Errorf("%s: the modulus is not prime", f.Name)
		}
	}
}

func TestFields(t *testing.T) {
	types := make(map[string]bool)
	order := make(map[string]bool) // BigEndian, by package
	for _, f := range Fields() {
		if got, err := Lookup(f.Name); err != nil || got != f {
			t.Errorf("Lookup(%s): got %v, %v", f.Name, got, err)
		}
		key := f.Package + "." + f.Type
		if types[key] {
			t.Errorf("%s comes twice", key)
		}
		types[key] = true
		if want := map[string]string{"Element": "fe", "Scalar": "sc"}[f.Type]; f.Prefix != want {
			t.Errorf("%s: got prefix %q for type %s, want %q", f.Name, f.Prefix, f.Type, want)
		}
		if want, ok := order[f.Package]; ok && f.BigEndian != want {
			t.Errorf("%s: got BigEndian %t, and %t for another field of %s", f.Name, f.BigEndian, want, f.Package)
		}
		order[f.Package] = f.BigEndian
		if f.R().Cmp(f.Modulus) <= 0 || f.R().BitLen() != 64*f.Limbs+1 {
			t.Errorf("%s: R = %#x", f.Name, f.R())
		}
		if f.Title == "" {
			t.Errorf("%s: no title", f.Name)
		}
		bound, name := f.Modulus, "p"
		if f.Form == Weak {
			bound, name = f.R(), fmt.Sprintf("2^%d", 64*f.Limbs)
		}
		if f.Bound().Cmp(bound) != 0 || f.BoundName() != name {
			t.Errorf("%s: got bound %s = %#x, want %s = %#x", f.Name, f.BoundName(), f.Bound(), name, bound)
		}
		// TestStepCounts demands enough steps; more by a batch would be slow for
		// nothing.
		if n, most := f.Steps(), StepBound(f.Modulus.BitLen())+f.Steps()/f.Batches; n >= most {
			t.Errorf("%s: got %d division steps, want less than %d", f.Name, n, most)
		}
	}
}

// TestPackages checks that each package is listed once, in the order of Fields
// and Curves.
func TestPackages(t *testing.T) {
	var want []string
	for i, f := range Fields() {
		if i == 0 || f.Package != want[len(want)-1] {
			want = append(want, f.Package)
		}
	}
	want = append(want, "curves/internal/edwards", "curves/internal/nist")
	if got := Packages(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLookupUnknown(t *testing.T) {
	for _, name := range []string{"", "P256", "p257", "p256 ", "Element"} {
		f, err := Lookup(name)
		if f != nil || err == nil {
			t.Errorf("Lookup(%q): got %v and error %v, want an error", name, f, err)
			continue
		}
		for _, f := range Fields() {
			if !strings.Contains(err.Error(), f.Name) {
				t.Errorf("Lookup(%q): the error %q does not list %s", name, err, f.Name)
			}
		}
	}
	if r, err := Fields()[0].Routine("Divide"); r != nil || err == nil || !strings.Contains(err.Error(), "Divide") {
		t.Errorf("Routine(Divide): got %v and error %v", r, err)
	}
}

func TestBadConstant(t *testing.T) {
	defer func() {
		if r := recover(); r == nil {
			t.Error("hex took a constant that is none")
		}
	}()
	hex("12g4")
}
