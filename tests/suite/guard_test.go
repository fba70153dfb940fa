//go:build linux || darwin

package suite

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// TestGuardFaults plants routines that read a word before or after an operand
// and do nothing else wrong.
func TestGuardFaults(t *testing.T) {
	r := lookup(t, "p256", spec.KindMultiply)
	var sink uint64
	for _, test := range []struct {
		name   string
		param  int
		offset int
		expect string
	}{
		{"after the output", 0, 32, "end"},
		{"after an input", 2, 32, "end"},
		{"before the output", 0, -8, "start"},
		{"before an input", 1, -8, "start"},
		{"the last byte of a word that starts inside", 1, 25, "end"},
	} {
		wrong := model(t, r, AMD64)
		right := wrong.Call
		wrong.Call = func(p []unsafe.Pointer, v []uint64) uint64 {
			sink += *(*uint64)(unsafe.Add(p[test.param], test.offset))
			return right(p, v)
		}
		c := newChecker(group{r, []Impl{model(t, r, Generic), wrong}})
		err := c.guardCases()
		if err == nil || !strings.Contains(err.Error(), "(amd64) with operands at the "+test.expect+" of a page") {
			t.Errorf("%s: got error %v, want one about the %s of a page", test.name, err, test.expect)
		}
		// The checker is whole again afterwards.
		c.impls = c.impls[:1]
		if err := c.randomCases(10, 1); err != nil {
			t.Errorf("%s: after the fault: %v", test.name, err)
		}
	}
}
