// Package spec says what fieldproof computes: the fields, the routines on
// their limbs, and the contract of each routine as data. A contract is read as
// the reference model of the tests (evaluated with math/big), as documentation
// (printed above each generated routine), as the source of test inputs, and as
// the goal of the proofs. Nothing here says how a routine works, except the
// readable reference for inversion in divstep.go.
//
// Adding a prime is one entry in Fields, and a go:generate line in its package.
package spec

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// A Form says which integers represent the residues of a field.
type Form int

const (
	// Weak holds a residue as any integer below 2^(64·Limbs) congruent to it.
	Weak Form = iota
	// Montgomery holds the residue x as x·R mod p below p, R = 2^(64·Limbs).
	Montgomery
)

// A Field is a prime modulus together with how its residues are held.
type Field struct {
	Name    string // as in generator flags: p25519, n25519, p256, n256
	Title   string // the modulus in words
	Modulus *big.Int
	Limbs   int // 64-bit limbs, little-endian
	Form    Form

	Package   string // the package of the Go type
	Type      string // Element or Scalar
	Prefix    string // of its routines: fe or sc
	BigEndian bool   // of the encoding, which has 8·Limbs bytes

	// Batches of divsteps for inversion, and the steps of the sub-batches of
	// one; see Invert.
	Batches  int
	SubSteps []int
}

func hex(s string) *big.Int {
	v, ok := new(big.Int).SetString(strings.ReplaceAll(s, " ", ""), 16)
	if !ok {
		panic("spec: bad constant " + s)
	}
	return v
}

// pow2 returns 2^k.
func pow2(k int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(k)) }

var fields = []*Field{
	{
		Name: "p25519", Title: "2^255 - 19, the field of Curve25519 (RFC 7748, section 4.1)",
		Modulus: new(big.Int).Sub(pow2(255), big.NewInt(19)),
		Limbs:   4, Form: Weak,
		Package: "field25519", Type: "Element", Prefix: "fe",
		Batches: 10, SubSteps: []int{20, 20, 19},
	},
	{
		Name: "n25519", Title: "the order of the Ed25519 base point (RFC 8032, section 5.1)",
		Modulus: new(big.Int).Add(pow2(252), hex("14def9dea2f79cd65812631a5cf5d3ed")),
		Limbs:   4, Form: Montgomery,
		Package: "field25519", Type: "Scalar", Prefix: "sc",
		Batches: 10, SubSteps: []int{20, 20, 19},
	},
	{
		Name: "p256", Title: "the P-256 prime (NIST SP 800-186, section 3.2.1.3)",
		Modulus: hex("ffffffff00000001 0000000000000000 00000000ffffffff ffffffffffffffff"),
		Limbs:   4, Form: Montgomery,
		Package: "fieldp256", Type: "Element", Prefix: "fe", BigEndian: true,
		Batches: 10, SubSteps: []int{20, 20, 20},
	},
	{
		Name: "n256", Title: "the order of the P-256 base point (NIST SP 800-186, section 3.2.1.3)",
		Modulus: hex("ffffffff00000000 ffffffffffffffff bce6faada7179e84 f3b9cac2fc632551"),
		Limbs:   4, Form: Montgomery,
		Package: "fieldp256", Type: "Scalar", Prefix: "sc", BigEndian: true,
		Batches: 10, SubSteps: []int{20, 20, 20},
	},
}

// Fields returns every field, in a fixed order.
func Fields() []*Field { return fields }

// Packages returns the folders of the packages that have routines, from the root
// of the module, each once: those of Fields, then those of Curves.
func Packages() []string {
	var names []string
	for _, f := range fields {
		if !slices.Contains(names, f.Package) {
			names = append(names, f.Package)
		}
	}
	for _, c := range curves {
		names = append(names, c.Package)
	}
	return names
}

// Lookup returns the field called name, or an error that lists the known ones.
func Lookup(name string) (*Field, error) {
	var known []string
	for _, f := range fields {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	return nil, fmt.Errorf("unknown field %q: expected one of %s", name, strings.Join(known, ", "))
}

// R returns 2^(64·Limbs), the radix of the Montgomery form.
func (f *Field) R() *big.Int { return pow2(64 * f.Limbs) }

// Steps returns the number of divsteps that inversion takes.
func (f *Field) Steps() int {
	n := 0
	for _, s := range f.SubSteps {
		n += s
	}
	return n * f.Batches
}

// Bound returns the exclusive bound of the limbs between operations.
func (f *Field) Bound() *big.Int {
	if f.Form == Weak {
		return f.R()
	}
	return f.Modulus
}

// BoundName prints Bound.
func (f *Field) BoundName() string {
	if f.Form == Weak {
		return f.RName()
	}
	return "p"
}

// RName prints R.
func (f *Field) RName() string { return fmt.Sprintf("2^%d", 64*f.Limbs) }

// radix returns R^k mod p, printed as a power of R.
func (f *Field) radix(k int64) Expr {
	name := map[int64]string{-1: "R⁻¹", 1: "R", 2: "R²"}[k]
	return NamedConst(name, new(big.Int).Exp(f.R(), big.NewInt(k), f.Modulus))
}

// Routine returns the routine of the given kind, or an error.
func (f *Field) Routine(k Kind) (*Routine, error) {
	for _, r := range f.Routines() {
		if r.Kind == k {
			return r, nil
		}
	}
	return nil, fmt.Errorf("spec: field %s has no routine %s", f.Name, k)
}

// Routines returns the routines of the field, in a fixed order.
func (f *Field) Routines() []*Routine {
	p := f.Modulus
	out := func(n string) Param { return Param{Name: n, Role: Out, Limbs: f.Limbs, Secret: true} }
	in := func(n string) Param {
		return Param{Name: n, Role: In, Limbs: f.Limbs, Bound: f.Bound(), BoundName: f.BoundName(), Secret: true}
	}
	any := func(n string, limbs int) Param {
		return Param{Name: n, Role: In, Limbs: limbs, Bound: pow2(64 * limbs), BoundName: fmt.Sprintf("2^%d", 64*limbs), Secret: true}
	}
	inout := func(n string) Param { q := in(n); q.Role = InOut; return q }
	value := func(n string, bits int) Param {
		return Param{Name: n, Role: Value, Limbs: 1, Bound: pow2(bits), BoundName: fmt.Sprintf("2^%d", bits), Secret: true}
	}
	result := Param{Name: "r", Role: Result, Limbs: 1, Secret: true}
	x, y, z, w, k, c := Var("x"), Var("y"), Var("z"), Var("w"), Var("k"), Var("cond")
	less := func(v, bound Expr) Claim { return Claim{Rel: Less, L: v, R: bound} }
	bound := NamedConst(f.BoundName(), f.Bound())
	// zIs claims that z represents e within the field's bound.
	zIs := func(e Expr) []Claim {
		return []Claim{{Rel: Congruent, L: z, R: e, Mod: p}, less(z, bound)}
	}
	equal := func(l, r Expr) Claim { return Claim{Rel: Equal, L: l, R: r} }
	rIs := func(e Expr) []Claim { return []Claim{equal(Var("r"), e)} }

	var rs []*Routine
	add := func(kind Kind, claims []Claim, params ...Param) {
		rs = append(rs, &Routine{Field: f, Kind: kind, Params: params, Claims: claims})
	}
	zero := Const(new(big.Int))
	// m scales a product back into the field's form.
	m := func(e ...Expr) Expr { return Mul(e...) }
	inverse := Inv(x, p)
	if f.Form == Montgomery {
		m = func(e ...Expr) Expr { return Mul(append(e, f.radix(-1))...) }
		inverse = Mul(inverse, f.radix(2))
	}

	add(KindAdd, zIs(Add(x, y)), out("z"), in("x"), in("y"))
	add(KindSubtract, zIs(Sub(x, y)), out("z"), in("x"), in("y"))
	add(KindNegate, zIs(Sub(zero, x)), out("z"), in("x"))
	add(KindDouble, zIs(Add(x, x)), out("z"), in("x"))
	add(KindMultiply, zIs(m(x, y)), out("z"), in("x"), in("y"))
	add(KindSquare, zIs(m(x, x)), out("z"), in("x"))
	add(KindMult32, zIs(Mul(x, k)), out("z"), in("x"), value("k", 32))
	if f.Type == "Scalar" {
		add(KindMulAdd, zIs(Add(m(x, y), w)), out("z"), in("x"), in("y"), in("w"))
	}
	if f.Form == Weak {
		add(KindCanon, []Claim{{Rel: Congruent, L: z, R: x, Mod: p}, less(z, NamedConst("p", p))}, out("z"), in("x"))
		add(KindReduceWide, zIs(x), out("z"), any("x", 2*f.Limbs))
	} else {
		add(KindReduceWide, zIs(Mul(x, f.radix(1))), out("z"), any("x", 2*f.Limbs))
		add(KindToMont, zIs(Mul(x, f.radix(1))), out("z"), any("x", f.Limbs))
		add(KindFromMont, zIs(m(x)), out("z"), in("x"))
	}
	pick := func(l string, a, b Expr) Claim { return equal(Var(l), Choose(c, a, b)) }
	add(KindSelect, []Claim{pick("z", x, y)}, out("z"), in("x"), in("y"), value("cond", 1))
	add(KindSwap, []Claim{pick(After("x"), y, x), pick(After("y"), x, y)}, inout("x"), inout("y"), value("cond", 1))
	add(KindEqual, rIs(IsCong(x, y, p)), in("x"), in("y"), result)
	add(KindIsZero, rIs(IsCong(x, zero, p)), in("x"), result)
	add(KindInvert, []Claim{{Rel: Congruent, L: z, R: inverse, Mod: p}, less(z, NamedConst("p", p))}, out("z"), in("x"))
	return rs
}
