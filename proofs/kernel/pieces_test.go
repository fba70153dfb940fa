package kernel_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// TestPieceMutants changes one byte of formulas at a time, as TestMutants does.
func TestPieceMutants(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	rejected, decoded := 0, 0
	for _, x := range []struct {
		routine string
		mutants int
	}{{"nist.scaleADX", 200}, {"edwards.ladderStepAMD64", 40}, {"nist.doubleAMD64", 40}} {
		tt := target(t, x.routine)
		ks := certificates(t, tt, routine(t, tt))
		for range x.mutants {
			code := append([]byte(nil), tt.Code...)
			at, flip := rnd.IntN(len(code)), byte(1)<<rnd.IntN(8)
			code[at] ^= flip
			r, err := k.NewRoutine(tt.Contract, k.ABI0, code)
			if err != nil {
				continue
			}
			decoded++
			if r.Check(ks) != nil {
				rejected++
			} else if err := concretely(t, r, 200); err != nil {
				t.Errorf("%s with byte %#x changed by %#x is accepted, but wrong: %v", x.routine, at, flip, err)
			}
		}
	}
	t.Logf("%d mutants decode, %d are rejected", decoded, rejected)
	if decoded < 100 || rejected < decoded*9/10 {
		t.Errorf("%d mutants decode and %d are rejected: too few for a test", decoded, rejected)
	}
}

// TestPieceText refuses certificates of formulas that were edited.
func TestPieceText(t *testing.T) {
	tt := target(t, "nist.scaleADX")
	r := routine(t, tt)
	good := text(t, tt)
	check := func(text string) error {
		ks, err := r.ParseText(tt.Name, text)
		if err != nil {
			return err
		}
		return r.Check(ks)
	}
	if err := check(good); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(good, "\n")
	edit := func(n int, f func(fields []string)) string {
		fields := strings.Split(strings.TrimSuffix(lines[n], "\n"), " ")
		f(fields)
		edited := slices.Clone(lines)
		edited[n] = strings.Join(fields, " ") + "\n"
		return strings.Join(edited, "")
	}
	pieces := 0
	for n := range lines {
		without := strings.Join(slices.Delete(slices.Clone(lines), n, n+1), "")
		if without != good && check(without) == nil {
			t.Errorf("without line %d, %q, it is accepted", n+1, lines[n])
		}
		if !strings.HasPrefix(lines[n], "piece ") {
			continue
		}
		pieces++
		for what, bad := range map[string]string{
			"another length": edit(n, func(f []string) { f[1] += "0" }),
			"another value":  edit(n, func(f []string) { f[2] = map[bool]string{true: "ZZ", false: "p.X′"}[f[2] == "p.X′"] }),
			"no value":       edit(n, func(f []string) { f[2] = "none" }),
			"another place":  edit(n, func(f []string) { f[3] = f[3][strings.IndexByte(f[3], ',')+1:] }),
			"a lower bound":  edit(n, func(f []string) { f[4] = "1" }),
		} {
			if bad == good || check(bad) == nil {
				t.Errorf("line %d, %q, with %s is accepted, or the same", n+1, lines[n], what)
			}
		}
	}
	if pieces != len(r.Values) {
		t.Errorf("%d pieces for %d values", pieces, len(r.Values))
	}
	whole := strings.Replace(good, "pieces 4\n", "", 1)
	if whole == good || check(whole) == nil {
		t.Error("one certificate for the whole formula is accepted")
	}
}

// TestPieceLength refuses pieces that are empty or longer than the code, also at its end.
func TestPieceLength(t *testing.T) {
	tt := target(t, "nist.scaleADX")
	r := routine(t, tt)
	pat := r.Patterns()[len(r.Patterns())-1] // disjoint pointers
	p := program(t, r, pat)
	s, err := r.Pieces(p, pat)
	if err != nil {
		t.Fatal(err)
	}
	c := k.Piece{Value: r.Values[0].Name, Out: r.Where(k.RVar{Kind: 'b', Index: 2}, pat), Bound: r.Spec.Field.Modulus}
	refused := func(ns ...int) {
		for _, c.N = range ns {
			if _, err := s.Program(&c); err == nil {
				t.Errorf("a piece of %d operations is accepted", c.N)
			}
		}
	}
	refused(-1, 0, len(p.Code)+1)
	c.N = len(p.Code)
	if err := s.Step(&c); err != nil {
		t.Fatal(err)
	}
	refused(-1, 0, 1)
}

// TestFalseFormulas checks certificates against contracts that the routines do not keep.
func TestFalseFormulas(t *testing.T) {
	for _, name := range []string{"edwards.addCachedADX", "nist.doubleAMD64"} {
		tt := target(t, name)
		ks := certificates(t, tt, routine(t, tt))
		refused := func(what string, change func(r *spec.Routine)) {
			c := *tt.Contract
			c.Lets, c.Claims, c.Params = slices.Clone(c.Lets), slices.Clone(c.Claims), slices.Clone(c.Params)
			change(&c)
			r, err := k.NewRoutine(&c, k.ABI0, tt.Code)
			if err != nil {
				t.Fatalf("%s with %s: %v", name, what, err)
			}
			if r.Check(ks) == nil {
				t.Errorf("%s with %s is proved", name, what)
			}
		}
		one := spec.Const(big.NewInt(1))
		for i, l := range tt.Contract.Lets {
			refused(l.Name+" one off", func(r *spec.Routine) { r.Lets[i].Expr = spec.Add(l.Expr, one) })
		}
		for i, q := range tt.Contract.Claims {
			switch q.Rel {
			case spec.Congruent:
				refused(q.L.Name+" one off", func(r *spec.Routine) { r.Claims[i].R = spec.Add(q.R, one) })
				refused("another modulus for "+q.L.Name, func(r *spec.Routine) { r.Claims[i].Mod = new(big.Int).Add(q.Mod, big.NewInt(2)) })
			case spec.Less:
				refused("a lower bound of "+q.L.Name, func(r *spec.Routine) {
					r.Claims[i].R = spec.Const(new(big.Int).Rsh(q.R.Val, 1))
				})
			}
		}
		if c := tt.Contract; c.Field.Form == spec.Montgomery {
			for i, p := range c.Params {
				if p.Role != spec.Out {
					refused("no bound of "+p.Name, func(r *spec.Routine) { r.Params[i].Bound = r.Field.R() })
				}
			}
		}
	}
}

// TestAmbiguousFormulas expects that contracts in which a name stands for two things
// are refused, whichever of them the code computes.
func TestAmbiguousFormulas(t *testing.T) {
	for _, name := range []string{"edwards.addCachedADX", "nist.scaleARM64"} {
		tt := target(t, name)
		refused := func(what string, change func(r *spec.Routine)) {
			c := *tt.Contract
			change(&c)
			if _, err := k.NewRoutine(&c, tt.Conv, tt.Code); err == nil {
				t.Errorf("%s with %s is accepted", name, what)
			}
		}
		zero := spec.Const(new(big.Int))
		for _, q := range tt.Contract.Claims {
			if q.Rel == spec.Congruent {
				other := q
				other.R = zero
				refused("a claim before that of "+q.L.Name, func(r *spec.Routine) { r.Claims = slices.Insert(slices.Clone(r.Claims), 0, other) })
				refused("a claim after that of "+q.L.Name, func(r *spec.Routine) { r.Claims = append(slices.Clone(r.Claims), other) })
				refused("a step called "+q.L.Name, func(r *spec.Routine) { r.Lets = append(slices.Clone(r.Lets), spec.Let{Name: q.L.Name, Expr: zero}) })
			}
		}
		for _, l := range tt.Contract.Lets {
			refused("two steps called "+l.Name, func(r *spec.Routine) { r.Lets = append(slices.Clone(r.Lets), spec.Let{Name: l.Name, Expr: zero}) })
		}
		for _, p := range tt.Contract.Params {
			if p.Role != spec.Out && p.Parts != nil {
				refused("a step called as a coordinate of "+p.Name, func(r *spec.Routine) {
					r.Lets = append(slices.Clone(r.Lets), spec.Let{Name: spec.Part(p.Name, p.Parts[0]), Expr: zero})
				})
			}
		}
	}
}
