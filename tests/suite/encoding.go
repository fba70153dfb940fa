package suite

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

func faultf[E any, P Methods[E]](y Type[E, P], format string, args ...any) error {
	return fmt.Errorf("%s: %w", y.Field.Name, fmt.Errorf(format, args...))
}

// zeroValue checks that a variable without a value is the number 0.
func (y Type[E, P]) zeroValue() error {
	var e E
	if P(&e).IsZero() != 1 || P(&e).Equal(P(new(E)).Zero()) != 1 || y.Value(&e).Sign() != 0 {
		return faultf(y, "the zero value is %#x, want 0", y.Value(&e))
	}
	if y.Value(P(new(E)).Add(&e, P(new(E)).One())).Cmp(one) != 0 {
		return faultf(y, "the zero value plus 1 is not 1")
	}
	return nil
}

// compare checks Equal and IsZero on all pairs of operands.
func (y Type[E, P]) compare(operands []P) error {
	bit := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	values := make([]*big.Int, len(operands))
	for i, a := range operands {
		values[i] = y.Value(a)
		if got, want := a.IsZero(), bit(values[i].Sign() == 0); got != want {
			return faultf(y, "IsZero(%#x): got %d, want %d", values[i], got, want)
		}
	}
	for i, a := range operands {
		for j, b := range operands {
			if got, want := a.Equal(b), bit(values[i].Cmp(values[j]) == 0); got != want {
				return faultf(y, "Equal(%#x, %#x): got %d, want %d", values[i], values[j], got, want)
			}
		}
	}
	return nil
}

// swap checks Swap on pairs of operands, and on an operand with itself.
func (y Type[E, P]) swap(operands []P) error {
	for a, b := range pairs(operands) {
		for _, cond := range conds {
			c, d := *a, *b
			P(&c).Swap(&d, cond)
			want := []P{a, b}
			if P(&c).Equal(want[cond&1]) != 1 || P(&d).Equal(want[1-cond&1]) != 1 {
				return faultf(y, "Swap(%#x, %#x, %d): got %#x, %#x", y.Value(a), y.Value(b), cond, y.Value(&c), y.Value(&d))
			}
		}
	}
	for _, a := range operands {
		for _, cond := range conds {
			c := *a
			P(&c).Swap(&c, cond)
			if P(&c).Equal(a) != 1 {
				return faultf(y, "Swap of %#x with itself, %d: got %#x", y.Value(a), cond, y.Value(&c))
			}
		}
	}
	return nil
}

// bytes checks that encodings are canonical, and that the slice is the caller's.
func (y Type[E, P]) bytes(operands []P) error {
	for _, a := range operands {
		b := a.Bytes()
		x := y.Decode(b)
		if len(b) != y.size() || x.Cmp(y.Field.Modulus) >= 0 {
			return faultf(y, "Bytes: got %d bytes that encode %#x, want %d and a value below %#x", len(b), x, y.size(), y.Field.Modulus)
		}
		clear(b)
		if y.Value(a).Cmp(x) != 0 {
			return faultf(y, "writing to the slice that Bytes returned changed the element %#x", x)
		}
		if back, err := P(new(E)).SetCanonicalBytes(y.Encode(x, y.size())); err != nil || P(back).Equal(a) != 1 {
			return faultf(y, "SetCanonicalBytes(Bytes()) of %#x: error %v, or another value", x, err)
		}
	}
	return nil
}

// A setter is a method that reads bytes, and the rule for what it accepts:
// model returns the value, or false where the bytes are to be refused.
type setter[E any, P Methods[E]] struct {
	name  string
	call  func(z P, x []byte) (*E, error)
	model func(x []byte) (*big.Int, bool)
}

func (y Type[E, P]) setters() []setter[E, P] {
	strict := func(x []byte) (*big.Int, bool) {
		v := y.Decode(x)
		return v, len(x) == y.size() && v.Cmp(y.Field.Modulus) < 0
	}
	loose := strict
	if y.Field.Form == spec.Weak {
		// RFC 7748, section 5: the top bit is ignored, other values are reduced.
		loose = func(x []byte) (*big.Int, bool) {
			v := y.Decode(x)
			return y.mod(v.SetBit(v, 8*y.size()-1, 0)), len(x) == y.size()
		}
	}
	return []setter[E, P]{
		{"SetBytes", P.SetBytes, loose},
		{"SetCanonicalBytes", P.SetCanonicalBytes, strict},
		{"SetWideBytes", P.SetWideBytes, func(x []byte) (*big.Int, bool) {
			return y.mod(y.Decode(x)), y.size() <= len(x) && len(x) <= 2*y.size()
		}},
	}
}

// lengths checks every length from none to three times that of an encoding.
func (s setter[E, P]) lengths(y Type[E, P]) error {
	inputs := [][]byte{nil}
	for n := range 3*y.size() + 1 {
		for _, fill := range []byte{0, 0xa7, 0xff} {
			inputs = append(inputs, bytes.Repeat([]byte{fill}, n))
		}
		// A small number in n bytes, at either end.
		first, last := make([]byte, n), make([]byte, n)
		if n > 0 {
			first[0], last[n-1] = 1, 1
		}
		inputs = append(inputs, first, last)
	}
	for _, x := range inputs {
		if err := s.check(y, x); err != nil {
			return err
		}
	}
	return nil
}

// edges checks values at the modulus and at other edges in every length that
// the setter accepts.
func (s setter[E, P]) edges(y Type[E, P]) error {
	v := newValues(y.Field)
	for n := y.size(); n <= 2*y.size(); n++ {
		if _, ok := s.model(make([]byte, n)); !ok {
			continue
		}
		edges := v.edges(pow2(8 * n))
		if n == 2*y.size() {
			edges = v.wideEdges(pow2(8 * n))
		}
		for _, x := range edges {
			if err := s.check(y, y.Encode(x, n)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s setter[E, P]) check(y Type[E, P], x []byte) error {
	old := y.mod(pow2(200))
	z := y.New(old)
	in := slices.Clone(x)
	got, err := s.call(z, in)
	want, ok := s.model(x)
	switch {
	case !bytes.Equal(in, x):
		return faultf(y, "%s changed its argument %x", s.name, x)
	case ok && err != nil:
		return faultf(y, "%s(%x): error %q, want %#x", s.name, x, err, want)
	case ok && P(got) != z:
		return faultf(y, "%s(%x) does not return its receiver", s.name, x)
	case ok && y.Value(z).Cmp(want) != 0:
		return faultf(y, "%s(%x): got %#x, want %#x", s.name, x, y.Value(z), want)
	case ok:
		return nil
	case err == nil:
		return faultf(y, "%s(%x): got %#x, want an error", s.name, x, y.Value(z))
	case got != nil:
		return faultf(y, "%s(%x): got an error and a result, want nil", s.name, x)
	case y.Value(z).Cmp(old) != 0:
		return faultf(y, "%s(%x) failed and changed its receiver to %#x", s.name, x, y.Value(z))
	}
	return checkMessage(err.Error(), y.Field.Package, x, y.size())
}

// checkMessage checks an error about an encoding: it names the package, and
// the length where it is not size, and does not repeat the bytes, which may be
// secret.
func checkMessage(message, pkg string, x []byte, size int) error {
	if !strings.Contains(message, pkg) {
		return fmt.Errorf("the error %q does not name the package %s", message, pkg)
	}
	if len(x) != size && !strings.Contains(message, fmt.Sprint(len(x))) {
		return fmt.Errorf("the error %q does not say that %d bytes came", message, len(x))
	}
	for len(x) >= 4 {
		for _, echo := range []string{string(x[:4]), hex.EncodeToString(x[:4]), base64.StdEncoding.EncodeToString(x[:3]), strings.Trim(fmt.Sprint(x[:4]), "[]")} {
			if strings.Contains(strings.ToLower(message), strings.ToLower(echo)) {
				return fmt.Errorf("the error %q repeats the input as %q", message, echo)
			}
		}
		x = x[4:]
	}
	return nil
}
