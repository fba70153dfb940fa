package kernel

import "slices"

// place returns the location, under the pattern, of the word that is at l if
// all pointers are disjoint.
func (pat Pattern) place(l Loc) Loc {
	b, k, ok := Unslot(l)
	if !ok || b == 0 || b > len(pat) {
		return l
	}
	return Slot(pat[b-1], k)
}

func (pat Pattern) places(ls []Loc) []Loc {
	var out []Loc
	for _, l := range ls {
		out = append(out, pat.place(l))
	}
	return out
}

// Alias refuses unless the program q, for the pattern, computes the same as d,
// for disjoint pointers, so that the claims of d hold of it: check_alias in
// Alias.v.
func Alias(d, q *Program, pat Pattern) error { return Try(func() { alias(d, q, pat) }) }

func alias(d, q *Program, pat Pattern) {
	var ins, outs []Pair
	for _, x := range d.Inputs {
		l := pat.place(x.Loc)
		if !slices.ContainsFunc(q.Inputs, func(y Input) bool { return y.Loc == l && y.Max.Cmp(x.Max) == 0 }) {
			Refuse("location %d is an input only if pointers are disjoint", x.Loc)
		}
		ins = append(ins, Pair{x.Loc, l})
	}
	for _, x := range d.Bounds {
		ls := pat.places(x.Locs)
		if !slices.ContainsFunc(q.Bounds, func(y Bound) bool { return slices.Equal(y.Locs, ls) && y.Max.Cmp(x.Max) == 0 }) {
			Refuse("the number at locations %v has a bound only if pointers are disjoint", x.Locs)
		}
	}
	if len(d.Claims) != len(q.Claims) {
		Refuse("%d claims, want %d", len(q.Claims), len(d.Claims))
	}
	for i := range d.Claims {
		v, w := d.Claims[i].words(), q.Claims[i].words()
		if len(v) != len(w) {
			Refuse("claim %d speaks of %d numbers, want %d", i, len(w), len(v))
		}
		for j, v := range v {
			w := w[j]
			if v.After != w.After || len(v.Locs) != len(w.Locs) || !v.After && !slices.Equal(pat.places(v.Locs), w.Locs) {
				Refuse("claim %d speaks of %v, want what corresponds to %v", i, w, v)
			}
			if v.After {
				for k, l := range v.Locs {
					outs = append(outs, Pair{l, w.Locs[k]})
				}
			}
		}
	}
	same(d.Code, q.Code, ins, outs)
}

// words returns the numbers that the claim speaks of.
func (q *Claim) words() []Words {
	ws := []Words{q.Words}
	var walk func(e *Expr)
	walk = func(e *Expr) {
		if e != nil {
			if e.Op == 'v' {
				ws = append(ws, e.Words)
			}
			walk(e.L)
			walk(e.R)
		}
	}
	walk(q.L)
	walk(q.R)
	return ws
}
