package kernel

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
)

// The locations of X86.v. General register n of the encoding is location n+1.
const (
	regSP   Loc = 5
	regBP   Loc = 6
	reg14   Loc = 15
	flagC   Loc = 40
	flagO   Loc = 41
	locRes  Loc = 42 // a word that is 0 if ZF is set, and whose highest bit is SF
	regIP   Loc = 43
	locJunk Loc = 90 // 90 to 93 hold what no later instruction reads
	locT1   Loc = 91
	locT2   Loc = 92
	locMem  Loc = 93
)

// A MopKind distinguishes the operations of the machine.
type MopKind int

// The operations of the machine, as in Machine.v.
const (
	MopOp    MopKind = iota // Instr
	MopLoad                 // D := the word at Base + Disp
	MopStore                // the word at Base + Disp := A
	MopHavoc                // D := anything
)

// A Mop is one operation of the machine.
type Mop struct {
	Kind MopKind
	Instr
	Base   Loc
	Disp   int64
	Offset int // of the instruction in the routine
}

func gpr(n int) Loc { return Loc(n + 1) }

// A decoder reads the bytes of a routine, as X86.v does.
type decoder struct {
	code   []byte
	pos    int
	offset int // of the current instruction
	out    []Mop
	target int // of the last jump
}

// Decode returns the operations that the bytes of a routine perform, in three
// parts: what is before its loop, the body, and what is after. A routine without
// a loop has the first part only. Its last byte must be its only return.
func Decode(code []byte) (parts [3][]Mop, err error) {
	d := &decoder{code: code}
	var starts []int // of instructions, each with the number of operations before it
	var counts []int
	target, end := -1, 0 // of the jump
	err = Try(func() {
		for d.pos != len(code)-1 || code[d.pos] != 0xc3 {
			d.offset = d.pos
			starts, counts = append(starts, d.pos), append(counts, len(d.out))
			if d.jne() {
				if target >= 0 {
					Refuse("a second jump")
				}
				i := slices.Index(starts, d.target)
				if i < 0 {
					Refuse("a jump to %#x, where no earlier instruction starts", d.target)
				}
				target, end = counts[i], len(d.out)
				continue
			}
			d.instruction()
		}
		d.offset = d.pos
		d.load(regIP, regSP, 0)
		d.op2(Adc, regSP, locJunk, at(regSP), immInt(8), immInt(0))
	})
	if err != nil {
		end := min(d.offset+8, len(code))
		return parts, fmt.Errorf("offset %#x, bytes % x: %w", d.offset, code[min(d.offset, end):end], err)
	}
	if target < 0 {
		return [3][]Mop{d.out}, nil
	}
	return [3][]Mop{d.out[:target], d.out[target:end], d.out[end:]}, nil
}

// jne reads a JNE, if there is one.
func (d *decoder) jne() bool {
	switch c := d.code[d.pos:]; {
	case len(c) > 1 && c[0] == 0x75:
		d.pos++
		d.target = int(signExtend(8, d.le(1)).Int64())
	case len(c) > 5 && c[0] == 0x0f && c[1] == 0x85:
		d.pos += 2
		d.target = int(signExtend(32, d.le(4)).Int64())
	default:
		return false
	}
	d.target += d.pos
	return true
}

func (d *decoder) byte() int {
	if d.pos >= len(d.code) {
		Refuse("the code ends before a return")
	}
	d.pos++
	return int(d.code[d.pos-1])
}

// le reads n bytes, least significant first.
func (d *decoder) le(n int) *big.Int {
	v := new(big.Int)
	for i := range n {
		v.Add(v, new(big.Int).Lsh(big.NewInt(int64(d.byte())), uint(8*i)))
	}
	return v
}

func signExtend(n uint, v *big.Int) *big.Int {
	if v.Bit(int(n-1)) == 1 {
		return sub(v, pow2(n))
	}
	return v
}

// imm reads a constant of n bytes, sign-extended to 64 bits.
func (d *decoder) imm(n int) Src { return imm(mod(signExtend(uint(8*n), d.le(n)), Radix)) }

// An rm is the operand of a ModRM byte: a register, or memory.
type rm struct {
	reg      Loc // 0 if memory
	base     Loc // 0 if there is none, which only LEA takes
	hasIndex bool
	index    Loc
	scale    uint
	disp     int64
}

func (d *decoder) modrm(xr, xx, xb int) (reg int, x rm) {
	m := d.byte()
	md, reg, b := m>>6, m>>3&7+8*xr, m&7
	if md == 3 {
		return reg, rm{reg: gpr(b + 8*xb)}
	}
	if b == 4 {
		s := d.byte()
		b = s & 7
		if i := s>>3&7 + 8*xx; i != 4 {
			x.hasIndex, x.index, x.scale = true, gpr(i), uint(s>>6)
		}
	}
	if md == 0 && b == 5 {
		if !x.hasIndex {
			Refuse("an address relative to RIP, or without a base")
		}
		x.disp = signExtend(32, d.le(4)).Int64()
		return reg, x
	}
	switch md {
	case 1:
		x.disp = signExtend(8, d.le(1)).Int64()
	case 2:
		x.disp = signExtend(32, d.le(4)).Int64()
	}
	x.base = gpr(b + 8*xb)
	return reg, x
}

func (d *decoder) emit(m Mop) {
	m.Offset = d.offset
	d.out = append(d.out, m)
}

func (d *decoder) op(i Instr) { d.emit(Mop{Kind: MopOp, Instr: i}) }
func (d *decoder) load(to, base Loc, o int64) {
	d.emit(Mop{Kind: MopLoad, Instr: Instr{D: to}, Base: base, Disp: o})
}
func (d *decoder) store(base Loc, o int64, a Src) {
	d.emit(Mop{Kind: MopStore, Instr: Instr{A: a}, Base: base, Disp: o})
}
func (d *decoder) havoc(ls ...Loc) {
	for _, l := range ls {
		d.emit(Mop{Kind: MopHavoc, Instr: Instr{D: l}})
	}
}
func (d *decoder) op1(op Op, to Loc, src ...Src) { d.op2(op, to, 0, src...) }
func (d *decoder) op2(op Op, to, to2 Loc, src ...Src) {
	i := Instr{Op: op, D: to, D2: to2, A: src[0]}
	if len(src) > 1 {
		i.B = src[1]
	}
	if len(src) > 2 {
		i.C = src[2]
	}
	d.op(i)
}
func (d *decoder) shiftBy(op Op, to Loc, a Src, n uint) { d.op(Instr{Op: op, D: to, A: a, N: n}) }
func (d *decoder) mov(to Loc, a Src)                    { d.op1(Mov, to, a) }

// source returns the location of an operand, which it loads if it is in memory.
func (d *decoder) source(x rm) Loc {
	if x.reg != 0 {
		return x.reg
	}
	d.memory(x)
	d.load(locMem, x.base, x.disp)
	return locMem
}

// stored writes the word at l back to memory, if the operand came from there.
func (d *decoder) stored(x rm, l Loc) {
	if x.reg == 0 {
		d.store(x.base, x.disp, at(l))
	}
}

func (d *decoder) memory(x rm) {
	if x.hasIndex {
		Refuse("an indexed address")
	}
}

// result sets ZF by the word at l, and leaves OF undefined.
func (d *decoder) result(l Loc) {
	d.mov(locRes, at(l))
	d.havoc(flagO)
}
func (d *decoder) noFlags() { d.havoc(flagC, flagO, locRes) }
func (d *decoder) zeroFlags(l Loc) {
	d.mov(flagC, immInt(0))
	d.mov(flagO, immInt(0))
	d.mov(locRes, at(l))
}

// alu performs one of add, or, adc, sbb, and, sub, xor, cmp, numbered from 0.
func (d *decoder) alu(op int, to Loc, b Src) {
	a, same := at(to), b.is(to)
	switch op {
	case 0:
		d.op2(Adc, to, flagC, a, b, immInt(0))
		d.result(to)
	case 2:
		d.op2(Adc, to, flagC, a, b, at(flagC))
		d.result(to)
	case 3:
		if same {
			a, b = immInt(0), immInt(0)
		}
		d.op2(Sbb, to, flagC, a, b, at(flagC))
		d.result(to)
	case 5:
		d.op2(Sbb, to, flagC, a, b, immInt(0))
		d.result(to)
	case 1, 4:
		if !same {
			d.op1(map[int]Op{1: Or, 4: And}[op], to, a, b)
		}
		d.zeroFlags(to)
	case 6:
		if same {
			d.mov(to, immInt(0))
		} else {
			d.op1(Xor, to, a, b)
		}
		d.zeroFlags(to)
	default:
		d.op2(Sbb, locT1, flagC, a, b, immInt(0))
		d.result(locT1)
	}
}

func (d *decoder) count() uint {
	n := d.byte()
	if n == 0 || n > 63 {
		Refuse("a shift by %d, want 1 to 63", n)
	}
	return uint(n)
}

// lastOut sets the carry to the last bit shifted out: here only after right
// shifts by 1.
func (d *decoder) lastOut(l Loc, n uint) {
	if n == 1 {
		d.op1(And, flagC, at(l), immInt(1))
	} else {
		d.havoc(flagC)
	}
}

func (d *decoder) shift(group int, l Loc, n uint) {
	if group != 4 {
		d.lastOut(l, n)
	}
	switch group {
	case 4:
		d.shiftBy(Shl, l, at(l), n)
		d.havoc(flagC)
	case 5:
		d.shiftBy(Shr, l, at(l), n)
	case 7:
		d.sar(l, n)
	default:
		Refuse("shift or rotate /%d is not modelled", group)
	}
	d.result(l)
}

// sar shifts a signed word: w stands for w - 2^64·s, where s is its highest bit.
func (d *decoder) sar(l Loc, n uint) {
	if n == 63 {
		d.shiftBy(Shr, locT1, at(l), 63)
		d.op2(Sbb, l, locJunk, immInt(0), at(locT1), immInt(0))
		return
	}
	d.shiftBy(Shr, locT1, at(l), n)
	d.shiftBy(Shr, locT2, at(l), 63)
	d.shiftBy(Shl, locT2, at(locT2), 64-n)
	d.op2(Sbb, l, locJunk, at(locT1), at(locT2), immInt(0))
}

func (d *decoder) test8(l Loc, v int) {
	d.op1(And, locT1, at(l), immInt(int64(v)))
	d.shiftBy(Shl, locT1, at(locT1), 56) // SF is bit 7
	d.zeroFlags(locT1)
}

func (d *decoder) peek() byte {
	if d.pos >= len(d.code) {
		Refuse("the code ends before a return")
	}
	return d.code[d.pos]
}

func (d *decoder) instruction() {
	p := d.byte()
	switch p {
	case 0xc4:
		d.vex()
		return
	case 0x66:
		d.adx(flagC)
		return
	case 0xf3:
		if bytes.HasPrefix(d.code[d.pos:], []byte{0x0f, 0x1e, 0xfa}) { // ENDBR64
			d.pos += 3
		} else {
			d.adx(flagO)
		}
		return
	case 0x90: // NOP
		return
	case 0xf5: // CMC, CLC, STC
		d.op1(IsZero, flagC, at(flagC))
		return
	case 0xf8, 0xf9:
		d.mov(flagC, immInt(int64(p&1)))
		return
	}
	rex, op := 0, p
	if p>>4 == 4 {
		rex, op = p, d.byte()
	}
	xw, xr, xx, xb := rex>>3&1, rex>>2&1, rex>>1&1, rex&1
	short := gpr(op&7 + 8*xb)
	switch {
	case op>>3 == 10: // PUSH
		d.notSP(short)
		d.store(regSP, -8, at(short))
		d.op2(Sbb, regSP, locJunk, at(regSP), immInt(8), immInt(0))
	case op>>3 == 11: // POP
		d.notSP(short)
		d.load(short, regSP, 0)
		d.op2(Adc, regSP, locJunk, at(regSP), immInt(8), immInt(0))
	case op == 0xa8 && rex == 0: // TEST AL, imm8
		d.test8(gpr(0), d.byte())
	case op == 0xf6: // TEST r8, imm8
		reg, x := d.modrm(xr, xx, xb)
		if reg&7 != 0 {
			Refuse("opcode f6 /%d is not modelled", reg&7)
		}
		low8(rex, x.reg)
		d.test8(x.reg, d.byte())
	case op == 0x84: // TEST r8, r8
		reg, x := d.modrm(xr, xx, xb)
		if x.reg != gpr(reg) {
			Refuse("TEST of two bytes, of which one is not the other")
		}
		low8(rex, x.reg)
		d.test8(x.reg, 255)
	case op>>3 == 0x17: // MOV r, imm
		n := 4
		if xw == 1 {
			n = 8
		}
		d.mov(short, imm(d.le(n)))
	case op == 0x0f:
		switch {
		case d.twoByte0(rex):
		case xw == 1:
			d.twoByte(xr, xx, xb)
		default:
			d.twoByte32(xr, xx, xb)
		}
	case op>>3 == 0x12 && short != gpr(0): // XCHG with RAX
		d.xchgAX(short, xw == 1)
	case op>>6 == 0 && op&7 == 5: // RAX, imm32
		if xw == 1 {
			d.alu(op>>3&7, gpr(0), d.imm(4))
		} else {
			d.alu32(op>>3&7, gpr(0), imm(d.le(4)))
		}
	case op == 0xa9: // TEST RAX, imm32
		if xw == 1 {
			d.op1(And, locT1, at(gpr(0)), d.imm(4))
			d.zeroFlags(locT1)
		} else {
			d.op1(And, locT1, at(gpr(0)), imm(d.le(4)))
			d.zeroFlags32(locT1)
		}
	case xw == 0:
		reg, x := d.modrm(xr, xx, xb)
		d.oneByte32(op, reg, x)
	default:
		reg, x := d.modrm(xr, xx, xb)
		d.oneByte(op, reg, x)
	}
}

func (d *decoder) notSP(r Loc) {
	if r == regSP {
		Refuse("PUSH or POP of SP")
	}
}

// vex decodes MULX and BZHI.
func (d *decoder) vex() {
	b1, b2, op := d.byte(), d.byte(), d.byte()
	mulx, bzhi := op == 0xf6 && b2&7 == 3, op == 0xf5 && b2&7 == 0
	if !mulx && !bzhi || b1&31 != 2 || b2>>7 != 1 {
		Refuse("a VEX instruction other than 64-bit MULX and BZHI")
	}
	reg, x := d.modrm(1-b1>>7, 1-b1>>6&1, 1-b1>>5&1)
	l, r, v := d.source(x), gpr(reg), gpr(15-b2>>3&15)
	if mulx {
		d.op2(Mul, v, r, at(gpr(2)), at(l))
		return
	}
	d.op1(Bzhi, r, at(l), at(v))
	d.havoc(flagC)
	d.mov(flagO, immInt(0))
	d.mov(locRes, at(r))
}

// adx decodes ADCX and ADOX, which use the carry and the overflow flag.
func (d *decoder) adx(flag Loc) {
	x, o1, o2, o3 := d.byte(), d.byte(), d.byte(), d.byte()
	if x>>3 != 9 || o1 != 0x0f || o2 != 0x38 || o3 != 0xf6 {
		Refuse("a prefixed instruction other than 64-bit ADCX and ADOX")
	}
	reg, r := d.modrm(x>>2&1, x>>1&1, x&1)
	l := d.source(r)
	d.op2(Adc, gpr(reg), flag, at(gpr(reg)), at(l), at(flag))
}

func (d *decoder) twoByte(xr, xx, xb int) {
	op := d.byte()
	reg, x := d.modrm(xr, xx, xb)
	r := gpr(reg)
	l := d.source(x)
	switch {
	case op == 0xaf:
		d.op2(Mul, r, locJunk, at(r), at(l))
		d.noFlags()
	case op>>4 == 4:
		d.cmov(op&15, r, l)
	case op == 0xba && x.reg != 0: // BT, BTS, BTR, BTC
		n := d.byte()
		if n > 63 {
			Refuse("bit %d of a register", n)
		}
		d.bit(reg&7, l, uint(n))
	case (op == 0xa4 || op == 0xac) && x.reg != 0:
		n := d.count()
		if op == 0xa4 {
			d.shiftBy(Shl, locT1, at(l), n)
			d.shiftBy(Shr, locT2, at(r), 64-n)
		} else {
			d.shiftBy(Shl, locT1, at(r), 64-n)
			d.shiftBy(Shr, locT2, at(l), n)
		}
		d.op1(Or, l, at(locT1), at(locT2))
		d.noFlags()
	default:
		Refuse("opcode 0f %02x is not modelled", op)
	}
}

func (d *decoder) lea(r Loc, x rm) {
	if x.reg != 0 {
		Refuse("LEA of a register")
	}
	disp := imm(mod(big.NewInt(x.disp), Radix))
	if !x.hasIndex {
		d.op2(Adc, r, locJunk, at(x.base), disp, immInt(0))
		return
	}
	d.shiftBy(Shl, locT1, at(x.index), x.scale)
	if x.base != 0 {
		d.op2(Adc, locT1, locJunk, at(x.base), at(locT1), immInt(0))
	}
	d.op2(Adc, r, locJunk, at(locT1), disp, immInt(0))
}

// oneByte decodes an instruction of one opcode byte and a ModRM byte.
func (d *decoder) oneByte(op, reg int, x rm) {
	r, g := gpr(reg), reg&7
	switch {
	case op == 0x8d:
		d.lea(r, x)
		return
	case op == 0x8b:
		if x.reg != 0 {
			d.mov(r, at(x.reg))
		} else {
			d.memory(x)
			d.load(r, x.base, x.disp)
		}
		return
	case op == 0x89, op == 0xc7 && g == 0:
		v := at(r)
		if op == 0xc7 {
			v = d.imm(4)
		}
		if x.reg != 0 {
			d.mov(x.reg, v)
		} else {
			d.memory(x)
			d.store(x.base, x.disp, v)
		}
		return
	}
	l := d.source(x)
	switch {
	case op>>6 == 0 && op&7 == 3:
		d.alu(op>>3&7, r, at(l))
	case op == 0x6b || op == 0x69:
		v := d.imm(map[int]int{0x6b: 1, 0x69: 4}[op])
		d.op2(Mul, r, locJunk, at(l), v)
		d.noFlags()
	case op == 0xf7 && g == 4:
		d.op2(Mul, gpr(0), gpr(2), at(gpr(0)), at(l))
		d.noFlags()
	case op == 0xff && g == 1: // DEC
		d.op2(Sbb, l, locJunk, at(l), immInt(1), immInt(0))
		d.stored(x, l)
		d.result(l)
	case op == 0xff && g == 0: // INC
		d.op2(Adc, l, locJunk, at(l), immInt(1), immInt(0))
		d.stored(x, l)
		d.result(l)
	case op>>6 == 0 && op&7 == 1:
		d.alu(op>>3&7, l, at(r))
		if op>>3&7 != 7 {
			d.stored(x, l)
		}
	case op == 0x83 || op == 0x81:
		d.alu(g, l, d.imm(map[int]int{0x83: 1, 0x81: 4}[op]))
		if g != 7 {
			d.stored(x, l)
		}
	case x.reg == 0:
		Refuse("opcode %02x /%d on memory is not modelled", op, g)
	case op == 0x87:
		d.mov(locT1, at(l))
		d.mov(l, at(r))
		d.mov(r, at(locT1))
	case op == 0xf7 && g == 0: // TEST r, imm32
		d.op1(And, locT1, at(l), d.imm(4))
		d.zeroFlags(locT1)
	case op == 0x85:
		if l != r {
			d.op1(And, locT1, at(l), at(r))
			l = locT1
		}
		d.zeroFlags(l)
	case op == 0xc1:
		d.shift(g, l, d.count())
	case op == 0xd1:
		d.shift(g, l, 1)
	case op == 0xf7 && g == 2:
		d.op1(Xor, l, at(l), imm(WordMax))
	case op == 0xf7 && g == 3:
		d.op2(Sbb, l, flagC, immInt(0), at(l), immInt(0))
		d.result(l)
	default:
		Refuse("opcode %02x /%d is not modelled", op, g)
	}
}
