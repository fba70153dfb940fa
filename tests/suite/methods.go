package suite

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Methods is the method set that the four types share.
type Methods[E any] interface {
	*E
	Zero() *E
	One() *E
	Set(a *E) *E
	Add(a, b *E) *E
	Subtract(a, b *E) *E
	Negate(a *E) *E
	Double(a *E) *E
	Multiply(a, b *E) *E
	Square(a *E) *E
	Mult32(a *E, k uint32) *E
	Invert(a *E) *E
	Select(a, b *E, cond int) *E
	Swap(u *E, cond int)
	Equal(u *E) int
	IsZero() int
	Bytes() []byte
	SetBytes(x []byte) (*E, error)
	SetCanonicalBytes(x []byte) (*E, error)
	SetWideBytes(x []byte) (*E, error)
}

// ElementMethods adds what only an Element has.
type ElementMethods[E any] interface {
	Methods[E]
	SqrtRatio(u, v *E) (r *E, wasSquare int)
	Sqrt(a *E) (r *E, wasSquare int)
}

// ScalarMethods adds what only a Scalar has.
type ScalarMethods[E any] interface {
	Methods[E]
	MultiplyAdd(x, y, z *E) *E
}

// A Type connects a type of the field packages to its modulus.
type Type[E any, P Methods[E]] struct {
	Field *spec.Field
}

// NewType returns the Type of E for the field called name.
func NewType[E any, P Methods[E]](name string) Type[E, P] {
	f, err := spec.Lookup(name)
	if err != nil {
		panic(err)
	}
	return Type[E, P]{f}
}

// Encode returns the encoding of x, which is below 2^(8n), in n bytes.
func (y Type[E, P]) Encode(x *big.Int, n int) []byte {
	b := x.FillBytes(make([]byte, n))
	if !y.Field.BigEndian {
		slices.Reverse(b)
	}
	return b
}

// Decode returns the integer that b encodes.
func (y Type[E, P]) Decode(b []byte) *big.Int {
	b = slices.Clone(b)
	if !y.Field.BigEndian {
		slices.Reverse(b)
	}
	return new(big.Int).SetBytes(b)
}

// size is the length of an encoding in bytes.
func (y Type[E, P]) size() int { return 8 * y.Field.Limbs }

// New returns the element x mod p.
func (y Type[E, P]) New(x *big.Int) P {
	e, err := P(new(E)).SetCanonicalBytes(y.Encode(y.mod(x), y.size()))
	if err != nil {
		panic(fmt.Sprintf("suite: %s: SetCanonicalBytes refuses %#x: %v", y.Field.Name, x, err))
	}
	return e
}

// Value returns the integer below p that e stands for.
func (y Type[E, P]) Value(e P) *big.Int { return y.Decode(e.Bytes()) }

func (y Type[E, P]) mod(x *big.Int) *big.Int { return new(big.Int).Mod(x, y.Field.Modulus) }

// Operands returns the residues at the edges, and for a weakly reduced field
// also representatives at or above the modulus: those that SetBytes lets in,
// and sums of elements.
func (y Type[E, P]) Operands() []P {
	v := newValues(y.Field)
	var all []P
	for _, x := range v.edges(y.Field.Modulus) {
		all = append(all, y.New(x))
	}
	if y.Field.Form == spec.Weak {
		for i := range int64(19) {
			x := new(big.Int).Add(y.Field.Modulus, big.NewInt(i))
			e, err := P(new(E)).SetBytes(y.Encode(x, y.size()))
			if err != nil {
				panic(fmt.Sprintf("suite: %s: SetBytes refuses %#x: %v", y.Field.Name, x, err))
			}
			all = append(all, e)
		}
		// Sums, to have limbs above 2^255 too.
		for i, e := range slices.Clone(all) {
			all = append(all, P(new(E)).Add(e, all[len(all)-1-i]))
		}
	}
	return all
}

// conds are conditions for Select and Swap. Only 0 and 1 mean something; that
// the lowest bit decides for the others makes all builds agree.
var conds = []int{0, 1, -1, 2, 3, math.MaxInt, math.MinInt}

// An operation is a method that returns its receiver, with its model.
type operation[E any, P Methods[E]] struct {
	name  string
	args  int
	call  func(z P, a []P) P
	model func(a []*big.Int) *big.Int
}

func (y Type[E, P]) operations() []operation[E, P] {
	type ints = []*big.Int
	p := y.Field.Modulus
	op := func(name string, args int, call func(z P, a []P) P, model func(a ints) *big.Int) operation[E, P] {
		return operation[E, P]{name, args, call, model}
	}
	ops := []operation[E, P]{
		op("Zero", 0, func(z P, a []P) P { return z.Zero() }, func(a ints) *big.Int { return new(big.Int) }),
		op("One", 0, func(z P, a []P) P { return z.One() }, func(a ints) *big.Int { return big.NewInt(1) }),
		op("Set", 1, func(z P, a []P) P { return z.Set(a[0]) }, func(a ints) *big.Int { return a[0] }),
		op("Add", 2, func(z P, a []P) P { return z.Add(a[0], a[1]) }, func(a ints) *big.Int { return new(big.Int).Add(a[0], a[1]) }),
		op("Subtract", 2, func(z P, a []P) P { return z.Subtract(a[0], a[1]) }, func(a ints) *big.Int { return new(big.Int).Sub(a[0], a[1]) }),
		op("Negate", 1, func(z P, a []P) P { return z.Negate(a[0]) }, func(a ints) *big.Int { return new(big.Int).Neg(a[0]) }),
		op("Double", 1, func(z P, a []P) P { return z.Double(a[0]) }, func(a ints) *big.Int { return new(big.Int).Lsh(a[0], 1) }),
		op("Multiply", 2, func(z P, a []P) P { return z.Multiply(a[0], a[1]) }, func(a ints) *big.Int { return new(big.Int).Mul(a[0], a[1]) }),
		op("Square", 1, func(z P, a []P) P { return z.Square(a[0]) }, func(a ints) *big.Int { return new(big.Int).Mul(a[0], a[0]) }),
		op("Invert", 1, func(z P, a []P) P { return z.Invert(a[0]) }, func(a ints) *big.Int {
			if a[0].Sign() == 0 {
				return new(big.Int)
			}
			return new(big.Int).ModInverse(a[0], p)
		}),
	}
	for _, k := range wordEdges(pow2(32)) {
		ops = append(ops, op(fmt.Sprintf("Mult32(%d)", k), 1,
			func(z P, a []P) P { return z.Mult32(a[0], uint32(k)) },
			func(a ints) *big.Int { return new(big.Int).Mul(a[0], new(big.Int).SetUint64(k)) }))
	}
	for _, cond := range conds {
		ops = append(ops, op(fmt.Sprintf("Select(%d)", cond), 2,
			func(z P, a []P) P { return z.Select(a[0], a[1], cond) },
			func(a ints) *big.Int { return a[1-cond&1] }))
	}
	return ops
}

// check calls the operation under every aliasing of receiver and arguments.
// args has one value more than the operation takes: the last is what the
// receiver holds before.
func (o operation[E, P]) check(y Type[E, P], args []P) error {
	limbs := make([]int, 1+o.args)
	for _, pat := range patterns(limbs) {
		slots := make([]E, 1+o.args)
		ptr := make([]P, 1+o.args)
		for i := range ptr {
			if ptr[i] = P(&slots[pat[i]]); pat[i] == i {
				ptr[i].Set(args[(i+o.args)%len(args)])
			}
		}
		in := make([]*big.Int, o.args)
		for i := range in {
			in[i] = y.Value(ptr[1+i])
		}
		got := o.call(ptr[0], ptr[1:])
		if got != ptr[0] {
			return fmt.Errorf("%s under aliasing %v does not return its receiver", o.name, pat)
		}
		if want := y.mod(o.model(in)); y.Value(got).Cmp(want) != 0 {
			return fmt.Errorf("%s of %#x under aliasing %v: got %#x, want %#x", o.name, in, pat, y.Value(got), want)
		}
		for i := range in {
			if pat[1+i] != 0 && y.Value(ptr[1+i]).Cmp(in[i]) != 0 {
				return fmt.Errorf("%s of %#x under aliasing %v changed argument %d to %#x", o.name, in, pat, i, y.Value(ptr[1+i]))
			}
		}
	}
	return nil
}
