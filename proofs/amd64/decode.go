package amd64

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// Decode decodes the instruction at the given offset of a routine's code.
func Decode(code []byte, offset int) (Inst, error) {
	if offset < 0 || offset >= len(code) {
		return Inst{}, fmt.Errorf("no code at offset %#x of %d bytes", offset, len(code))
	}
	raw, name, err := decodeRaw(code[offset:])
	if err != nil {
		end := min(offset+8, len(code))
		return Inst{}, fmt.Errorf("bytes % x are no instruction that the decoder knows: %w", code[offset:end], err)
	}
	in := Inst{Offset: offset, Len: raw.Len, text: goText(raw, name, offset)}
	in.Op, in.Cond = splitCond(name)
	if in.Op == "NOP" { // its operand is never read, and other prefixes pad it
		for _, p := range raw.Prefix {
			if p&0xff == x86asm.PrefixLOCK {
				in.Op = "LOCK NOP"
			}
		}
		return in, nil
	}
	if _, ok := models[in.Op]; ok {
		in.Op = strayPrefixes(raw) + in.Op // so that it is refused under this name
	}
	for _, a := range raw.Args {
		if a == nil {
			break
		}
		in.Args = append(in.Args, operand(raw, a, offset+raw.Len))
	}
	for i, a := range in.Args { // x86asm does not extend every constant
		if n := in.Args[0].Bits; a.Kind == ImmKind && 0 < n && n < 64 {
			in.Args[i].Imm = a.Imm << (64 - n) >> (64 - n)
		}
	}
	return in, nil
}

// DecodeAll decodes the code of a whole routine from its first byte to its
// last, one instruction after the other.
func DecodeAll(code []byte) ([]Inst, error) {
	var list []Inst
	for at := 0; at < len(code); {
		in, err := Decode(code, at)
		if err != nil {
			return list, fmt.Errorf("offset %#x: %w", at, err)
		}
		list = append(list, in)
		at += in.Len
	}
	return list, nil
}

// endbr64 marks where an indirect jump may land, for control-flow protection.
var endbr64 = []byte{0xf3, 0x0f, 0x1e, 0xfa}

// decodeRaw decodes one instruction and returns it with its mnemonic.
func decodeRaw(code []byte) (x86asm.Inst, string, error) {
	if raw, name, ok := decodeADX(code); ok {
		return raw, name, nil
	}
	if bytes.HasPrefix(code, endbr64) { // x86asm lacks it
		return x86asm.Inst{Len: len(endbr64)}, "ENDBR64", nil
	}
	raw, err := x86asm.Decode(code, 64)
	if err != nil {
		return raw, "", err
	}
	// x86asm reports some instructions that it lacks as the operation 0 and no
	// error.
	if raw.Op == 0 {
		return raw, "", fmt.Errorf("operation without a name")
	}
	// It also accepts the end of the code in place of the ModRM byte that
	// follows a VEX prefix of three bytes and an operation.
	if raw.Prefix[0]&0xff == x86asm.PrefixVEX3Bytes && raw.Len < 5 && models[raw.Op.String()] != nil {
		return raw, "", fmt.Errorf("truncated")
	}
	// And it accepts RORX with a third register in the VEX prefix, which the CPU
	// does not.
	if raw.Op == x86asm.RORX && code[0] == 0xc4 && code[2]&0x78 != 0x78 {
		return raw, "", fmt.Errorf("VEX.vvvv is not 1111")
	}
	return raw, raw.Op.String(), nil
}

// decodeADX decodes ADCX (66 0F 38 F6) and ADOX (F3 0F 38 F6), which x86asm
// lacks. Their operands are encoded as those of POPCNT (F3 0F B8), which is
// one byte shorter, so x86asm is asked for that instruction instead.
func decodeADX(code []byte) (raw x86asm.Inst, name string, ok bool) {
	if len(code) == 0 {
		return raw, "", false
	}
	switch code[0] {
	case 0x66:
		name = "ADCX"
	case 0xf3:
		name = "ADOX"
	default:
		return raw, "", false
	}
	popcnt := []byte{0xf3}
	rest := code[1:]
	if len(rest) > 0 && rest[0]&0xf0 == 0x40 { // REX
		popcnt = append(popcnt, rest[0])
		rest = rest[1:]
	}
	if len(rest) < 3 || rest[0] != 0x0f || rest[1] != 0x38 || rest[2] != 0xf6 {
		return raw, "", false
	}
	// The longest instruction has 15 bytes.
	popcnt = append(append(popcnt, 0x0f, 0xb8), rest[3:min(len(rest), 15)]...)
	raw, err := x86asm.Decode(popcnt, 64)
	if err != nil || raw.Op != x86asm.POPCNT {
		return raw, "", false
	}
	raw.Len++
	raw.Prefix = x86asm.Prefixes{}
	return raw, name, true
}

// goText prints the instruction as Go's assembler spells it, with the offset
// of a jump's target in the routine.
func goText(raw x86asm.Inst, name string, offset int) string {
	if raw.Op == 0 && name == "ENDBR64" {
		return name
	}
	text := x86asm.GoSyntax(raw, uint64(offset), nil)
	if name == "ADCX" || name == "ADOX" {
		suffix := "Q"
		if raw.DataSize == 32 {
			suffix = "L"
		}
		_, args, _ := strings.Cut(text, " ")
		return name + suffix + " " + args
	}
	return text
}

// strayPrefixes names the prefixes, other than REX and VEX, of an instruction
// that should have none: they change the width, the segment or the locking of
// an instruction, or nothing on one CPU and something on another.
func strayPrefixes(raw x86asm.Inst) string {
	var s strings.Builder
	for i, p := range raw.Prefix {
		if p == 0 {
			break
		}
		if i == 0 && p.IsVEX() {
			return "" // the next entries are the payload of the VEX prefix
		}
		if p.IsREX() {
			continue
		}
		fmt.Fprintf(&s, "%v ", p)
	}
	return s.String()
}

// operand converts an operand; next is the offset of the next instruction, to
// which jumps are relative.
func operand(raw x86asm.Inst, arg x86asm.Arg, next int) Operand {
	switch a := arg.(type) {
	case x86asm.Reg:
		if r, bits, ok := register(a); ok {
			return Operand{Kind: RegKind, Reg: r, Bits: bits}
		}
	case x86asm.Imm:
		return Operand{Kind: ImmKind, Imm: int64(a)}
	case x86asm.Rel:
		return Operand{Kind: TargetKind, Target: next + int(a)}
	case x86asm.Mem:
		o := Operand{Kind: MemKind, Bits: 8 * raw.MemBytes, Base: NoReg, Index: NoReg, Scale: 1, Disp: a.Disp}
		plain := a.Segment == 0
		part := func(r x86asm.Reg, to *Reg) {
			if r == 0 {
				return
			}
			g, bits, ok := register(r)
			*to = g
			plain = plain && ok && bits == 64
		}
		part(a.Base, &o.Base)
		part(a.Index, &o.Index)
		if a.Index != 0 {
			o.Scale = int64(a.Scale)
		}
		// Without registers, the address may be relative to RIP: x86asm does
		// not say so for instructions with a VEX prefix.
		if a.Base == x86asm.RIP || a.Base == 0 && a.Index == 0 {
			return Operand{Kind: OtherKind, Other: "static data"}
		}
		if plain {
			return o
		}
	}
	return Operand{Kind: OtherKind, Other: fmt.Sprint(arg)}
}

// register returns the general register that holds r, and the width of r. The
// second bytes AH, CH, DH and BH are not among them.
func register(r x86asm.Reg) (Reg, int, bool) {
	switch {
	case x86asm.RAX <= r && r <= x86asm.R15:
		return Reg(r - x86asm.RAX), 64, true
	case x86asm.EAX <= r && r <= x86asm.R15L:
		return Reg(r - x86asm.EAX), 32, true
	case x86asm.AX <= r && r <= x86asm.R15W:
		return Reg(r - x86asm.AX), 16, true
	case x86asm.AL <= r && r <= x86asm.BL:
		return Reg(r - x86asm.AL), 8, true
	case x86asm.SPB <= r && r <= x86asm.R15B:
		return SP + Reg(r-x86asm.SPB), 8, true
	}
	return NoReg, 0, false
}
