package encode

import (
	"encoding/binary"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
)

// Opcode numbers of families that differ in three bits.
var (
	arithmetic = map[string]int{"ADD": 0, "OR": 1, "ADC": 2, "SBB": 3, "AND": 4, "SUB": 5, "XOR": 6, "CMP": 7}
	shifts     = map[string]int{"ROL": 0, "ROR": 1, "SHL": 4, "SHR": 5, "SAR": 7}
	unary      = map[string]int{"NOT": 2, "NEG": 3, "MUL": 4, "IMUL": 5}
	bitTests   = map[string]int{"BT": 4, "BTS": 5, "BTR": 6, "BTC": 7}
	steps      = map[string]int{"INC": 0, "DEC": 1}
	singles    = map[string][]byte{
		"CLC": {0xf8}, "STC": {0xf9}, "CMC": {0xf5}, "NOP": {0x90}, "RET": {0xc3}, "ENDBR64": {0xf3, 0x0f, 0x1e, 0xfa},
	}
)

// layouts returns the ways to encode a modelled instruction.
func layouts(in amd64.Inst) []layout {
	op, form := in.Op, in.Form()
	if b, ok := singles[op]; ok {
		return []layout{opcode(b...)}
	}
	n := in.Args[0].Bits
	// sized is the opcode of a family whose even member has operands of 8 bits.
	sized := func(b byte) layout {
		if n == 8 {
			b--
		}
		return opcode(b)
	}
	immSize := min(n/8, 4)
	switch {
	case op == "JMP" || op == "Jcc":
		return jump(in)
	case form == "rm" || form == "rr":
		if l := twoOperands(in, sized); l != nil {
			return l
		}
	}
	if k, ok := arithmetic[op]; ok {
		if form == "mr" {
			return []layout{sized(byte(8*k+1)).fields(1, 0)}
		}
		short := opcode(0x83).digits(k, 0).constant(1, 1)
		full := sized(0x81).digits(k, 0).constant(1, immSize)
		list := []layout{short, full}
		if n == 8 {
			list = list[1:]
		}
		if form == "ri" && in.Args[0].Reg == amd64.AX {
			list = append(list, sized(byte(8*k+5)).constant(1, immSize))
		}
		return list
	}
	if k, ok := unary[op]; ok && len(form) == 1 {
		return []layout{sized(0xf7).digits(k, 0)}
	}
	if k, ok := steps[op]; ok {
		return []layout{sized(0xff).digits(k, 0)}
	}
	if k, ok := bitTests[op]; ok { // by a constant
		return []layout{opcode(0x0f, 0xba).digits(k, 0).constant(1, 1)}
	}
	if k, ok := shifts[op]; ok {
		if form[1] == 'r' {
			return []layout{opcode(0xd3).digits(k, 0)}
		}
		list := []layout{opcode(0xc1).digits(k, 0).constant(1, 1)}
		if in.Args[1].Imm == 1 {
			list = append(list, opcode(0xd1).digits(k, 0))
		}
		return list
	}
	switch op {
	case "MOV":
		switch form {
		case "mr":
			return []layout{sized(0x89).fields(1, 0)}
		case "mi":
			return []layout{sized(0xc7).digits(0, 0).constant(1, immSize)}
		}
		list := []layout{sized(0xc7).digits(0, 0).constant(1, immSize)}
		if n == 8 {
			return append(list, opcode(0xb0).added(0).constant(1, 1))
		}
		return append(list, opcode(0xb8).added(0).constant(1, n/8))
	case "XCHG":
		return []layout{opcode(0x87).fields(1, 0)}
	case "TEST":
		if form == "mr" {
			return []layout{sized(0x85).fields(1, 0)}
		}
		list := []layout{sized(0xf7).digits(0, 0).constant(1, immSize)}
		if form == "ri" && in.Args[0].Reg == amd64.AX {
			list = append(list, sized(0xa9).constant(1, immSize))
		}
		return list
	case "PUSH":
		list := []layout{opcode(0xff).digits(6, 0).narrow()}
		if form == "r" {
			list = append([]layout{opcode(0x50).added(0).narrow()}, list...)
		}
		return list
	case "POP":
		return []layout{opcode(0x58).added(0).narrow(), opcode(0x8f).digits(0, 0).narrow()}
	case "SETcc":
		return []layout{opcode(0x0f, 0x90+byte(in.Cond)).digits(0, 0)}
	case "IMUL":
		return []layout{opcode(0x6b).fields(0, 1).constant(2, 1), opcode(0x69).fields(0, 1).constant(2, 4)}
	case "SHLD", "SHRD":
		code := map[string]byte{"SHLD": 0xa4, "SHRD": 0xac}[op]
		if form[2] == 'r' {
			return []layout{opcode(0x0f, code+1).fields(1, 0)}
		}
		return []layout{opcode(0x0f, code).fields(1, 0).constant(2, 1)}
	case "MULX":
		return []layout{opcode(0x0f, 0x38, 0xf6).fields(0, 2).vexed(0xf2, 1)}
	case "ANDN":
		return []layout{opcode(0x0f, 0x38, 0xf2).fields(0, 2).vexed(0, 1)}
	case "SHLX", "SHRX", "SARX":
		p := map[string]byte{"SHLX": 0x66, "SHRX": 0xf2, "SARX": 0xf3}[op]
		return []layout{opcode(0x0f, 0x38, 0xf7).fields(0, 1).vexed(p, 2)}
	case "BZHI":
		return []layout{opcode(0x0f, 0x38, 0xf5).fields(0, 1).vexed(0, 2)}
	case "RORX":
		return []layout{opcode(0x0f, 0x3a, 0xf0).fields(0, 1).vexed(0xf2, -1).constant(2, 1)}
	}
	return nil
}

// twoOperands returns the layouts of a register and another register or memory.
func twoOperands(in amd64.Inst, sized func(byte) layout) []layout {
	rm := func(l layout) []layout { return []layout{l.fields(0, 1)} }
	// either is for two registers, which may stand either way round.
	either := func(mr, rmOp layout) []layout {
		if in.Form() == "rr" {
			return []layout{mr.fields(1, 0), rmOp.fields(0, 1)}
		}
		return rm(rmOp)
	}
	wide := byte(0)
	if in.Args[1].Bits == 16 {
		wide = 1
	}
	if k, ok := arithmetic[in.Op]; ok {
		return either(sized(byte(8*k+1)), sized(byte(8*k+3)))
	}
	if k, ok := bitTests[in.Op]; ok {
		return []layout{opcode(0x0f, byte(0xa3+8*(k-4))).fields(1, 0)}
	}
	switch in.Op {
	case "MOV":
		return either(sized(0x89), sized(0x8b))
	case "MOVZX":
		return rm(opcode(0x0f, 0xb6+wide))
	case "MOVSX":
		return rm(opcode(0x0f, 0xbe+wide))
	case "MOVSXD":
		return rm(opcode(0x63))
	case "LEA":
		return rm(opcode(0x8d))
	case "CMOVcc":
		return rm(opcode(0x0f, 0x40+byte(in.Cond)))
	case "IMUL":
		return rm(opcode(0x0f, 0xaf))
	case "ADCX":
		return rm(opcode(0x0f, 0x38, 0xf6).prefixed(0x66))
	case "ADOX":
		return rm(opcode(0x0f, 0x38, 0xf6).prefixed(0xf3))
	case "TEST":
		return []layout{sized(0x85).fields(1, 0)}
	}
	return nil
}

// jump returns the layout of a jump, whose displacement is part of the opcode
// here: it counts from the end of the instruction.
func jump(in amd64.Inst) []layout {
	b := []byte{0xe9}
	if in.Op == "Jcc" {
		b = []byte{0x0f, 0x80 + byte(in.Cond)}
	}
	next := in.Offset + len(b) + 4
	return []layout{opcode(binary.LittleEndian.AppendUint32(b, uint32(int32(in.Args[0].Target-next)))...)}
}
