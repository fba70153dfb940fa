// Package suite tests every implementation of every routine that spec lists,
// and the API of the field packages above them. Only tests import it: it holds
// what the tests of field25519, fieldp256 and tests/ share.
//
// Run checks raw routines against their contracts: edge values crossed with
// each other, weighted random values, every aliasing of the pointer parameters,
// words around each operand, and operands that touch an unreadable page. Run
// also demands that all implementations of a routine return the same limbs.
// RunElement and RunScalar check the method set of the exported types.
//
// The number of random cases follows rapid's own setting: the flag
// -rapid.checks or the environment variable RAPID_CHECKS.
package suite

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// The sets of instructions that an Impl may be written for.
const (
	Generic = "generic" // portable Go
	AMD64   = "amd64"   // baseline x86-64
	ADX     = "adx"     // x86-64 with BMI2 and ADX
	ARM64   = "arm64"   // AArch64

	Karatsuba = "karatsuba" // AArch64, with few wide multiplications
)

// An Impl is one implementation of one routine.
type Impl struct {
	Field     string // spec.Field.Name or spec.Curve.Name
	Kind      spec.Kind
	Set       string // Generic or one of those above
	Available bool   // the CPU can run it

	// Call runs the routine. p holds the pointer parameters and v the Value
	// parameters, each in the order of spec.Routine.Params. It returns the
	// Result, or 0 where the routine has none.
	Call func(p []unsafe.Pointer, v []uint64) uint64
}

// String names the implementation in messages.
func (i Impl) String() string { return fmt.Sprintf("%s %s (%s)", i.Field, i.Kind, i.Set) }

// A group is one routine with its implementations, the portable one first.
type group struct {
	routine *spec.Routine
	impls   []Impl
}

// architecture returns the one whose assembly this build has, or "".
func architecture() string {
	if Assembly {
		return runtime.GOARCH
	}
	return ""
}

// sets returns the implementations that the routine must have in a build with
// the assembly of an architecture, or with none.
func sets(r *spec.Routine, arch string) []string {
	all := []string{Generic}
	switch arch {
	case "amd64":
		all = append(all, AMD64)
		if r.Multiplies() {
			all = append(all, ADX)
		}
	case "arm64":
		all = append(all, ARM64)
		if r.HasProduct() {
			all = append(all, Karatsuba)
		}
	}
	return all
}

// An owner is a field or a curve with its routines.
type owner struct {
	name     string
	routines []*spec.Routine
}

func owners() []owner {
	var all []owner
	for _, f := range spec.Fields() {
		all = append(all, owner{f.Name, f.Routines()})
	}
	for _, c := range spec.Curves() {
		all = append(all, owner{c.Name, c.Routines()})
	}
	return all
}

// groups sorts a table by routine, in the order of spec. Every routine of
// every field that the table names must have exactly the implementations that
// belong to the build, so that a table that lost a line is not a test that
// passes.
func groups(table []Impl, arch string) ([]group, error) {
	type key struct {
		field string
		kind  spec.Kind
		set   string
	}
	byKey := make(map[key]Impl)
	named := make(map[string]bool)
	for _, i := range table {
		k := key{i.Field, i.Kind, i.Set}
		if _, twice := byKey[k]; twice {
			return nil, fmt.Errorf("suite: %v is in the table twice", i)
		}
		if i.Call == nil {
			return nil, fmt.Errorf("suite: %v has no Call", i)
		}
		byKey[k] = i
		named[i.Field] = true
	}
	var gs []group
	for _, o := range owners() {
		if !named[o.name] {
			continue
		}
		for _, r := range o.routines {
			g := group{routine: r}
			for _, set := range sets(r, arch) {
				k := key{o.name, r.Kind, set}
				i, ok := byKey[k]
				if !ok {
					return nil, fmt.Errorf("suite: the table has no %s implementation of %s %s", set, o.name, r.Kind)
				}
				delete(byKey, k)
				g.impls = append(g.impls, i)
			}
			gs = append(gs, g)
		}
	}
	for _, i := range byKey {
		return nil, fmt.Errorf("suite: %v is in the table, and spec or this build has no such routine", i)
	}
	if len(gs) == 0 {
		return nil, fmt.Errorf("suite: the table is empty")
	}
	return gs, nil
}
