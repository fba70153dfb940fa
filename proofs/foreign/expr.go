package foreign

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A parser reads claims and constants by recursive descent:
//
//	claim  = expr ("==" | "=" | "≡") expr ["(" "mod" expr ")"] | expr "<" expr
//	expr   = ["-"] term {("+" | "-") term}
//	term   = power {("*" | "·") power}
//	power  = atom ["^" number]
//	atom   = number | name ["'"] | "p" | "(" expr ")" | "inv" "(" expr ")"
//	       | "if" "(" expr "," expr "," expr ")"
//	       | "[" expr "==" expr ["(" "mod" expr ")"] "]"
type parser struct {
	text  string
	r     *spec.Routine // nil where only constants may stand
	p     *big.Int      // the modulus, or nil
	depth int
}

// Limits of an expression.
const (
	maxDepth = 50
	maxPower = 4 // of a parameter, and of a product of parameters
)

func constant(text string, modulus *big.Int) (*big.Int, error) {
	s := &parser{text: text, p: modulus}
	e, err := s.expr()
	if err != nil {
		return nil, err
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	return e.Val, nil
}

func parseClaim(text string, r *spec.Routine) (q spec.Claim, err error) {
	s := &parser{text: text, r: r, p: r.Field.Modulus}
	if q.L, err = s.expr(); err != nil {
		return q, err
	}
	rel := s.oneOf("==", "=", "≡", "<")
	if rel == "" {
		return q, s.want(`"==", "≡" or "<"`)
	}
	if q.R, err = s.expr(); err != nil {
		return q, err
	}
	if q.Mod, err = s.mod(); err != nil {
		return q, err
	}
	switch {
	case rel == "<" && q.Mod != nil:
		return q, errors.New("a bound has no modulus")
	case rel == "<":
		q.Rel = spec.Less
		if q.L.Op != spec.OpVar || q.R.Op != spec.OpConst || q.R.Val.Sign() <= 0 {
			return q, fmt.Errorf("%v < %v, want a parameter below a positive constant", q.L, q.R)
		}
	case rel == "≡" && q.Mod == nil:
		return q, s.want(`"(mod ...)"`)
	case q.Mod != nil:
		q.Rel = spec.Congruent
	}
	if n := max(degree(q.L), degree(q.R)); n > maxPower {
		return q, fmt.Errorf("a product of %d parameters, want at most %d", n, maxPower)
	}
	return q, s.end()
}

// degree returns the number of parameters in the longest product.
func degree(e spec.Expr) int {
	n := 0
	if e.Op == spec.OpVar {
		n = 1
	}
	for _, a := range e.Args {
		if e.Op == spec.OpMul {
			n += degree(a)
		} else {
			n = max(n, degree(a))
		}
	}
	return n
}

// mod reads a modulus, if there is one.
func (s *parser) mod() (*big.Int, error) {
	rest := s.text
	if s.oneOf("(") == "" || s.name() != "mod" {
		s.text = rest
		return nil, nil
	}
	e, err := s.expr()
	if err != nil {
		return nil, err
	}
	if s.oneOf(")") == "" {
		return nil, s.want(`")"`)
	}
	if e.Op != spec.OpConst || e.Val.Sign() <= 0 {
		return nil, fmt.Errorf("the modulus is %v, want a positive constant", e)
	}
	return e.Val, nil
}

func (s *parser) skip() { s.text = strings.TrimLeftFunc(s.text, unicode.IsSpace) }

// oneOf reads the first of the words that comes next, or returns "".
func (s *parser) oneOf(words ...string) string {
	s.skip()
	for _, w := range words {
		if strings.HasPrefix(s.text, w) {
			s.text = s.text[len(w):]
			return w
		}
	}
	return ""
}

func (s *parser) take(f func(r rune) bool) string {
	s.skip()
	n := strings.IndexFunc(s.text, func(r rune) bool { return !f(r) })
	if n < 0 {
		n = len(s.text)
	}
	t := s.text[:n]
	s.text = s.text[n:]
	return t
}

func (s *parser) name() string {
	s.skip()
	if r, _ := utf8.DecodeRuneInString(s.text); r != '_' && !ascii(r, 'a', 'z') && !ascii(r, 'A', 'Z') {
		return ""
	}
	return s.take(func(r rune) bool { return r == '_' || ascii(r, 'a', 'z') || ascii(r, 'A', 'Z') || ascii(r, '0', '9') })
}

func ascii(r, from, to rune) bool { return from <= r && r <= to }

func (s *parser) want(what string) error {
	s.skip()
	if s.text == "" {
		return fmt.Errorf("the text ends, want %s", what)
	}
	return fmt.Errorf("%q comes next, want %s", s.text, what)
}

func (s *parser) end() error {
	if s.skip(); s.text != "" {
		return s.want("the end")
	}
	return nil
}

func isConst(es ...spec.Expr) bool {
	for _, e := range es {
		if e.Op != spec.OpConst {
			return false
		}
	}
	return true
}

// fold evaluates an expression of constants.
func fold(e spec.Expr) (spec.Expr, error) {
	if !isConst(e.Args...) {
		return e, nil
	}
	v, err := e.Eval(nil)
	if err != nil {
		return e, err
	}
	if v.BitLen() > maxBits {
		return e, fmt.Errorf("a constant of %d bits, want at most %d", v.BitLen(), maxBits)
	}
	return spec.Const(v), nil
}

func (s *parser) expr() (spec.Expr, error) {
	if s.depth++; s.depth > maxDepth {
		return spec.Expr{}, fmt.Errorf("more than %d brackets within each other", maxDepth)
	}
	defer func() { s.depth-- }()
	negative := s.oneOf("-") != ""
	e, err := s.term()
	if err == nil && negative {
		e, err = fold(spec.Sub(spec.Const(new(big.Int)), e))
	}
	for err == nil {
		op := s.oneOf("+", "-")
		if op == "" {
			break
		}
		var f spec.Expr
		if f, err = s.term(); err != nil {
			break
		}
		if op == "+" {
			e, err = fold(spec.Add(e, f))
		} else {
			e, err = fold(spec.Sub(e, f))
		}
	}
	return e, err
}

func (s *parser) term() (spec.Expr, error) {
	e, err := s.power()
	for err == nil && s.oneOf("*", "·") != "" {
		var f spec.Expr
		if f, err = s.power(); err == nil {
			e, err = fold(spec.Mul(e, f))
		}
	}
	return e, err
}

func (s *parser) power() (spec.Expr, error) {
	e, err := s.atom()
	if err != nil || s.oneOf("^") == "" {
		return e, err
	}
	n, err := s.number()
	if err != nil {
		return e, err
	}
	most := int64(maxPower)
	if isConst(e) {
		most = maxBits / int64(max(1, e.Val.BitLen()-1))
	}
	if e.Op != spec.OpVar && !isConst(e) {
		return e, errors.New("a power of something that is neither a constant nor a parameter")
	}
	if n.Sign() <= 0 || n.Cmp(big.NewInt(most)) > 0 {
		return e, fmt.Errorf("the exponent is %v, want 1 to %d", n, most)
	}
	if isConst(e) {
		return spec.Const(new(big.Int).Exp(e.Val, n, nil)), nil
	}
	f := e
	for range n.Int64() - 1 {
		f = spec.Mul(f, e)
	}
	return f, nil
}

func (s *parser) number() (*big.Int, error) {
	digits := s.take(func(r rune) bool { return ascii(r, '0', '9') || ascii(r, 'a', 'z') || ascii(r, 'A', 'Z') })
	v, ok := new(big.Int).SetString(digits, 0)
	if len(digits) > maxBits/4 || !ok || digits[0] > '9' || len(digits) > 1 && digits[0] == '0' && digits[1] != 'x' {
		return nil, fmt.Errorf("%q is not a decimal number, nor hexadecimal after 0x", digits)
	}
	return v, nil
}

func (s *parser) atom() (spec.Expr, error) {
	none := spec.Expr{}
	switch s.oneOf("(", "[") {
	case "(":
		e, err := s.expr()
		if err == nil && s.oneOf(")") == "" {
			err = s.want(`")"`)
		}
		return e, err
	case "[":
		return s.comparison()
	}
	if s.text != "" && ascii(rune(s.text[0]), '0', '9') {
		v, err := s.number()
		if err != nil {
			return none, err
		}
		return spec.Const(v), nil
	}
	name := s.name()
	switch name {
	case "":
		return none, s.want("a number, a name or a bracket")
	case "p":
		if s.p == nil {
			return none, errors.New("p stands for the modulus, and there is none here")
		}
		return spec.NamedConst("p", s.p), nil
	case "inv":
		a, err := s.arguments(1)
		if err != nil {
			return none, err
		}
		if !isConst(a[0]) || s.p == nil {
			return none, errors.New("inv is for constants, modulo the modulus of the contract")
		}
		v := new(big.Int).ModInverse(a[0].Val, s.p)
		if v == nil {
			return none, fmt.Errorf("%v has no inverse modulo %v", a[0], s.p)
		}
		return spec.Const(v), nil
	case "if":
		a, err := s.arguments(3)
		if err != nil {
			return none, err
		}
		e := spec.Choose(a[0], a[1], a[2])
		if !isConst(a...) {
			return e, nil
		}
		v, err := e.Eval(nil)
		return spec.Const(v), err
	}
	return s.variable(name)
}

func (s *parser) variable(name string) (spec.Expr, error) {
	if s.r == nil {
		return spec.Expr{}, fmt.Errorf("the name %q stands where only constants may", name)
	}
	i := index(s.r, name)
	if i < 0 {
		return spec.Expr{}, fmt.Errorf("no parameter has the name %q", name)
	}
	if s.oneOf("'", "′") != "" {
		if s.r.Params[i].Role != spec.InOut {
			return spec.Expr{}, fmt.Errorf("%s' is the value of an inout parameter on return, and %s is none", name, name)
		}
		name = spec.After(name)
	}
	return spec.Var(name), nil
}

// comparison reads what is 1 if a congruence holds, else 0.
func (s *parser) comparison() (spec.Expr, error) {
	l, err := s.expr()
	if err != nil {
		return l, err
	}
	if s.oneOf("==", "=", "≡") == "" {
		return l, s.want(`"=="`)
	}
	r, err := s.expr()
	if err != nil {
		return l, err
	}
	m, err := s.mod()
	if err != nil {
		return l, err
	}
	if m == nil {
		return l, s.want(`"(mod ...)"`)
	}
	if s.oneOf("]") == "" {
		return l, s.want(`"]"`)
	}
	return fold(spec.IsCong(l, r, m))
}

func (s *parser) arguments(n int) (list []spec.Expr, err error) {
	for i := range n {
		if sep := map[bool]string{true: "(", false: ","}[i == 0]; s.oneOf(sep) == "" {
			return nil, s.want(`"` + sep + `"`)
		}
		e, err := s.expr()
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	if s.oneOf(")") == "" {
		return nil, s.want(`")"`)
	}
	return list, nil
}
