package chain

import (
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// power252m3 is 2^252 - 3, the exponent of square roots modulo 2^255 - 19.
func power252m3() *big.Int {
	return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 252), big.NewInt(3))
}

func TestFind(t *testing.T) {
	exponents := []*big.Int{big.NewInt(2), big.NewInt(3), big.NewInt(1<<40 - 1), big.NewInt(0xdeadbeef), power252m3()}
	for _, e := range exponents {
		p, err := Find(e)
		if err != nil {
			t.Errorf("%v: %v", e, err)
			continue
		}
		m := big.NewInt(1<<61 - 1)
		if got, want := powerOf3(p, m), new(big.Int).Exp(big.NewInt(3), e, m); got.Cmp(want) != 0 {
			t.Errorf("3^%v: got %v, want %v", e, got, want)
		}
	}
}

// powerOf3 runs the program on 3 modulo m, step by step: unlike Check, this does
// not share the view that a step is an addition of exponents.
func powerOf3(p *Program, m *big.Int) *big.Int {
	vars := map[string]*big.Int{Input: big.NewInt(3)}
	for _, s := range p.Steps {
		z := new(big.Int).Set(vars[s.X])
		for range s.Squarings {
			z.Mul(z, z).Mod(z, m)
		}
		if s.Y != "" {
			z.Mul(z, vars[s.Y]).Mod(z, m)
		}
		vars[s.Out] = z
	}
	return vars[Output]
}

// A chain was wrong for one exponent, with all others right. The exponent p - 3
// of each field that has a chain: the steps add up to it, and 3^(p-3) is 1/9
// modulo p.
func TestReport_Consensys_Incorporated_gnark_crypto_303(t *testing.T) {
	for _, f := range spec.Fields() {
		if f.Type != "Element" { // only elements have roots
			continue
		}
		e := new(big.Int).Sub(f.Modulus, big.NewInt(3))
		p, err := Find(e)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		powers, err := p.Exponents()
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if got := powers[len(powers)-1]; got.Cmp(e) != 0 {
			t.Errorf("%s: the steps add up to %#x, want %#x", f.Name, got, e)
		}
		want := new(big.Int).ModInverse(big.NewInt(9), f.Modulus)
		if got := powerOf3(p, f.Modulus); got.Cmp(want) != 0 {
			t.Errorf("%s: 3^(p-3): got %#x, want %#x", f.Name, got, want)
		}
	}
}

func TestFindIsShort(t *testing.T) {
	p, err := Find(power252m3())
	if err != nil {
		t.Fatal(err)
	}
	// The chain that implementations of Curve25519 commonly write by hand has
	// 251 squarings and 11 multiplications.
	if s, m := p.Squarings(), p.Multiplications(); s != 251 || m > 11 {
		t.Errorf("got %d squarings and %d multiplications, want 251 and at most 11", s, m)
	}
}

func TestFindIsDeterministic(t *testing.T) {
	e := big.NewInt(0x7eadbeefcafe)
	first, err := Find(e)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, err := Find(e)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(first, again) {
			t.Fatalf("two searches differ:\n%+v\n%+v", first, again)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	for _, e := range []int64{-1, 0, 1} {
		if p, err := Find(big.NewInt(e)); err == nil {
			t.Errorf("exponent %d: got the program %+v, want an error", e, p)
		}
	}
}

// TestCheckRefuses plants one fault at a time in a program that is right.
func TestCheckRefuses(t *testing.T) {
	faults := []struct {
		name  string
		plant func(p *Program)
		want  string
	}{
		{"exponent", func(p *Program) { p.Exponent = big.NewInt(256) }, "expected the exponent"},
		{"squarings", func(p *Program) { p.Steps[1].Squarings++ }, "expected the exponent"},
		{"factor", func(p *Program) { p.Steps[2].Y = Input }, "expected the exponent"},
		{"no value", func(p *Program) { p.Steps[1].X = "t9" }, "no value"},
		{"input", func(p *Program) { p.Steps[0].Out = Input }, "writes to the input"},
		{"output", func(p *Program) { p.Steps[2].Out = "t0" }, "ends with"},
		{"empty", func(p *Program) { p.Steps = nil }, "ends with"},
	}
	for _, f := range faults {
		p := &Program{
			Exponent: big.NewInt(34),
			Steps: []Step{
				{Out: "t0", X: Input, Squarings: 1},
				{Out: Output, X: "t0", Squarings: 4},
				{Out: Output, X: Output, Y: "t0"},
			},
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		f.plant(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%s: got %v, want an error with %q", f.name, err, f.want)
		}
	}
}
