package cosim

import (
	"slices"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
)

// TestShapes leaves out what a CPU lacks, and says so.
func TestShapes(t *testing.T) {
	all, none := shapes(func(string) bool { return true })
	if len(all) != len(encode.Shapes())-1 || len(none) != 0 { // without RET
		t.Errorf("%d shapes, %q skipped, want %d and none", len(all), none, len(encode.Shapes())-1)
	}
	some, skipped := shapes(func(op string) bool { return op != "MULX" && op != "ADOX" })
	if want := []string{"ADOX", "MULX"}; !slices.Equal(skipped, want) {
		t.Errorf("skipped %q, want %q", skipped, want)
	}
	if slices.ContainsFunc(some, func(s encode.Shape) bool { return s.Op == "MULX" || s.Op == "ADOX" }) || len(some) != len(all)-8 {
		t.Errorf("%d shapes, want %d, none of them of what the CPU lacks", len(some), len(all)-8)
	}
	r := Report{States: 5, Forms: map[string]int{"ADD/64/rr": 5}, Skipped: skipped}
	if want := "cosim: 5 states of 1 instruction forms, all equal; this CPU lacks ADOX, MULX"; r.String() != want {
		t.Errorf("printed %q, want %q", r, want)
	}
}
