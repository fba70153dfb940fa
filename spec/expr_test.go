package spec

import (
	"math/big"
	"strings"
	"testing"
)

func TestEval(t *testing.T) {
	n := big.NewInt
	x, y, c := Var("x"), Var("y"), Var("c")
	env := Env{"x": n(5), "y": n(7), "c": n(1), "d": n(0), After("x"): n(9)}
	for _, test := range []struct {
		e     Expr
		want  int64
		print string
	}{
		{x, 5, "x"},
		{Var(After("x")), 9, "x′"},
		{Const(n(12)), 12, "12"},
		{NamedConst("R", n(16)), 16, "R"},
		{Add(x, y, c), 13, "x + y + c"},
		{Add(), 0, ""},
		{Sub(x, y), -2, "x - y"},
		{Sub(x, Add(y, c)), -3, "x - (y + c)"},
		{Sub(Sub(x, y), c), -3, "x - y - c"},
		{Mul(x, y), 35, "x·y"},
		{Mul(x, Add(y, c)), 40, "x·(y + c)"},
		{Mul(), 1, ""},
		{Inv(x, n(13)), 8, "x⁻¹"},
		{Inv(Sub(x, y), n(13)), 6, "(x - y)⁻¹"},
		{Inv(Const(n(26)), n(13)), 0, "26⁻¹"},
		{IsCong(x, constant(18), n(13)), 1, "[x ≡ 18]"},
		{IsCong(x, y, n(13)), 0, "[x ≡ y]"},
		{IsCong(Sub(x, y), constant(11), n(13)), 1, "[x - y ≡ 11]"},
		{Choose(c, x, y), 5, "c·x + (1 - c)·y"},
		{Choose(Var("d"), x, y), 7, "d·x + (1 - d)·y"},
	} {
		got, err := test.e.Eval(env)
		if err != nil || got.Cmp(n(test.want)) != 0 {
			t.Errorf("%v: got %v, %v; want %d", test.e, got, err, test.want)
		}
		if s := test.e.String(); s != test.print {
			t.Errorf("got %q, want %q", s, test.print)
		}
	}
	for name, v := range map[string]int64{"x": 5, "y": 7, "c": 1, "d": 0} {
		if env[name].Cmp(n(v)) != 0 {
			t.Errorf("evaluation changed %s to %v", name, env[name])
		}
	}
}

func constant(v int64) Expr { return Const(big.NewInt(v)) }

func TestEvalErrors(t *testing.T) {
	env := Env{"x": big.NewInt(6)}
	for _, test := range []struct {
		e      Expr
		expect string
	}{
		{Var("y"), `"y"`},
		{Add(Var("x"), Mul(Var("x"), Var("y"))), `"y"`},
		{Inv(Var("x"), big.NewInt(9)), "not prime"},
		{Expr{Op: 99}, "unknown operation"},
	} {
		if v, err := test.e.Eval(env); err == nil || !strings.Contains(err.Error(), test.expect) {
			t.Errorf("%v: got %v and error %v, want one with %q", test.e, v, err, test.expect)
		}
	}
}

func TestClaims(t *testing.T) {
	n := big.NewInt
	x, y := Var("x"), Var("y")
	for _, test := range []struct {
		claim Claim
		x, y  int64
		want  bool
		print string
	}{
		{Claim{Rel: Equal, L: x, R: y}, 5, 5, true, "x = y"},
		{Claim{Rel: Equal, L: x, R: y}, 5, 6, false, "x = y"},
		{Claim{Rel: Congruent, L: x, R: y, Mod: n(7)}, 5, 12, true, "x ≡ y (mod p)"},
		{Claim{Rel: Congruent, L: x, R: y, Mod: n(7)}, 5, -2, true, "x ≡ y (mod p)"},
		{Claim{Rel: Congruent, L: x, R: y, Mod: n(7)}, 5, 13, false, "x ≡ y (mod p)"},
		{Claim{Rel: Less, L: x, R: y}, 5, 6, true, "x < y"},
		{Claim{Rel: Less, L: x, R: y}, 6, 6, false, "x < y"},
		{Claim{Rel: Less, L: x, R: y}, -1, 6, false, "x < y"},
	} {
		got, err := test.claim.Holds(Env{"x": n(test.x), "y": n(test.y)})
		if err != nil || got != test.want {
			t.Errorf("%v for %d, %d: got %t, %v; want %t", test.claim, test.x, test.y, got, err, test.want)
		}
		if s := test.claim.String(); s != test.print {
			t.Errorf("got %q, want %q", s, test.print)
		}
	}
	for _, test := range []struct {
		claim Claim
		env   Env
	}{
		{Claim{Rel: 99, L: x, R: x}, Env{"x": n(1)}},
		{Claim{Rel: Equal, L: x, R: y}, Env{"x": n(1)}},
		{Claim{Rel: Equal, L: x, R: y}, Env{"y": n(1)}},
	} {
		if got, err := test.claim.Holds(test.env); err == nil {
			t.Errorf("%v in %v: got %t, want an error", test.claim, test.env, got)
		}
	}
}
