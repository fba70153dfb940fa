package kernel

import "math/big"

// Instructions of 32 bits, of registers only. The upper half of what they write
// becomes 0.

var mask32 = sub(pow2(32), one)

func (d *decoder) low32(to Loc, a Src) { d.op1(And, to, a, imm(mask32)) }

// zeroFlags32 sets the flags that a logical instruction leaves.
func (d *decoder) zeroFlags32(l Loc) {
	d.mov(flagC, immInt(0))
	d.mov(flagO, immInt(0))
	d.shiftBy(Shl, locT1, at(l), 32)
	d.mov(locRes, at(locT1))
}

// up32 returns an operand shifted up by 32 bits.
func (d *decoder) up32(to Loc, b Src) Src {
	if !b.isLoc() {
		return imm(mul(b.Imm, pow2(32)))
	}
	d.shiftBy(Shl, to, b, 32)
	return at(to)
}

// alu32 is alu for words of 32 bits: shifted up by 32 bits, they have the same
// carry and the same sign. A constant is below 2^32.
func (d *decoder) alu32(op int, to Loc, b Src) {
	same := b.is(to)
	logic := func(o Op) {
		d.low32(locT1, at(to))
		if b.isLoc() {
			d.low32(locT2, b)
			b = at(locT2)
		}
		d.op1(o, to, at(locT1), b)
		d.zeroFlags32(to)
	}
	arith := func(o Op, carry bool) {
		d.shiftBy(Shl, locT1, at(to), 32)
		v := d.up32(locT2, b)
		c := immInt(0)
		if carry {
			d.shiftBy(Shl, locMem, at(flagC), 32)
			c = at(locMem)
		}
		d.op2(o, locT1, flagC, at(locT1), v, c)
		d.shiftBy(Shr, to, at(locT1), 32)
		d.result(locT1)
	}
	switch op {
	case 0:
		arith(Adc, false)
	case 1:
		logic(Or)
	case 2:
		arith(Adc, true)
	case 3:
		if !same {
			arith(Sbb, true)
			return
		}
		d.shiftBy(Shl, locMem, at(flagC), 32)
		d.op2(Sbb, locT1, flagC, immInt(0), immInt(0), at(locMem))
		d.shiftBy(Shr, to, at(locT1), 32)
		d.result(locT1)
	case 4:
		switch {
		case same:
			d.low32(to, at(to))
			d.zeroFlags32(to)
		case b.isLoc():
			logic(And)
		default:
			d.op1(And, to, at(to), b)
			d.zeroFlags32(to)
		}
	case 5:
		arith(Sbb, false)
	case 6:
		if !same {
			logic(Xor)
			return
		}
		d.mov(to, immInt(0))
		d.zeroFlags(to)
	default:
		d.shiftBy(Shl, locT1, at(to), 32)
		v := d.up32(locT2, b)
		d.op2(Sbb, locT1, flagC, at(locT1), v, immInt(0))
		d.result(locT1)
	}
}

func (d *decoder) shift32(group int, l Loc, n uint) {
	if n == 0 || n > 31 {
		Refuse("a 32-bit shift by %d, want 1 to 31", n)
	}
	if group != 4 {
		d.lastOut(l, n)
	}
	switch group {
	case 4:
		d.shiftBy(Shl, locT1, at(l), 32+n)
		d.havoc(flagC)
		d.shiftBy(Shr, l, at(locT1), 32)
	case 5:
		d.low32(locT1, at(l))
		d.shiftBy(Shr, l, at(locT1), n)
	case 7:
		d.shiftBy(Shl, locMem, at(l), 32)
		d.sar(locMem, n)
		d.shiftBy(Shr, l, at(locMem), 32)
	default:
		Refuse("32-bit shift or rotate /%d is not modelled", group)
	}
	d.shiftBy(Shl, locT1, at(l), 32)
	d.result(locT1)
}

// imm32 reads a constant of n bytes, sign-extended to 32 bits.
func (d *decoder) imm32(n int) Src {
	return imm(new(big.Int).And(d.imm(n).Imm, mask32))
}

// oneByte32 decodes an instruction of one opcode byte and a ModRM byte.
func (d *decoder) oneByte32(op, reg int, x rm) {
	r, g, l := gpr(reg), reg&7, x.reg
	if op == 0x8d {
		d.lea(r, x)
		d.low32(r, at(r))
		return
	}
	if l == 0 {
		Refuse("32-bit opcode %02x on memory is not modelled", op)
	}
	unary := func(o Op, a, b Src, co Loc) { // of words shifted up
		d.op2(o, locT1, co, a, b, immInt(0))
		d.shiftBy(Shr, l, at(locT1), 32)
		d.result(locT1)
	}
	switch {
	case op == 0x8b:
		d.low32(r, at(l))
	case op == 0x89:
		d.low32(l, at(r))
	case op == 0xc7 && g == 0:
		d.mov(l, imm(d.le(4)))
	case op>>6 == 0 && op&7 == 3:
		d.alu32(op>>3&7, r, at(l))
	case op>>6 == 0 && op&7 == 1:
		d.alu32(op>>3&7, l, at(r))
	case op == 0x83 || op == 0x81:
		d.alu32(g, l, d.imm32(map[int]int{0x83: 1, 0x81: 4}[op]))
	case op == 0x6b || op == 0x69:
		v := d.imm32(map[int]int{0x6b: 1, 0x69: 4}[op])
		d.low32(locT1, at(l))
		d.op2(Mul, locT1, locJunk, at(locT1), v)
		d.low32(r, at(locT1))
		d.noFlags()
	case op == 0x85:
		if l == r {
			d.low32(locT1, at(l))
		} else {
			d.low32(locT1, at(r))
			d.op1(And, locT1, at(locT1), at(l))
		}
		d.zeroFlags32(locT1)
	case op == 0x87:
		d.low32(locT1, at(l))
		d.low32(l, at(r))
		d.mov(r, at(locT1))
	case op == 0xc1:
		d.shift32(g, l, uint(d.byte()))
	case op == 0xd1:
		d.shift32(g, l, 1)
	case op == 0xf7 && g == 0:
		d.op1(And, locT1, at(l), imm(d.le(4)))
		d.zeroFlags32(locT1)
	case op == 0xf7 && g == 2:
		d.low32(locT1, at(l))
		d.op2(Sbb, l, locJunk, imm(mask32), at(locT1), immInt(0))
	case op == 0xf7 && g == 3:
		d.shiftBy(Shl, locT1, at(l), 32)
		unary(Sbb, immInt(0), at(locT1), flagC)
	case op == 0xf7 && g == 4:
		d.low32(locT1, at(gpr(0)))
		d.low32(locT2, at(l))
		d.op2(Mul, locT1, locJunk, at(locT1), at(locT2))
		d.low32(gpr(0), at(locT1))
		d.shiftBy(Shr, gpr(2), at(locT1), 32)
		d.noFlags()
	case op == 0xff && g == 0:
		d.shiftBy(Shl, locT1, at(l), 32)
		unary(Adc, at(locT1), imm(pow2(32)), locJunk)
	case op == 0xff && g == 1:
		d.shiftBy(Shl, locT1, at(l), 32)
		unary(Sbb, at(locT1), imm(pow2(32)), locJunk)
	default:
		Refuse("32-bit opcode %02x /%d is not modelled", op, g)
	}
}

// twoByte32 decodes CMOV and IMUL.
func (d *decoder) twoByte32(xr, xx, xb int) {
	op := d.byte()
	reg, x := d.modrm(xr, xx, xb)
	r, l := gpr(reg), x.reg
	switch {
	case l == 0:
		Refuse("32-bit opcode 0f %02x on memory is not modelled", op)
	case op == 0xaf:
		d.low32(locT1, at(r))
		d.low32(locT2, at(l))
		d.op2(Mul, locT1, locJunk, at(locT1), at(locT2))
		d.low32(r, at(locT1))
		d.noFlags()
	case op>>4 == 4:
		d.cmov(op&15, r, l)
		d.low32(r, at(r))
	default:
		Refuse("32-bit opcode 0f %02x is not modelled", op)
	}
}

// xchgAX decodes the short forms of XCHG.
func (d *decoder) xchgAX(l Loc, wide bool) {
	if wide {
		d.mov(locT1, at(l))
		d.mov(l, at(gpr(0)))
	} else {
		d.low32(locT1, at(l))
		d.low32(l, at(gpr(0)))
	}
	d.mov(gpr(0), at(locT1))
}
