package explain

import (
	"fmt"
	"slices"
	"strings"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// pieces writes the listing of a formula, value by value; see kernel.Pieces.
func pieces(r *k.Routine, pat k.Pattern, cert *k.Cert, l *Listing, index map[int]int) error {
	p, err := r.Program(pat)
	if err != nil {
		return err
	}
	s, err := r.Pieces(p, pat)
	if err != nil {
		return err
	}
	for i := range cert.Pieces {
		c := &cert.Pieces[i]
		q, err := s.Program(c)
		if err != nil {
			return err
		}
		w := &walker{n: NewNames(r, pat, q), l: l, index: index, read: read(q), claims: []string{
			fmt.Sprintf("%s ≡ %s (mod p)", c.Value, r.Value(c.Value).Text),
			fmt.Sprintf("%s < %s", c.Value, Int(c.Bound)),
		}}
		if err := w.follow(c.Cert); err != nil {
			return fmt.Errorf("value %s: %w", c.Value, err)
		}
		if err := s.Step(c); err != nil {
			return err
		}
	}
	for _, c := range r.Spec.Claims {
		if !slices.ContainsFunc(l.Claims, func(n Note) bool { return strings.HasPrefix(n.Text, c.String()+": ") }) {
			l.Claims = append(l.Claims, Note{Text: c.String() + ": by what is said of the values"})
		}
	}
	return nil
}
