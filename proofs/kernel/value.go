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
	at      map[Loc]value
}

func (s *numbering) operand(x Src) value {
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

func (s *numbering) step(i *Instr) {
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

// A pair is two locations, the first for one program, the second for another.
type pair [2]Loc

// same refuses unless both programs leave the same words at the locations of
// outs if they start with the same at those of ins. Two locations of the first
// program may be paired with one of the second.
func same(p, q []Instr, ins, outs []pair) {
	s := &numbering{next: 1, numbers: map[operation]int{}, ops: map[int]operation{}}
	first, second := map[Loc]value{}, map[Loc]value{}
	for _, l := range ins {
		if _, ok := second[l[1]]; !ok {
			second[l[1]] = value{num: s.next}
		}
		first[l[0]] = second[l[1]]
		s.next++
	}
	run := func(p []Instr, at map[Loc]value) {
		s.at = at
		for i := range p {
			s.step(&p[i])
		}
	}
	run(p, first)
	run(q, second)
	for _, l := range outs {
		x, ok1 := first[l[0]]
		y, ok2 := second[l[1]]
		if !ok1 || !ok2 || x != y {
			Refuse("the words at locations %d and %d are not shown to be equal", l[0], l[1])
		}
	}
}
