// Package limb is an abstract machine for multi-limb integer arithmetic.
//
// An algorithm is a Go function that calls the methods of a Machine; each call
// records one instruction over 64-bit words in single assignment form. Carries
// are values like any other, so every add-with-carry names the instruction that
// made its carry. A target turns the recorded Program into source: gosrc into
// portable Go, amd64 into assembly. Algorithms adapt to a target only through
// its Features.
package limb

import (
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Features says what a target's instructions can do.
type Features struct {
	// DualCarry: two carry chains can be live at once (ADCX and ADOX).
	DualCarry bool
	// MulKeepsCarry: a wide multiplication leaves a live carry alone.
	MulKeepsCarry bool
	// ThreeAddress: a result needs no copy of an operand, so that shifts and
	// differences are cheap.
	ThreeAddress bool
	// SlowShrD: a double shift takes longer than two additions.
	SlowShrD bool
	// SlowMul: a wide multiplication takes the time of several other
	// instructions, one of 32-bit words does not.
	SlowMul bool
	// Unroll: Repeat writes its body out instead of looping.
	Unroll bool
}

// A Word is a 64-bit value, defined once.
type Word struct {
	ID int

	// A constant has no defining instruction.
	IsConst bool
	K       uint64

	// Home is the memory cell that the word was loaded from, or nil.
	Home *Cell
}

// A Flag is a single bit, defined once.
type Flag struct {
	ID   int
	Kind FlagKind
}

// A FlagKind says which condition a flag is, as machines know them.
type FlagKind int

// The kinds of flag.
const (
	Carry   FlagKind = iota // carry or borrow of the main chain
	Carry2                  // carry of the second chain, see Clear
	NotZero                 // some bit was set
	Sign                    // the top bit was set
)

// A BufKind says what kind of memory a Buf is.
type BufKind int

// The kinds of buffer.
const (
	Pointer BufKind = iota // limbs behind a pointer parameter
	Scalar                 // a parameter passed by value
	Frame                  // local memory of the routine
)

// A Buf is a named run of words in memory.
type Buf struct {
	Name  string
	Kind  BufKind
	Limbs int
}

// A Cell is one word of a Buf.
type Cell struct {
	Buf   *Buf
	Index int
}

// An Op is the operation of an Instr.
type Op int

// The operations. In the comments, a and b are In[0] and In[1], f is Cond, k is
// Imm; results are in the order of Out, then Flag.
const (
	Load    Op = iota // word in Cell
	Store             // Cell = a
	Add               // a + b + f, carry
	Sub               // a - b - f, borrow
	Mul               // high, low word of a·b
	MulLo             // low word of a·b
	And               // a & b
	Or                // a | b
	Xor               // a ^ b
	Shl               // a << k
	Shr               // a >> k, zeros from above
	Sar               // a >> k, copies of the sign from above
	ShrD              // low word of (a:b) >> k, 0 < k < 64
	Halve             // a >> 1, copies of the sign from above, and the bit shifted out as a carry
	Sum               // a + b + k, leaving every carry alone
	Bit               // flag: bit k of a
	Neg               // flag: top bit of a
	NonZ              // flag: a != 0
	BitIf             // flag: bit 0 of a, if b is 1; unset, if b is 0
	Select            // f ? a : b
	Mask              // f ? 2^64-1 : 0
	Clear             // two carries that are 0
	Return            // the result of the routine is a
	Loop              // start of a body that runs k times
	EndLoop           // its end
	Assign            // carried word Out[0] = a (targets that do not unroll)
)

var opNames = [...]string{"Load", "Store", "Add", "Sub", "Mul", "MulLo", "And", "Or", "Xor", "Shl", "Shr", "Sar", "ShrD",
	"Halve", "Sum", "Bit", "Neg", "NonZ", "BitIf", "Select", "Mask", "Clear", "Return", "Loop", "EndLoop", "Assign"}

func (o Op) String() string { return opNames[o] }

// An Instr is one recorded instruction.
type Instr struct {
	Op   Op
	Out  []*Word
	Flag []*Flag
	In   []*Word
	Cond *Flag // flag operand, nil for none (a carry of 0)
	Imm  int
	Cell Cell
}

// A Program is a recorded routine.
type Program struct {
	Routine *spec.Routine
	Instrs  []*Instr
	Frames  []*Buf
}

// A Machine records a Program. Misuse is a mistake in an algorithm and panics;
// the generator commands turn the panic into an error.
type Machine struct {
	Features
	prog   *Program
	bufs   map[string]*Buf
	consts map[uint64]*Word
	stored map[int]bool // limb indexes written through any pointer
	words  int
	flags  int
}

// New returns a machine that records the routine r for a target.
func New(r *spec.Routine, f Features) *Machine {
	m := &Machine{Features: f, prog: &Program{Routine: r}, bufs: map[string]*Buf{}, consts: map[uint64]*Word{}, stored: map[int]bool{}}
	for _, p := range r.Params {
		switch {
		case p.Role.Pointer():
			m.bufs[p.Name] = &Buf{Name: p.Name, Kind: Pointer, Limbs: p.Limbs}
		case p.Role == spec.Value:
			m.bufs[p.Name] = &Buf{Name: p.Name, Kind: Scalar, Limbs: 1}
		}
	}
	return m
}

// Program returns what was recorded.
func (m *Machine) Program() *Program { return m.prog }

// Param returns the buffer of a parameter.
func (m *Machine) Param(name string) *Buf {
	b := m.bufs[name]
	if b == nil {
		panic(fmt.Sprintf("limb: %s has no parameter %q", m.prog.Routine.Name(), name))
	}
	return b
}

// NewFrame returns local memory of n words, not initialised.
func (m *Machine) NewFrame(name string, n int) *Buf {
	b := &Buf{Name: name, Kind: Frame, Limbs: n}
	m.prog.Frames = append(m.prog.Frames, b)
	return b
}

func (m *Machine) word() *Word { m.words++; return &Word{ID: m.words} }

func (m *Machine) flag(k FlagKind) *Flag { m.flags++; return &Flag{ID: m.flags, Kind: k} }

func (m *Machine) emit(i *Instr) *Instr {
	m.prog.Instrs = append(m.prog.Instrs, i)
	return i
}

// op records an instruction with one word as its result.
func (m *Machine) op(o Op, k int, f *Flag, in ...*Word) *Word {
	return m.emit(&Instr{Op: o, Out: []*Word{m.word()}, In: in, Imm: k, Cond: f}).Out[0]
}

// Const returns the constant k.
func (m *Machine) Const(k uint64) *Word {
	if w := m.consts[k]; w != nil {
		return w
	}
	w := &Word{IsConst: true, K: k}
	m.consts[k] = w
	return w
}

// Load returns word i of b. Parameters may alias, so nothing may be loaded from
// index i of a pointer once index i of some pointer was stored to.
func (m *Machine) Load(b *Buf, i int) *Word {
	m.check(b, i)
	if b.Kind == Pointer && m.stored[i] {
		panic(fmt.Sprintf("limb: load of %s[%d] after a store to index %d", b.Name, i, i))
	}
	w := m.op(Load, 0, nil)
	w.Home = &Cell{b, i}
	m.prog.Instrs[len(m.prog.Instrs)-1].Cell = *w.Home
	return w
}

// Store sets word i of b.
func (m *Machine) Store(b *Buf, i int, w *Word) {
	m.check(b, i)
	if b.Kind == Pointer {
		m.stored[i] = true
	}
	m.emit(&Instr{Op: Store, In: []*Word{w}, Cell: Cell{b, i}})
}

func (m *Machine) check(b *Buf, i int) {
	if i < 0 || i >= b.Limbs {
		panic(fmt.Sprintf("limb: %s has %d words, index %d", b.Name, b.Limbs, i))
	}
}

// LoadAll returns all words of b.
func (m *Machine) LoadAll(b *Buf) []*Word {
	x := make([]*Word, b.Limbs)
	for i := range x {
		x[i] = m.Load(b, i)
	}
	return x
}

// StoreAll sets the words of b.
func (m *Machine) StoreAll(b *Buf, x []*Word) {
	for i, w := range x {
		m.Store(b, i, w)
	}
}

// Add returns a + b + c and the carry out; c is nil for no carry in. The carry
// out belongs to the chain of the carry in.
func (m *Machine) Add(a, b *Word, c *Flag) (*Word, *Flag) { return m.addSub(Add, a, b, c) }

// Sub returns a - b - c and the borrow out; c is nil for no borrow in.
func (m *Machine) Sub(a, b *Word, c *Flag) (*Word, *Flag) { return m.addSub(Sub, a, b, c) }

func (m *Machine) addSub(o Op, a, b *Word, c *Flag) (*Word, *Flag) {
	kind := Carry
	if c != nil {
		if kind = c.Kind; kind != Carry && kind != Carry2 {
			panic("limb: flag is not a carry")
		}
	}
	i := m.emit(&Instr{Op: o, Out: []*Word{m.word()}, Flag: []*Flag{m.flag(kind)}, In: []*Word{a, b}, Cond: c})
	return i.Out[0], i.Flag[0]
}

// Clear returns two carries that are 0, one for each of the two chains that a
// target with DualCarry has.
func (m *Machine) Clear() (c, c2 *Flag) {
	i := m.emit(&Instr{Op: Clear, Flag: []*Flag{m.flag(Carry), m.flag(Carry2)}})
	return i.Flag[0], i.Flag[1]
}

// Mul returns the high and the low word of a·b. Targets with one fixed factor
// register keep b in it.
func (m *Machine) Mul(a, b *Word) (hi, lo *Word) {
	i := m.emit(&Instr{Op: Mul, Out: []*Word{m.word(), m.word()}, In: []*Word{a, b}})
	return i.Out[0], i.Out[1]
}

// MulLo returns the low word of a·b.
func (m *Machine) MulLo(a, b *Word) *Word { return m.op(MulLo, 0, nil, a, b) }

// And returns a & b.
func (m *Machine) And(a, b *Word) *Word { return m.op(And, 0, nil, a, b) }

// Or returns a | b.
func (m *Machine) Or(a, b *Word) *Word { return m.op(Or, 0, nil, a, b) }

// Xor returns a ^ b.
func (m *Machine) Xor(a, b *Word) *Word { return m.op(Xor, 0, nil, a, b) }

// Shl returns a << k.
func (m *Machine) Shl(a *Word, k int) *Word { return m.op(Shl, k, nil, a) }

// Shr returns a >> k, filled with zeros.
func (m *Machine) Shr(a *Word, k int) *Word { return m.op(Shr, k, nil, a) }

// Sar returns a >> k, filled with the sign.
func (m *Machine) Sar(a *Word, k int) *Word { return m.op(Sar, k, nil, a) }

// ShrD returns the low word of (hi·2^64 + lo) >> k, for 0 < k < 64.
func (m *Machine) ShrD(hi, lo *Word, k int) *Word { return m.op(ShrD, k, nil, hi, lo) }

// Halve returns a >> 1, filled with the sign, and the lowest bit of a.
func (m *Machine) Halve(a *Word) (half *Word, odd *Flag) {
	i := m.emit(&Instr{Op: Halve, Out: []*Word{m.word()}, Flag: []*Flag{m.flag(Carry)}, In: []*Word{a}})
	return i.Out[0], i.Flag[0]
}

// Sum returns a + b mod 2^64 and leaves every flag alone.
func (m *Machine) Sum(a, b *Word) *Word { return m.Sum3(a, b, 0) }

// Sum3 returns a + b + k mod 2^64, for words that are not constant, and leaves
// every flag alone.
func (m *Machine) Sum3(a, b *Word, k int) *Word { return m.op(Sum, k, nil, a, b) }

func (m *Machine) test(o Op, kind FlagKind, a *Word, k int) *Flag {
	return m.emit(&Instr{Op: o, Flag: []*Flag{m.flag(kind)}, In: []*Word{a}, Imm: k}).Flag[0]
}

// Bit returns bit k of a, for k < 31.
func (m *Machine) Bit(a *Word, k int) *Flag { return m.test(Bit, NotZero, a, k) }

// Negative returns the top bit of a.
func (m *Machine) Negative(a *Word) *Flag { return m.test(Neg, Sign, a, 0) }

// NonZero returns whether a != 0.
func (m *Machine) NonZero(a *Word) *Flag { return m.test(NonZ, NotZero, a, 0) }

// BitIf returns bit 0 of a where b is 1, and an unset flag where b is 0. No
// other b is allowed.
func (m *Machine) BitIf(a, b *Word) *Flag {
	return m.emit(&Instr{Op: BitIf, Flag: []*Flag{m.flag(NotZero)}, In: []*Word{a, b}}).Flag[0]
}

// Select returns a where f is set and b elsewhere.
func (m *Machine) Select(f *Flag, a, b *Word) *Word { return m.op(Select, 0, f, a, b) }

// Mask returns 2^64-1 where the carry f is set and 0 elsewhere.
func (m *Machine) Mask(f *Flag) *Word { return m.op(Mask, 0, f) }

// CarryWord returns the carry f as a word.
func (m *Machine) CarryWord(f *Flag) *Word {
	w, _ := m.Add(m.Const(0), m.Const(0), f)
	return w
}

// Return sets the result of the routine.
func (m *Machine) Return(w *Word) { m.emit(&Instr{Op: Return, In: []*Word{w}}) }

// Loop runs body n times. Only memory carries values from one run to the next;
// a word from outside may be used inside only if it is a constant.
func (m *Machine) Loop(n int, body func()) {
	m.emit(&Instr{Op: Loop, Imm: n})
	body()
	m.emit(&Instr{Op: EndLoop})
}

// Repeat applies body n times to the words carried, and returns the result.
func (m *Machine) Repeat(n int, carried []*Word, body func(x []*Word) []*Word) []*Word {
	if m.Unroll {
		for range n {
			carried = body(carried)
		}
		return carried
	}
	vars := make([]*Word, len(carried))
	set := func(in []*Word) {
		m.emit(&Instr{Op: Assign, Out: vars, In: in})
	}
	for i := range vars {
		vars[i] = m.word()
	}
	set(carried)
	m.Loop(n, func() { set(body(vars)) })
	return vars
}
