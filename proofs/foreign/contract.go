package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Limits of a contract.
const (
	maxParams = 6  // System V passes so many integers in registers
	maxLimbs  = 64 // words behind a pointer
	maxBits   = 64 * maxLimbs * 4
)

// contract is the file as it is written.
type contract struct {
	Name       string      `json:"name"`
	Modulus    string      `json:"modulus"`
	Parameters []parameter `json:"parameters"`
	Claims     []string    `json:"claims"`
	Distinct   [][]string  `json:"distinct"`
}

type parameter struct {
	Name   string `json:"name"`
	Role   string `json:"role"`
	Limbs  *int   `json:"limbs"`
	Bound  string `json:"bound"`
	Secret *bool  `json:"secret"`
}

var roles = map[string]spec.Role{"out": spec.Out, "in": spec.In, "inout": spec.InOut, "scalar": spec.Value, "result": spec.Result}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// reserved are names that expressions use otherwise.
var reserved = map[string]bool{"p": true, "mod": true, "inv": true, "if": true}

// ParseContract reads a contract.
func ParseContract(text []byte) (*spec.Routine, error) {
	r, err := parseContract(text)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	return r, nil
}

func parseContract(text []byte) (*spec.Routine, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var c contract
	if err := dec.Decode(&c); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object, want the end of the file")
	}
	if !identifier.MatchString(c.Name) {
		return nil, fmt.Errorf("name is %q, want letters, digits and underscores", c.Name)
	}
	if c.Name == string(spec.KindInvert) {
		return nil, fmt.Errorf("name is %q, which stands for a routine with loops", c.Name)
	}
	f := &spec.Field{Name: c.Name, Title: c.Modulus, Form: spec.Montgomery}
	if c.Modulus != "" {
		m, err := constant(c.Modulus, nil)
		if err != nil {
			return nil, fmt.Errorf("modulus %q: %w", c.Modulus, err)
		}
		if m.Cmp(big.NewInt(2)) < 0 {
			return nil, fmt.Errorf("modulus %q is %v, want at least 2", c.Modulus, m)
		}
		f.Modulus = m
	}
	r := &spec.Routine{Field: f, Kind: spec.Kind(c.Name)}
	if err := parameters(&c, r); err != nil {
		return nil, err
	}
	if len(c.Claims) == 0 {
		return nil, errors.New("there are no claims, want at least one")
	}
	for _, text := range c.Claims {
		q, err := parseClaim(text, r)
		if err != nil {
			return nil, fmt.Errorf("claim %q: %w", text, err)
		}
		r.Claims = append(r.Claims, q)
	}
	for _, pair := range c.Distinct {
		a, err := distinct(r, pair)
		if err != nil {
			return nil, fmt.Errorf("distinct %q: %w", pair, err)
		}
		r.Apart = append(r.Apart, a)
	}
	// test inputs are drawn around a modulus that fits the limbs
	if f.Modulus == nil {
		f.Modulus = new(big.Int).Lsh(big.NewInt(1), uint(64*f.Limbs))
		f.Modulus.Sub(f.Modulus, big.NewInt(1))
	}
	f.Limbs = max(f.Limbs, (f.Modulus.BitLen()+63)/64)
	return r, nil
}

func parameters(c *contract, r *spec.Routine) error {
	if len(c.Parameters) == 0 {
		return errors.New("there are no parameters, want at least one")
	}
	seen := map[string]bool{}
	r.Field.Limbs = 1
	for i, q := range c.Parameters {
		p, err := q.read(r)
		if err != nil {
			return fmt.Errorf("parameter %d (%s): %w", i+1, q.Name, err)
		}
		if seen[q.Name] {
			return fmt.Errorf("parameter %d (%s): an earlier one has the same name", i+1, q.Name)
		}
		seen[q.Name] = true
		if p.Role == spec.Result && i != len(c.Parameters)-1 {
			return fmt.Errorf("parameter %d (%s): a result is not the last", i+1, q.Name)
		}
		if p.Role != spec.Result && i >= maxParams {
			return fmt.Errorf("parameter %d (%s): System V passes %d in registers, more are not supported", i+1, q.Name, maxParams)
		}
		r.Field.Limbs = max(r.Field.Limbs, p.Limbs)
		r.Params = append(r.Params, p)
	}
	return nil
}

func (q *parameter) read(r *spec.Routine) (p spec.Param, err error) {
	role, ok := roles[q.Role]
	switch {
	case !identifier.MatchString(q.Name):
		return p, fmt.Errorf("name is %q, want letters, digits and underscores", q.Name)
	case reserved[q.Name]:
		return p, fmt.Errorf("the name %s means something else in claims", q.Name)
	case !ok:
		return p, fmt.Errorf("role is %q, want out, in, inout, scalar or result", q.Role)
	}
	p = spec.Param{Name: q.Name, Role: role, Limbs: 1, Secret: q.Secret == nil || *q.Secret}
	switch {
	case role.Pointer() && q.Limbs == nil:
		return p, errors.New("limbs are missing, want the number of 64-bit words behind the pointer")
	case !role.Pointer() && q.Limbs != nil:
		return p, fmt.Errorf("limbs are for pointers only, and the role is %s", q.Role)
	case role.Pointer():
		p.Limbs = *q.Limbs
	}
	if p.Limbs < 1 || p.Limbs > maxLimbs {
		return p, fmt.Errorf("limbs are %d, want 1 to %d", p.Limbs, maxLimbs)
	}
	top := new(big.Int).Lsh(big.NewInt(1), uint(64*p.Limbs))
	if role == spec.Out || role == spec.Result {
		if q.Bound != "" {
			return p, fmt.Errorf("a bound is what the caller promises, and the role is %s: say it in a claim", q.Role)
		}
		return p, nil
	}
	p.Bound, p.BoundName = top, fmt.Sprintf("2^%d", 64*p.Limbs)
	if q.Bound == "" {
		return p, nil
	}
	b, err := constant(q.Bound, r.Field.Modulus)
	if err != nil {
		return p, fmt.Errorf("bound %q: %w", q.Bound, err)
	}
	if b.Sign() <= 0 || b.Cmp(top) > 0 {
		return p, fmt.Errorf("bound %q is %v, want 1 to 2^%d", q.Bound, b, 64*p.Limbs)
	}
	p.Bound, p.BoundName = b, q.Bound
	return p, nil
}

func distinct(r *spec.Routine, pair []string) (a [2]int, err error) {
	if len(pair) != 2 {
		return a, fmt.Errorf("has %d names, want two", len(pair))
	}
	for n, name := range pair {
		i := index(r, name)
		if i < 0 {
			return a, fmt.Errorf("no parameter has the name %q", name)
		}
		if !r.Params[i].Role.Pointer() {
			return a, fmt.Errorf("%s is no pointer", name)
		}
		a[n] = i
	}
	if a[0] == a[1] {
		return a, errors.New("a pointer is equal to itself")
	}
	return a, nil
}

// index returns the number of the parameter with that name, or -1.
func index(r *spec.Routine, name string) int {
	for i, p := range r.Params {
		if p.Name == name {
			return i
		}
	}
	return -1
}
