package algo

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// otherFields are moduli that nothing is generated for: other sizes and shapes
// than the four of the library. What one entry in spec gives is tried on them.
func otherFields() []*spec.Field {
	field := func(name, modulus string, limbs int, form spec.Form) *spec.Field {
		p, ok := new(big.Int).SetString(modulus, 0)
		if !ok {
			panic(modulus)
		}
		return &spec.Field{Name: name, Title: name, Modulus: p, Limbs: limbs, Form: form, Package: "x", Type: "Scalar", Prefix: "fe"}
	}
	return []*spec.Field{
		field("2^127-1", "0x7fffffffffffffffffffffffffffffff", 2, spec.Weak),
		field("2^382-105", "0x3fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff97", 6, spec.Weak),
		field("2^255-19 in Montgomery form", "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed", 4, spec.Montgomery),
		field("secp256k1", "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f", 4, spec.Montgomery),
		field("P-192", "0xfffffffffffffffffffffffffffffffeffffffffffffffff", 3, spec.Montgomery),
		field("P-224", "0xffffffffffffffffffffffffffffffff000000000000000000000001", 4, spec.Montgomery),
		field("P-384", "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff", 6, spec.Montgomery),
	}
}

// targets are the kinds of machine that algorithms adapt to.
var targets = map[string]limb.Features{
	"plain":  {Unroll: true},
	"keeps":  {MulKeepsCarry: true},
	"double": {Unroll: true, SlowShrD: true, DualCarry: true, MulKeepsCarry: true},
	"three":  {Unroll: true, MulKeepsCarry: true, ThreeAddress: true, SlowShrD: true},
	"few":    {Unroll: true, MulKeepsCarry: true, ThreeAddress: true, SlowMul: true},
}

// value draws a number below bound, often near its edges.
func value(rng *rand.Rand, bound *big.Int) *big.Int {
	v := new(big.Int)
	for range (bound.BitLen() + 63) / 64 {
		w := rng.Uint64()
		switch rng.IntN(6) {
		case 0:
			w = 0
		case 1:
			w = 1<<64 - 1
		case 2:
			w = 1<<64 - 1 - w>>58
		}
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(w))
	}
	if v.Cmp(bound) >= 0 && rng.IntN(2) == 0 {
		v.Sub(bound, big.NewInt(1+rng.Int64N(3)))
	}
	return v.Mod(v, bound)
}

// try runs the program on random operands and checks the contract.
func try(p *limb.Program, rng *rand.Rand, rounds int) error {
	r := p.Routine
	for range rounds {
		env, mem := spec.Env{}, map[string][]uint64{}
		for _, q := range r.Params {
			switch {
			case q.Role == spec.Result:
			case q.Bound == nil:
				mem[q.Name] = make([]uint64, q.Limbs)
			default:
				env[q.Name] = value(rng, q.Bound)
				mem[q.Name] = limbs(env[q.Name], q.Limbs)
			}
		}
		result, err := p.Eval(mem)
		if err != nil {
			return err
		}
		for _, q := range r.Params {
			v := new(big.Int)
			for i := len(mem[q.Name]) - 1; i >= 0; i-- {
				v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(mem[q.Name][i]))
			}
			switch q.Role {
			case spec.Out:
				env[q.Name] = v
			case spec.InOut:
				env[spec.After(q.Name)] = v
			case spec.Result:
				env[q.Name] = new(big.Int).SetUint64(result)
			}
		}
		if err := r.Check(env); err != nil {
			return fmt.Errorf("%v for %v", err, env)
		}
	}
	return nil
}

func TestAlgorithmsOnFields(t *testing.T) {
	for _, f := range append(spec.Fields(), otherFields()...) {
		for target, features := range targets {
			t.Run(f.Name+"/"+target, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				for _, r := range f.Routines() {
					if r.Kind == spec.KindInvert && f.Batches == 0 {
						continue // see TestInvertOtherFields
					}
					p, err := Record(r, features)
					if err != nil {
						t.Fatal(err)
					}
					rounds := 300
					if r.Kind == spec.KindInvert {
						rounds = 10
					}
					if err := try(p, rng, rounds); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// TestDetectsWrongAlgorithm drops or changes one instruction at a time: the
// check must notice. Without it, a check that accepts everything would pass.
func TestDetectsWrongAlgorithm(t *testing.T) {
	f := spec.Fields()[0]
	r, err := f.Routine(spec.KindMultiply)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Record(r, targets["keeps"])
	if err != nil {
		t.Fatal(err)
	}
	p.DropDead()
	rng := rand.New(rand.NewPCG(3, 4))
	for n, i := range p.Instrs {
		if i.Op != limb.Add {
			continue
		}
		i.Op = limb.Sub
		if try(p, rng, 300) == nil {
			t.Errorf("instruction %d changed from Add to Sub, and nothing noticed", n)
		}
		i.Op = limb.Add
	}
	if err := try(p, rng, 300); err != nil {
		t.Fatal(err)
	}
}

func TestRefusesModulusOfWrongShape(t *testing.T) {
	f := *spec.Fields()[3]
	f.Form = spec.Weak
	r, err := f.Routine(spec.KindMultiply)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Record(r, targets["plain"]); err == nil || !strings.Contains(err.Error(), "pseudo-Mersenne") {
		t.Errorf("folding with the P-256 order: got error %v, want one that says it is not pseudo-Mersenne", err)
	}
}
