package encode

import (
	"math/rand/v2"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
)

// A Shape is one modelled form at one width: what samples are drawn from.
type Shape struct {
	Op   string
	Bits int // 0 where the instruction has no width
	Form string
}

// Shapes returns every shape that is modelled, in a fixed order.
func Shapes() []Shape {
	var list []Shape
	for _, m := range amd64.Models() {
		widths := []int{0}
		if m.Bits != "" {
			widths = nil
			for _, b := range strings.Fields(m.Bits) {
				widths = append(widths, map[string]int{"8": 8, "32": 32, "64": 64}[b])
			}
		}
		for _, n := range widths {
			for _, f := range strings.Split(m.Forms, " ") {
				list = append(list, Shape{m.Op, n, f})
			}
		}
	}
	return list
}

var constants = []int64{0, 1, -1, 2, -2, 19, 38, 63, 64, 127, -128, 128, -129, 1<<31 - 1, -1 << 31, 0x12345678}

// Sample returns an instruction of the shape with random operands: registers,
// conditions, addressing modes and constants. Jumps go to offset target.
func (s Shape) Sample(rng *rand.Rand, target int) amd64.Inst {
	in := amd64.Inst{Op: s.Op}
	if strings.HasSuffix(s.Op, "cc") {
		in.Cond = amd64.Cond(rng.IntN(16))
	}
	for i, k := range s.Form {
		o := amd64.Operand{Kind: amd64.Kind(k), Bits: s.Bits}
		if i > 0 {
			switch s.Op {
			case "MOVZX", "MOVSX":
				o.Bits = 8 << rng.IntN(2)
			case "MOVSXD":
				o.Bits = 32
			case "LEA":
				o.Bits = 0
			}
		}
		switch o.Kind {
		case amd64.TargetKind:
			o.Bits, o.Target = 0, target
		case amd64.RegKind:
			o.Reg = amd64.Reg(rng.IntN(amd64.NumRegs))
		case amd64.ImmKind:
			o.Bits, o.Imm = 0, s.constant(rng)
		case amd64.MemKind:
			o = address(rng, o.Bits)
		}
		in.Args = append(in.Args, o)
	}
	if n := len(in.Args); n > 1 && in.Args[n-1].Kind == amd64.RegKind {
		switch s.Op {
		case "SHL", "SHR", "SAR", "SHLD", "SHRD":
			in.Args[n-1] = amd64.Operand{Kind: amd64.RegKind, Reg: amd64.CX, Bits: 8}
		}
	}
	return in
}

// constant returns a constant operand that the shape can hold.
func (s Shape) constant(rng *rand.Rand) int64 {
	switch s.Op {
	case "SHL", "SHR", "SAR", "ROL", "ROR", "SHLD", "SHRD", "RORX", "BT", "BTS", "BTR", "BTC":
		return []int64{0, 1, 2, 31, 32, 63, 64, rng.Int64N(128)}[rng.IntN(8)]
	}
	v := int64(rng.Uint64())
	if n := rng.IntN(2 * len(constants)); n < len(constants) {
		v = constants[n]
	}
	size := min(s.Bits, 32)
	if s.Op == "MOV" && s.Form == "ri" {
		size = s.Bits
	}
	return v << (64 - size) >> (64 - size)
}

// address returns a random memory operand. Where SP is the base, it has no
// index: the caller may have to choose what SP holds.
func address(rng *rand.Rand, bits int) amd64.Operand {
	o := amd64.Operand{Kind: amd64.MemKind, Bits: bits, Index: amd64.NoReg, Scale: 1}
	o.Base = amd64.Reg(rng.IntN(amd64.NumRegs))
	switch rng.IntN(4) {
	case 0:
	case 1:
		o.Disp = int64(int8(rng.Uint32()))
	default:
		o.Disp = int64(int32(rng.Uint32()))
	}
	if rng.IntN(2) == 0 && o.Base != amd64.SP {
		for o.Index = amd64.SP; o.Index == amd64.SP; {
			o.Index = amd64.Reg(rng.IntN(amd64.NumRegs))
		}
		o.Scale = 1 << rng.IntN(4)
		if rng.IntN(8) == 0 {
			o.Base = amd64.NoReg
		}
	}
	return o
}
