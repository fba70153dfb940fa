// Package encode writes amd64 instructions as machine code. It is a table of
// its own, made from the opcode maps of the Intel 64 Software Developer's
// Manual, volume 2, and shares nothing with the decoder, so each checks the
// other. It also builds the code for co-simulation and for mutants.
package encode

import (
	"encoding/binary"
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
)

// Inst returns the preferred encoding of the instruction, which must be one of
// the modelled forms. Jumps have a displacement of 32 bits, from in.Offset.
func Inst(in amd64.Inst) ([]byte, error) {
	list, err := All(in)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// All returns every encoding of the instruction that the table has, the
// preferred one first: operands either way round, constants and displacements
// in one byte or in four, and opcodes for particular registers.
func All(in amd64.Inst) ([][]byte, error) {
	if err := amd64.Modelled(in); err != nil {
		return nil, err
	}
	var list [][]byte
	for _, l := range layouts(in) {
		for _, wide := range []bool{false, true} {
			code, err := l.assemble(in, wide)
			if err != nil {
				return nil, fmt.Errorf("cannot encode %s with operands %q: %w", in.Op, in.Form(), err)
			}
			if code != nil && (len(list) == 0 || string(list[len(list)-1]) != string(code)) {
				list = append(list, code)
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no encoding of %s with operands %q that holds them", in.Op, in.Form())
	}
	return list, nil
}

// A layout is one way to encode an instruction. The operand numbers are -1
// where the layout has no such place.
type layout struct {
	prefix byte   // 0x66, 0xf3, 0xf2 or none: mandatory, or in the VEX prefix
	opcode []byte // with its escape bytes 0f, 0f 38, 0f 3a
	vex    bool
	width  bool // REX.W says that the first operand has 64 bits

	reg, rm, vvvv int // operands in these fields
	digit         int // in the reg field when reg is -1; -1 where there is no ModRM byte
	plus          int // operand whose register is added to the opcode
	imm           int // operand that is a constant
	size          int // of the constant in bytes
}

func opcode(b ...byte) layout {
	return layout{opcode: b, width: true, reg: -1, rm: -1, vvvv: -1, digit: -1, plus: -1, imm: -1}
}

func (l layout) fields(reg, rm int) layout { l.reg, l.rm = reg, rm; return l }
func (l layout) digits(d, rm int) layout   { l.digit, l.rm = d, rm; return l }
func (l layout) constant(i, size int) layout {
	l.imm, l.size = i, size
	return l
}
func (l layout) vexed(prefix byte, vvvv int) layout {
	l.vex, l.prefix, l.vvvv = true, prefix, vvvv
	return l
}
func (l layout) prefixed(p byte) layout { l.prefix = p; return l }
func (l layout) narrow() layout         { l.width = false; return l }
func (l layout) added(i int) layout     { l.plus = i; return l }

// assemble returns the bytes, or nil if the layout cannot hold the operands.
// With wide, a displacement takes four bytes.
func (l layout) assemble(in amd64.Inst, wide bool) ([]byte, error) {
	var w, r, x, b, rex byte
	if l.width && len(in.Args) > 0 && in.Args[0].Bits == 64 {
		w = 1
	}
	low := func(i int, high *byte) byte {
		a := in.Args[i]
		if a.Bits == 8 && a.Reg >= amd64.SP {
			rex = 0x40 // SPL to DIL need a REX prefix to be told from AH to BH
		}
		*high = byte(a.Reg) >> 3
		return byte(a.Reg) & 7
	}
	op := append([]byte(nil), l.opcode...)
	if l.plus >= 0 {
		op[len(op)-1] += low(l.plus, &b)
	}
	var tail []byte
	if l.rm >= 0 {
		field := byte(l.digit)
		if l.reg >= 0 {
			field = low(l.reg, &r)
		}
		if a := in.Args[l.rm]; a.Kind == amd64.RegKind {
			tail = []byte{0xc0 | field<<3 | low(l.rm, &b)}
		} else {
			mem, err := memory(a, field, wide, &x, &b)
			if err != nil {
				return nil, err
			}
			tail = mem
		}
	}
	if l.imm >= 0 {
		c, ok := immediate(in.Args[l.imm].Imm, l.size)
		if !ok {
			return nil, nil
		}
		tail = append(tail, c...)
	}
	var code []byte
	if l.vex {
		pp := map[byte]byte{0: 0, 0x66: 1, 0xf3: 2, 0xf2: 3}[l.prefix]
		mmmmm := map[byte]byte{0x38: 2, 0x3a: 3}[op[1]]
		var v byte
		if l.vvvv >= 0 {
			v = byte(in.Args[l.vvvv].Reg)
		}
		code = []byte{0xc4, (r^1)<<7 | (x^1)<<6 | (b^1)<<5 | mmmmm, w<<7 | (^v&15)<<3 | pp, op[2]}
		return append(code, tail...), nil
	}
	if l.prefix != 0 {
		code = append(code, l.prefix)
	}
	if rex |= w<<3 | r<<2 | x<<1 | b; rex != 0 {
		code = append(code, 0x40|rex)
	}
	return append(append(code, op...), tail...), nil
}

// memory returns the ModRM byte with the given reg field, SIB byte and
// displacement of a memory operand.
func memory(a amd64.Operand, field byte, wide bool, x, b *byte) ([]byte, error) {
	if a.Disp != int64(int32(a.Disp)) {
		return nil, fmt.Errorf("displacement %#x is wider than 32 bits", a.Disp)
	}
	if a.Index == amd64.SP {
		return nil, fmt.Errorf("SP cannot be an index")
	}
	if a.Base == amd64.NoReg && a.Index == amd64.NoReg {
		return nil, fmt.Errorf("no base and no index")
	}
	mod := byte(0)
	disp := binary.LittleEndian.AppendUint32(nil, uint32(a.Disp))
	switch {
	case a.Base == amd64.NoReg: // always four bytes, and mod is 0
	case a.Disp == 0 && a.Base&7 != amd64.BP && !wide:
		disp = nil
	case a.Disp == int64(int8(a.Disp)) && !wide:
		mod, disp = 1, disp[:1]
	default:
		mod = 2
	}
	if a.Base != amd64.NoReg {
		*b = byte(a.Base) >> 3
	}
	head := []byte{mod<<6 | field<<3 | byte(a.Base)&7}
	if a.Index != amd64.NoReg || a.Base&7 == amd64.SP {
		scale := map[int64]byte{1: 0, 2: 1, 4: 2, 8: 3}[a.Scale]
		index, base := byte(amd64.SP), byte(amd64.BP) // none
		if a.Index != amd64.NoReg {
			index = byte(a.Index) & 7
			*x = byte(a.Index) >> 3
		}
		if a.Base != amd64.NoReg {
			base = byte(a.Base) & 7
		}
		head = []byte{mod<<6 | field<<3 | 4, scale<<6 | index<<3 | base}
	}
	return append(head, disp...), nil
}

// immediate returns v in size bytes, if sign extension gives v back.
func immediate(v int64, size int) ([]byte, bool) {
	b := binary.LittleEndian.AppendUint64(nil, uint64(v))[:size]
	return b, v<<(64-8*size)>>(64-8*size) == v
}
