package bound

import (
	"bufio"
	"fmt"
	"math/big"
	"strings"
)

// String returns the certificate as text, one bound or hint a line.
func (c *Certificate) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "alpha %d %d\nmaxima %d %d\n", c.Num, c.Den, c.MaxG, c.MaxF)
	for _, name := range []string{"P", "Q"} {
		for _, p := range c.set(name) {
			fmt.Fprintf(&b, "%s %d %d %d\n", name, p.A, p.B, p.C)
		}
	}
	for i := range c.Hints {
		for _, h := range c.Hints[i] {
			fmt.Fprintf(&b, "hint %d %d %d %v %v %v\n", i, h.I, h.J, h.L, h.M, h.D)
		}
	}
	return b.String()
}

// Parse reads what String writes.
func Parse(text string) (*Certificate, error) {
	c := &Certificate{Hints: make([][]Hint, len(Rules))}
	s := bufio.NewScanner(strings.NewReader(text))
	for n := 1; s.Scan(); n++ {
		if err := c.line(s.Text()); err != nil {
			return nil, fmt.Errorf("bound: line %d: %q: %w", n, s.Text(), err)
		}
	}
	return c, s.Err()
}

func (c *Certificate) line(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	var err error
	switch word {
	case "alpha":
		_, err = fmt.Sscanf(rest, "%d %d", &c.Num, &c.Den)
	case "maxima":
		_, err = fmt.Sscanf(rest, "%d %d", &c.MaxG, &c.MaxF)
	case "P", "Q":
		var p Plane
		_, err = fmt.Sscanf(rest, "%d %d %d", &p.A, &p.B, &p.C)
		if word == "P" {
			c.P = append(c.P, p)
		} else {
			c.Q = append(c.Q, p)
		}
	case "hint":
		i, h := 0, Hint{L: new(big.Int), M: new(big.Int), D: new(big.Int)}
		if _, err = fmt.Sscanf(rest, "%d %d %d %v %v %v", &i, &h.I, &h.J, h.L, h.M, h.D); err != nil {
			return err
		}
		if i < 0 || i >= len(c.Hints) {
			return fmt.Errorf("rule %d, want 0 to %d", i, len(c.Hints)-1)
		}
		c.Hints[i] = append(c.Hints[i], h)
	default:
		return fmt.Errorf("want alpha, maxima, P, Q or hint")
	}
	return err
}

// coqHints are the names of the hints for the Rules in proofs/coq/Hull.v.
var coqHints = []string{"hSwap", "hHalveSwap", "hWideP", "hWideM", "hLongE", "hLongA", "hHalve", "hSum", "hMaxG", "hMaxF"}

// Coq returns the certificate as a file of the Coq development.
func (c *Certificate) Coq() string {
	var b strings.Builder
	b.WriteString("(* The certificate for Hull.v. Written by go test ./proofs/bound -update. *)\n")
	b.WriteString("Require Import ZArith List Hull.\nImport ListNotations.\nOpen Scope Z_scope.\n\nDefinition divsteps_cert : cert := {|\n")
	fmt.Fprintf(&b, "  num := %d; den := %d; maxG := %d; maxF := %d", c.Num, c.Den, c.MaxG, c.MaxF)
	for _, name := range []string{"P", "Q"} {
		var list []string
		for _, p := range c.set(name) {
			list = append(list, fmt.Sprintf("(%d, %d, %d)", p.A, p.B, p.C))
		}
		fmt.Fprintf(&b, ";\n  hull%s := [\n    %s]", name, strings.Join(list, ";\n    "))
	}
	for i := range c.Hints {
		var list []string
		for _, h := range c.Hints[i] {
			list = append(list, fmt.Sprintf("(%d%%nat, %d%%nat, %v, %v, %v)", h.I, h.J, h.L, h.M, h.D))
		}
		fmt.Fprintf(&b, ";\n  %s := [\n    %s]", coqHints[i], strings.Join(list, ";\n    "))
	}
	b.WriteString(" |}.\n")
	return b.String()
}
