package arm64

import (
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// Step executes one instruction, as decoded, on the machine. It is the only place
// that says what instructions mean.
func Step[W, B any](m Machine[W, B], in Inst) (machine.Exit[B], error) {
	s := stepper[W, B]{m: m, in: in}
	switch in.Op {
	case "RET":
		return machine.Exit[B]{Kind: machine.Return}, nil
	case "CBNZ":
		zero := m.IsZero(s.read(0))
		return machine.Exit[B]{Kind: machine.Branch, Target: in.Args[1].Target, Cond: m.NotBit(zero)}, nil
	case "ADD", "ADDS", "SUB", "SUBS", "ADC", "ADCS", "SBC", "SBCS":
		s.add()
	case "AND", "ANDS", "ORR", "EOR", "EON":
		s.logic()
	case "MOVZ", "MOVN", "MOVK":
		s.moveWide()
	case "LSL":
		s.write(0, m.Shl(64, s.read(1), s.read(2)))
	case "LSR":
		s.write(0, m.Shr(64, s.read(1), s.read(2)))
	case "ASR":
		s.write(0, m.Sar(64, s.read(1), s.read(2)))
	case "EXTR":
		s.extract()
	case "MADD", "UMADDL":
		_, lo := m.Mul(64, s.read(1), s.read(2))
		sum, _, _ := m.Add(64, s.read(3), lo, m.Bit(false))
		s.write(0, sum)
	case "UMULH":
		hi, _ := m.Mul(64, s.read(1), s.read(2))
		s.write(0, hi)
	case "CSEL", "CSINC", "CSINV", "CSNEG":
		s.choose()
	case "LDR", "STR", "STUR", "LDP", "STP":
		s.memory()
	case "UDF":
		return machine.Exit[B]{}, fmt.Errorf("UDF is no instruction to execute: it is what fills the space between routines")
	default:
		return machine.Exit[B]{}, fmt.Errorf("%s has no meaning", in.Op)
	}
	return machine.Exit[B]{Kind: machine.Next}, nil
}

// A stepper holds what the groups of instructions share.
type stepper[W, B any] struct {
	m  Machine[W, B]
	in Inst
}

func (s stepper[W, B]) reg(n int, r Reg) W {
	if r == ZR {
		return s.m.Const(0)
	}
	return s.m.Low(n, s.m.Reg(r))
}

// read returns the value of operand i, which is not memory.
func (s stepper[W, B]) read(i int) W {
	switch a := s.in.Args[i]; a.Kind {
	case RegKind:
		return s.reg(64, a.Reg)
	case WordKind:
		return s.reg(32, a.Reg)
	default:
		return s.m.Const(a.Imm)
	}
}

// write sets the register that is operand i.
func (s stepper[W, B]) write(i int, w W) {
	if r := s.in.Args[i].Reg; r != ZR {
		s.m.SetReg(r, w)
	}
}

// setNZ sets the flags that depend on the result alone.
func (s stepper[W, B]) setNZ(w W) {
	s.m.SetFlag(N, s.m.BitAt(w, s.m.Const(63)))
	s.m.SetFlag(Z, s.m.IsZero(w))
}

func (s stepper[W, B]) add() {
	m := s.m
	w, v := s.read(1), s.read(2)
	carry := m.Bit(false)
	var r W
	var c, o B
	switch s.in.Op {
	case "ADC", "ADCS":
		carry = m.Flag(C)
		fallthrough
	case "ADD", "ADDS":
		r, c, o = m.Add(64, w, v, carry)
	case "SBC", "SBCS":
		carry = m.NotBit(m.Flag(C))
		fallthrough
	default:
		r, c, o = m.Sub(64, w, v, carry)
		c = m.NotBit(c) // C is the complement of a borrow
	}
	s.write(0, r)
	switch s.in.Op {
	case "ADDS", "ADCS", "SUBS", "SBCS":
		s.setNZ(r)
		m.SetFlag(C, c)
		m.SetFlag(V, o)
	}
}

func (s stepper[W, B]) logic() {
	m := s.m
	w, v := s.read(1), s.read(2)
	var r W
	switch s.in.Op {
	case "AND", "ANDS":
		r = m.And(w, v)
	case "ORR":
		r = m.Or(w, v)
	case "EOR":
		r = m.Xor(w, v)
	case "EON":
		r = m.Xor(w, m.Not(64, v))
	}
	s.write(0, r)
	if s.in.Op == "ANDS" {
		s.setNZ(r)
		m.SetFlag(C, m.Bit(false))
		m.SetFlag(V, m.Bit(false))
	}
}

func (s stepper[W, B]) moveWide() {
	m := s.m
	a := s.in.Args[1]
	v := a.Imm << a.Shift
	switch s.in.Op {
	case "MOVZ":
		s.write(0, m.Const(v))
	case "MOVN":
		s.write(0, m.Const(^v))
	case "MOVK":
		kept := m.And(s.read(0), m.Const(^(uint64(0xffff) << a.Shift)))
		s.write(0, m.Or(kept, m.Const(v)))
	}
}

// extract sets a register to 64 bits of two, from the given bit of the second on.
func (s stepper[W, B]) extract() {
	m := s.m
	high, low, k := s.read(1), s.read(2), s.in.Args[3].Imm
	if k == 0 {
		s.write(0, low)
		return
	}
	s.write(0, m.Or(m.Shl(64, high, m.Const(64-k)), m.Shr(64, low, m.Const(k))))
}

func (s stepper[W, B]) choose() {
	m := s.m
	w, v := s.read(1), s.read(2)
	switch s.in.Op {
	case "CSINC":
		v, _, _ = m.Add(64, v, m.Const(1), m.Bit(false))
	case "CSINV":
		v = m.Not(64, v)
	case "CSNEG":
		v, _, _ = m.Sub(64, m.Const(0), v, m.Bit(false))
	}
	if s.in.Cond >= AL { // which reads no flag
		s.write(0, w)
		return
	}
	s.write(0, m.Select(s.cond(s.in.Cond), w, v))
}

// cond evaluates a condition on the flags.
func (s stepper[W, B]) cond(c Cond) B {
	m := s.m
	var b B
	switch c &^ 1 {
	case EQ:
		b = m.Flag(Z)
	case CS:
		b = m.Flag(C)
	case MI:
		b = m.Flag(N)
	case VS:
		b = m.Flag(V)
	case HI: // C and not Z
		b = m.NotBit(m.OrBit(m.NotBit(m.Flag(C)), m.Flag(Z)))
	case GE:
		b = m.NotBit(m.XorBit(m.Flag(N), m.Flag(V)))
	case GT: // not Z, and N = V
		b = m.NotBit(m.OrBit(m.Flag(Z), m.XorBit(m.Flag(N), m.Flag(V))))
	}
	if c&1 != 0 {
		b = m.NotBit(b)
	}
	return b
}

// memory executes loads and stores of one or two registers.
func (s stepper[W, B]) memory() {
	m := s.m
	last := len(s.in.Args) - 1
	a := s.in.Args[last]
	at := func(disp int64) W {
		addr, _, _ := m.Add(64, s.reg(64, a.Reg), m.Const(uint64(disp)), m.Bit(false))
		return addr
	}
	addr := []W{at(a.Disp), at(a.Disp + 8)}[:last]
	values := make([]W, last)
	for i := range values {
		if s.in.Op == "LDR" || s.in.Op == "LDP" {
			values[i] = m.Load(addr[i], 8)
		} else {
			values[i] = s.read(i)
		}
	}
	if a.Kind == PreKind {
		m.SetReg(a.Reg, addr[0])
	}
	for i, v := range values {
		if s.in.Op == "LDR" || s.in.Op == "LDP" {
			s.write(i, v)
		} else {
			m.Store(addr[i], 8, v)
		}
	}
}
