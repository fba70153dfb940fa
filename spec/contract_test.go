package spec

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// direct computes what a routine returns, from the names of its inputs, with
// math/big alone: it shares nothing with the expressions of the contracts.
// Every output is below the bound of its place.
func direct(f *Field, kind Kind, in Env) Env {
	p := f.Modulus
	r := f.R()
	rInverse := new(big.Int).ModInverse(r, p)
	mod := func(x *big.Int) *big.Int { return new(big.Int).Mod(x, p) }
	mul := func(x, y *big.Int) *big.Int { return mod(new(big.Int).Mul(x, y)) }
	product := func(x, y *big.Int) *big.Int { return mul(x, y) }
	if f.Form == Montgomery {
		product = func(x, y *big.Int) *big.Int { return mul(mul(x, y), rInverse) }
	}
	bit := func(b bool) *big.Int {
		if b {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	x, y, w, k := in["x"], in["y"], in["w"], in["k"]
	z := func(v *big.Int) Env { return Env{"z": v} }
	switch kind {
	case KindAdd:
		return z(mod(new(big.Int).Add(x, y)))
	case KindSubtract:
		return z(mod(new(big.Int).Sub(x, y)))
	case KindNegate:
		return z(mod(new(big.Int).Neg(x)))
	case KindDouble:
		return z(mod(new(big.Int).Lsh(x, 1)))
	case KindMultiply:
		return z(product(x, y))
	case KindSquare:
		return z(product(x, x))
	case KindMult32:
		return z(mul(x, k))
	case KindMulAdd:
		return z(mod(new(big.Int).Add(product(x, y), w)))
	case KindCanon:
		return z(mod(x))
	case KindReduceWide, KindToMont:
		if f.Form == Montgomery {
			return z(mul(x, r))
		}
		return z(mod(x))
	case KindFromMont:
		return z(mul(x, rInverse))
	case KindSelect:
		if in["cond"].Sign() != 0 {
			return z(x)
		}
		return z(y)
	case KindSwap:
		if in["cond"].Sign() != 0 {
			x, y = y, x
		}
		return Env{After("x"): x, After("y"): y}
	case KindEqual:
		return Env{"r": bit(mod(x).Cmp(mod(y)) == 0)}
	case KindIsZero:
		return Env{"r": bit(mod(x).Sign() == 0)}
	case KindInvert:
		inverse := new(big.Int).ModInverse(mod(x), p)
		if inverse == nil {
			return z(new(big.Int))
		}
		if f.Form == Montgomery {
			inverse = mul(mul(inverse, r), r)
		}
		return z(inverse)
	}
	return nil
}

// inputs returns random values for everything that a routine reads, equal and
// zero ones among them.
func inputs(r *Routine, rng *rand.Rand) Env {
	env := make(Env)
	var last *big.Int
	for _, p := range r.Params {
		if p.Bound == nil {
			continue
		}
		v := new(big.Int)
		switch rng.IntN(4) {
		case 0:
			v.Sub(p.Bound, big.NewInt(1+rng.Int64N(2)))
		case 1:
			if last != nil {
				v.Mod(last, p.Bound)
			}
		default:
			for range p.Limbs + 1 {
				v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(rng.Uint64()))
			}
			v.Mod(v, p.Bound)
		}
		env[p.Name], last = v, v
	}
	return env
}

// TestContracts checks that each contract holds for what a direct computation
// returns, and for nothing next to it.
func TestContracts(t *testing.T) {
	for _, f := range Fields() {
		for _, r := range f.Routines() {
			t.Run(f.Name+"/"+string(r.Kind), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				for range 50 {
					env := inputs(r, rng)
					out := direct(f, r.Kind, env)
					if len(out) == 0 {
						t.Fatal("no direct computation")
					}
					for name, v := range out {
						env[name] = v
					}
					if err := r.Check(env); err != nil {
						t.Fatalf("%v: %v", env, err)
					}
					for name, v := range out {
						for _, wrong := range []*big.Int{
							new(big.Int).Add(v, big.NewInt(1)),
							new(big.Int).Sub(v, big.NewInt(1)),
							new(big.Int).Add(v, f.R()),
							new(big.Int).Sub(v, f.Modulus),
						} {
							env[name] = wrong
							if err := r.Check(env); err == nil || !strings.Contains(err.Error(), r.Name()) {
								t.Fatalf("%s = %#x instead of %#x: got error %v", name, wrong, v, err)
							}
						}
						// Above the modulus only a weakly reduced result may be.
						env[name] = new(big.Int).Add(v, f.Modulus)
						weak := f.Form == Weak && name == "z" && r.Kind != KindCanon && r.Kind != KindInvert && r.Kind != KindSelect
						if err := r.Check(env); (err == nil) != weak {
							t.Fatalf("%s = %#x + p: got error %v, want none: %t", name, v, err, weak)
						}
						env[name] = v
					}
				}
			})
		}
	}
}

// TestRoutineList checks that a field has the routines that it should, with
// parameters that make sense.
func TestRoutineList(t *testing.T) {
	common := []Kind{KindAdd, KindSubtract, KindNegate, KindDouble, KindMultiply, KindSquare, KindMult32,
		KindReduceWide, KindSelect, KindSwap, KindEqual, KindIsZero, KindInvert}
	forms := map[Form][]Kind{Weak: {KindCanon}, Montgomery: {KindToMont, KindFromMont}}
	types := map[string][]Kind{"Element": nil, "Scalar": {KindMulAdd}}
	for _, f := range Fields() {
		var kinds []Kind
		for _, r := range f.Routines() {
			kinds = append(kinds, r.Kind)
			if got, err := f.Routine(r.Kind); err != nil || got.Name() != r.Name() {
				t.Errorf("%s: Routine(%s): got %v, %v", f.Name, r.Kind, got, err)
			}
			checkParams(t, r)
		}
		want := slices.Concat(common, forms[f.Form], types[f.Type])
		slices.Sort(kinds)
		slices.Sort(want)
		if !slices.Equal(kinds, want) {
			t.Errorf("%s: got routines %v, want %v", f.Name, kinds, want)
		}
	}
}

func checkParams(t *testing.T, r *Routine) {
	t.Helper()
	names := make(map[string]bool)
	for _, p := range r.Params {
		if p.Name == "" || names[p.Name] {
			t.Errorf("%s: the name %q is empty or comes twice", r.Name(), p.Name)
		}
		names[p.Name] = true
		if reads := p.Role == In || p.Role == InOut || p.Role == Value; reads != (p.Bound != nil) || reads != (p.BoundName != "") {
			t.Errorf("%s: %s reads: %t, and has bound %v %q", r.Name(), p.Name, reads, p.Bound, p.BoundName)
		}
		if p.Bound != nil && p.Bound.Cmp(pow2(64*p.Limbs)) > 0 {
			t.Errorf("%s: the bound of %s does not fit %d limbs", r.Name(), p.Name, p.Limbs)
		}
		if !p.Role.Pointer() && p.Limbs != 1 {
			t.Errorf("%s: %s has %d limbs and is no pointer", r.Name(), p.Name, p.Limbs)
		}
		if !p.Secret {
			t.Errorf("%s: %s is public", r.Name(), p.Name)
		}
	}
	// A contract that leaves an output open would be no contract: TestContracts
	// shows that each claim says something, this that none misses an output.
	for _, p := range r.Params {
		name := p.Name
		if p.Role == InOut {
			name = After(name)
		}
		if p.Role == In || p.Role == Value {
			continue
		}
		if !slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.L.Op == OpVar && c.L.Name == name }) {
			t.Errorf("%s: no claim about %s", r.Name(), name)
		}
	}
}

func TestMultiplies(t *testing.T) {
	plain := []Kind{KindAdd, KindSubtract, KindNegate, KindDouble, KindCanon, KindSelect, KindSwap, KindEqual, KindIsZero}
	for _, f := range Fields() {
		for _, r := range f.Routines() {
			if want := !slices.Contains(plain, r.Kind); r.Multiplies() != want {
				t.Errorf("%s: got %t, want %t", r.Name(), r.Multiplies(), want)
			}
		}
	}
}

func TestHasProduct(t *testing.T) {
	for _, f := range Fields() {
		want := []Kind{KindMultiply, KindSquare, KindMulAdd}
		if f.Form == Montgomery {
			want = append(want, KindToMont, KindReduceWide)
		}
		for _, r := range f.Routines() {
			if want := slices.Contains(want, r.Kind); r.HasProduct() != want {
				t.Errorf("%s: got %t, want %t", r.Name(), r.HasProduct(), want)
			}
		}
	}
	for _, c := range Curves() {
		for _, r := range c.Routines() {
			if want := r.Formula.Select == nil; r.HasProduct() != want {
				t.Errorf("%s: got %t, want %t", r.Name(), r.HasProduct(), want)
			}
		}
	}
}

// TestCheckErrors checks that a missing value is an error, not a claim that
// holds.
func TestCheckErrors(t *testing.T) {
	r, err := Fields()[0].Routine(KindAdd)
	if err != nil {
		t.Fatal(err)
	}
	env := Env{"x": big.NewInt(1), "z": big.NewInt(3)}
	if err := r.Check(env); err == nil || !strings.Contains(err.Error(), `"y"`) {
		t.Errorf("without y: got error %v", err)
	}
	env["y"] = big.NewInt(1)
	if err := r.Check(env); err == nil || !strings.Contains(err.Error(), "got 0x3, want 0x2") {
		t.Errorf("1 + 1 = 3: got error %v", err)
	}
}
