package suite

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// RunElement tests the method set of an Element type, and the function that
// inverts many of them, against math/big.
func RunElement[E any, P ElementMethods[E]](t *testing.T, field string, invertBatch func([]E)) {
	y := NewType[E, P](field)
	run(t, y, y.operations(), elementChecks[E, P](y, invertBatch))
	t.Run("InvertBatchAllocations", func(t *testing.T) {
		if err := y.batchAllocations(invertBatch); err != nil {
			t.Error(err)
		}
	})
	operands := y.Operands()
	t.Run("RandomSqrtRatio", rapid.MakeCheck(func(t *rapid.T) {
		s := rapidSource{t}
		if err := ratio[E, P](y, y.draw(s, operands), y.draw(s, operands)); err != nil {
			t.Fatal(err)
		}
	}))
}

// RunScalar tests the method set of a Scalar type against math/big.
func RunScalar[E any, P ScalarMethods[E]](t *testing.T, field string) {
	y := NewType[E, P](field)
	run(t, y, scalarOperations[E, P](y), y.checks())
}

// run runs every check in a subtest, and every operation in one more, with the
// edges and with operands that rapid draws.
func run[E any, P Methods[E]](t *testing.T, y Type[E, P], ops []operation[E, P], checks []methodCheck) {
	operands := y.Operands()
	for _, c := range append(checks, y.operationChecks(ops)...) {
		t.Run(c.name, func(t *testing.T) {
			if err := c.check(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, o := range ops {
		t.Run("Random"+o.name, y.random(o, operands))
	}
	t.Run("Allocations", func(t *testing.T) {
		if err := y.allocations(ops); err != nil {
			t.Error(err)
		}
	})
}

// random is the test of an operation with operands that rapid draws.
func (y Type[E, P]) random(o operation[E, P], operands []P) func(t *testing.T) {
	return rapid.MakeCheck(func(t *rapid.T) {
		args := make([]P, o.args+1)
		for i := range args {
			args[i] = y.draw(rapidSource{t}, operands)
		}
		if err := o.check(y, args); err != nil {
			t.Fatal(err)
		}
	})
}

// RunOperation tests a method that only one type has: it takes args arguments,
// returns its receiver, and computes the model modulo the modulus.
func (y Type[E, P]) RunOperation(t *testing.T, name string, args int, call func(z P, a []P) P, model func(a []*big.Int) *big.Int) {
	o := operation[E, P]{name, args, call, model}
	operands := y.Operands()
	if err := y.edgeArguments(o, operands); err != nil {
		t.Error(err)
	}
	t.Run("Random", y.random(o, operands))
}

// RunSetter tests a setter that only one type has. The model returns false for
// what is to be refused.
func (y Type[E, P]) RunSetter(t *testing.T, name string, call func(z P, x []byte) (*E, error), model func(x []byte) (*big.Int, bool)) {
	s := setter[E, P]{name, call, model}
	for _, check := range []func(Type[E, P]) error{s.lengths, s.edges} {
		if err := check(y); err != nil {
			t.Error(err)
		}
	}
}

// RunLengths tests that the setters of every type refuse wrong lengths with an
// error, and never panic.
func (y Type[E, P]) RunLengths(t *testing.T) {
	for _, s := range y.setters() {
		if err := s.lengths(y); err != nil {
			t.Error(err)
		}
	}
}

// allocations checks that no method allocates memory. Bytes is not among them:
// its result stays on the stack only where the call is inlined, which a generic
// function cannot see; the field packages test it.
func (y Type[E, P]) allocations(ops []operation[E, P]) error {
	args := []P{y.New(big.NewInt(5)), y.New(big.NewInt(7)), y.New(big.NewInt(11))}
	z, encoding, wide := P(new(E)), y.Encode(big.NewInt(9), y.size()), make([]byte, 2*y.size())
	calls := map[string]func(){
		"Swap":              func() { z.Swap(args[0], 1) },
		"Equal":             func() { z.Equal(args[0]) },
		"IsZero":            func() { z.IsZero() },
		"SetBytes":          func() { z.SetBytes(encoding) },
		"SetCanonicalBytes": func() { z.SetCanonicalBytes(encoding) },
		"SetWideBytes":      func() { z.SetWideBytes(wide) },
	}
	if r, ok := any(z).(interface{ SqrtRatio(u, v *E) (*E, int) }); ok {
		calls["SqrtRatio"] = func() { r.SqrtRatio(args[0], args[1]) }
	}
	if r, ok := any(z).(interface{ Sqrt(a *E) (*E, int) }); ok {
		calls["Sqrt"] = func() { r.Sqrt(args[0]) }
	}
	for _, o := range ops {
		calls[o.name] = func() { o.call(z, args[:o.args]) }
	}
	for name, call := range calls {
		if n := testing.AllocsPerRun(20, call); n != 0 {
			return faultf(y, "%s allocates %v times a call, want 0", name, n)
		}
	}
	return nil
}

// batchAllocations checks that the inversion of a batch allocates one slice.
func (y Type[E, P]) batchAllocations(invertBatch func([]E)) error {
	batch := make([]E, 20)
	for i := range batch {
		P(&batch[i]).Set(y.New(big.NewInt(int64(i))))
	}
	if n := testing.AllocsPerRun(20, func() { invertBatch(batch) }); n > 1 {
		return faultf(y, "InvertBatch allocates %v times a call, want at most 1", n)
	}
	return nil
}

// A methodCheck is a test of a type that takes no luck.
type methodCheck struct {
	name  string
	check func() error
}

// checks returns the tests of what every type has, except operations.
func (y Type[E, P]) checks() []methodCheck {
	operands := y.Operands()
	cs := []methodCheck{
		{"ZeroValue", y.zeroValue},
		{"Compare", func() error { return y.compare(operands) }},
		{"Swap", func() error { return y.swap(operands) }},
		{"Bytes", func() error { return y.bytes(operands) }},
	}
	for _, s := range y.setters() {
		cs = append(cs,
			methodCheck{s.name + "Lengths", func() error { return s.lengths(y) }},
			methodCheck{s.name, func() error { return s.edges(y) }})
	}
	return cs
}

func elementChecks[E any, P ElementMethods[E]](y Type[E, P], invertBatch func([]E)) []methodCheck {
	return append(y.checks(),
		methodCheck{"InvertBatch", func() error { return y.invertBatch(invertBatch) }},
		methodCheck{"Roots", func() error { return roots[E, P](y, y.Operands()) }})
}

func scalarOperations[E any, P ScalarMethods[E]](y Type[E, P]) []operation[E, P] {
	return append(y.operations(), operation[E, P]{"MultiplyAdd", 3,
		func(z P, a []P) P { return z.MultiplyAdd(a[0], a[1], a[2]) },
		func(a []*big.Int) *big.Int { r := new(big.Int).Mul(a[0], a[1]); return r.Add(r, a[2]) }})
}

func (y Type[E, P]) operationChecks(ops []operation[E, P]) []methodCheck {
	operands := y.Operands()
	var cs []methodCheck
	for _, o := range ops {
		cs = append(cs, methodCheck{o.name, func() error { return y.edgeArguments(o, operands) }})
	}
	return cs
}

// draw returns an operand: an edge, or a value that rapid draws.
func (y Type[E, P]) draw(s source, operands []P) P {
	if s.pick(4) == 0 {
		return operands[s.pick(len(operands))]
	}
	return y.New(newValues(y.Field).draw(s, y.Field.Modulus))
}

// maxPairs bounds the pairs of operands that a method with two is tested with.
// The routine below it gets more.
const maxPairs = 4000

// pairs yields pairs of operands, all of them where they are not too many.
func pairs[P any](operands []P) iter.Seq2[P, P] {
	n := len(operands)
	// An odd step meets every row and column of the table of pairs.
	step := n*n/maxPairs | 1
	return func(yield func(a, b P) bool) {
		for i := 0; i < n*n; i += step {
			if !yield(operands[i/n], operands[i%n]) {
				return
			}
		}
	}
}

// edgeArguments checks an operation on combinations of operands: pairs, and as
// many triples drawn at random.
func (y Type[E, P]) edgeArguments(o operation[E, P], operands []P) error {
	last := operands[len(operands)-1]
	if o.args < 2 {
		for _, a := range operands {
			if err := o.check(y, []P{a, last}[:o.args+1]); err != nil {
				return err
			}
		}
		return nil
	}
	if o.args == 2 {
		for a, b := range pairs(operands) {
			if err := o.check(y, []P{a, b, last}); err != nil {
				return err
			}
		}
		return nil
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range maxPairs {
		args := make([]P, o.args+1)
		for i := range args {
			args[i] = operands[r.IntN(len(operands))]
		}
		if err := o.check(y, args); err != nil {
			return err
		}
	}
	return nil
}

// hasRoot reports whether x is a square modulo p; 0 is one.
func (y Type[E, P]) hasRoot(x *big.Int) bool { return big.Jacobi(x, y.Field.Modulus) >= 0 }

// nonSquare returns the factor by which SqrtRatio multiplies a ratio that has
// no root, so that it gets one: -1 where that is no square, and elsewhere the
// square root 2^((p-1)/4) of -1 (RFC 8032, section 5.1.3).
func (y Type[E, P]) nonSquare() *big.Int {
	p := y.Field.Modulus
	minus1 := y.mod(big.NewInt(-1))
	if y.hasRoot(minus1) {
		return new(big.Int).Exp(big.NewInt(2), new(big.Int).Rsh(p, 2), p)
	}
	return minus1
}

// wantRoot is the model of SqrtRatio. Two roots of one number differ in parity.
func (y Type[E, P]) wantRoot(u, v *big.Int) (r *big.Int, wasSquare int) {
	p := y.Field.Modulus
	if u.Sign() == 0 {
		return new(big.Int), 1
	}
	if v.Sign() == 0 {
		return new(big.Int), 0
	}
	x := y.mod(new(big.Int).Mul(u, new(big.Int).ModInverse(v, p)))
	wasSquare = 1
	if !y.hasRoot(x) {
		x, wasSquare = y.mod(x.Mul(x, y.nonSquare())), 0
	}
	if r = new(big.Int).ModSqrt(x, p); r == nil {
		return new(big.Int), -1 // u or v is no residue below p: nothing agrees with this
	}
	if r.Bit(0) == 1 {
		r.Sub(p, r)
	}
	return r, wasSquare
}

// roots checks SqrtRatio and Sqrt under every aliasing: Sqrt on all operands,
// SqrtRatio on each of them with a dozen others.
func roots[E any, P ElementMethods[E]](y Type[E, P], operands []P) error {
	for i, u := range operands {
		for _, same := range []bool{false, true} {
			a := *u
			z := P(new(E))
			if same {
				z = &a
			}
			x := y.Value(&a)
			got, was := z.Sqrt(&a)
			if err := y.checkRoot("Sqrt", x, one, z, got, was); err != nil {
				return err
			}
		}
		for j := range 12 {
			if err := ratio[E, P](y, u, operands[(i+j*j)%len(operands)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// ratio checks SqrtRatio on one pair.
func ratio[E any, P ElementMethods[E]](y Type[E, P], u, v P) error {
	for _, pat := range patterns([]int{0, 0, 0}) {
		slots := []E{*v, *u, *v}
		z, a, b := P(&slots[pat[0]]), P(&slots[pat[1]]), P(&slots[pat[2]])
		if pat[1] == 0 {
			slots[0] = *u
		}
		x, w := y.Value(a), y.Value(b)
		got, was := z.SqrtRatio(a, b)
		if err := y.checkRoot("SqrtRatio", x, w, z, got, was); err != nil {
			return fmt.Errorf("aliasing %v: %w", pat, err)
		}
		if pat[1] != 0 && y.Value(a).Cmp(x) != 0 || pat[2] != 0 && y.Value(b).Cmp(w) != 0 {
			return faultf(y, "SqrtRatio of %#x / %#x under aliasing %v changed an argument", x, w, pat)
		}
	}
	return nil
}

func (y Type[E, P]) checkRoot(name string, u, v *big.Int, z, got P, was int) error {
	if got != z {
		return faultf(y, "%s does not return its receiver", name)
	}
	r, w := y.wantRoot(u, v)
	if was != w || y.Value(got).Cmp(r) != 0 {
		return faultf(y, "%s of %#x / %#x: got %#x, %d; want %#x, %d", name, u, v, y.Value(got), was, r, w)
	}
	return nil
}

// invertBatch checks the function on batches with zeros in every place, on
// nothing but zeros, on short batches, and on weakly reduced elements.
func (y Type[E, P]) invertBatch(invert func([]E)) error {
	check := func(xs []*big.Int) error {
		batch := make([]E, len(xs))
		for i, x := range xs {
			P(&batch[i]).Set(y.New(x))
		}
		invert(batch)
		for i, x := range xs {
			want := new(big.Int)
			if y.mod(x).Sign() != 0 {
				want.ModInverse(x, y.Field.Modulus)
			}
			if got := y.Value(&batch[i]); got.Cmp(want) != 0 {
				return faultf(y, "InvertBatch(%v): element %d: got %#x, want %#x", xs, i, got, want)
			}
		}
		return nil
	}
	invert(nil)
	r := rand.New(rand.NewPCG(7, 8))
	v := newValues(y.Field)
	for n := range 9 {
		for zeros := range 1 << n {
			xs := make([]*big.Int, n)
			for i := range xs {
				if xs[i] = new(big.Int); zeros>>i&1 == 0 {
					xs[i] = v.draw(plainSource{r}, y.Field.Modulus)
				}
			}
			if err := check(xs); err != nil {
				return err
			}
		}
	}
	if y.Field.Form == spec.Weak {
		batch := make([]E, 3)
		for i := range batch {
			if _, err := P(&batch[i]).SetBytes(y.Encode(new(big.Int).Add(y.Field.Modulus, big.NewInt(int64(i))), y.size())); err != nil {
				return err
			}
		}
		invert(batch)
		for i, want := range []*big.Int{new(big.Int), big.NewInt(1), new(big.Int).ModInverse(big.NewInt(2), y.Field.Modulus)} {
			if got := y.Value(&batch[i]); got.Cmp(want) != 0 {
				return faultf(y, "InvertBatch of p, p+1, p+2: element %d: got %#x, want %#x", i, got, want)
			}
		}
	}
	return check(v.edges(y.Field.Modulus))
}
