package bound

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// The search is not trusted. Its parameters were chosen by trial: the closer alpha
// is to the true rate, (1591853137 + 3·sqrt(273548757304312537))^(1/54) / 2^(55/54)
// or 0.74013, the fewer steps follow and the more bounds are needed. Everything is
// done with integers, so that all machines find the same.
const (
	unit      = 1 << 26 // coordinates are multiples of 1/unit
	alphaDen  = 1 << 20
	closeNum  = 776294 // sets are closed under the rules with closeNum/alphaDen,
	alphaNum  = 776348 // which leaves some slack for rounding with alphaNum/alphaDen
	flat      = 450e6  // corners flatter than flat/unit² are left out
	gridShift = 12     // corners are rounded to multiples of 2^gridShift/unit
	maxRounds = 2000
)

// A point has coordinates in multiples of 1/unit; see flat for why int64 suffices.
type point struct{ x, y int64 }

// hull returns the upper half of the convex hull of the points and their
// negatives, from right to left. It leaves out flat corners.
func hull(points []point) []point {
	all := slices.Clone(points)
	for _, p := range points {
		all = append(all, point{-p.x, -p.y})
	}
	slices.SortFunc(all, func(a, b point) int {
		if a.x != b.x {
			return sign(b.x - a.x)
		}
		return sign(b.y - a.y)
	})
	var h []point
	for _, p := range all {
		for len(h) >= 2 {
			o, a := h[len(h)-2], h[len(h)-1]
			if (a.x-o.x)*(p.y-o.y)-(a.y-o.y)*(p.x-o.x) > flat {
				break
			}
			h = h[:len(h)-1]
		}
		h = append(h, p)
	}
	return h[:len(h)-1] // the last one is the negative of the first
}

func sign(x int64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// image returns the image of a point by a rule, divided by alpha to its steps.
func (r Rule) image(p point) point {
	q := point{(r.T[0]*p.x + r.T[1]*p.y) / r.Q, (r.T[2]*p.x + r.T[3]*p.y) / r.Q}
	for range r.Steps {
		q = point{q.x * alphaDen / closeNum, q.y * alphaDen / closeNum}
	}
	return q
}

// closure returns corners of P and Q that the rules map into themselves, up to
// rounding.
func closure() (map[string][]point, error) {
	sets := map[string][]point{"P": hull([]point{{unit, 0}, {unit, unit}, {unit / 5, unit / 5 * 4}, {-unit / 10 * 3, unit / 10 * 9}})}
	for range maxRounds {
		next := map[string][]point{"P": slices.Clone(sets["P"]), "Q": slices.Clone(sets["Q"])}
		for _, r := range Rules {
			if r.Steps == 0 {
				continue
			}
			for _, p := range sets[r.From] {
				next[r.To] = append(next[r.To], r.image(p))
			}
		}
		p, q := hull(next["P"]), hull(next["Q"])
		if slices.Equal(p, sets["P"]) && slices.Equal(q, sets["Q"]) {
			return sets, nil
		}
		sets["P"], sets["Q"] = p, q
	}
	return nil, errors.New("bound: the sets do not settle")
}

// round returns the corners, moved outward by a factor and rounded to the grid,
// and those of the lower half up to the first one again.
func round(points []point) (corners []point) {
	const half = 1 << (gridShift - 1)
	for _, p := range points {
		corners = append(corners, point{(p.x + p.x/10000 + half) >> gridShift, (p.y + p.y/10000 + half) >> gridShift})
	}
	return append(corners, point{-corners[0].x, -corners[0].y})
}

// planes returns the bounds of the convex hull of the corners and their negatives.
func planes(corners []point) (list []Plane) {
	const grid = unit >> gridShift
	for i, u := range corners[:len(corners)-1] {
		v := corners[i+1]
		a, b := v.y-u.y, u.x-v.x
		c := a*u.x + b*u.y
		if c < 0 {
			a, b, c = -a, -b, -c
		}
		a, b = a*grid, b*grid
		d := new(big.Int).GCD(nil, nil, new(big.Int).GCD(nil, nil, abs(num(a)), abs(num(b))), num(c)).Int64()
		if d == 0 {
			continue // two corners on one place
		}
		list = append(list, Plane{a / d, b / d, c / d})
	}
	return list
}

// Search finds a certificate.
func Search() (*Certificate, error) {
	sets, err := closure()
	if err != nil {
		return nil, err
	}
	p, q := round(sets["P"]), round(sets["Q"])
	c := &Certificate{Num: alphaNum, Den: alphaDen, P: planes(p), Q: planes(q)}
	const grid = unit >> gridShift
	for _, v := range p {
		c.MaxG = max(c.MaxG, 1+max(v.y, -v.y)*Scale/grid)
	}
	for _, v := range q {
		c.MaxF = max(c.MaxF, 1+max(v.x, -v.x)*Scale/grid)
	}
	for _, r := range Rules {
		var hints []Hint
		for _, t := range c.set(r.To) {
			h, ok := c.findHint(r, t)
			if !ok {
				return nil, fmt.Errorf("bound: rule %q: no hint shows %v", r.Name, t)
			}
			hints = append(hints, h)
		}
		c.Hints = append(c.Hints, hints)
	}
	return c, c.Check()
}

// findHint returns the first hint that shows the bound t by the rule.
func (c *Certificate) findHint(r Rule, t Plane) (Hint, bool) {
	a, b := r.pull(t)
	minus := func(x *big.Int) *big.Int { return new(big.Int).Neg(x) }
	from := c.set(r.From)
	for i, p := range from {
		for j := i + 1; j < len(from); j++ {
			q := from[j]
			h := Hint{i, j, dot(a, b, num(q.B), num(-q.A)), dot(b, a, num(p.A), num(-p.B)), dot(num(p.A), num(p.B), num(q.B), num(-q.A))}
			if h.D.Sign() < 0 {
				h.L, h.M, h.D = minus(h.L), minus(h.M), minus(h.D)
			}
			if c.holds(r, t, h) {
				return h, true
			}
		}
	}
	return Hint{}, false
}
