package kernel

// cond returns the bit of a condition, and whether the condition is its negation.
func (d *decoder) cond(cc int) (bit Loc, negated bool) {
	bit = locT1
	switch cc {
	case 0, 1:
		bit = flagO
	case 2, 3:
		bit = flagC
	case 4, 5:
		d.op1(IsZero, locT1, at(locRes))
	case 6, 7:
		d.op1(IsZero, locT1, at(locRes))
		d.op1(Cmov, locT1, at(flagC), immInt(1), at(locT1))
	case 8, 9:
		d.shiftBy(Shr, locT1, at(locRes), 63)
	default:
		Refuse("condition %d is not modelled", cc)
	}
	return bit, cc&1 == 1
}

func (d *decoder) cmov(cc int, r, l Loc) {
	f, negated := d.cond(cc)
	if negated {
		d.op1(Cmov, r, at(f), at(r), at(l))
	} else {
		d.op1(Cmov, r, at(f), at(l), at(r))
	}
}

// setcc writes a condition to the low byte of a register.
func (d *decoder) setcc(cc int, l Loc) {
	f, negated := d.cond(cc)
	if negated {
		d.op1(IsZero, locT1, at(f))
	} else {
		d.mov(locT1, at(f))
	}
	d.op1(And, locT2, at(l), imm(sub(Radix, pow2(8))))
	d.op1(Or, l, at(locT2), at(locT1))
}

// bit performs BT, BTS, BTR and BTC, numbered from 4, of bit n: what the last
// three add is a multiple of 2^n.
func (d *decoder) bit(group int, l Loc, n uint) {
	top := n == 63
	if group < 4 {
		Refuse("opcode 0f ba /%d is not modelled", group)
	}
	if top {
		d.shiftBy(Shr, flagC, at(l), 63)
	} else {
		d.shiftBy(Shr, locT1, at(l), n)
		d.op1(And, flagC, at(locT1), immInt(1))
	}
	switch {
	case group == 4:
	case group == 5 && top:
		d.op1(Or, l, at(l), imm(pow2(63)))
	case group == 5:
		d.op2(Sbb, locT1, locJunk, immInt(1), at(flagC), immInt(0))
		d.shiftBy(Shl, locT1, at(locT1), n)
		d.op2(Adc, l, locJunk, at(l), at(locT1), immInt(0))
	case group == 6 && top:
		d.op1(And, l, at(l), imm(sub(pow2(63), one)))
	case group == 6:
		d.shiftBy(Shl, locT1, at(flagC), n)
		d.op2(Sbb, l, locJunk, at(l), at(locT1), immInt(0))
	case top:
		d.op2(Adc, l, locJunk, at(l), imm(pow2(63)), immInt(0))
	default:
		d.op1(IsZero, locT1, at(flagC))
		d.op2(Sbb, locT1, locJunk, at(locT1), at(flagC), immInt(0))
		d.shiftBy(Shl, locT1, at(locT1), n)
		d.op2(Adc, l, locJunk, at(l), at(locT1), immInt(0))
	}
	d.havoc(flagO, locRes)
}

// low8 refuses registers whose low byte an instruction without REX prefix does
// not name: it means AH to BH.
func low8(rex int, l Loc) {
	if l == 0 || rex == 0 && l >= 5 {
		Refuse("a byte in memory, or AH to BH")
	}
}

// twoByte0 decodes instructions that are the same with and without REX.W, and
// reports whether it was one.
func (d *decoder) twoByte0(rex int) bool {
	op := int(d.peek())
	if op != 0xb6 && op != 0xb7 && op>>4 != 9 && op != 0x1f {
		return false
	}
	d.byte()
	reg, x := d.modrm(rex>>2&1, rex>>1&1, rex&1)
	switch {
	case op == 0x1f: // NOP
		if x.reg != 0 {
			Refuse("a NOP of a register")
		}
	case op == 0xb7:
		if x.reg == 0 {
			Refuse("a load of 16 bits")
		}
		d.op1(And, gpr(reg), at(x.reg), immInt(1<<16-1))
	case op == 0xb6:
		low8(rex, x.reg)
		d.op1(And, gpr(reg), at(x.reg), immInt(255))
	default:
		low8(rex, x.reg)
		d.setcc(op&15, x.reg)
	}
	return true
}
