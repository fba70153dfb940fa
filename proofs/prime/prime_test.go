package prime

import (
	"flag"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/coq"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

var update = flag.Bool("update", false, "write chain.txt and the copy in proofs/coq again, from the numbers in chain.txt")

func chain(t *testing.T) Chain {
	t.Helper()
	c, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestModuliArePrime is what the package is for.
func TestModuliArePrime(t *testing.T) {
	c := chain(t)
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	for _, f := range spec.Fields() {
		if !c.Covers(f.Modulus) {
			t.Errorf("%s: no certificate", f.Name)
		}
		if c.Covers(new(big.Int).Add(f.Modulus, two)) {
			t.Errorf("%s: the modulus plus 2 has a certificate", f.Name)
		}
	}
	for _, e := range c {
		if !e.N.ProbablyPrime(10) {
			t.Errorf("%v is not prime by math/big", e.N)
		}
	}
}

// TestDerive makes the certificates again and compares the copy for Coq with them.
func TestDerive(t *testing.T) {
	var numbers []*big.Int
	for _, e := range chain(t) {
		numbers = append(numbers, e.N)
	}
	c, err := Derive(numbers)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		for name, text := range map[string]string{"chain.txt": c.String(), "../coq/PrimeCert.v": c.Coq()} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	if c.String() != text {
		t.Error("chain.txt is not what its numbers lead to; go test ./proofs/prime -update writes it")
	}
	if got, err := coq.Source("PrimeCert.v"); err != nil || got != c.Coq() {
		t.Errorf("proofs/coq/PrimeCert.v is not the chain (error %v); go test ./proofs/prime -update writes it", err)
	}
	for _, wrong := range [][]int64{{2}, {11}, {3, 9}, {3, 5, 15}, {3, 5, 17, 341}} { // 341 divides 2^340 - 1
		numbers = nil
		for _, n := range wrong {
			numbers = append(numbers, big.NewInt(n))
		}
		if _, err := Derive(numbers); err == nil {
			t.Errorf("%v: derived", wrong)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a letter", "3 2 x", "want a number"},
		{"one number", "3", "want N, B"},
		{"composite", "3 2 2\n9 2 2 2 2", "not 8"},
		{"pseudoprime to the base 2", "3 2 2\n5 2 2 2\n341 2 2 5", "too small"},
		{"divisors of smaller order", "3 2 2\n5 2 2 2\n341 64 5 5", "not 25"},
		{"a small F", "11 10 2", "F = 2 is too small"},
		{"the order of another number", "3 2 2\n7 3 3", "not 3"},
		{"an order that divides F", "3 2 2\n7 2 3 2", "not 6"},
		{"a factor later", "7 2 3\n3 2 2", "has no entry before"},
		{"a composite factor", "5 2 4", "has no entry before"},
		{"one", "1 1 2", "want N > 2"},
		{"negative", "-1 2 2", "want N > 2"},
		{"B = 0", "3 0 2", "want N > 2 and B > 0"},
	} {
		got, err := Parse(c.text)
		if err == nil {
			err = got.Check()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
}
