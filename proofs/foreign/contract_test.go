package foreign_test

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/foreign"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// text returns a contract with some of its fields replaced.
func text(t *testing.T, change map[string]any) string {
	t.Helper()
	c := map[string]any{
		"name": "f", "modulus": "2^255 - 19", "claims": []string{"z == x (mod p)"},
		"parameters": []map[string]any{
			{"name": "z", "role": "out", "limbs": 4}, {"name": "x", "role": "in", "limbs": 4},
			{"name": "c", "role": "scalar", "bound": "2"}, {"name": "w", "role": "inout", "limbs": 4, "bound": "p"},
			{"name": "r", "role": "result"},
		},
	}
	for k, v := range change {
		c[k] = v
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestClaims evaluates claims for values that make them true and false.
func TestClaims(t *testing.T) {
	env := spec.Env{}
	for name, v := range map[string]int64{"z": 100, "x": 7, "c": 1, "w": 3, "w′": 5, "r": 1} {
		env[name] = big.NewInt(v)
	}
	for claim, want := range map[string]bool{
		"z == 2*x*x + 2":                  true,
		"z = 2 * x^2 + 2":                 true,
		"z == 100 + c - r":                true,
		"z == 0x64":                       true,
		"-x + z == 93":                    true,
		"z == 2·x·x + 3":                  false,
		"z ≡ x (mod 31)":                  true,
		"z ≡ x (mod 2^5)":                 false,
		"z == x + p (mod p)":              false,
		"z + 2*p == x + 93 (mod p)":       true,
		"z*inv(4) == 25 (mod p)":          true,
		"z < 101":                         true,
		"z < 10^2":                        false,
		"z < p":                           true,
		"w' == w + 2":                     true,
		"w′ == w":                         false,
		"x == if(c, 7, w)":                true,
		"x == if(c - 1, 7, w)":            false,
		"r == [z == x (mod 31)]":          true,
		"r == [z == x (mod p)]":           false,
		"z == (1 + 9)*(2 + (3 + 5))":      true,
		" z==  x+93(mod p)":               true,
		"z*2^256 == 100*2^256 + 0*x":      true,
		"z == 1 + 3*(x - 2)*(w + 2) + 24": true,
	} {
		r, err := foreign.ParseContract([]byte(text(t, map[string]any{"claims": []string{claim}})))
		if err != nil {
			t.Errorf("%s: %v", claim, err)
			continue
		}
		if err := r.Check(env); (err == nil) != want {
			t.Errorf("%s: got %v, want %v", claim, err, want)
		}
	}
}

// TestContractRefused lists mistakes and what is said of them.
func TestContractRefused(t *testing.T) {
	claim := func(s string) map[string]any { return map[string]any{"claims": []string{s}} }
	param := func(p map[string]any) map[string]any { return map[string]any{"parameters": []map[string]any{p}} }
	for _, tt := range []struct {
		text, want string
	}{
		{"", "EOF"},
		{"[]", "cannot unmarshal array"},
		{"{}", `name is ""`},
		{text(t, nil) + "{}", "something follows the object"},
		{text(t, map[string]any{"modulo": "3"}), `unknown field "modulo"`},
		{text(t, map[string]any{"name": "a b"}), `name is "a b"`},
		{text(t, map[string]any{"name": "Invert"}), "loops"},
		{text(t, map[string]any{"name": 3}), "cannot unmarshal number"},
		{text(t, map[string]any{"modulus": "1"}), "want at least 2"},
		{text(t, map[string]any{"modulus": "2^"}), "not a decimal number"},
		{text(t, map[string]any{"modulus": "q"}), "only constants"},
		{text(t, map[string]any{"modulus": "p"}), "there is none here"},
		{text(t, map[string]any{"modulus": "2^99999999"}), "exponent"},
		{text(t, map[string]any{"parameters": nil}), "no parameters"},
		{text(t, map[string]any{"claims": []string{}}), "no claims"},
		{text(t, map[string]any{"claims": "z == x"}), "cannot unmarshal string"},
		{text(t, param(map[string]any{"name": "p", "role": "out", "limbs": 4})), "means something else"},
		{text(t, param(map[string]any{"name": "z", "role": "output", "limbs": 4})), `role is "output", want out, in`},
		{text(t, param(map[string]any{"name": "z", "role": "out"})), "limbs are missing"},
		{text(t, param(map[string]any{"name": "z", "role": "out", "limbs": 0})), "limbs are 0, want 1 to"},
		{text(t, param(map[string]any{"name": "z", "role": "out", "limbs": 65})), "limbs are 65, want 1 to"},
		{text(t, param(map[string]any{"name": "z", "role": "out", "limbs": 4, "bound": "p"})), "say it in a claim"},
		{text(t, param(map[string]any{"name": "z", "role": "out", "limbs": 4, "width": 1})), `unknown field "width"`},
		{text(t, param(map[string]any{"name": "z", "role": "out", "limbs": "4"})), "cannot unmarshal string"},
		{text(t, param(map[string]any{"name": "z", "role": "scalar", "limbs": 1})), "pointers only"},
		{text(t, param(map[string]any{"name": "z", "role": "scalar", "bound": "2^64 + 1"})), "want 1 to 2^64"},
		{text(t, param(map[string]any{"name": "z", "role": "scalar", "bound": "0"})), "want 1 to 2^64"},
		{text(t, param(map[string]any{"name": "z", "role": "in", "limbs": 4, "bound": "2^257"})), "want 1 to 2^256"},
		{text(t, map[string]any{"parameters": []map[string]any{{"name": "r", "role": "result"}, {"name": "z", "role": "out", "limbs": 1}}}), "not the last"},
		{text(t, map[string]any{"parameters": []map[string]any{{"name": "z", "role": "scalar"}, {"name": "z", "role": "scalar"}}}), "same name"},
		{text(t, map[string]any{"parameters": []map[string]any{{"name": "a", "role": "scalar"}, {"name": "b", "role": "scalar"}, {"name": "c", "role": "scalar"},
			{"name": "d", "role": "scalar"}, {"name": "e", "role": "scalar"}, {"name": "f", "role": "scalar"}, {"name": "g", "role": "scalar"}}}), "passes 6 in registers"},
		{text(t, map[string]any{"distinct": [][]string{{"z"}}}), "has 1 names"},
		{text(t, map[string]any{"distinct": [][]string{{"z", "q"}}}), `no parameter has the name "q"`},
		{text(t, map[string]any{"distinct": [][]string{{"z", "c"}}}), "c is no pointer"},
		{text(t, map[string]any{"distinct": [][]string{{"z", "z"}}}), "equal to itself"},
		{text(t, claim("")), "the text ends, want a number"},
		{text(t, claim("z")), `the text ends, want "=="`},
		{text(t, claim("z == q")), `no parameter has the name "q"`},
		{text(t, claim("z == x (mod x)")), "want a positive constant"},
		{text(t, claim("z == x (mod 0)")), "want a positive constant"},
		{text(t, claim("z ≡ x")), `want "(mod ...)"`},
		{text(t, claim("z < x")), "want a parameter below a positive constant"},
		{text(t, claim("z*z < p")), "want a parameter below a positive constant"},
		{text(t, claim("z < 0")), "want a parameter below a positive constant"},
		{text(t, claim("z < p (mod p)")), "a bound has no modulus"},
		{text(t, claim("z == x)")), `")" comes next, want the end`},
		{text(t, claim("z == (x")), `want ")"`},
		{text(t, claim("z == 09")), "not a decimal number"},
		{text(t, claim("z == 0xyz")), "not a decimal number"},
		{text(t, claim("z == 2a")), "not a decimal number"},
		{text(t, claim("z == x^5")), "exponent is 5"},
		{text(t, claim("z == x^3*x^2")), "product of 5 parameters"},
		{text(t, claim("z == (x + 1)^2")), "neither a constant nor a parameter"},
		{text(t, claim("x' == x")), "inout"},
		{text(t, claim("z == inv(x)")), "inv is for constants"},
		{text(t, claim("z == inv(0)")), "has no inverse"},
		{text(t, claim("z == if(c, x)")), `want ","`},
		{text(t, claim("r == [z == x]")), `want "(mod ...)"`},
		{text(t, claim("z == "+strings.Repeat("(", 60)+"x"+strings.Repeat(")", 60))), "brackets"},
	} {
		if _, err := foreign.ParseContract([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want %q", tt.text, err, tt.want)
		}
	}
}

// FuzzContract looks for text that makes the reader panic, and for claims that
// cannot be printed or evaluated.
func FuzzContract(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := foreign.ParseContract(text)
		if err != nil {
			return
		}
		env := spec.Env{}
		for _, p := range r.Params {
			env[p.Name], env[spec.After(p.Name)] = big.NewInt(3), big.NewInt(5)
		}
		for _, c := range r.Claims {
			if _, err := c.Holds(env); err != nil {
				t.Errorf("%v: %v", c, err)
			}
		}
	})
}
