package amd64_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

func reg(r amd64.Reg, bits int) amd64.Operand {
	return amd64.Operand{Kind: amd64.RegKind, Reg: r, Bits: bits}
}

func imm(v int64) amd64.Operand { return amd64.Operand{Kind: amd64.ImmKind, Imm: v} }

func mem(base amd64.Reg, disp int64, bits int) amd64.Operand {
	return amd64.Operand{Kind: amd64.MemKind, Base: base, Index: amd64.NoReg, Scale: 1, Disp: disp, Bits: bits}
}

type regs map[amd64.Reg]uint64

const (
	cx, dx, si, di, ax, sp = amd64.CX, amd64.DX, amd64.SI, amd64.DI, amd64.AX, amd64.SP

	max64 = 1<<64 - 1
	top   = 1 << 63
)

// meanings are what instructions do to registers and flags, worked out by hand
// from the pseudocode of the manual. Flags are in the order C P Z S O; a
// question mark is an undefined flag.
var meanings = []struct {
	op         string
	bits       int
	args       []amd64.Operand
	in         regs
	flags      string
	out        regs // the others stay
	wantFlags  string
	cond       amd64.Cond
	exit       machine.ExitKind
	memoryWord uint64 // at address 64 afterwards, if not 0
}{
	{op: "ADD", bits: 64, in: regs{cx: max64, si: 1}, out: regs{cx: 0}, wantFlags: "11100"},
	{op: "ADD", bits: 64, in: regs{cx: top - 1, si: 1}, out: regs{cx: top}, wantFlags: "01011"},
	{op: "ADD", bits: 32, in: regs{cx: 0xaaaaaaaaffffffff, si: 0xbbbbbbbb00000001}, out: regs{cx: 0}, wantFlags: "11100"},
	{op: "ADD", bits: 32, in: regs{cx: 0x7fffffff, si: 1}, out: regs{cx: 0x80000000}, wantFlags: "01011"},
	{op: "ADC", bits: 64, in: regs{cx: max64, si: max64}, flags: "10000", out: regs{cx: max64}, wantFlags: "11010"},
	{op: "ADC", bits: 32, in: regs{cx: 1, si: 2}, flags: "10000", out: regs{cx: 4}, wantFlags: "00000"},
	{op: "SUB", bits: 64, in: regs{cx: 0, si: 1}, out: regs{cx: max64}, wantFlags: "11010"},
	{op: "SUB", bits: 64, in: regs{cx: top, si: 1}, out: regs{cx: top - 1}, wantFlags: "01001"},
	{op: "SUB", bits: 32, in: regs{cx: 1 << 32, si: 1}, out: regs{cx: 0xffffffff}, wantFlags: "11010"},
	{op: "SUB", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(cx, 64)}, in: regs{cx: 7}, out: regs{cx: 0}, wantFlags: "01100"},
	{op: "SBB", bits: 64, in: regs{cx: 5, si: 5}, flags: "10000", out: regs{cx: max64}, wantFlags: "11010"},
	{op: "SBB", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(cx, 64)}, in: regs{cx: 7}, flags: "10000", out: regs{cx: max64}, wantFlags: "11010"},
	{op: "SBB", bits: 32, args: []amd64.Operand{reg(cx, 32), reg(cx, 32)}, in: regs{cx: max64}, out: regs{cx: 0}, wantFlags: "01100"},
	{op: "CMP", bits: 64, in: regs{cx: 3, si: 5}, wantFlags: "10010"},
	{op: "NEG", bits: 64, args: []amd64.Operand{reg(cx, 64)}, in: regs{cx: 0}, out: regs{cx: 0}, wantFlags: "01100"},
	{op: "NEG", bits: 64, args: []amd64.Operand{reg(cx, 64)}, in: regs{cx: 1}, out: regs{cx: max64}, wantFlags: "11010"},
	{op: "NEG", bits: 64, args: []amd64.Operand{reg(cx, 64)}, in: regs{cx: top}, out: regs{cx: top}, wantFlags: "11011"},
	{op: "INC", bits: 64, args: []amd64.Operand{reg(cx, 64)}, in: regs{cx: top - 1}, flags: "10000", out: regs{cx: top}, wantFlags: "11011"},
	{op: "INC", bits: 64, args: []amd64.Operand{reg(cx, 64)}, in: regs{cx: max64}, out: regs{cx: 0}, wantFlags: "01100"},
	{op: "DEC", bits: 64, args: []amd64.Operand{reg(cx, 64)}, in: regs{cx: 0}, out: regs{cx: max64}, wantFlags: "01010"},
	{op: "DEC", bits: 64, args: []amd64.Operand{reg(cx, 64)}, in: regs{cx: top}, flags: "10000", out: regs{cx: top - 1}, wantFlags: "11001"},
	{op: "ADCX", bits: 64, in: regs{cx: max64, si: 0}, flags: "11011", out: regs{cx: 0}, wantFlags: "11011"},
	{op: "ADCX", bits: 64, in: regs{cx: 1, si: 2}, flags: "11011", out: regs{cx: 4}, wantFlags: "01011"},
	{op: "ADOX", bits: 64, in: regs{cx: max64, si: 0}, flags: "00011", out: regs{cx: 0}, wantFlags: "00011"},
	{op: "ADOX", bits: 64, in: regs{cx: 1, si: 2}, flags: "11011", out: regs{cx: 4}, wantFlags: "11010"},

	{op: "MUL", bits: 64, args: []amd64.Operand{reg(si, 64)}, in: regs{ax: max64, si: max64}, out: regs{dx: max64 - 1, ax: 1}, wantFlags: "1???1"},
	{op: "MUL", bits: 64, args: []amd64.Operand{reg(si, 64)}, in: regs{ax: 2, si: 3, dx: 9}, out: regs{dx: 0, ax: 6}, wantFlags: "0???0"},
	{op: "MUL", bits: 32, args: []amd64.Operand{reg(si, 32)}, in: regs{ax: max64, si: 2, dx: max64}, out: regs{dx: 1, ax: 0xfffffffe}, wantFlags: "1???1"},
	{op: "MULX", bits: 64, args: []amd64.Operand{reg(di, 64), reg(cx, 64), reg(si, 64)}, in: regs{dx: max64, si: max64}, flags: "10101", out: regs{di: max64 - 1, cx: 1}, wantFlags: "10101"},
	{op: "MULX", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(cx, 64), reg(si, 64)}, in: regs{dx: max64, si: max64}, out: regs{cx: max64 - 1}, wantFlags: "00000"},
	{op: "MULX", bits: 32, args: []amd64.Operand{reg(di, 32), reg(cx, 32), reg(si, 32)}, in: regs{dx: max64, si: 2}, out: regs{di: 1, cx: 0xfffffffe}, wantFlags: "00000"},
	{op: "IMUL", bits: 64, in: regs{cx: max64, si: 5}, out: regs{cx: max64 - 4}, wantFlags: "0???0"},
	{op: "IMUL", bits: 64, in: regs{cx: 1 << 62, si: 2}, out: regs{cx: top}, wantFlags: "1???1"},
	{op: "IMUL", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), imm(-19)}, in: regs{si: 2}, out: regs{cx: max64 - 37}, wantFlags: "0???0"},
	{op: "IMUL", bits: 32, in: regs{cx: 0x10000, si: 0x8000}, out: regs{cx: 0x80000000}, wantFlags: "1???1"},

	{op: "AND", bits: 64, in: regs{cx: 0xf0, si: 0x3c}, flags: "11111", out: regs{cx: 0x30}, wantFlags: "01000"},
	{op: "AND", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(-2)}, in: regs{cx: max64}, out: regs{cx: max64 - 1}, wantFlags: "00010"},
	{op: "TEST", bits: 64, in: regs{cx: max64, si: 0}, flags: "10001", wantFlags: "01100"},
	{op: "TEST", bits: 8, in: regs{cx: 0x180, si: 0x180}, wantFlags: "00010"},
	{op: "ANDN", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), reg(di, 64)}, in: regs{si: 0xf0, di: 0xff}, flags: "10111", out: regs{cx: 0x0f}, wantFlags: "0?000"},
	{op: "OR", bits: 64, in: regs{cx: top, si: 1}, out: regs{cx: top | 1}, wantFlags: "00010"},
	{op: "XOR", bits: 64, in: regs{cx: 5, si: 5}, flags: "10001", out: regs{cx: 0}, wantFlags: "01100"},
	{op: "XOR", bits: 64, in: regs{cx: 5, si: 3}, out: regs{cx: 6}, wantFlags: "01000"},
	{op: "XOR", bits: 32, args: []amd64.Operand{reg(cx, 32), reg(cx, 32)}, in: regs{cx: max64}, out: regs{cx: 0}, wantFlags: "01100"},
	{op: "NOT", bits: 64, args: []amd64.Operand{reg(cx, 64)}, in: regs{cx: 1}, flags: "10101", out: regs{cx: max64 - 1}, wantFlags: "10101"},
	{op: "BT", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(2)}, in: regs{cx: 4}, flags: "00100", wantFlags: "1?1??"},
	{op: "BT", bits: 64, in: regs{cx: 8, si: 67}, wantFlags: "1?0??"},

	{op: "SHL", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(1)}, in: regs{cx: 3 << 62}, out: regs{cx: top}, wantFlags: "11010"},
	{op: "SHL", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(1)}, in: regs{cx: 1 << 62}, out: regs{cx: top}, wantFlags: "01011"},
	{op: "SHL", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(4)}, in: regs{cx: 1 << 60}, out: regs{cx: 0}, wantFlags: "1110?"},
	{op: "SHL", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(64)}, in: regs{cx: 7}, flags: "10101", out: regs{cx: 7}, wantFlags: "10101"},
	{op: "SHL", bits: 32, args: []amd64.Operand{reg(cx, 32), imm(32)}, in: regs{cx: max64}, flags: "10101", out: regs{cx: 0xffffffff}, wantFlags: "10101"},
	{op: "SHR", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(1)}, in: regs{cx: top | 1}, out: regs{cx: 1 << 62}, wantFlags: "11001"},
	{op: "SAR", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(63)}, in: regs{cx: top}, out: regs{cx: max64}, wantFlags: "0101?"},
	{op: "SAR", bits: 32, args: []amd64.Operand{reg(cx, 32), imm(1)}, in: regs{cx: 0x80000001}, out: regs{cx: 0xc0000000}, wantFlags: "11010"},
	{op: "SHLD", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), imm(4)}, in: regs{cx: 1 << 60, si: 0xf << 60}, out: regs{cx: 0xf}, wantFlags: "1100?"},
	{op: "SHLD", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), imm(1)}, in: regs{cx: 1 << 62, si: top}, out: regs{cx: top | 1}, wantFlags: "00011"},
	{op: "SHRD", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), imm(4)}, in: regs{cx: 0x28, si: 0xa}, out: regs{cx: 0xa<<60 | 2}, wantFlags: "1001?"},
	{op: "SHLX", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), reg(di, 64)}, in: regs{si: 3, di: 68}, flags: "10101", out: regs{cx: 48}, wantFlags: "10101"},
	{op: "SHRX", bits: 32, args: []amd64.Operand{reg(cx, 32), reg(si, 32), reg(di, 32)}, in: regs{si: 0xff00000080, di: 36}, out: regs{cx: 8}, wantFlags: "00000"},
	{op: "SARX", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), reg(di, 64)}, in: regs{si: top, di: 63}, out: regs{cx: max64}, wantFlags: "00000"},
	{op: "BZHI", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), reg(di, 64)}, in: regs{si: 0xff, di: 4}, flags: "10101", out: regs{cx: 0x0f}, wantFlags: "0?000"},
	{op: "BZHI", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), reg(di, 64)}, in: regs{si: 0xff, di: 0x104}, flags: "00000", out: regs{cx: 0x0f}, wantFlags: "0?000"},
	{op: "BZHI", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), reg(di, 64)}, in: regs{si: max64, di: 0}, flags: "00011", out: regs{cx: 0}, wantFlags: "0?100"},
	{op: "BZHI", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), reg(di, 64)}, in: regs{si: max64, di: 63}, flags: "00000", out: regs{cx: max64 >> 1}, wantFlags: "0?000"},
	{op: "BZHI", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), reg(di, 64)}, in: regs{si: max64, di: 64}, flags: "00001", out: regs{cx: max64}, wantFlags: "1?010"},
	{op: "BZHI", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), reg(di, 64)}, in: regs{si: 1, di: 255}, flags: "00000", out: regs{cx: 1}, wantFlags: "1?000"},
	{op: "BZHI", bits: 32, args: []amd64.Operand{reg(cx, 32), reg(si, 32), reg(di, 32)}, in: regs{si: 0xff80000000, di: 32}, flags: "00000", out: regs{cx: 0x80000000}, wantFlags: "1?010"},
	{op: "RORX", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 64), imm(4)}, in: regs{si: 0x1f}, out: regs{cx: 0xf<<60 | 1}, wantFlags: "00000"},
	{op: "RORX", bits: 32, args: []amd64.Operand{reg(cx, 32), reg(si, 32), imm(32)}, in: regs{si: 0xff0000001f}, out: regs{cx: 0x1f}, wantFlags: "00000"},

	{op: "MOV", bits: 64, in: regs{cx: 1, si: max64}, flags: "10101", out: regs{cx: max64}, wantFlags: "10101"},
	{op: "MOV", bits: 32, args: []amd64.Operand{reg(cx, 32), imm(-1)}, in: regs{cx: max64}, out: regs{cx: 0xffffffff}, wantFlags: "00000"},
	{op: "MOV", bits: 64, args: []amd64.Operand{mem(si, 16, 64), reg(cx, 64)}, in: regs{cx: 7, si: 48}, memoryWord: 7, wantFlags: "00000"},
	{op: "MOV", bits: 32, args: []amd64.Operand{mem(si, 0, 32), imm(-1)}, in: regs{si: 64}, memoryWord: 0x99ffffffff, wantFlags: "00000"},
	{op: "MOVZX", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 8)}, in: regs{cx: max64, si: 0x123}, out: regs{cx: 0x23}, wantFlags: "00000"},
	{op: "LEA", bits: 64, args: []amd64.Operand{reg(cx, 64), {Kind: amd64.MemKind, Base: si, Index: di, Scale: 4, Disp: -5}}, in: regs{si: 1, di: 1 << 62}, flags: "10000", out: regs{cx: max64 - 3}, wantFlags: "10000"},
	{op: "LEA", bits: 32, args: []amd64.Operand{reg(cx, 32), mem(si, 1, 0)}, in: regs{si: 0x1ffffffff}, out: regs{cx: 0}, wantFlags: "00000"},
	{op: "XCHG", bits: 64, in: regs{cx: 1, si: 2}, out: regs{cx: 2, si: 1}, wantFlags: "00000"},
	{op: "PUSH", bits: 64, args: []amd64.Operand{reg(amd64.BP, 64)}, in: regs{sp: 72, amd64.BP: 5}, out: regs{sp: 64}, memoryWord: 5, wantFlags: "00000"},
	{op: "POP", bits: 64, args: []amd64.Operand{reg(amd64.BP, 64)}, in: regs{sp: 64}, out: regs{sp: 72, amd64.BP: 0x9900000042}, wantFlags: "00000"},
	{op: "CMOVcc", bits: 64, cond: amd64.CondB, in: regs{cx: 1, si: 2}, flags: "10000", out: regs{cx: 2}, wantFlags: "10000"},
	{op: "CMOVcc", bits: 32, cond: amd64.CondB, in: regs{cx: max64, si: 2}, out: regs{cx: 0xffffffff}, wantFlags: "00000"},
	{op: "SETcc", bits: 8, cond: amd64.CondAE, args: []amd64.Operand{reg(cx, 8)}, in: regs{cx: max64}, out: regs{cx: max64 - 0xfe}, wantFlags: "00000"},

	{op: "MOV", bits: 8, args: []amd64.Operand{reg(cx, 8), reg(si, 8)}, in: regs{cx: max64, si: 0x123}, out: regs{cx: max64 - 0xdc}, wantFlags: "00000"},
	{op: "MOVSX", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 8)}, in: regs{si: 0x180}, out: regs{cx: max64 - 0x7f}, wantFlags: "00000"},
	{op: "MOVSX", bits: 32, args: []amd64.Operand{reg(cx, 32), reg(si, 16)}, in: regs{cx: max64, si: 0x8001}, out: regs{cx: 0xffff8001}, wantFlags: "00000"},
	{op: "MOVSXD", bits: 64, args: []amd64.Operand{reg(cx, 64), reg(si, 32)}, in: regs{si: 0x1_8000_0000}, out: regs{cx: 0xffffffff_80000000}, wantFlags: "00000"},
	{op: "PUSH", bits: 64, args: []amd64.Operand{mem(sp, -8, 64)}, in: regs{sp: 72}, out: regs{sp: 64}, memoryWord: 0x9900000042, wantFlags: "00000"},
	{op: "POP", bits: 64, args: []amd64.Operand{reg(sp, 64)}, in: regs{sp: 64}, out: regs{sp: 0x9900000042}, wantFlags: "00000"},
	{op: "ADD", bits: 8, in: regs{cx: 0x1ff, si: 0x2ff01}, out: regs{cx: 0x100}, wantFlags: "11100"},
	{op: "ADD", bits: 8, in: regs{cx: 0x7f, si: 1}, out: regs{cx: 0x80}, wantFlags: "00011"},
	{op: "SUB", bits: 8, in: regs{cx: 0x100, si: 1}, out: regs{cx: 0x1ff}, wantFlags: "11010"},
	{op: "CLC", flags: "11111", wantFlags: "01111"},
	{op: "STC", flags: "00000", wantFlags: "10000"},
	{op: "CMC", flags: "10100", wantFlags: "00100"},
	{op: "CMC", flags: "00100", wantFlags: "10100"},
	{op: "IMUL", bits: 64, args: []amd64.Operand{reg(si, 64)}, in: regs{ax: max64, si: 5}, out: regs{dx: max64, ax: max64 - 4}, wantFlags: "0???0"},
	{op: "IMUL", bits: 64, args: []amd64.Operand{reg(si, 64)}, in: regs{ax: top, si: top}, out: regs{dx: 1 << 62, ax: 0}, wantFlags: "1???1"},
	{op: "IMUL", bits: 32, args: []amd64.Operand{reg(si, 32)}, in: regs{ax: 0x80000000, si: 2, dx: max64}, out: regs{dx: 0xffffffff, ax: 0}, wantFlags: "1???1"},
	{op: "BTS", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(63)}, in: regs{cx: 1}, flags: "10100", out: regs{cx: top | 1}, wantFlags: "0?1??"},
	{op: "BTS", bits: 64, in: regs{cx: 8, si: 67}, out: regs{cx: 8}, wantFlags: "1?0??"},
	{op: "BTR", bits: 32, in: regs{cx: max64, si: 32}, out: regs{cx: 0xfffffffe}, wantFlags: "1?0??"},
	{op: "BTC", bits: 64, in: regs{cx: 8, si: 3}, out: regs{cx: 0}, wantFlags: "1?0??"},
	{op: "BTC", bits: 64, in: regs{cx: 8, si: 2}, out: regs{cx: 12}, wantFlags: "0?0??"},
	{op: "SHL", bits: 64, args: []amd64.Operand{reg(si, 64), reg(cx, 8)}, in: regs{si: 3, cx: 0x144}, flags: "10101", out: regs{si: 48}, wantFlags: "?????"},
	{op: "SHR", bits: 32, args: []amd64.Operand{reg(si, 32), reg(cx, 8)}, in: regs{si: max64, cx: 32}, out: regs{si: 0xffffffff}, wantFlags: "?????"},
	{op: "SAR", bits: 64, args: []amd64.Operand{reg(si, 64), reg(cx, 8)}, in: regs{si: top, cx: 63}, out: regs{si: max64}, wantFlags: "?????"},
	{op: "SHLD", bits: 64, args: []amd64.Operand{reg(si, 64), reg(di, 64), reg(cx, 8)}, in: regs{si: 1, di: 3 << 62, cx: 2}, out: regs{si: 7}, wantFlags: "?????"},
	{op: "SHLD", bits: 64, args: []amd64.Operand{reg(si, 64), reg(di, 64), reg(cx, 8)}, in: regs{si: 1, di: max64, cx: 64}, out: regs{si: 1}, wantFlags: "?????"},
	{op: "SHRD", bits: 64, args: []amd64.Operand{reg(si, 64), reg(di, 64), reg(cx, 8)}, in: regs{si: 4, di: 1, cx: 1}, out: regs{si: top | 2}, wantFlags: "?????"},
	{op: "SHRD", bits: 32, args: []amd64.Operand{reg(si, 32), reg(di, 32), reg(cx, 8)}, in: regs{si: 4, di: max64, cx: 32}, out: regs{si: 4}, wantFlags: "?????"},
	{op: "ROL", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(1)}, in: regs{cx: top}, flags: "01110", out: regs{cx: 1}, wantFlags: "11111"},
	{op: "ROL", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(4)}, in: regs{cx: 0x1f << 59}, out: regs{cx: 8<<60 | 0xf}, wantFlags: "1000?"},
	{op: "ROR", bits: 64, args: []amd64.Operand{reg(cx, 64), imm(1)}, in: regs{cx: 3}, out: regs{cx: top | 1}, wantFlags: "10001"},
	{op: "ROR", bits: 32, args: []amd64.Operand{reg(cx, 32), imm(0)}, in: regs{cx: max64}, flags: "10101", out: regs{cx: 0xffffffff}, wantFlags: "10101"},

	{op: "NOP", wantFlags: "00000"},
	{op: "ENDBR64", wantFlags: "00000"},
	{op: "RET", exit: machine.Return, wantFlags: "00000"},
	{op: "JMP", args: []amd64.Operand{{Kind: amd64.TargetKind, Target: 40}}, exit: machine.Jump, wantFlags: "00000"},
	{op: "Jcc", cond: amd64.CondE, args: []amd64.Operand{{Kind: amd64.TargetKind, Target: 40}}, flags: "00100", exit: machine.Branch, wantFlags: "00100"},
}

func parseFlags(s string) (f [amd64.NumFlags]emulate.Bit) {
	for i := range s {
		f[i] = map[byte]emulate.Bit{'0': 0, '1': 1, '?': emulate.Undefined}[s[i]]
	}
	return f
}

func TestStep(t *testing.T) {
	seen := make(map[string]bool)
	for i, tt := range meanings {
		seen[tt.op] = true
		name := fmt.Sprintf("row %d, %s of %d bits", i, tt.op, tt.bits)
		in := amd64.Inst{Op: tt.op, Cond: tt.cond, Args: tt.args}
		if tt.bits != 0 && tt.args == nil {
			in.Args = []amd64.Operand{reg(cx, tt.bits), reg(si, tt.bits)}
		}
		memory := emulate.Defined("memory", 64, 8, true)
		memory.SetLimb(0, 0x99_0000_0042)
		m := &emulate.Machine{Flags: parseFlags(tt.flags)}
		m.Mem.Regions = []*emulate.Region{memory}
		for r, v := range tt.in {
			m.Regs[r] = emulate.Number(v)
		}
		want := m.Regs
		for r, v := range tt.out {
			want[r] = emulate.Number(v)
		}
		exit, err := m.Step(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Regs != want {
			t.Errorf("%s: registers are %#x, want %#x", name, m.Regs, want)
		}
		if f := parseFlags(tt.wantFlags); m.Flags != f {
			t.Errorf("%s: flags C P Z S O are %v, want %v", name, m.Flags, f)
		}
		if w, _ := memory.Limb(0); tt.memoryWord != 0 && w != tt.memoryWord {
			t.Errorf("%s: memory is %#x, want %#x", name, w, tt.memoryWord)
		}
		if exit.Kind != tt.exit || exit.Kind == machine.Branch && exit.Cond != 1 ||
			(exit.Kind == machine.Jump || exit.Kind == machine.Branch) && exit.Target != 40 {
			t.Errorf("%s: goes to %+v, want %v", name, exit, tt.exit)
		}
	}
	for _, r := range amd64.Models() {
		if !seen[r.Op] {
			t.Errorf("%s is modelled but not in this test", r.Op)
		}
	}
}

// TestAllowListIsModelled checks that the allow-list has a reason for every
// line, and only forms that have a meaning.
func TestAllowListIsModelled(t *testing.T) {
	for _, r := range amd64.AllowList() {
		if r.Reason == "" {
			t.Errorf("%s is on the allow-list without a reason", r.Op)
		}
		found := false
		for _, m := range amd64.Models() {
			if m.Op != r.Op {
				continue
			}
			found = true
			for _, f := range strings.Fields(r.Forms) {
				if !slices.Contains(strings.Fields(m.Forms), f) {
					t.Errorf("%s with operands %q is on the allow-list but not modelled", r.Op, f)
				}
			}
			for _, b := range strings.Fields(r.Bits) {
				if !slices.Contains(strings.Fields(m.Bits), b) {
					t.Errorf("%s of %s bits is on the allow-list but not modelled", r.Op, b)
				}
			}
		}
		if !found {
			t.Errorf("%s is on the allow-list but not modelled", r.Op)
		}
	}
}

// TestConditions compares every condition after CMP with what its name says of
// the two numbers.
func TestConditions(t *testing.T) {
	values := []uint64{0, 1, 2, 3, top - 1, top, top + 1, max64 - 1, max64}
	for _, a := range values {
		for _, b := range values {
			s, u := int64(a), int64(b)
			over := (s < 0) != (u < 0) && (int64(a-b) < 0) != (s < 0)
			odd := strings.Count(fmt.Sprintf("%b", uint8(a-b)), "1")%2 == 1
			want := [16]bool{over, !over, a < b, a >= b, a == b, a != b, a <= b, a > b,
				int64(a-b) < 0, int64(a-b) >= 0, !odd, odd, s < u, s >= u, s <= u, s > u}
			for c, w := range want {
				m := &emulate.Machine{}
				m.Regs[cx], m.Regs[si], m.Regs[di] = emulate.Number(a), emulate.Number(b), emulate.Number(max64)
				for _, in := range []amd64.Inst{
					{Op: "CMP", Args: []amd64.Operand{reg(cx, 64), reg(si, 64)}},
					{Op: "SETcc", Cond: amd64.Cond(c), Args: []amd64.Operand{reg(di, 8)}},
				} {
					if _, err := m.Step(in); err != nil {
						t.Fatal(err)
					}
				}
				if got := m.Regs[di].V & 0xff; got != map[bool]uint64{false: 0, true: 1}[w] {
					t.Errorf("%#x %v %#x is %d, want %v", a, amd64.Cond(c), b, got, w)
				}
			}
		}
	}
}

// TestStepRefuses holds instructions without a meaning: they are named, and
// change nothing.
func TestStepRefuses(t *testing.T) {
	for _, tt := range []struct {
		in   amd64.Inst
		want string
	}{
		{amd64.Inst{Op: "DIV", Args: []amd64.Operand{reg(cx, 64)}}, "DIV is not modelled"},
		{amd64.Inst{Op: "ADD", Args: []amd64.Operand{reg(cx, 16), reg(si, 16)}}, "ADD of 16 bits is not modelled, only of 8 or 32 or 64"},
		{amd64.Inst{Op: "ADD", Args: []amd64.Operand{reg(cx, 64), reg(si, 32)}}, "ADD with operand 1 of 32 bits is not modelled, only of 64"},
		{amd64.Inst{Op: "MOVZX", Args: []amd64.Operand{reg(cx, 64), reg(si, 32)}}, "MOVZX of 32 bits is not modelled, only of 8 or 16"},
		{amd64.Inst{Op: "MOVSXD", Args: []amd64.Operand{reg(cx, 64), reg(si, 16)}}, "MOVSXD with operand 1 of 16 bits"},
		{amd64.Inst{Op: "LEA", Args: []amd64.Operand{reg(cx, 64), mem(si, 0, 64)}}, "LEA with operand 1 of 64 bits"},
		{amd64.Inst{Op: "SHL", Args: []amd64.Operand{reg(cx, 64), reg(si, 8)}}, "SHL by SI is not modelled, only by CL"},
		{amd64.Inst{Op: "XCHG", Args: []amd64.Operand{reg(cx, 64), mem(si, 0, 64)}}, `XCHG with operands "rm" is not modelled, only "rr mr"`},
		{amd64.Inst{Op: "ADD"}, `ADD with operands "" is not modelled`},
		{amd64.Inst{Op: "MULX", Args: []amd64.Operand{reg(cx, 64), reg(cx, 64), reg(cx, 64), reg(cx, 64)}}, `MULX with operands "rrrr" is not modelled`},
		{amd64.Inst{Op: "MOV", Args: []amd64.Operand{reg(cx, 64), {Kind: amd64.OtherKind, Other: "static data"}}}, "MOV with operand static data is not modelled"},
	} {
		m := &emulate.Machine{}
		if _, err := m.Step(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) || m.Regs != (emulate.Machine{}).Regs {
			t.Errorf("%v: got error %v, want %q", tt.in.Op, err, tt.want)
		}
	}
}
