// Package prime shows that the four moduli are prime, by certificates that are
// checked here and in Coq (proofs/coq/Prime.v).
//
// If some b has the order F modulo every divisor of n that is not 1, then all these
// divisors are above F, so that n is prime if it is below (F + 1)² (Pocklington, 1914).
// The certificate is b and the primes of F, for which there are certificates too.
// F divides n - 1. The factors were found elsewhere, by published tables and GNU
// factor; nothing is believed of them.
package prime

import (
	"bufio"
	_ "embed"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// An Entry says that B has the order F, the product of the Factors, modulo every
// divisor of N but 1, and N < (F + 1)².
type Entry struct {
	N, B    *big.Int
	Factors []*big.Int
}

// A Chain is a list of entries whose factors are 2 or the N of earlier entries.
type Chain []Entry

//go:embed chain.txt
var text string

// Default returns the chain for the moduli of package spec. It is not checked yet.
func Default() (Chain, error) { return Parse(text) }

// Parse reads a chain: an entry a line, N, B and the factors.
func Parse(text string) (c Chain, err error) {
	s := bufio.NewScanner(strings.NewReader(text))
	for line := 1; s.Scan(); line++ {
		var numbers []*big.Int
		for _, word := range strings.Fields(s.Text()) {
			n, ok := new(big.Int).SetString(word, 10)
			if !ok {
				return nil, fmt.Errorf("prime: line %d: %q, want a number", line, word)
			}
			numbers = append(numbers, n)
		}
		if len(numbers) < 2 {
			return nil, fmt.Errorf("prime: line %d: %d numbers, want N, B and the factors of F", line, len(numbers))
		}
		c = append(c, Entry{numbers[0], numbers[1], numbers[2:]})
	}
	return c, s.Err()
}

// String returns the text that Parse reads.
func (c Chain) String() string {
	var b strings.Builder
	for _, e := range c {
		fmt.Fprint(&b, e.N, " ", e.B)
		for _, q := range e.Factors {
			fmt.Fprint(&b, " ", q)
		}
		b.WriteString("\n")
	}
	return b.String()
}

var one, two = big.NewInt(1), big.NewInt(2)

// large reports whether n < (f + 1)².
func large(f, n *big.Int) bool {
	g := new(big.Int).Add(f, one)
	return n.Cmp(g.Mul(g, g)) < 0
}

// order reports whether b has the order f, which is the product of the factors, modulo
// every divisor of n but 1.
func order(n, b, f *big.Int, factors []*big.Int) bool {
	if new(big.Int).Exp(b, f, n).Cmp(one) != 0 {
		return false
	}
	for _, q := range factors {
		r := new(big.Int).Exp(b, new(big.Int).Div(f, q), n)
		if r.GCD(nil, nil, r.Sub(r, one), n).Cmp(one) != 0 {
			return false
		}
	}
	return true
}

// Check checks the chain.
func (c Chain) Check() error {
	known := map[string]bool{"2": true}
	for _, e := range c {
		if e.N.Cmp(two) <= 0 || e.B.Sign() <= 0 {
			return fmt.Errorf("prime: entry for %v with B = %v, want N > 2 and B > 0", e.N, e.B)
		}
		f := big.NewInt(1)
		for _, q := range e.Factors {
			if !known[q.String()] {
				return fmt.Errorf("prime: factor %v for %v has no entry before", q, e.N)
			}
			f.Mul(f, q)
		}
		if !large(f, e.N) {
			return fmt.Errorf("prime: F = %v is too small for %v", f, e.N)
		}
		if !order(e.N, e.B, f, e.Factors) {
			return fmt.Errorf("prime: the order of %v modulo divisors of %v is not %v", e.B, e.N, f)
		}
		known[e.N.String()] = true
	}
	return nil
}

// Covers reports whether n is 2 or has an entry.
func (c Chain) Covers(n *big.Int) bool {
	for _, e := range c {
		if e.N.Cmp(n) == 0 {
			return true
		}
	}
	return n.Cmp(two) == 0
}

// Derive returns a chain for the numbers, in their order. Each must be a prime above
// 2, and enough primes of each less 1 must be 2 or stand before it.
func Derive(numbers []*big.Int) (c Chain, err error) {
	primes := []*big.Int{two} // falling
	for _, n := range numbers {
		if n.Cmp(two) <= 0 {
			return nil, fmt.Errorf("prime: got the number %v, want one above 2", n)
		}
		e := Entry{N: n}
		f, rest, r := big.NewInt(1), new(big.Int).Sub(n, one), new(big.Int)
		for _, q := range primes {
			for !large(f, n) && r.Mod(rest, q).Sign() == 0 {
				e.Factors = append(e.Factors, q)
				rest.Div(rest, q)
				f.Mul(f, q)
			}
		}
		if !large(f, n) {
			return nil, fmt.Errorf("prime: the primes of %v - 1 that stand before it make %v only", n, f)
		}
		for a := big.NewInt(2); e.B == nil || !order(n, e.B, f, e.Factors); a.Add(a, one) {
			if a.Cmp(n) >= 0 {
				return nil, fmt.Errorf("prime: nothing has the order %v modulo divisors of %v", f, n)
			}
			e.B = new(big.Int).Exp(a, rest, n)
		}
		primes, c = append(primes, n), append(c, e)
		slices.SortFunc(primes, func(x, y *big.Int) int { return y.Cmp(x) })
	}
	return c, nil
}

// Coq returns the chain as a file of the Coq development.
func (c Chain) Coq() string {
	var list []string
	for _, e := range c {
		var factors []string
		for _, q := range e.Factors {
			factors = append(factors, q.String())
		}
		list = append(list, fmt.Sprintf("(%v, %v, [%s])", e.N, e.B, strings.Join(factors, "; ")))
	}
	return "(* The certificates for Prime.v. Written by go test ./proofs/prime -update. *)\n" +
		"Require Import ZArith List Prime.\nImport ListNotations.\nOpen Scope Z_scope.\n\n" +
		"Definition chain : list entry := [\n  " + strings.Join(list, ";\n  ") + "].\n"
}
