// Package api writes the Go types that the users of a field see: one method
// set, the same in every field package, over the raw routines of the field.
package api

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"math/big"
	"strings"
	"text/template"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/chain"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

//go:embed *.tmpl
var texts embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"join": func(s []string) string { return strings.Join(s, ", ") },
	"ref":  reference,
}).ParseFS(texts, "*.tmpl"))

// Files returns the source files that define the type of f, by name. The first
// line of each says that command generated it. The search for the chain that
// square roots need takes about a second.
func Files(f *spec.Field, command string) (map[string][]byte, error) {
	d, err := newData(f, command)
	if err != nil {
		return nil, fmt.Errorf("api: field %s: %w", f.Name, err)
	}
	want := map[string]string{strings.ToLower(f.Type) + ".go": "api.go.tmpl"}
	if d.Element() {
		want[f.Prefix+"_chain.go"] = "chain.go.tmpl"
	}
	files := make(map[string][]byte, len(want))
	for name, text := range want {
		var b bytes.Buffer
		if err := templates.ExecuteTemplate(&b, text, d); err != nil {
			return nil, fmt.Errorf("api: field %s: %w", f.Name, err)
		}
		if files[name], err = format.Source(b.Bytes()); err != nil {
			return nil, fmt.Errorf("api: field %s: %s: %w", f.Name, name, err)
		}
	}
	return files, nil
}

// data is what the templates read.
type data struct {
	*spec.Field
	Command string
	Chain   *chain.Program // for square roots; of an Element
	Power   string         // the exponent of Chain as a formula in p
	Lines   []line         // of Chain
}

// A line is one step of a chain with the power that it computes.
type line struct {
	chain.Step
	Power string
}

func newData(f *spec.Field, command string) (*data, error) {
	d := &data{Field: f, Command: command}
	bits := f.Modulus.BitLen()
	switch {
	case f.Type != "Element" && f.Type != "Scalar":
		return nil, fmt.Errorf("expected the type Element or Scalar, got %q", f.Type)
	case bits <= 64*(f.Limbs-1) || bits > 64*f.Limbs:
		return nil, fmt.Errorf("expected a modulus that fills its %d limbs, got %d bits", f.Limbs, bits)
	case d.Weak() && bits != 64*f.Limbs-1:
		// SetBytes ignores the top bit, and clears it in this one place.
		return nil, fmt.Errorf("expected a modulus of %d bits for weakly reduced limbs, got %d bits", 64*f.Limbs-1, bits)
	}
	if !d.Element() {
		return d, nil
	}
	e, power, err := sqrtExponent(f.Modulus)
	if err != nil {
		return nil, err
	}
	if d.Chain, err = chain.Find(e); err != nil {
		return nil, err
	}
	d.Power = power
	powers, err := d.Chain.Exponents()
	if err != nil {
		return nil, err
	}
	for i, s := range d.Chain.Steps {
		d.Lines = append(d.Lines, line{s, exponentString(powers[i])})
	}
	return d, nil
}

// sqrtExponent returns the exponent of the one power that a square root modulo
// the prime p takes, and prints it.
func sqrtExponent(p *big.Int) (e *big.Int, formula string, err error) {
	switch mod8(p) {
	case 3, 7:
		return new(big.Int).Rsh(p, 2), "(p-3)/4", nil
	case 5:
		return new(big.Int).Rsh(p, 3), "(p-5)/8", nil
	}
	return nil, "", fmt.Errorf("expected a prime that is 3, 5 or 7 modulo 8, got %#x", p)
}

func mod8(p *big.Int) uint64 { return new(big.Int).And(p, big.NewInt(7)).Uint64() }

// Element reports whether the type has square roots and batch inversion.
func (d *data) Element() bool { return d.Type == "Element" }

// Weak reports whether limbs are not kept below the modulus.
func (d *data) Weak() bool { return d.Form == spec.Weak }

// Bytes returns the length of an encoding.
func (d *data) Bytes() int { return 8 * d.Limbs }

// WideBytes returns the largest length that SetWideBytes takes.
func (d *data) WideBytes() int { return 16 * d.Limbs }

// WideLimbs returns that length in limbs.
func (d *data) WideLimbs() int { return 2 * d.Limbs }

// TopLimb returns the index of the most significant limb.
func (d *data) TopLimb() int { return d.Limbs - 1 }

// Order names the order of the bytes in an encoding.
func (d *data) Order() string {
	if d.BigEndian {
		return "big-endian"
	}
	return "little-endian"
}

// ByteOrder returns that order in encoding/binary.
func (d *data) ByteOrder() string {
	if d.BigEndian {
		return "binary.BigEndian"
	}
	return "binary.LittleEndian"
}

// Offset returns the Go expression for the place of limb i of l in an encoding.
func (d *data) Offset() string {
	if d.BigEndian {
		return "8*(len(l)-1-i)"
	}
	return "8*i"
}

// Canonical returns the routine that takes limbs to the integer below the
// modulus that they stand for.
func (d *data) Canonical() string {
	if d.Weak() {
		return d.Prefix + string(spec.KindCanon)
	}
	return d.Prefix + string(spec.KindFromMont)
}

// Mod8 returns the modulus modulo 8.
func (d *data) Mod8() uint64 { return mod8(d.Modulus) }

// ModulusLimbs returns the limbs of the modulus.
func (d *data) ModulusLimbs() []string { return d.literals(d.Modulus) }

// OneLimbs returns the limbs that represent 1.
func (d *data) OneLimbs() []string { return d.represent(big.NewInt(1)) }

// SqrtMinusOneLimbs returns the limbs that represent 2^((p-1)/4), which is a
// square root of -1 where p ≡ 5 (mod 8), because 2 is not a square then.
func (d *data) SqrtMinusOneLimbs() []string {
	e := new(big.Int).Rsh(d.Modulus, 2)
	return d.represent(e.Exp(big.NewInt(2), e, d.Modulus))
}

// represent returns the limbs that represent the residue v.
func (d *data) represent(v *big.Int) []string {
	if d.Weak() {
		return d.literals(v)
	}
	v = new(big.Int).Mul(v, d.R())
	return d.literals(v.Mod(v, d.Modulus))
}

// literals returns the limbs of the integer v, least significant first.
func (d *data) literals(v *big.Int) []string {
	b := v.FillBytes(make([]byte, d.Bytes()))
	s := make([]string, d.Limbs)
	for i := range s {
		s[i] = fmt.Sprintf("%#x", b[8*(d.Limbs-1-i):][:8])
	}
	return s
}

// reference returns the pointer to a variable of a chain.
func reference(name string) string {
	if name == chain.Input {
		return name // a pointer already
	}
	return "&" + name
}

// exponentString prints e, which is positive, in the shortest of three forms.
func exponentString(e *big.Int) string {
	if e.BitLen() <= 4 {
		return e.String()
	}
	// A run of ones from bit low to bit high-1 is 2^high - 2^low.
	low, high := e.TrailingZeroBits(), e.BitLen()
	ones := new(big.Int).Rsh(e, low)
	if ones.Add(ones, big.NewInt(1)).TrailingZeroBits() != uint(high)-low {
		return fmt.Sprintf("%#x", e)
	}
	if low == 0 {
		return fmt.Sprintf("2^%d - 1", high)
	}
	return fmt.Sprintf("2^%d - 2^%d", high, low)
}
