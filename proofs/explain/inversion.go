package explain

import (
	"fmt"
	"strings"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// inversion writes the listing of an inversion, part by part; see kernel.Inversion.
func inversion(r *k.Routine, pat k.Pattern, cert *k.Cert, l *Listing, index map[int]int) error {
	v := cert.Inversion
	loop, err := r.Loop(pat)
	if err != nil {
		return err
	}
	ps, err := v.Segments(r, pat)
	if err != nil {
		return err
	}
	state := stateNames(v)
	steps := 0
	for _, n := range v.Steps {
		steps += n
	}
	for _, offset := range loop.Offsets[1][:v.Cut] {
		at := &l.Instructions[index[offset]]
		if len(at.Values) == 0 {
			at.Values = []Note{{Text: fmt.Sprintf("a part of the batch of %d divsteps, which computes the words of the one that is specified", steps)}}
		}
	}
	for i, p := range ps {
		w := &walker{n: NewNames(r, pat, p), l: l, index: index, read: read(p)}
		w.n.state = state
		for j := range p.Claims {
			w.claims = append(w.claims, fmt.Sprintf("%s: %s", k.Parts[i], w.n.claim(&p.Claims[j])))
		}
		if err := w.follow(cert.Parts[i]); err != nil {
			return fmt.Errorf("part %s: %w", k.Parts[i], err)
		}
	}
	for i := range l.Instructions {
		if at := &l.Instructions[i]; strings.HasPrefix(at.Text, "JNE") {
			at.Values = []Note{{Text: fmt.Sprintf("ends a round: the count is %d at the start, one less after each, and its end is the end of the loop", v.Rounds)}}
		}
	}
	for _, c := range r.Spec.Claims {
		l.Claims = append(l.Claims, Note{Text: fmt.Sprintf("%v: by the parts, and since %d divsteps lead to g = 0", c, steps*v.Rounds)})
	}
	return nil
}

// A place is a number of the state of an inversion, or a word of it.
type place struct {
	name string
	n    int // words of the number that begins here, 0 inside of one
}

// stateNames names the state of an inversion as in spec/divstep.go: f, g, u, v
// and n, the count, and what the code does not compute: the signs of f and g,
// and a product of low words, of which rf and rg are the lowest bits.
func stateNames(v *k.Inversion) map[k.Loc]place {
	names := map[k.Loc]place{}
	for name, ls := range map[string][]k.Loc{"f": v.F, "g": v.G, "u": v.U, "v": v.V, "n": {v.N}, "count": {v.Count},
		"signf": {k.Ghost}, "signg": {k.Ghost + 1}, "rf": {k.Ghost + 5}, "rg": {k.Ghost + 9}} {
		for i, l := range ls {
			names[l] = place{name, 0}
			if len(ls) > 1 {
				names[l] = place{fmt.Sprintf("%s%d", name, i), 0}
			}
		}
		names[ls[0]] = place{names[ls[0]].name, len(ls)}
	}
	for i, name := range []string{"t00", "t01", "t10", "t11"} {
		if l := v.T[i/2][i%2]; names[l].name == "" {
			names[l] = place{name, 1}
		}
	}
	return names
}

// numberName names the number in some locations.
func (n *Names) numberName(ls []k.Loc) string {
	if p := n.state[ls[0]]; p.n == len(ls) {
		return strings.TrimRight(p.name, map[bool]string{true: "0", false: ""}[p.n > 1])
	}
	if b, _, ok := k.Unslot(ls[0]); ok && b > 0 && b <= len(n.r.Spec.Params) {
		return n.r.Spec.Params[b-1].Name
	}
	return strings.TrimSuffix(n.Loc(ls[0]), "[0]")
}

// claim prints a claim about numbers in locations; an apostrophe marks those at
// the end of the part.
func (n *Names) claim(q *k.Claim) string {
	number := func(w k.Words) string {
		if w.After {
			return n.numberName(w.Locs) + "'"
		}
		return n.numberName(w.Locs)
	}
	var expr func(e *k.Expr) string
	expr = func(e *k.Expr) string {
		switch e.Op {
		case 'v':
			return number(e.Words)
		case 'c':
			return Int(e.Const)
		case '*':
			l, r := expr(e.L), expr(e.R)
			if e.L.Op == '+' || e.L.Op == '-' {
				l = "(" + l + ")"
			}
			if e.R.Op == '+' || e.R.Op == '-' {
				r = "(" + r + ")"
			}
			return l + "·" + r
		case '-':
			if e.R.Op == '+' || e.R.Op == '-' {
				return expr(e.L) + " - (" + expr(e.R) + ")"
			}
		}
		return fmt.Sprintf("%s %c %s", expr(e.L), e.Op, expr(e.R))
	}
	switch q.Kind {
	case k.ClaimCong:
		return fmt.Sprintf("%s ≡ %s (mod %s)", expr(q.L), expr(q.R), Int(q.Mod))
	case k.ClaimRange:
		return fmt.Sprintf("%s %s", number(q.Words), Interval(q.Interval))
	}
	return fmt.Sprintf("%s = %s", expr(q.L), expr(q.R))
}
