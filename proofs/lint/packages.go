package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Contracts is ContractsArch for amd64.
func Contracts(pkg string) map[string]*spec.Routine { return ContractsArch("amd64", pkg) }

// ContractsArch returns the contract of every assembly routine that the package of
// the given name should have for an architecture (as GOARCH), by the name of the
// routine. For amd64 each routine of its fields and curves has one for every CPU,
// and one for BMI2 and ADX if it multiplies; for arm64 one, and another with few
// wide multiplications if it has a product.
func ContractsArch(arch, pkg string) map[string]*spec.Routine {
	m := make(map[string]*spec.Routine)
	add := func(f *spec.Field, rs []*spec.Routine) {
		if f.Package != pkg {
			return
		}
		for _, r := range rs {
			switch arch {
			case "amd64":
				m[r.Name()+"AMD64"] = r
				if r.Multiplies() {
					m[r.Name()+"ADX"] = r
				}
			case "arm64":
				m[r.Name()+"ARM64"] = r
				if r.HasProduct() {
					m[r.Name()+"Karatsuba"] = r
				}
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

// Known says what a routine is for that has no contract: it is empty unless name and
// code are those of one that is known.
func Known(arch string, r object.Routine) string {
	const midr = "\x00\x00\x38\xd5\xe0\x07\x00\xf9\xc0\x03\x5f\xd6" // MRS MIDR_EL1, R0; MOVD R0, 8(RSP); RET
	if arch == "arm64" && r.Name == "midr" && strings.TrimRight(string(r.Code), "\x00") == midr {
		return "reads which CPU this is"
	}
	return ""
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
		case !ok && Known(p.Arch, r) != "":
			// This has nothing to do with secrets.
		case !ok:
			whole(r.Name, "%s has a routine for which there is no contract", r.File)
		case len(r.Code) == 0:
			whole(r.Name, "%s has a routine that the package and its tests never refer to, so it is not in the linked program", r.File)
		default:
			results = append(results, RoutineArch(p.Arch, p.Name+"."+r.Name, r.Code, c))
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
