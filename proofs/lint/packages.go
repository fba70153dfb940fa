package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Contracts returns the contract of every assembly routine that the package of
// the given name should have, by the name of the routine: for each routine of
// its fields and curves one for baseline amd64, and one for BMI2 and ADX if it
// multiplies.
func Contracts(pkg string) map[string]*spec.Routine {
	m := make(map[string]*spec.Routine)
	add := func(f *spec.Field, rs []*spec.Routine) {
		if f.Package != pkg {
			return
		}
		for _, r := range rs {
			m[r.Name()+"AMD64"] = r
			if r.Multiplies() {
				m[r.Name()+"ADX"] = r
			}
		}
	}
	for _, f := range spec.Fields() {
		add(f, f.Routines())
	}
	for _, c := range spec.Curves() {
		add(c.Field(), c.Routines())
	}
	return m
}

// Package lints every assembly routine of a package against the contracts,
// which are keyed by the name of the routine, and returns one result for each
// routine and each contract, in the order of their names.
func Package(p *object.Package, contracts map[string]*spec.Routine) []Result {
	var results []Result
	whole := func(name, format string, args ...any) {
		full := p.Name + "." + name
		results = append(results, Result{Routine: full, Problems: []Problem{
			{Routine: full, Offset: -1, Kind: Contract, Reason: fmt.Sprintf(format, args...)}}})
	}
	found := make(map[string]bool)
	for _, r := range p.Routines {
		found[r.Name] = true
		c, ok := contracts[r.Name]
		switch {
		case !ok:
			whole(r.Name, "%s has a routine for which there is no contract", r.File)
		case len(r.Code) == 0:
			whole(r.Name, "%s has a routine that the package and its tests never refer to, so it is not in the linked program", r.File)
		default:
			results = append(results, Routine(p.Name+"."+r.Name, r.Code, c))
		}
	}
	for name := range contracts {
		if !found[name] {
			whole(name, "no assembly file has the routine, for which there is a contract")
		}
	}
	slices.SortFunc(results, func(a, b Result) int { return cmp.Compare(a.Routine, b.Routine) })
	return results
}
