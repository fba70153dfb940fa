package bound

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/coq"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

var update = flag.Bool("update", false, "search for the certificate again, and write it here and in proofs/coq")

func certificate(t *testing.T) *Certificate {
	t.Helper()
	c, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSearch finds the certificate again, to the byte, and compares the copy for
// Coq with it.
func TestSearch(t *testing.T) {
	c, err := Search()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		for name, text := range map[string]string{"divsteps.txt": c.String(), "../coq/HullCert.v": c.Coq()} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	if c.String() != text {
		t.Error("the search finds another certificate than divsteps.txt; go test ./proofs/bound -update writes it")
	}
	got, err := coq.Source("HullCert.v")
	if err != nil || got != c.Coq() {
		t.Errorf("proofs/coq/HullCert.v is not the certificate (error %v); go test ./proofs/bound -update writes it", err)
	}
}

// checkSteps checks that the inversions of the fields take as many divsteps as the
// certificate asks for.
func checkSteps(c *Certificate, fields []*spec.Field) error {
	for _, f := range fields {
		need, err := c.Steps(f.Modulus.BitLen())
		if err != nil {
			return err
		}
		if f.Steps() < need {
			return fmt.Errorf("%s: %d divsteps, the certificate shows that %d suffice", f.Name, f.Steps(), need)
		}
	}
	return nil
}

func TestStepsOfFields(t *testing.T) {
	c := certificate(t)
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if err := checkSteps(c, spec.Fields()); err != nil {
		t.Error(err)
	}
	for _, f := range spec.Fields() {
		need, err := c.Steps(f.Modulus.BitLen())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d divsteps, %d needed by the certificate, %d published", f.Name, f.Steps(), need, spec.StepBound(f.Modulus.BitLen()))
		short := *f
		short.Batches, short.SubSteps = need-1, []int{1}
		if err := checkSteps(c, []*spec.Field{&short}); err == nil || !strings.Contains(err.Error(), "suffice") {
			t.Errorf("%s with %d divsteps: got error %v, want one", f.Name, need-1, err)
		}
	}
}

// TestLeast pins the numbers of steps. The published bound of spec is computed in
// another way, from the hull of all states, and may be lower, never higher.
func TestLeast(t *testing.T) {
	c := certificate(t)
	for bits, want := range map[int]int{255: 589, 256: 591} {
		if got, err := c.Steps(bits); err != nil || got != want {
			t.Errorf("%d bits: got %d steps, error %v, want %d", bits, got, err, want)
		}
		if c.Suffices(bits, want-1) || !c.Suffices(bits, want) {
			t.Errorf("%d bits: %d steps suffice: %t, %d steps: %t", bits, want-1, c.Suffices(bits, want-1), want, c.Suffices(bits, want))
		}
	}
	for bits := 23; bits <= 512; bits++ {
		if got, err := c.Steps(bits); err != nil || got < spec.StepBound(bits) {
			t.Errorf("%d bits: got %d steps, error %v; fewer than the %d of the exact hull", bits, got, err, spec.StepBound(bits))
		}
	}
	if _, err := c.Steps(-1); err == nil {
		t.Error("-1 bits: no error")
	}
}

// TestWorstSmall tries every input for small moduli: none needs more steps than
// the certificate says.
func TestWorstSmall(t *testing.T) {
	c := certificate(t)
	for bits := 2; bits <= 9; bits++ {
		most := 0
		for p := 1<<(bits-1) + 1; p < 1<<bits; p += 2 {
			for x := range p {
				d, f, g, n := 1, p, x, 0
				for ; g != 0; n++ {
					switch {
					case g&1 == 0:
						d, g = d+2, g/2
					case d > 0:
						d, f, g = 2-d, g, (g-f)/2
					default:
						d, g = d+2, (g+f)/2
					}
				}
				most = max(most, n)
			}
		}
		if need, err := c.Steps(bits); err != nil || most > need {
			t.Errorf("%d bits: an input needs %d steps, the certificate says %d, error %v", bits, most, need, err)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"alpha 1", "line 1"},
		{"alpha 1 2\nR 1 2 3", "want alpha, maxima, P, Q or hint"},
		{"P 1 2", "line 1"},
		{"hint 10 0 0 1 1 1", "rule 10, want 0 to 9"},
		{"hint 0 0 0 1 1 x", "line 1"},
		{"P 99999999999999999999 0 0", "line 1"},
	} {
		if _, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got error %v, want one with %q", c.text, err, c.want)
		}
	}
	if c := certificate(t); c.String() != text {
		t.Error("the certificate is printed differently from how it was read")
	}
}

// TestRefuses plants faults in the certificate.
func TestRefuses(t *testing.T) {
	for _, f := range []struct {
		name  string
		plant func(*Certificate)
	}{
		{"a smaller alpha", func(c *Certificate) { c.Num -= 200 }},
		{"alpha below 1/2", func(c *Certificate) { c.Num = c.Den / 3 }},
		{"alpha not positive", func(c *Certificate) { c.Num = 0 }},
		{"a hint too few", func(c *Certificate) { c.Hints[3] = c.Hints[3][1:] }},
		{"a hint too many", func(c *Certificate) { c.Hints[3] = append(c.Hints[3], c.Hints[3][0]) }},
		{"a rule too few", func(c *Certificate) { c.Hints = c.Hints[1:] }},
		{"an index out of range", func(c *Certificate) { c.Hints[0][0].I = len(c.P) }},
		{"a negative index", func(c *Certificate) { c.Hints[0][0].J = -1 }},
		{"D = 0", func(c *Certificate) { h := &c.Hints[0][0]; h.L, h.M, h.D = new(big.Int), new(big.Int), new(big.Int) }},
		{"negative D", func(c *Certificate) {
			h := &c.Hints[0][0]
			h.L, h.M, h.D = new(big.Int).Neg(h.L), new(big.Int).Neg(h.M), new(big.Int).Neg(h.D)
		}},
		{"another multiplier", func(c *Certificate) { h := &c.Hints[4][2]; h.L = add(h.L, big.NewInt(1)) }},
		{"a small set P", func(c *Certificate) { c.P = []Plane{{1, 0, 0}, {0, 1, 0}} }},
		{"a smaller bound of g", func(c *Certificate) { c.MaxG -= 40 }},
		{"a smaller bound of f", func(c *Certificate) { c.MaxF -= 40 }},
		{"a bound of P moved in", func(c *Certificate) { c.P[0].C -= c.P[0].C / 500 }},
		{"a bound of Q turned", func(c *Certificate) { c.Q[1].A++ }},
		{"P without (1, 1)", func(c *Certificate) { c.P = append(c.P, Plane{0, 2, 1}) }},
	} {
		c := certificate(t)
		f.plant(c)
		if err := c.Check(); err == nil {
			t.Errorf("%s: accepted", f.name)
		}
	}
}

// TestNumbersMatter changes single numbers by one. Most changes must be refused;
// a bound that moves by so little that the slack covers it is still a proof.
func TestNumbersMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const tries = 100
	refused := 0
	for range tries {
		fields := strings.Fields(text)
		i := rng.IntN(len(fields))
		n, ok := new(big.Int).SetString(fields[i], 10)
		for !ok {
			i = rng.IntN(len(fields))
			n, ok = new(big.Int).SetString(fields[i], 10)
		}
		lines := strings.Split(text, "\n")
		seen := 0
		for l, line := range lines {
			words := strings.Fields(line)
			if i < seen+len(words) {
				words[i-seen] = add(n, big.NewInt(int64(1-2*rng.IntN(2)))).String()
				lines[l] = strings.Join(words, " ")
				break
			}
			seen += len(words)
		}
		c, err := Parse(strings.Join(lines, "\n"))
		if err == nil {
			err = c.Check()
		}
		if err != nil {
			refused++
		}
	}
	if refused < tries*9/10 {
		t.Errorf("%d of %d changed certificates refused, want at least 90 %%", refused, tries)
	}
	t.Logf("%d of %d changed certificates refused", refused, tries)
}

// TestHull compares the hull of points with one that is known.
func TestHull(t *testing.T) {
	got := hull([]point{{unit, 0}, {unit, unit}, {0, unit / 2}, {unit / 2, unit / 4}})
	want := []point{{unit, unit}, {-unit, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
