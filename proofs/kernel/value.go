package kernel

// Value numbering, as in Value.v: two programs compute the same words if, with
// equal inputs, they apply equal operations to equal words.

// A value is the word with a number, or a constant if the number is 0.
type value struct {
	num int
	imm uint64
}

// An operation is what an Instr does with values, in a normal form.
type operation struct {
	op      Op
	n       uint
	a, b, c value
}

// A numbering gives equal words equal numbers. The operation with a number
// leaves its results there and at the number that follows.
type numbering struct {
	next    int
	numbers map[operation]int
	ops     map[int]operation
}

// Values are the words that a program has computed so far. Several programs
// share a numbering.
type Values struct {
	*numbering
	at map[Loc]value
}

func (s *Values) operand(x Src) value {
	if x.isLoc() {
		v, ok := s.at[x.Loc]
		if !ok {
			Refuse("location %d is not known", x.Loc)
		}
		return v
	}
	if !x.Imm.IsUint64() {
		Refuse("constant %v is no word", x.Imm)
	}
	return value{imm: x.Imm.Uint64()}
}

// before is the order of the operands of a sum.
func before(a, b value) bool {
	return b.num == 0 || a.num != 0 && a.num <= b.num
}

func (s *numbering) isBit(v value) bool {
	o, ok := s.ops[v.num]
	return ok && o.op == Shr && o.n == 63
}

// normal returns the normal form of an operation.
func (s *numbering) normal(o operation) operation {
	if o.op == Bzhi && s.isBit(o.b) {
		o.op = And
	}
	switch o.op {
	case Mul, Adc, And, Or, Xor:
		if !before(o.a, o.b) {
			o.a, o.b = o.b, o.a
		}
	}
	return o
}

// simple reports whether the operation does nothing but copy its first operand.
func (o operation) simple() bool {
	switch o.op {
	case Mov:
		return true
	case Shr, Shl:
		return o.n == 0
	case Adc:
		return o.b == value{} && o.c == value{}
	}
	return false
}

// Step performs an operation. It refuses one that reads what is not known.
func (s *Values) Step(i *Instr) {
	if i.Op == Shl && i.N > 64 {
		Refuse("a shift by %d", i.N)
	}
	o := operation{op: i.Op}
	if i.Op == Shr || i.Op == Shl {
		o.n = i.N
	}
	for k, x := range i.Sources() {
		*[]*value{&o.a, &o.b, &o.c}[k] = s.operand(x)
	}
	x, y := o.a, value{}
	if !o.simple() {
		o = s.normal(o)
		n, ok := s.numbers[o]
		if !ok {
			n = s.next
			s.next += 2
			s.numbers[o], s.ops[n] = n, o
		}
		x, y = value{num: n}, value{num: n + 1}
	}
	s.at[i.D] = x
	if len(i.Results()) > 1 {
		s.at[i.D2] = y
	}
}

// A Pair is two locations, the first for one program, the second for another.
type Pair [2]Loc

// Pairs returns the words of two programs that start with the same at the
// locations of ins. Two locations of the first program may be paired with one of
// the second.
func Pairs(ins []Pair) (first, second *Values) {
	s := &numbering{next: 1, numbers: map[operation]int{}, ops: map[int]operation{}}
	first, second = &Values{s, map[Loc]value{}}, &Values{s, map[Loc]value{}}
	for _, l := range ins {
		if _, ok := second.at[l[1]]; !ok {
			second.at[l[1]] = value{num: s.next}
		}
		first.at[l[0]] = second.at[l[1]]
		s.next++
	}
	return first, second
}

// Equal reports whether the word at l is known to be that at m of another program.
func (s *Values) Equal(l Loc, o *Values, m Loc) bool {
	x, ok1 := s.at[l]
	y, ok2 := o.at[m]
	return ok1 && ok2 && x == y
}

func (s *Values) run(p []Instr) {
	for i := range p {
		s.Step(&p[i])
	}
}

// same refuses unless both programs leave the same words at the locations of
// outs if they start with the same at those of ins.
func same(p, q []Instr, ins, outs []Pair) {
	first, second := Pairs(ins)
	first.run(p)
	second.run(q)
	for _, l := range outs {
		if !first.Equal(l[0], second, l[1]) {
			Refuse("the words at locations %d and %d are not shown to be equal", l[0], l[1])
		}
	}
}
