package encode

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
)

// ARM64 returns the encoding of an instruction of arm64, in 4 bytes. It shares
// nothing with the decoder but the names of operations and operands.
func ARM64(in arm64.Inst) ([]byte, error) {
	w, err := word(in)
	if err != nil {
		return nil, fmt.Errorf("%s with operands %q: %w", in.Op, in.Form(), err)
	}
	return binary.LittleEndian.AppendUint32(nil, w), nil
}

// The bits that say which instruction it is, by operation and operands.
var arm64Words = map[string]uint32{
	"ADD rrr": 1<<31 | 0b01011<<24, "ADDS rrr": 0b101<<29 | 0b01011<<24,
	"SUB rrr": 0b110<<29 | 0b01011<<24, "SUBS rrr": 0b111<<29 | 0b01011<<24,
	"ADD rri": 1<<31 | 0b100010<<23, "ADDS rri": 0b101<<29 | 0b100010<<23,
	"SUB rri": 0b110<<29 | 0b100010<<23, "SUBS rri": 0b111<<29 | 0b100010<<23,
	"ADC rrr": 1<<31 | 0b11010000<<21, "ADCS rrr": 0b101<<29 | 0b11010000<<21,
	"SBC rrr": 0b110<<29 | 0b11010000<<21, "SBCS rrr": 0b111<<29 | 0b11010000<<21,
	"AND rrr": 1<<31 | 0b01010<<24, "ORR rrr": 0b101<<29 | 0b01010<<24,
	"EOR rrr": 0b110<<29 | 0b01010<<24, "EON rrr": 0b110<<29 | 0b01010<<24 | 1<<21,
	"ANDS rrr": 0b111<<29 | 0b01010<<24,
	"AND rri":  1<<31 | 0b100100<<23, "ORR rri": 0b101<<29 | 0b100100<<23, "ANDS rri": 0b111<<29 | 0b100100<<23,
	"MOVN ri": 1<<31 | 0b100101<<23, "MOVZ ri": 0b110<<29 | 0b100101<<23, "MOVK ri": 0b111<<29 | 0b100101<<23,
	"LSL rri": 0b110<<29 | 0b100110<<23 | 1<<22, "LSR rri": 0b110<<29 | 0b100110<<23 | 1<<22,
	"ASR rri": 1<<31 | 0b100110<<23 | 1<<22, "EXTR rrri": 1<<31 | 0b00100111<<23 | 1<<22,
	"MADD rrrr": 1<<31 | 0b11011<<24, "UMADDL rwwr": 1<<31 | 0b11011101<<21,
	"UMULH rrr": 1<<31 | 0b11011110<<21 | 31<<10,
	"CSEL rrr":  1<<31 | 0b11010100<<21, "CSINC rrr": 1<<31 | 0b11010100<<21 | 1<<10,
	"CSINV rrr": 0b110<<29 | 0b11010100<<21, "CSNEG rrr": 0b110<<29 | 0b11010100<<21 | 1<<10,
	"LDR rm": 0b11<<30 | 0b11100101<<22, "STR rm": 0b11<<30 | 0b11100100<<22,
	"STUR rm": 0b11<<30 | 0b111000<<24, "STR rp": 0b11<<30 | 0b111000<<24 | 0b11<<10,
	"LDP rrm": 0b10<<30 | 0b10100101<<22, "STP rrm": 0b10<<30 | 0b10100100<<22,
	"CBNZ rt": 1<<31 | 0b110101<<24, "RET ": 0b1101011001011111<<16 | 30<<5, "UDF ": 0,
}

func word(in arm64.Inst) (uint32, error) {
	form := in.Form()
	w, ok := arm64Words[in.Op+" "+form]
	if !ok {
		return 0, fmt.Errorf("there is no such instruction")
	}
	a := in.Args
	var err error
	put := func(low, width uint, v int64) {
		if v < 0 || v >= 1<<width {
			err = fmt.Errorf("%d does not fit %d bits", v, width)
			return
		}
		w |= uint32(v) << low
	}
	// reg writes a register where 31 stands for SP or XZR.
	reg := func(low uint, r arm64.Reg, else31 arm64.Reg) {
		switch {
		case r == else31:
			r = 31
		case r >= arm64.SP:
			err = fmt.Errorf("%v cannot be an operand there", r)
		}
		put(low, 5, int64(r))
	}
	address := func(o arm64.Operand, low, width uint, scale int64, signed bool) {
		reg(5, o.Reg, arm64.SP)
		v := o.Disp / scale
		if v*scale != o.Disp {
			err = fmt.Errorf("the offset %d is no multiple of %d", o.Disp, scale)
			return
		}
		if signed {
			if v += 1 << (width - 1); v >= 0 && v < 1<<width {
				v ^= 1 << (width - 1) // from excess to two's complement
			}
		}
		put(low, width, v)
	}
	dest, first := arm64.ZR, arm64.ZR
	if form == "rri" {
		switch in.Op {
		case "ADD", "SUB":
			dest, first = arm64.SP, arm64.SP
		case "ADDS", "SUBS":
			first = arm64.SP
		case "AND", "ORR":
			dest = arm64.SP
		}
	}
	if len(a) > 0 {
		reg(0, a[0].Reg, dest)
	}
	switch form {
	case "rrr", "rrrr", "rwwr", "rrri":
		reg(5, a[1].Reg, arm64.ZR)
		reg(16, a[2].Reg, arm64.ZR)
		if strings.HasPrefix(in.Op, "CS") {
			put(12, 4, int64(in.Cond))
		}
		if len(a) == 4 && form != "rrri" {
			reg(10, a[3].Reg, arm64.ZR)
		} else if len(a) == 4 {
			put(10, 6, int64(a[3].Imm))
		}
	case "rri":
		reg(5, a[1].Reg, first)
		k := int64(a[2].Imm)
		switch in.Op {
		case "ADD", "ADDS", "SUB", "SUBS":
			if a[2].Shift != 0 {
				put(22, 1, 1)
			}
			put(10, 12, k>>a[2].Shift)
		case "LSL":
			put(16, 6, (64-k)%64)
			put(10, 6, 63-k)
		case "LSR", "ASR":
			put(16, 6, k)
			put(10, 6, 63)
		default:
			p, ok := patterns()[a[2].Imm]
			if !ok {
				return 0, fmt.Errorf("%#x is no repeated run of ones", a[2].Imm)
			}
			w |= p << 10
		}
	case "ri":
		put(5, 16, int64(a[1].Imm))
		put(21, 2, int64(a[1].Shift/16))
	case "rm", "rp":
		if in.Op == "STUR" || form == "rp" {
			address(a[1], 12, 9, 1, true)
		} else {
			address(a[1], 10, 12, 8, false)
		}
		if form == "rp" && a[0].Reg == a[1].Reg {
			return 0, fmt.Errorf("one register is the address and the value")
		}
	case "rrm":
		reg(10, a[1].Reg, arm64.ZR)
		address(a[2], 15, 7, 8, true)
		if in.Op == "LDP" && a[0].Reg == a[1].Reg {
			return 0, fmt.Errorf("one register is loaded twice")
		}
	case "rt":
		d := int64(a[1].Target - in.Offset)
		if d%4 != 0 || d < -1<<20 || d >= 1<<20 {
			return 0, fmt.Errorf("a jump by %d bytes", d)
		}
		put(5, 19, d/4&(1<<19-1))
	}
	return w, err
}

// patterns returns the constants of logical instructions, with the 13 bits that
// stand for them: elements of each size with each number of ones, rotated by each
// number of places.
var patterns = sync.OnceValue(func() map[uint64]uint32 {
	m := make(map[uint64]uint32)
	for size := uint(2); size <= 64; size *= 2 {
		for ones := uint(1); ones < size; ones++ {
			for rotate := range size {
				var v uint64
				for i := range uint(64) {
					if (i+rotate)%size < ones {
						v |= 1 << i
					}
				}
				code := uint32(rotate)<<6 | uint32(ones-1)
				if size == 64 {
					code |= 1 << 12
				} else {
					code |= uint32(64-2*size) & 63 // ones above the length of the element
				}
				m[v] = code
			}
		}
	}
	return m
})

// SampleARM64 draws operands for an operation with the given form; a jump goes to
// an instruction nearby.
func SampleARM64(rng *rand.Rand, op, form string) arm64.Inst {
	for {
		in := arm64.Inst{Op: op, Cond: arm64.Cond(rng.IntN(16))}
		if !strings.HasPrefix(op, "CS") {
			in.Cond = 0
		}
		for _, k := range form {
			in.Args = append(in.Args, operandARM64(rng, op, arm64.Kind(k)))
		}
		if _, err := ARM64(in); err == nil {
			return in
		}
	}
}

func operandARM64(rng *rand.Rand, op string, k arm64.Kind) arm64.Operand {
	o := arm64.Operand{Kind: k}
	switch k {
	case arm64.RegKind, arm64.WordKind:
		o.Reg = arm64.Reg(rng.IntN(int(arm64.ZR) + 1))
		if rng.IntN(8) == 0 {
			o.Reg = arm64.ZR
		}
	case arm64.MemKind, arm64.PreKind:
		o.Reg = arm64.Reg(rng.IntN(int(arm64.ZR)))
		o.Disp = int64(rng.IntN(1<<9)-1<<8) * 8
		if k == arm64.PreKind || op == "STUR" {
			o.Disp /= 8
		}
		if rng.IntN(2) == 0 {
			o.Disp %= 128
		}
	case arm64.TargetKind:
		o.Target = 4 * (rng.IntN(64) - 32)
	case arm64.ImmKind:
		switch op {
		case "ADD", "ADDS", "SUB", "SUBS":
			o.Shift = 12 * uint(rng.IntN(2))
			o.Imm = rng.Uint64N(1<<12) << o.Shift
		case "MOVZ", "MOVN", "MOVK":
			o.Shift = 16 * uint(rng.IntN(4))
			o.Imm = rng.Uint64N(1 << 16)
		case "AND", "ANDS", "ORR":
			size := uint64(2) << rng.IntN(6)
			v := uint64(1)<<(1+rng.Uint64N(size-1)) - 1
			for ; size < 64; size *= 2 {
				v |= v << size
			}
			o.Imm = bits.RotateLeft64(v, rng.IntN(64))
		case "LSL": // by 0 is LSR by 0
			o.Imm = 1 + rng.Uint64N(63)
		default:
			o.Imm = rng.Uint64N(64)
		}
	}
	return o
}
