package amd64

import (
	"fmt"
	"math/bits"

	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// Step executes one instruction on the machine. It is the only place that says
// what instructions mean; the source is the Intel 64 Software Developer's
// Manual, volume 2. Flags that it leaves undefined are set to m.Undefined.
//
// Every form in Models has a meaning. Any other is an error that names it, and
// leaves the machine unchanged.
func Step[W, B any](m Machine[W, B], in Inst) (machine.Exit[B], error) {
	if err := Modelled(in); err != nil {
		return machine.Exit[B]{}, err
	}
	return Execute(m, in)
}

// Execute is Step for an instruction of which Modelled has been asked before,
// which takes a good part of the time of emulation. For others the result is
// arbitrary, or a panic.
func Execute[W, B any](m Machine[W, B], in Inst) (machine.Exit[B], error) {
	s := stepper[W, B]{m: m, in: in}
	if len(in.Args) > 0 {
		s.n = in.Args[0].Bits
	}
	switch in.Op {
	case "RET":
		return machine.Exit[B]{Kind: machine.Return}, nil
	case "JMP":
		return machine.Exit[B]{Kind: machine.Jump, Target: in.Args[0].Target}, nil
	case "Jcc":
		return machine.Exit[B]{Kind: machine.Branch, Target: in.Args[0].Target, Cond: s.cond(in.Cond)}, nil
	case "MOV", "MOVZX", "MOVSX", "MOVSXD", "LEA", "XCHG", "PUSH", "POP", "CMOVcc", "SETcc":
		s.move()
	case "ADD", "ADC", "SUB", "SBB", "CMP", "NEG", "INC", "DEC", "ADCX", "ADOX":
		s.add()
	case "MUL", "MULX", "IMUL":
		s.multiply()
	case "CLC":
		m.SetFlag(CF, m.Bit(false))
	case "STC":
		m.SetFlag(CF, m.Bit(true))
	case "CMC":
		m.SetFlag(CF, m.NotBit(m.Flag(CF)))
	case "AND", "ANDN", "OR", "XOR", "TEST", "NOT":
		s.logic()
	case "BT", "BTS", "BTR", "BTC":
		s.bitTest()
	case "SHL", "SHR", "SAR", "SHLD", "SHRD":
		if in.byCL() {
			s.shiftByCL()
		} else {
			s.shift()
		}
	case "ROL", "ROR":
		s.rotate()
	case "SHLX", "SHRX", "SARX", "RORX":
		s.shiftX()
	case "BZHI":
		s.zeroHigh()
	case "NOP", "ENDBR64":
	default:
		return machine.Exit[B]{}, fmt.Errorf("%s is in Models but has no meaning", in.Op)
	}
	return machine.Exit[B]{Kind: machine.Next}, nil
}

// A stepper holds what the groups of instructions share: the machine, the
// instruction and the width n of its first operand.
type stepper[W, B any] struct {
	m  Machine[W, B]
	in Inst
	n  int
}

// read returns the value of operand i.
func (s stepper[W, B]) read(i int) W {
	switch a := s.in.Args[i]; a.Kind {
	case RegKind:
		return s.m.Low(a.Bits, s.m.Reg(a.Reg))
	case MemKind:
		return s.m.Load(s.address(a), a.Bits/8)
	default:
		v := uint64(a.Imm)
		if s.n < 64 {
			v &= 1<<s.n - 1
		}
		return s.m.Const(v)
	}
}

// write sets operand i. A 32-bit write clears the upper half of a register; an
// 8-bit one leaves the other bits as they were.
func (s stepper[W, B]) write(i int, w W) {
	a := s.in.Args[i]
	switch {
	case a.Kind == MemKind:
		s.m.Store(s.address(a), a.Bits/8, w)
	case a.Bits < 32:
		s.m.SetReg(a.Reg, s.m.Insert(a.Bits, s.m.Reg(a.Reg), w))
	default:
		s.m.SetReg(a.Reg, w)
	}
}

// address returns Base + Index·Scale + Disp.
func (s stepper[W, B]) address(a Operand) W {
	m := s.m
	addr := m.Const(uint64(a.Disp))
	plus := func(w W) { addr, _, _ = m.Add(64, w, addr, m.Bit(false)) }
	if a.Index != NoReg {
		log := uint64(bits.TrailingZeros64(uint64(a.Scale)))
		i := m.Low(64, m.Reg(a.Index))
		if log > 0 {
			i = m.Shl(64, i, m.Const(log))
		}
		plus(i)
	}
	if a.Base != NoReg {
		plus(m.Low(64, m.Reg(a.Base)))
	}
	return addr
}

// cond evaluates a condition on the flags.
func (s stepper[W, B]) cond(c Cond) B {
	m := s.m
	var b B
	switch c &^ 1 {
	case CondO:
		b = m.Flag(OF)
	case CondB:
		b = m.Flag(CF)
	case CondE:
		b = m.Flag(ZF)
	case CondBE:
		b = m.OrBit(m.Flag(CF), m.Flag(ZF))
	case CondS:
		b = m.Flag(SF)
	case CondP:
		b = m.Flag(PF)
	case CondL:
		b = m.XorBit(m.Flag(SF), m.Flag(OF))
	case CondLE:
		b = m.OrBit(m.Flag(ZF), m.XorBit(m.Flag(SF), m.Flag(OF)))
	}
	if c&1 != 0 {
		b = m.NotBit(b)
	}
	return b
}

func (s stepper[W, B]) setFlags(b B, flags ...Flag) {
	for _, f := range flags {
		s.m.SetFlag(f, b)
	}
}

// setSZP sets the flags that depend on the result w alone.
func (s stepper[W, B]) setSZP(w W) {
	s.m.SetFlag(SF, s.m.BitAt(w, s.m.Const(uint64(s.n-1))))
	s.m.SetFlag(ZF, s.m.IsZero(w))
	s.m.SetFlag(PF, s.m.Parity(w))
}

func (s stepper[W, B]) move() {
	m := s.m
	eight, no := m.Const(8), m.Bit(false)
	switch s.in.Op {
	case "MOV", "MOVZX":
		s.write(0, s.read(1))
	case "MOVSX", "MOVSXD":
		up := m.Const(uint64(s.n - s.in.Args[1].Bits))
		s.write(0, m.Sar(s.n, m.Shl(s.n, s.read(1), up), up))
	case "LEA":
		s.write(0, m.Low(s.n, s.address(s.in.Args[1])))
	case "XCHG":
		w, v := s.read(0), s.read(1)
		s.write(0, v)
		s.write(1, w)
	case "PUSH":
		var w W
		if s.in.Args[0].Kind == RegKind {
			w = m.Reg(s.in.Args[0].Reg) // which may be saved while undefined
		} else {
			w = s.read(0)
		}
		sp, _, _ := m.Sub(64, m.Low(64, m.Reg(SP)), eight, no)
		m.SetReg(SP, sp)
		m.Store(sp, 8, w)
	case "POP":
		sp := m.Low(64, m.Reg(SP))
		w := m.Load(sp, 8)
		sp, _, _ = m.Add(64, sp, eight, no)
		m.SetReg(SP, sp)
		m.SetReg(s.in.Args[0].Reg, w)
	case "CMOVcc":
		// The source is read, and the upper half cleared by a 32-bit form,
		// whether the condition holds or not.
		s.write(0, m.Select(s.cond(s.in.Cond), s.read(1), s.read(0)))
	case "SETcc":
		s.write(0, m.FromBit(s.cond(s.in.Cond)))
	}
}

// sameReg reports whether both operands are one register. A register minus or
// exclusive-or itself does not depend on what it holds: the usual way to make
// a zero, or a mask of the carry, in a register that is not yet defined.
func (s stepper[W, B]) sameReg() bool {
	a := s.in.Args
	return a[0].Kind == RegKind && a[1].Kind == RegKind && a[0].Reg == a[1].Reg
}

func (s stepper[W, B]) add() {
	m := s.m
	w, v := m.Const(0), m.Const(0)
	switch s.in.Op {
	case "NEG":
		v = s.read(0)
	case "INC", "DEC":
		w, v = s.read(0), m.Const(1)
	case "SUB", "SBB":
		if !s.sameReg() {
			w, v = s.read(0), s.read(1)
		}
	default:
		w, v = s.read(0), s.read(1)
	}
	carry := m.Bit(false)
	switch s.in.Op {
	case "ADC", "SBB", "ADCX":
		carry = m.Flag(CF)
	case "ADOX":
		carry = m.Flag(OF)
	}
	var r W
	var c, o B
	switch s.in.Op {
	case "SUB", "SBB", "CMP", "NEG", "DEC":
		r, c, o = m.Sub(s.n, w, v, carry)
	default:
		r, c, o = m.Add(s.n, w, v, carry)
	}
	if s.in.Op != "CMP" {
		s.write(0, r)
	}
	switch s.in.Op {
	case "ADCX":
		m.SetFlag(CF, c)
		return
	case "ADOX":
		m.SetFlag(OF, c)
		return
	case "INC", "DEC":
		// These leave CF alone.
	default:
		m.SetFlag(CF, c)
	}
	m.SetFlag(OF, o)
	s.setSZP(r)
}

func (s stepper[W, B]) multiply() {
	m := s.m
	switch s.in.Op {
	case "MUL":
		hi, lo := m.Mul(s.n, m.Low(s.n, m.Reg(AX)), s.read(0))
		m.SetReg(AX, lo)
		m.SetReg(DX, hi)
		s.setFlags(m.NotBit(m.IsZero(hi)), CF, OF)
		s.setFlags(m.Undefined(), SF, ZF, PF)
	case "MULX":
		hi, lo := m.Mul(s.n, m.Low(s.n, m.Reg(DX)), s.read(2))
		s.write(1, lo)
		s.write(0, hi) // last: one register for both keeps the high half
	case "IMUL":
		if len(s.in.Args) == 1 {
			s.multiplySigned()
			return
		}
		last := len(s.in.Args) - 1
		w, v := s.read(last-1), s.read(last)
		_, lo := m.Mul(s.n, w, v)
		over := m.MulOverflow(s.n, w, v)
		s.write(0, lo)
		s.setFlags(over, CF, OF)
		s.setFlags(m.Undefined(), SF, ZF, PF)
	}
}

// multiplySigned executes IMUL with one operand: the signed product is the
// unsigned one, less 2^n times either factor where the other is negative.
func (s stepper[W, B]) multiplySigned() {
	m, n := s.m, s.n
	w, v := m.Low(n, m.Reg(AX)), s.read(0)
	hi, lo := m.Mul(n, w, v)
	sign := m.Const(uint64(n - 1))
	for _, p := range [2][2]W{{w, v}, {v, w}} {
		less := m.Select(m.BitAt(p[0], sign), p[1], m.Const(0))
		hi, _, _ = m.Sub(n, hi, less, m.Bit(false))
	}
	over := m.MulOverflow(n, w, v)
	m.SetReg(AX, lo)
	m.SetReg(DX, hi)
	s.setFlags(over, CF, OF)
	s.setFlags(m.Undefined(), SF, ZF, PF)
}

func (s stepper[W, B]) logic() {
	m := s.m
	var r W
	switch s.in.Op {
	case "NOT":
		s.write(0, m.Not(s.n, s.read(0)))
		return // flags stay
	case "AND", "TEST":
		r = m.And(s.read(0), s.read(1))
	case "ANDN":
		r = m.And(m.Not(s.n, s.read(1)), s.read(2))
	case "OR":
		r = m.Or(s.read(0), s.read(1))
	case "XOR":
		if s.sameReg() {
			r = m.Const(0)
		} else {
			r = m.Xor(s.read(0), s.read(1))
		}
	}
	if s.in.Op != "TEST" {
		s.write(0, r)
	}
	s.setFlags(m.Bit(false), CF, OF)
	s.setSZP(r)
	if s.in.Op == "ANDN" {
		m.SetFlag(PF, m.Undefined())
	}
}
