package kernel

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
)

// Locations of arm64. Register n of the encoding is location n+1, and SP is after
// them. The carry is C of the CPU: after a subtraction it is 1 where nothing was
// borrowed. What else is known of flags is that of locRes, for Z and N.
const (
	reg18   Loc = 19 // the platform's
	reg28   Loc = 29 // the current goroutine
	regFP   Loc = 30
	regLR   Loc = 31
	regSP64 Loc = 32
	locNone Loc = locMem // what is written to XZR, if flags are made of it
)

// a64 decodes instructions of 64 bits of arm64 into operations.
type a64 struct {
	decoder
	w uint32 // the word of the instruction
}

// DecodeARM64 returns the operations that the bytes of a routine for arm64
// perform. The routine is straight-line code that ends in its only return; words
// of zeros, which align what follows, may stand behind that.
func DecodeARM64(code []byte) (ops []Mop, err error) {
	const ret = 0xd65f03c0 // RET X30
	d := &a64{}
	err = Try(func() {
		if len(code)%4 != 0 {
			Refuse("%d bytes, want a multiple of 4", len(code))
		}
		for ; ; d.offset += 4 {
			if d.offset == len(code) {
				Refuse("the code ends before a return")
			}
			if d.w = binary.LittleEndian.Uint32(code[d.offset:]); d.w == ret {
				break
			}
			d.instruction()
		}
		d.mov(regIP, at(regLR))
		for i := d.offset + 4; i < len(code); i++ {
			if code[i] != 0 {
				Refuse("code behind the return")
			}
		}
	})
	if err != nil {
		at := min(d.offset, len(code))
		return nil, fmt.Errorf("offset %#x, bytes % x: %w", at, code[at:min(at+4, len(code))], err)
	}
	return d.out, nil
}

// field returns n bits of the instruction, from the given one on.
func (d *a64) field(low, n uint) uint32 { return d.w >> low & (1<<n - 1) }

func (d *a64) signed(low, n uint) int64 { return int64(d.w) << (64 - low - n) >> (64 - n) }

// src is the operand in the field at the given bit: a register, or 0.
func (d *a64) src(low uint) Src {
	if n := int(d.field(low, 5)); n != 31 {
		return at(gpr(n))
	}
	return immInt(0)
}

// base is a register in which 31 is SP.
func (d *a64) base(low uint) Loc { return gpr(int(d.field(low, 5))) }

// dest is where the result goes: locNone where it is lost.
func (d *a64) dest() Loc {
	if n := int(d.field(0, 5)); n != 31 {
		return gpr(n)
	}
	return locNone
}

func (d *a64) instruction() {
	has := func(mask, word uint32) bool { return d.w&mask == word }
	switch {
	case has(0x1fe0fc00, 0x0b000000) && d.field(31, 1) == 1: // ADD, SUB
		d.add(d.src(5), d.src(16), false)
	case has(0x1fe0fc00, 0x1a000000) && d.field(31, 1) == 1: // ADC, SBC
		d.add(d.src(5), d.src(16), true)
	case has(0x9f800000, 0x91000000): // ADD, SUB with a constant
		d.addImm()
	case has(0x9f20fc00, 0x8a000000) && d.field(22, 2) == 0, has(0xffe0fc00, 0xca200000):
		d.logic(int(d.field(29, 2)), d.src(5), d.src(16), d.field(21, 1) == 1)
	case has(0x9f800000, 0x92000000):
		d.logicImm()
	case has(0x9f800000, 0x92800000):
		d.moveWide()
	case has(0xffc00000, 0x93400000), has(0xffc00000, 0xd3400000):
		d.shift(d.field(29, 2) == 0, d.src(5), uint(d.field(16, 6)), uint(d.field(10, 6)))
	case has(0xffe00000, 0x93c00000):
		d.extract(d.src(5), d.src(16), uint(d.field(10, 6)))
	case has(0xffe08000, 0x9b000000): // MADD
		d.madd(d.src(5), d.src(16))
	case has(0xffe08000, 0x9ba00000): // UMADDL
		d.op1(And, locT1, d.both(d.src(5), imm(mask32))...)
		d.op1(And, locT2, d.both(d.src(16), imm(mask32))...)
		d.madd(at(locT1), at(locT2))
	case has(0xffe0fc00, 0x9bc07c00): // UMULH
		d.op2(Mul, locJunk, d.dest(), d.src(5), d.src(16))
	case has(0xbfe00800, 0x9a800000):
		d.choose(int(d.field(12, 4)), d.src(5), d.src(16), d.field(30, 1) == 1, d.field(10, 1) == 1)
	default:
		d.memory(has)
	}
}

// both returns the operands of an operation that has the same result if they are
// swapped. A constant is the second.
func (d *a64) both(a, b Src) []Src {
	if !a.isLoc() {
		a, b = b, a
	}
	return []Src{a, b}
}

// result sets Z and N by the word at l.
func (d *a64) result(l Loc) { d.mov(locRes, at(l)) }

// add adds or subtracts, with the carry or without, and sets flags where bit 29 says so.
func (d *a64) add(a, b Src, carry bool) {
	to, c, out := d.dest(), immInt(0), locJunk
	subtract, flags := d.field(30, 1) == 1, d.field(29, 1) == 1
	switch {
	case !subtract:
		if carry {
			c = at(flagC)
		}
		if flags {
			out = flagC
		}
		x := d.both(a, b)
		d.op2(Adc, to, out, x[0], x[1], c)
	default:
		if carry {
			d.op1(IsZero, locT1, at(flagC))
			c = at(locT1)
		}
		if flags {
			out = locT2
		}
		if a.isLoc() && b.is(a.Loc) {
			a, b = immInt(0), immInt(0)
		}
		d.op2(Sbb, to, out, a, b, c)
		if flags {
			d.op1(IsZero, flagC, at(locT2))
		}
	}
	if flags {
		d.result(to)
	}
}

// addImm adds or subtracts a constant. Where no flag is set, SP may be the result.
func (d *a64) addImm() {
	v := immInt(int64(d.field(10, 12)) << (12 * d.field(22, 1)))
	a := at(d.base(5))
	if d.field(29, 1) == 1 {
		d.add(a, v, false)
		return
	}
	op := Adc
	if d.field(30, 1) == 1 {
		op = Sbb
	}
	d.op2(op, d.base(0), locJunk, a, v, immInt(0))
}

// logic performs one of AND, ORR, EOR and ANDS, numbered from 0; for EOR, not is
// the complement of the second operand.
func (d *a64) logic(op int, a, b Src, not bool) {
	to := d.dest()
	if not {
		if b.isLoc() {
			d.op1(Xor, locT2, b, imm(WordMax))
			b = at(locT2)
		} else {
			b = imm(WordMax)
		}
	}
	d.combine(op, to, a, b)
	if op == 3 {
		d.mov(flagC, immInt(0))
		d.result(to)
	}
}

// combine sets a location to a logical combination of two words.
func (d *a64) combine(op int, to Loc, a, b Src) {
	x := d.both(a, b)
	a, b = x[0], x[1]
	same := a.isLoc() && b.is(a.Loc)
	isZero := !b.isLoc() && b.Imm.Sign() == 0
	switch {
	case !a.isLoc():
		d.mov(to, imm(BitOp([...]Op{And, Or, Xor, And}[op])(a.Imm, b.Imm)))
	case same && op == 2, isZero && (op == 0 || op == 3):
		d.mov(to, immInt(0))
	case same, isZero:
		d.mov(to, a)
	default:
		d.op1([...]Op{And, Or, Xor, And}[op], to, a, b)
	}
}

// logicImm combines a register with a constant. Where no flag is set, SP would be
// the result, which is refused.
func (d *a64) logicImm() {
	v, ok := bitPattern(uint64(d.field(22, 1)), uint64(d.field(16, 6)), uint64(d.field(10, 6)))
	op := int(d.field(29, 2))
	if !ok || op == 2 || op != 3 && d.field(0, 5) == 31 {
		Refuse("EOR with a constant, a constant that is undefined, or a result in SP")
	}
	d.logic(op, d.src(5), imm(new(big.Int).SetUint64(v)), false)
}

// bitPattern returns the constant of a logical instruction: an element of 2 to 64
// bits, repeated, that is a run of ones, rotated to the right.
func bitPattern(n, rotate, ones uint64) (v uint64, ok bool) {
	length := bits.Len64(n<<6|^ones&63) - 1
	if length < 1 {
		return 0, false
	}
	size := uint64(1) << length
	run := ones&(size-1) + 1
	if run == size {
		return 0, false
	}
	for i := range uint64(64) {
		if (i+rotate)&(size-1) < run {
			v |= 1 << i
		}
	}
	return v, true
}

// moveWide performs MOVN, MOVZ and MOVK.
func (d *a64) moveWide() {
	to, s := d.dest(), uint(16*d.field(21, 2))
	v := mul(big.NewInt(int64(d.field(5, 16))), pow2(s))
	switch d.field(29, 2) {
	case 0:
		d.mov(to, imm(sub(WordMax, v)))
	case 2:
		d.mov(to, imm(v))
	case 3:
		d.op1(And, locT1, at(d.notZR()), imm(sub(WordMax, mul(immInt(0xffff).Imm, pow2(s)))))
		d.op1(Or, to, at(locT1), imm(v))
	default:
		Refuse("a move of a constant of no known kind")
	}
}

// notZR returns the register of the result, which is read too.
func (d *a64) notZR() Loc {
	if d.field(0, 5) == 31 {
		Refuse("XZR is both read and written")
	}
	return d.dest()
}

// shift performs the shifts among the moves of bit fields.
func (d *a64) shift(arith bool, a Src, rotate, top uint) {
	to := d.dest()
	switch {
	case !a.isLoc():
		Refuse("a shift of XZR")
	case top == 63 && rotate == 0:
		d.mov(to, a)
	case top == 63 && arith:
		d.mov(to, a)
		d.sar(to, rotate)
	case top == 63:
		d.shiftBy(Shr, to, a, rotate)
	case !arith && top+1 == rotate:
		d.shiftBy(Shl, to, a, 63-top)
	default:
		Refuse("a move of bits that is no shift")
	}
}

// extract sets the result to 64 bits of two words, from bit n of the second on.
func (d *a64) extract(high, low Src, n uint) {
	switch {
	case !high.isLoc() || !low.isLoc():
		Refuse("bits of XZR")
	case n == 0:
		d.mov(d.dest(), low)
	default:
		d.shiftBy(Shl, locT1, high, 64-n)
		d.shiftBy(Shr, locT2, low, n)
		d.op1(Or, d.dest(), at(locT1), at(locT2))
	}
}

// madd adds a product to a word.
func (d *a64) madd(a, b Src) {
	if c := d.src(10); c.isLoc() {
		d.op2(Mul, locT1, locJunk, a, b)
		d.op2(Adc, d.dest(), locJunk, c, at(locT1), immInt(0))
		return
	}
	d.op2(Mul, d.dest(), locJunk, a, b)
}

// choose performs CSEL, CSINC, CSINV and CSNEG: the first operand, or the second,
// of which the complement is taken and to which 1 is added, if invert and inc say so.
func (d *a64) choose(cc int, a, b Src, invert, inc bool) {
	to := d.dest()
	if !a.isLoc() && !b.isLoc() && invert != inc {
		// a condition as a number, or as a mask
		f, negated := d.cond64(cc)
		if !negated {
			d.op1(IsZero, locT1, at(f))
			f = locT1
		}
		if inc {
			d.mov(to, at(f))
		} else {
			d.op2(Sbb, to, locJunk, immInt(0), at(f), immInt(0))
		}
		return
	}
	switch {
	case invert && inc:
		d.op2(Sbb, locT2, locJunk, immInt(0), b, immInt(0))
	case invert:
		d.op2(Sbb, locT2, locJunk, imm(WordMax), b, immInt(0))
	case inc:
		d.op2(Adc, locT2, locJunk, b, immInt(1), immInt(0))
	}
	if invert || inc {
		b = at(locT2)
	}
	f, negated := d.cond64(cc)
	if negated {
		a, b = b, a
	}
	d.op1(Cmov, to, at(f), a, b)
}

// cond64 returns the bit of a condition, and whether the condition is its negation.
func (d *a64) cond64(cc int) (bit Loc, negated bool) {
	bit = locT1
	switch cc >> 1 {
	case 0:
		d.op1(IsZero, locT1, at(locRes))
	case 1:
		bit = flagC
	case 2:
		d.shiftBy(Shr, locT1, at(locRes), 63)
	default:
		Refuse("condition %d is not modelled", cc)
	}
	return bit, cc&1 == 1
}

// memory performs loads and stores of 64 bits.
func (d *a64) memory(has func(mask, word uint32) bool) {
	base := d.base(5)
	load := func(field uint, disp int64) {
		to := locNone
		if n := int(d.field(field, 5)); n != 31 {
			to = gpr(n)
		}
		d.load(to, base, disp)
	}
	switch scaled := 8 * int64(d.field(10, 12)); {
	case has(0xffc00000, 0xf9400000):
		load(0, scaled)
	case has(0xffc00000, 0xf9000000):
		d.store(base, scaled, d.src(0))
	case has(0xffe00c00, 0xf8000000): // STUR
		d.store(base, d.signed(12, 9), d.src(0))
	case has(0xffe00c00, 0xf8000c00): // STR, and the base becomes the address
		if d.field(0, 5) == d.field(5, 5) && base != regSP64 {
			Refuse("one register as address and value")
		}
		d.op2(Adc, base, locJunk, at(base), imm(mod(big.NewInt(d.signed(12, 9)), Radix)), immInt(0))
		d.store(base, 0, d.src(0))
	case has(0xffc00000, 0xa9400000): // LDP
		if d.field(0, 5) == d.field(10, 5) {
			Refuse("one register as both destinations")
		}
		disp := 8 * d.signed(15, 7)
		if d.field(0, 5) == d.field(5, 5) { // the base is lost last
			load(10, disp+8)
			load(0, disp)
		} else {
			load(0, disp)
			load(10, disp+8)
		}
	case has(0xffc00000, 0xa9000000): // STP
		disp := 8 * d.signed(15, 7)
		d.store(base, disp, d.src(0))
		d.store(base, disp+8, d.src(10))
	default:
		Refuse("instruction %08x is not modelled", d.w)
	}
}
