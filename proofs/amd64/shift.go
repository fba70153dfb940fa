package amd64

import "math/bits"

// bitTest executes BT and its kin, which copy a bit to CF and then set, reset
// or complement it. ZF stays.
func (s stepper[W, B]) bitTest() {
	m := s.m
	i := m.And(s.read(1), m.Const(uint64(s.n-1)))
	w := s.read(0)
	c := m.BitAt(w, i)
	if s.in.Op != "BT" {
		bit := m.Shl(s.n, m.Const(1), i)
		switch s.in.Op {
		case "BTS":
			w = m.Or(w, bit)
		case "BTR":
			w = m.And(w, m.Not(s.n, bit))
		case "BTC":
			w = m.Xor(w, bit)
		}
		s.write(0, w)
	}
	m.SetFlag(CF, c)
	s.setFlags(m.Undefined(), OF, SF, PF)
}

// shiftByCL executes the shifts by CL. Whether they change the flags depends on
// the count, which a machine need not know: afterwards no flag may be used.
func (s stepper[W, B]) shiftByCL() {
	m, n := s.m, s.n
	top := m.Const(uint64(n - 1))
	count := m.And(s.read(len(s.in.Args)-1), top)
	r := s.read(0)
	// The other word of a double shift moves by n - count, which may be n.
	one, rest := m.Const(1), m.Xor(count, top)
	switch s.in.Op {
	case "SHL":
		r = m.Shl(n, r, count)
	case "SHR":
		r = m.Shr(n, r, count)
	case "SAR":
		r = m.Sar(n, r, count)
	case "SHLD":
		r = m.Or(m.Shl(n, r, count), m.Shr(n, m.Shr(n, s.read(1), one), rest))
	case "SHRD":
		r = m.Or(m.Shr(n, r, count), m.Shl(n, m.Shl(n, s.read(1), one), rest))
	}
	s.write(0, r)
	s.setFlags(m.Undefined(), CF, PF, ZF, SF, OF)
}

// rotate executes ROL and ROR by a constant, which change CF and OF only.
func (s stepper[W, B]) rotate() {
	m, n := s.m, s.n
	k := int(s.in.Args[1].Imm) & (n - 1)
	w := s.read(0)
	if k == 0 {
		s.write(0, w) // a 32-bit rotation by 0 still clears the upper half
		return        // flags stay
	}
	left := k
	if s.in.Op == "ROR" {
		left = n - k
	}
	bit := func(w W, i int) B { return m.BitAt(w, m.Const(uint64(i))) }
	r := m.Or(m.Shl(n, w, m.Const(uint64(left))), m.Shr(n, w, m.Const(uint64(n-left))))
	s.write(0, r)
	m.SetFlag(OF, m.Undefined())
	if s.in.Op == "ROL" {
		m.SetFlag(CF, bit(r, 0))
		if k == 1 {
			m.SetFlag(OF, m.XorBit(bit(r, n-1), bit(r, 0)))
		}
	} else {
		m.SetFlag(CF, bit(r, n-1))
		if k == 1 {
			m.SetFlag(OF, m.XorBit(bit(r, n-1), bit(r, n-2)))
		}
	}
}

// shift executes the shifts by a constant that set flags.
func (s stepper[W, B]) shift() {
	m, n := s.m, s.n
	last := len(s.in.Args) - 1
	k := int(s.in.Args[last].Imm) & (n - 1)
	old := s.read(0)
	if k == 0 {
		s.write(0, old) // a 32-bit shift by 0 still clears the upper half
		return          // flags stay
	}
	count := m.Const(uint64(k))
	rest := m.Const(uint64(n - k))
	bit := func(w W, i int) B { return m.BitAt(w, m.Const(uint64(i))) }
	var r W
	var c B
	switch s.in.Op {
	case "SHL":
		r, c = m.Shl(n, old, count), bit(old, n-k)
	case "SHLD":
		r, c = m.Or(m.Shl(n, old, count), m.Shr(n, s.read(1), rest)), bit(old, n-k)
	case "SHR":
		r, c = m.Shr(n, old, count), bit(old, k-1)
	case "SHRD":
		r, c = m.Or(m.Shr(n, old, count), m.Shl(n, s.read(1), rest)), bit(old, k-1)
	case "SAR":
		r, c = m.Sar(n, old, count), bit(old, k-1)
	}
	s.write(0, r)
	m.SetFlag(CF, c)
	m.SetFlag(OF, m.Undefined())
	if k == 1 { // OF says whether the sign changed
		m.SetFlag(OF, m.XorBit(bit(old, n-1), bit(r, n-1)))
	}
	s.setSZP(r)
}

// zeroHigh executes BZHI, which keeps as many low bits as the low byte of the
// last operand says, and all if that is n or more.
func (s stepper[W, B]) zeroHigh() {
	m, n := s.m, s.n
	w, index := s.read(1), s.read(2)
	all := m.Bit(false)
	for i := bits.TrailingZeros(uint(n)); i < 8; i++ {
		all = m.OrBit(all, m.BitAt(index, m.Const(uint64(i))))
	}
	high := m.Shl(n, m.Not(n, m.Const(0)), m.And(index, m.Const(uint64(n-1))))
	r := m.Select(all, w, m.And(w, m.Not(n, high)))
	s.write(0, r)
	m.SetFlag(CF, all)
	s.setFlags(m.Bit(false), OF)
	s.setSZP(r)
	m.SetFlag(PF, m.Undefined())
}

// shiftX executes the shifts of BMI2, which set no flags.
func (s stepper[W, B]) shiftX() {
	m, n := s.m, s.n
	w := s.read(1)
	if s.in.Op == "RORX" {
		if k := int(s.in.Args[2].Imm) & (n - 1); k != 0 {
			w = m.Or(m.Shr(n, w, m.Const(uint64(k))), m.Shl(n, w, m.Const(uint64(n-k))))
		}
		s.write(0, w)
		return
	}
	count := m.And(s.read(2), m.Const(uint64(n-1)))
	switch s.in.Op {
	case "SHLX":
		w = m.Shl(n, w, count)
	case "SHRX":
		w = m.Shr(n, w, count)
	case "SARX":
		w = m.Sar(n, w, count)
	}
	s.write(0, w)
}
