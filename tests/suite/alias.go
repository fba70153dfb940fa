package suite

import (
	"strings"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A pattern says which pointer parameters share a buffer: parameter i uses
// buffer pattern[i], which is the index of the first parameter of its block.
type pattern []int

// patterns returns every way in which pointer parameters with the given
// numbers of limbs may be equal, the one without aliasing first. Parameters of
// different sizes are never equal.
func patterns(limbs []int) []pattern {
	var all []pattern
	var extend func(p pattern)
	extend = func(p pattern) {
		i := len(p)
		if i == len(limbs) {
			all = append(all, append(pattern(nil), p...))
			return
		}
		extend(append(p, i))
		for j := range i {
			if p[j] == j && limbs[j] == limbs[i] {
				extend(append(p, j))
			}
		}
	}
	extend(nil)
	return all
}

// name prints the blocks of the pattern, such as "z=x, y".
func (p pattern) name(params []spec.Param) string {
	var blocks []string
	for i := range p {
		if p[i] != i {
			continue
		}
		var names []string
		for j := range p {
			if p[j] == i {
				names = append(names, params[j].Name)
			}
		}
		blocks = append(blocks, strings.Join(names, "="))
	}
	return strings.Join(blocks, ", ")
}
