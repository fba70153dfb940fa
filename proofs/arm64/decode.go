package arm64

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"golang.org/x/arch/arm64/arm64asm"
)

// A layout says which fields a word has, and what operands they make.
type layout uint8

const (
	threeRegs  layout = iota // Xd, Xn, Xm
	fourRegs                 // Xd, Xn, Xm, Xa
	longMul                  // Xd, Wn, Wm, Xa
	conditions               // Xd, Xn, Xm, condition
	addImm                   // Xd|SP, Xn|SP, 12 bits and a shift
	addImmS                  // Xd, Xn|SP, 12 bits and a shift
	logicImm                 // Xd|SP, Xn, a pattern of bits
	logicImmS                // Xd, Xn, a pattern of bits
	wideImm                  // Xd, 16 bits and a shift
	bitfield                 // Xd, Xn, two positions of bits
	extract                  // Xd, Xn, Xm, a position of a bit
	scaled                   // Xt, memory at Xn|SP + 8·12 bits
	unscaled                 // Xt, memory at Xn|SP + 9 bits, signed
	preIndex                 // the same; Xn|SP becomes the address
	pair                     // Xt, Xt2, memory at Xn|SP + 8·7 bits, signed
	compare                  // Xt, a target
	ret                      // Xn, which is X30
	padding                  // none
)

// An encoding is what the words of an instruction have in common.
type encoding struct {
	op         string
	mask, word uint32
	layout     layout
}

// encodings are the instructions that are modelled. No word fits two of them.
var encodings = []encoding{
	{"ADD", 0xffe0fc00, 0x8b000000, threeRegs}, // the shifted forms, by LSL #0
	{"ADDS", 0xffe0fc00, 0xab000000, threeRegs},
	{"SUB", 0xffe0fc00, 0xcb000000, threeRegs},
	{"SUBS", 0xffe0fc00, 0xeb000000, threeRegs},
	{"ADC", 0xffe0fc00, 0x9a000000, threeRegs},
	{"ADCS", 0xffe0fc00, 0xba000000, threeRegs},
	{"SBC", 0xffe0fc00, 0xda000000, threeRegs},
	{"SBCS", 0xffe0fc00, 0xfa000000, threeRegs},
	{"AND", 0xffe0fc00, 0x8a000000, threeRegs},
	{"ORR", 0xffe0fc00, 0xaa000000, threeRegs},
	{"EOR", 0xffe0fc00, 0xca000000, threeRegs},
	{"EON", 0xffe0fc00, 0xca200000, threeRegs},
	{"ANDS", 0xffe0fc00, 0xea000000, threeRegs},

	{"ADD", 0xff800000, 0x91000000, addImm},
	{"ADDS", 0xff800000, 0xb1000000, addImmS},
	{"SUB", 0xff800000, 0xd1000000, addImm},
	{"SUBS", 0xff800000, 0xf1000000, addImmS},
	{"AND", 0xff800000, 0x92000000, logicImm},
	{"ORR", 0xff800000, 0xb2000000, logicImm},
	{"ANDS", 0xff800000, 0xf2000000, logicImmS},
	{"MOVN", 0xff800000, 0x92800000, wideImm},
	{"MOVZ", 0xff800000, 0xd2800000, wideImm},
	{"MOVK", 0xff800000, 0xf2800000, wideImm},
	{"SBFM", 0xffc00000, 0x93400000, bitfield},
	{"UBFM", 0xffc00000, 0xd3400000, bitfield},
	{"EXTR", 0xffe00000, 0x93c00000, extract},

	{"MADD", 0xffe08000, 0x9b000000, fourRegs},
	{"UMADDL", 0xffe08000, 0x9ba00000, longMul},
	{"UMULH", 0xffe0fc00, 0x9bc07c00, threeRegs},

	{"CSEL", 0xffe00c00, 0x9a800000, conditions},
	{"CSINC", 0xffe00c00, 0x9a800400, conditions},
	{"CSINV", 0xffe00c00, 0xda800000, conditions},
	{"CSNEG", 0xffe00c00, 0xda800400, conditions},

	{"LDR", 0xffc00000, 0xf9400000, scaled},
	{"STR", 0xffc00000, 0xf9000000, scaled},
	{"STR", 0xffe00c00, 0xf8000c00, preIndex},
	{"STUR", 0xffe00c00, 0xf8000000, unscaled},
	{"LDP", 0xffc00000, 0xa9400000, pair},
	{"STP", 0xffc00000, 0xa9000000, pair},

	{"CBNZ", 0xff000000, 0xb5000000, compare},
	{"RET", 0xffffffff, 0xd65f03c0, ret},
	{"UDF", 0xffffffff, 0x00000000, padding},
}

// Decode decodes the instruction at the given offset of a routine's code. An
// instruction that is not modelled is an error that names it.
func Decode(code []byte, offset int) (Inst, error) {
	if offset < 0 || offset > len(code)-Length {
		return Inst{}, fmt.Errorf("no instruction of %d bytes at offset %#x of %d bytes", Length, offset, len(code))
	}
	word := code[offset : offset+Length]
	w := binary.LittleEndian.Uint32(word)
	for _, e := range encodings {
		if w&e.mask != e.word {
			continue
		}
		in := Inst{Offset: offset, Op: e.op, text: text(word)}
		if why := in.fields(e.layout, w); why != "" {
			return Inst{}, fmt.Errorf("bytes % x: %s with %s is not modelled", word, e.op, why)
		}
		return in, nil
	}
	if name := text(word); name != "" {
		return Inst{}, fmt.Errorf("bytes % x: %s is not modelled", word, name)
	}
	return Inst{}, fmt.Errorf("bytes % x are no instruction that the decoder knows", word)
}

// text returns the instruction as Go's assembler spells it, or nothing if that is
// unknown.
func text(word []byte) string {
	if string(word) == "\x00\x00\x00\x00" {
		return "UNDEF" // arm64asm has no name for it
	}
	raw, err := arm64asm.Decode(word)
	if err != nil || raw.Op == 0 {
		return ""
	}
	return arm64asm.GoSyntax(raw, 0, nil, nil)
}

// DecodeAll decodes the code of a whole routine. Words of zeros at its end, which
// align the routine behind it, are instructions named UDF.
func DecodeAll(code []byte) ([]Inst, error) {
	list := make([]Inst, 0, len(code)/Length)
	for at := 0; at < len(code); at += Length {
		in, err := Decode(code, at)
		if err != nil {
			return list, fmt.Errorf("offset %#x: %w", at, err)
		}
		list = append(list, in)
	}
	return list, nil
}

// fields sets the operands of the word w. It returns what has no meaning, or "".
func (in *Inst) fields(l layout, w uint32) string {
	field := func(low, n uint) uint64 { return uint64(w>>low) & (1<<n - 1) }
	signed := func(low, n uint) int64 { return int64(w) << (64 - low - n) >> (64 - n) }
	reg := func(low uint, else31 Reg) Operand {
		r := Reg(field(low, 5))
		if r == 31 {
			r = else31
		}
		return Operand{Kind: RegKind, Reg: r}
	}
	d, n, m, a := reg(0, ZR), reg(5, ZR), reg(16, ZR), reg(10, ZR)
	dSP, nSP := reg(0, SP), reg(5, SP)
	memory := func(k Kind, disp int64) Operand { return Operand{Kind: k, Reg: nSP.Reg, Disp: disp} }

	switch l {
	case threeRegs:
		in.Args = []Operand{d, n, m}
	case fourRegs:
		in.Args = []Operand{d, n, m, a}
	case longMul:
		n.Kind, m.Kind = WordKind, WordKind
		in.Args = []Operand{d, n, m, a}
	case conditions:
		in.Args, in.Cond = []Operand{d, n, m}, Cond(field(12, 4))
	case addImm, addImmS:
		shift := uint(12 * field(22, 1))
		if l == addImmS {
			dSP = d
		}
		in.Args = []Operand{dSP, nSP, {Kind: ImmKind, Imm: field(10, 12) << shift, Shift: shift}}
	case logicImm, logicImmS:
		v, ok := bitPattern(field(22, 1), field(16, 6), field(10, 6))
		if !ok {
			return "an undefined pattern of bits"
		}
		if l == logicImmS {
			dSP = d
		}
		in.Args = []Operand{dSP, n, {Kind: ImmKind, Imm: v}}
	case wideImm:
		in.Args = []Operand{d, {Kind: ImmKind, Imm: field(5, 16), Shift: 16 * uint(field(21, 2))}}
	case bitfield:
		rotate, top := field(16, 6), field(10, 6)
		switch {
		case in.Op == "SBFM" && top == 63:
			in.Op = "ASR"
		case in.Op == "UBFM" && top == 63:
			in.Op = "LSR"
		case in.Op == "UBFM" && top+1 == rotate:
			in.Op, rotate = "LSL", 63-top
		default:
			return fmt.Sprintf("the positions %d and %d, which are no shift,", rotate, top)
		}
		in.Args = []Operand{d, n, {Kind: ImmKind, Imm: rotate}}
	case extract:
		in.Args = []Operand{d, n, m, {Kind: ImmKind, Imm: field(10, 6)}}
	case scaled:
		in.Args = []Operand{d, memory(MemKind, int64(8*field(10, 12)))}
	case unscaled:
		in.Args = []Operand{d, memory(MemKind, signed(12, 9))}
	case preIndex:
		if d.Reg == nSP.Reg {
			return "one register as address and value" // unpredictable
		}
		in.Args = []Operand{d, memory(PreKind, signed(12, 9))}
	case pair:
		if in.Op == "LDP" && d.Reg == a.Reg {
			return "one register as both destinations" // unpredictable
		}
		in.Args = []Operand{d, a, memory(MemKind, 8*signed(15, 7))}
	case compare:
		in.Args = []Operand{d, {Kind: TargetKind, Target: in.Offset + int(4*signed(5, 19))}}
	}
	return ""
}

// bitPattern returns the constant of a logical instruction: an element of 2 to 64
// bits, over and over, which has a run of ones, rotated to the right (DecodeBitMasks
// in the manual).
func bitPattern(n, rotate, ones uint64) (v uint64, ok bool) {
	length := bits.Len64(n<<6|^ones&63) - 1
	if length < 1 {
		return 0, false
	}
	size := uint64(1) << length
	ones, rotate = ones&(size-1), rotate&(size-1)
	if ones == size-1 {
		return 0, false
	}
	element := uint64(1)<<(ones+1) - 1
	if rotate > 0 {
		element = element>>rotate | element<<(size-rotate)
	}
	if size < 64 {
		element &= 1<<size - 1
	}
	for ; size < 64; size *= 2 {
		element |= element << size
	}
	return element, true
}
