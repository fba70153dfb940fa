package suite

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A fieldOf says at compile time which field a toy is of.
type fieldOf interface{ name() string }

type (
	p25519 struct{}
	n256   struct{}
)

func (p25519) name() string { return "p25519" }
func (n256) name() string   { return "n256" }

// A toy has the method set of the field packages, on integers that are never
// changed in place. Its faults are chosen by planted.
type toy[F fieldOf] struct {
	_ [0]func()
	v *big.Int // nil is 0
}

// planted names the fault that toys have; "" is none.
var planted string

func (z *toy[F]) field() *spec.Field {
	var f F
	return NewType[toy[F], *toy[F]](f.name()).Field
}

func (z *toy[F]) int() *big.Int {
	if z.v == nil {
		return new(big.Int)
	}
	return z.v
}

func (z *toy[F]) set(x *big.Int) *toy[F] {
	z.v = new(big.Int).Mod(x, z.field().Modulus)
	return z
}

func (z *toy[F]) Zero() *toy[F]         { return z.set(new(big.Int)) }
func (z *toy[F]) One() *toy[F]          { return z.set(one) }
func (z *toy[F]) Set(a *toy[F]) *toy[F] { return z.set(a.int()) }
func (z *toy[F]) Add(a, b *toy[F]) *toy[F] {
	if planted == "overwrites an argument" && z == a && z != b {
		z.Zero()
	}
	return z.set(new(big.Int).Add(a.int(), b.int()))
}
func (z *toy[F]) Subtract(a, b *toy[F]) *toy[F] {
	return z.set(new(big.Int).Sub(a.int(), b.int()))
}
func (z *toy[F]) Negate(a *toy[F]) *toy[F] {
	if planted == "returns its argument" {
		z.set(new(big.Int).Neg(a.int()))
		return a
	}
	return z.set(new(big.Int).Neg(a.int()))
}
func (z *toy[F]) Double(a *toy[F]) *toy[F] { return z.Add(a, a) }
func (z *toy[F]) Multiply(a, b *toy[F]) *toy[F] {
	r := new(big.Int).Mul(a.int(), b.int())
	if planted == "changes an argument" && z != b {
		b.Zero()
	}
	return z.set(r)
}
func (z *toy[F]) Square(a *toy[F]) *toy[F] { return z.Multiply(a, a) }
func (z *toy[F]) Mult32(a *toy[F], k uint32) *toy[F] {
	if planted == "signed factor" {
		return z.set(new(big.Int).Mul(a.int(), big.NewInt(int64(int32(k)))))
	}
	return z.set(new(big.Int).Mul(a.int(), big.NewInt(int64(k))))
}
func (z *toy[F]) MultiplyAdd(a, b, c *toy[F]) *toy[F] {
	if planted == "reads the addend late" {
		z.Multiply(a, b)
		return z.Add(z, c)
	}
	r := new(big.Int).Mul(a.int(), b.int())
	return z.set(r.Add(r, c.int()))
}
func (z *toy[F]) Invert(a *toy[F]) *toy[F] {
	if a.IsZero() == 1 {
		if planted == "inverse of zero" {
			return z.One()
		}
		return z.Zero()
	}
	return z.set(new(big.Int).ModInverse(a.int(), z.field().Modulus))
}
func (z *toy[F]) Select(a, b *toy[F], cond int) *toy[F] {
	if cond&1 == 1 || planted == "any condition" && cond != 0 {
		return z.Set(a)
	}
	return z.Set(b)
}
func (z *toy[F]) Swap(u *toy[F], cond int) {
	if cond&1 == 1 {
		if z.v, u.v = u.v, z.v; planted == "swap with itself" && z == u {
			z.v = nil
		}
	}
}
func (z *toy[F]) Equal(u *toy[F]) int {
	if z.int().Cmp(u.int()) == 0 {
		if planted == "mask" {
			return -1
		}
		return 1
	}
	return 0
}
func (z *toy[F]) IsZero() int {
	if planted == "zero value is not zero" && z.v == nil {
		return 0
	}
	if z.int().Sign() == 0 {
		return 1
	}
	return 0
}

var shared [32]byte

func (z *toy[F]) Bytes() []byte {
	b := NewType[toy[F], *toy[F]](z.field().Name).Encode(z.int(), 32)
	if planted == "shared bytes" {
		copy(shared[:], b)
		if z.v != nil {
			z.v = new(big.Int).SetBytes(shared[:1])
		}
	}
	if planted == "not canonical" && z.int().Sign() == 0 {
		return NewType[toy[F], *toy[F]](z.field().Name).Encode(z.field().Modulus, 32)
	}
	return b
}

func (z *toy[F]) setBytes(name string, x []byte, low, high int, limit bool) (*toy[F], error) {
	f := z.field()
	v := NewType[toy[F], *toy[F]](f.Name).Decode(x)
	if planted == "changes the receiver" && len(x) != 32 {
		z.Zero()
	}
	switch {
	case planted == "panics" && len(x) == 0:
		_ = x[0]
	case planted == "accepts 33 bytes" && len(x) == 33:
	case planted == "accepts the modulus" && v.Cmp(f.Modulus) == 0:
	case len(x) < low || len(x) > high:
		if planted == "result with error" {
			return z, fmt.Errorf("%s: %d bytes", f.Package, len(x))
		}
		if planted == "error names nothing" {
			return nil, fmt.Errorf("bad input")
		}
		return nil, fmt.Errorf("%s: %s: got %d bytes", f.Package, name, len(x))
	case limit && v.Cmp(f.Modulus) >= 0:
		if planted == "echo" {
			return nil, fmt.Errorf("%s: %s: %s is too large", f.Package, name, hex.EncodeToString(x))
		}
		return nil, fmt.Errorf("%s: %s: not below the modulus", f.Package, name)
	}
	if f.Form == spec.Weak && name == "SetBytes" && planted != "top bit counts" {
		v.SetBit(v, 255, 0)
	}
	return z.set(v), nil
}

func (z *toy[F]) SetBytes(x []byte) (*toy[F], error) {
	return z.setBytes("SetBytes", x, 32, 32, z.field().Form == spec.Montgomery || planted == "too strict")
}
func (z *toy[F]) SetCanonicalBytes(x []byte) (*toy[F], error) {
	return z.setBytes("SetCanonicalBytes", x, 32, 32, true)
}
func (z *toy[F]) SetWideBytes(x []byte) (*toy[F], error) {
	return z.setBytes("SetWideBytes", x, 32, 64, false)
}

func (z *toy[F]) SqrtRatio(u, v *toy[F]) (*toy[F], int) {
	y := NewType[toy[F], *toy[F]](z.field().Name)
	if planted == "root over the argument" && z == v {
		z.Set(u)
	}
	r, was := y.wantRoot(u.int(), v.int())
	switch {
	case planted == "odd root":
		r = new(big.Int).Neg(r)
	case planted == "zero is no square" && u.IsZero() == 1:
		was = 0
	case planted == "other root of -1" && was == 0:
		r.Mul(r, y.nonSquare())
	}
	return z.set(r), was
}
func (z *toy[F]) Sqrt(a *toy[F]) (*toy[F], int) { return z.SqrtRatio(a, new(toy[F]).One()) }

func invertToys[F fieldOf](b []toy[F]) {
	for i := range b {
		if planted == "a zero spoils the batch" && i > 0 && b[i-1].IsZero() == 1 {
			b[i].Zero()
		}
		b[i].Invert(&b[i])
	}
}

// toyCheck runs the checks with a name on both toys, and all of them where
// name is empty.
func toyCheck(name string) error {
	e := NewType[toy[p25519], *toy[p25519]]("p25519")
	s := NewType[toy[n256], *toy[n256]]("n256")
	for _, cs := range [][]methodCheck{
		elementChecks(e, invertToys[p25519]), e.operationChecks(e.operations()),
		s.checks(), s.operationChecks(scalarOperations(s)),
	} {
		for _, c := range cs {
			if name == "" || c.name == name {
				if err := c.check(); err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
			}
		}
	}
	return nil
}

// guarded turns a panic into an error: some faults make a constructor of the
// suite fail.
func guarded(check func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return check()
}

func TestToys(t *testing.T) {
	defer func() { planted = "" }()
	if err := toyCheck(""); err != nil {
		t.Fatalf("without a fault: %v", err)
	}
	for fault, check := range map[string]string{
		"overwrites an argument":  "Add",
		"returns its argument":    "Negate",
		"changes an argument":     "Multiply",
		"signed factor":           "Mult32(4294967295)",
		"reads the addend late":   "MultiplyAdd",
		"inverse of zero":         "Invert",
		"any condition":           "Select(2)",
		"swap with itself":        "Swap",
		"mask":                    "Compare",
		"zero value is not zero":  "ZeroValue",
		"shared bytes":            "Bytes",
		"not canonical":           "Bytes",
		"changes the receiver":    "SetBytesLengths",
		"panics":                  "SetWideBytesLengths",
		"accepts 33 bytes":        "SetCanonicalBytesLengths",
		"accepts the modulus":     "SetCanonicalBytes",
		"result with error":       "SetBytesLengths",
		"error names nothing":     "SetBytesLengths",
		"echo":                    "SetCanonicalBytes",
		"top bit counts":          "SetBytes",
		"too strict":              "SetBytes",
		"root over the argument":  "Roots",
		"odd root":                "Roots",
		"zero is no square":       "Roots",
		"other root of -1":        "Roots",
		"a zero spoils the batch": "InvertBatch",
	} {
		t.Run(fault, func(t *testing.T) {
			planted = fault
			if err := guarded(func() error { return toyCheck(check) }); err == nil {
				t.Errorf("%s passed", check)
			}
		})
	}
}

// kept makes what is assigned to it escape.
var kept []toy[n256]

// TestAllocations checks that allocations are seen: toys make them.
func TestAllocations(t *testing.T) {
	y := NewType[toy[n256], *toy[n256]]("n256")
	if err := y.allocations(y.operations()); err == nil || !strings.Contains(err.Error(), "allocates") {
		t.Errorf("got error %v, want one about allocations", err)
	}
	for allocations, ok := range []bool{true, true, false} {
		err := y.batchAllocations(func(b []toy[n256]) {
			for range allocations {
				kept = make([]toy[n256], len(b))
			}
		})
		if (err == nil) != ok {
			t.Errorf("%d allocations in a batch: got error %v, want ok = %t", allocations, err, ok)
		}
	}
}

func TestCheckMessage(t *testing.T) {
	x := []byte("\x01\x02\x03\x04sesame, open")
	for _, test := range []struct {
		message string
		ok      bool
	}{
		{"field25519: expected 32 bytes, got 16", true},
		{"expected 32 bytes, got 16", false},
		{"field25519: expected 32 bytes", false},
		{"field25519: got 16 bytes: " + string(x), false},
		{"field25519: got 16 bytes: " + hex.EncodeToString(x), false},
		{"field25519: got 16 bytes: " + strings.ToUpper(hex.EncodeToString(x)), false},
		{fmt.Sprintf("field25519: got 16 bytes: %v", x), false},
		{fmt.Sprintf("field25519: got 16 bytes: %q", x), false},
	} {
		if err := checkMessage(test.message, "field25519", x, 32); (err == nil) != test.ok {
			t.Errorf("checkMessage(%q): got error %v, want ok = %t", test.message, err, test.ok)
		}
	}
}
