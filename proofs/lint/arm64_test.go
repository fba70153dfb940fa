package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Short forms of instructions of arm64.
func a64(op string, args ...arm64.Operand) arm64.Inst { return arm64.Inst{Op: op, Args: args} }

func x(r arm64.Reg) arm64.Operand { return arm64.Operand{Kind: arm64.RegKind, Reg: r} }

func imm(v uint64) arm64.Operand { return arm64.Operand{Kind: arm64.ImmKind, Imm: v} }

func at(r arm64.Reg, disp int64) arm64.Operand {
	return arm64.Operand{Kind: arm64.MemKind, Reg: r, Disp: disp}
}

func pre(r arm64.Reg, disp int64) arm64.Operand {
	return arm64.Operand{Kind: arm64.PreKind, Reg: r, Disp: disp}
}

func back(insts int) arm64.Operand { // a target, so many instructions before
	return arm64.Operand{Kind: arm64.TargetKind, Target: -4 * insts}
}

// a64Pieces are parts of test routines with contract 'u': z at 8(SP), x at 16(SP).
var (
	a64Load = []arm64.Inst{a64("LDR", x(0), at(arm64.SP, 8)), a64("LDR", x(1), at(arm64.SP, 16)), a64("LDP", x(2), x(3), at(1, 0))}
	a64Fill = []arm64.Inst{a64("STP", x(2), x(3), at(0, 0)), a64("STP", x(2), x(3), at(0, 16))}
	a64Push = []arm64.Inst{a64("STR", x(arm64.LR), pre(arm64.SP, -48)), a64("STUR", x(arm64.FP), at(arm64.SP, -8)), a64("SUB", x(arm64.FP), x(arm64.SP), imm(8))}
	a64Args = []arm64.Inst{a64("LDR", x(0), at(arm64.SP, 56)), a64("LDR", x(1), at(arm64.SP, 64)), a64("LDP", x(2), x(3), at(1, 0))}
	a64Pop  = []arm64.Inst{a64("ADD", x(arm64.FP), x(arm64.SP), imm(40)), a64("ADD", x(arm64.SP), x(arm64.SP), imm(48))}
	a64Ret  = []arm64.Inst{a64("RET")}
)

// TestPlantedARM64 plants faults, one a routine, and sees them refused.
func TestPlantedARM64(t *testing.T) {
	one := func(op string, args ...arm64.Operand) []arm64.Inst { return []arm64.Inst{a64(op, args...)} }
	type parts = [][]arm64.Inst
	leaf := func(middle ...arm64.Inst) parts { return parts{a64Load, a64Fill, middle, a64Ret} }
	framed := func(middle ...arm64.Inst) parts { return parts{a64Push, a64Args, a64Fill, middle, a64Pop, a64Ret} }
	for _, tt := range []struct {
		name     string
		contract byte
		code     parts
		want     []string // "offset | kind | reason"; offsets from the end, but for whole routines
	}{
		{"right", 'u', leaf(), nil},
		{"right, and padded", 'u', append(leaf(), one("UDF"), one("UDF")), nil},
		{"right, with a frame", 'u', framed(a64("STR", x(2), at(arm64.SP, 8)), a64("STP", x(2), x(3), at(arm64.SP, 16)), a64("LDR", x(4), at(arm64.SP, 16))), nil},
		{"right, with a loop", 'u', leaf(a64("MOVZ", x(5), imm(3)), a64("SUB", x(5), x(5), imm(1)), a64("CBNZ", x(5), back(1))), nil},
		{"right, with flags", 'u', leaf(a64("ADDS", x(2), x(2), x(3)), a64("ADCS", x(2), x(2), x(3)), a64("CSEL", x(2), x(2), x(3)), a64("CSINV", x(4), x(arm64.ZR), x(arm64.ZR))), nil},

		{"secret jump", 'u', leaf(a64("CBNZ", x(2), arm64.Operand{Kind: arm64.TargetKind, Target: 4})),
			[]string{"secret jump | depends on a secret"}},
		{"secret jump, through the frame", 'u', framed(a64("STR", x(2), at(arm64.SP, 8)), a64("LDR", x(5), at(arm64.SP, 8)), a64("CBNZ", x(5), arm64.Operand{Kind: arm64.TargetKind, Target: 4})),
			[]string{"secret jump | depends on a secret"}},
		{"secret jump, through flags", 'u', leaf(a64("SUBS", x(arm64.ZR), x(2), x(3)), a64("MOVZ", x(5), imm(1)), arm64.Inst{Op: "CSINC", Cond: arm64.CC, Args: []arm64.Operand{x(5), x(arm64.ZR), x(5)}}, a64("CBNZ", x(5), arm64.Operand{Kind: arm64.TargetKind, Target: 4})),
			[]string{"secret jump | depends on a secret"}},
		{"secret address", 'u', leaf(a64("AND", x(4), x(2), imm(8)), a64("ADD", x(4), x(4), x(1)), a64("LDR", x(4), at(4, 0))),
			[]string{"secret address | reads at an address that depends on a secret"}},
		{"secret address of a store", 'w', leaf(a64("AND", x(4), x(2), imm(8)), a64("ADD", x(4), x(4), x(0)), a64("STR", x(2), at(4, 0))),
			[]string{"secret address | writes at an address that depends on a secret"}},
		{"secret in a public result", 'p', parts{one("LDR", x(0), at(arm64.SP, 8)), one("STR", x(0), at(arm64.SP, 24)), a64Ret},
			[]string{"secret made public | result r, which the contract calls public"}},

		{"beyond z", 'u', leaf(a64("STR", x(2), at(0, 32))), []string{"memory | writes 8 bytes at offset 32 of z: it has 32 bytes"}},
		{"pair across the end of x", 'u', leaf(a64("LDP", x(4), x(5), at(1, 24))), []string{"memory | reads 8 bytes at offset 32 of x"}},
		{"into x", 'u', leaf(a64("STR", x(2), at(1, 0))), []string{"memory | the contract only lets it be read"}},
		{"an argument", 'u', leaf(a64("STR", x(2), at(arm64.SP, 8))), []string{"memory | an argument, which may only be read"}},
		{"the caller's frame", 'u', leaf(a64("LDR", x(4), at(arm64.SP, 0))), []string{"memory | the caller's place for a return address"}},
		{"above the arguments", 'u', leaf(a64("LDR", x(4), at(arm64.SP, 24))), []string{"memory | above the arguments and the result"}},
		{"no buffer", 'u', leaf(a64("LDR", x(4), at(2, 0))), []string{"secret address | reads"}},
		{"below SP", 'u', leaf(a64("STUR", x(2), at(arm64.SP, -8))), []string{"memory | below SP, which is 0"}},
		{"reads what is below SP", 'u', leaf(a64("SUB", x(4), x(arm64.SP), imm(8)), a64("LDR", x(4), at(4, 0))), []string{"memory | below SP, which is 0"}},
		{"the frame pointer, further below", 'u', leaf(a64("STUR", x(arm64.FP), at(arm64.SP, -16))), []string{"memory | below SP, which is 0"}},

		{"at 0(SP)", 'u', framed(a64("STR", x(2), at(arm64.SP, 0))), []string{"stack | stores something other than the return address at 0(SP)"}},
		{"a pair at 0(SP)", 'u', framed(a64("STP", x(2), x(3), at(arm64.SP, 0))), []string{"stack | stores something other than the return address at 0(SP)"}},
		{"half a frame", 'u', parts{one("SUB", x(arm64.SP), x(arm64.SP), imm(8)), one("LDR", x(2), at(arm64.SP, 16)), one("ADD", x(arm64.SP), x(arm64.SP), imm(8)), a64Ret},
			[]string{"stack | moves SP off 16-byte alignment"}},
		{"keeps its frame", 'u', parts{a64Push, a64Args, a64Fill, a64Pop[:1], a64Ret}, []string{"stack | returns with SP 48 bytes below its value on entry"}},
		{"drops the caller's frame", 'u', leaf(a64("ADD", x(arm64.SP), x(arm64.SP), imm(16))), []string{"stack | moves SP 16 bytes above its value on entry"}},
		{"SP from memory", 'u', leaf(a64("ADD", x(arm64.SP), x(2), imm(0))), []string{"stack | moves SP other than by a constant"}},
		{"SP from a mask", 'u', leaf(a64("AND", x(arm64.SP), x(2), imm(1))), []string{"stack | moves SP other than by a constant"}},

		{"R18", 'u', leaf(a64("MOVZ", x(18), imm(1))), []string{"register | uses X18, which belongs to the platform"}},
		{"R27", 'u', leaf(a64("MOVZ", x(27), imm(1))), []string{"register | uses X27, which the assembler uses for itself"}},
		{"R28", 'u', leaf(a64("ADD", x(2), x(2), x(28))), []string{"register | uses X28, which holds the current goroutine (g)"}},
		{"R28 as an address", 'u', leaf(a64("LDR", x(2), at(28, 0))), []string{"register | uses X28"}},
		{"R30", 'u', leaf(a64("MOVZ", x(arm64.LR), imm(1))), []string{"register | writes X30, which holds the return address"}},
		{"R30, for a moment", 'u', framed(a64("MOVZ", x(arm64.LR), imm(1)), a64("LDR", x(arm64.LR), at(arm64.SP, 0))), []string{"register | writes X30, which holds the return address"}},
		{"computes with R30", 'u', leaf(a64("ADD", x(2), x(2), x(arm64.LR))), []string{"register | computes with the caller's X30"}},
		{"R29", 'u', leaf(a64("MOVZ", x(arm64.FP), imm(1))), []string{"register | writes something to X29"}},
		{"R29 of another frame", 'u', framed(a64("SUB", x(arm64.FP), x(arm64.SP), imm(16))), []string{"register | writes something to X29"}},
		{"keeps its frame pointer", 'u', parts{a64Push, a64Args, a64Fill, a64Pop[1:], a64Ret}, []string{"register | returns without the caller's X29 in X29"}},

		{"undefined register", 'u', leaf(a64("ADD", x(2), x(2), x(9))), []string{"undefined value | reads a register that holds no defined value here"}},
		{"undefined flag", 'u', leaf(a64("ADC", x(2), x(2), x(3))), []string{"undefined value | uses C, which is undefined here"}},
		{"unwritten frame", 'u', framed(a64("LDR", x(2), at(arm64.SP, 16))), []string{"undefined value | before they are written"}},
		{"half of z", 'u', parts{a64Load, a64Fill[:1], a64Ret}, []string{"undefined value | returns before bytes 16 to 23 of z are written"}},
		{"runs into the padding", 'u', parts{a64Load, a64Fill, one("UDF")}, []string{"instruction | UDF is no instruction to execute"}},
		{"runs off the end", 'u', parts{a64Load, a64Fill}, []string{"flow of control | where no instruction of the routine starts"}},
		{"jumps away", 'u', leaf(a64("MOVZ", x(5), imm(1)), a64("CBNZ", x(5), back(100))), []string{"flow of control | where no instruction of the routine starts"}},
		{"dead code", 'u', append(leaf(), one("MOVZ", x(5), imm(1)), a64Ret), []string{"flow of control | is never reached"}},
		{"no end", 'u', leaf(a64("MOVZ", x(5), imm(1)), a64("CBNZ", x(5), back(0))), []string{"flow of control | no return within"}},
	} {
		var code []byte
		for _, part := range tt.code {
			for _, in := range part {
				b, err := encode.ARM64(in) // targets are distances
				if err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
				code = append(code, b...)
			}
		}
		r := lint.RoutineArch("arm64", "f", code, contracts[tt.contract])
		var got []string
		seen := map[string]bool{}
		for _, p := range r.Problems {
			if s := fmt.Sprintf("%s | %s", p.Kind, p.Reason); !seen[s] {
				seen[s] = true
				got = append(got, s)
			}
		}
		for _, w := range tt.want {
			kind, reason, _ := strings.Cut(w, " | ")
			found := false
			for _, g := range got {
				found = found || strings.HasPrefix(g, kind+" | ") && strings.Contains(g, reason)
			}
			if !found {
				t.Errorf("%s: got problems %q, want %q", tt.name, got, w)
			}
		}
		if len(tt.want) == 0 && len(got) > 0 {
			t.Errorf("%s: got problems %q, want none", tt.name, got)
		}
	}
}

// TestARM64Instructions holds what is refused as an instruction.
func TestARM64Instructions(t *testing.T) {
	for _, tt := range []struct{ code, want string }{
		{"\x00\x08\xc1\x9a", "UDIV R1, R0, R0 is not modelled"},
		{"\x01\x00\x00\x94", "CALL"},
		{"\x20\x00\x1f\xd6", "JMP (R1) is not modelled"},
		{"\x00\x00\x38\xd5", "MRS"},
		{"\x00\x08\xc1", "no instruction of 4 bytes"},
	} {
		r := lint.RoutineArch("arm64", "f", []byte(tt.code), contracts['u'])
		if len(r.Problems) != 1 || r.Problems[0].Kind != lint.Decode || !strings.Contains(r.Problems[0].Reason, tt.want) {
			t.Errorf("% x: got problems %v, want one with %q", tt.code, r.Problems, tt.want)
		}
	}
	if r := lint.RoutineArch("s390x", "f", []byte{0}, contracts['u']); len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Reason, "no lint for s390x") {
		t.Errorf("s390x: got problems %v", r.Problems)
	}
}

// TestKnown accepts the routine that reads the CPU's name, and no other of that name.
func TestKnown(t *testing.T) {
	midr := "\x00\x00\x38\xd5\xe0\x07\x00\xf9\xc0\x03\x5f\xd6"
	for _, tt := range []struct {
		arch, name, code string
		ok               bool
	}{
		{"arm64", "midr", midr, true},
		{"arm64", "midr", midr + "\x00\x00\x00\x00", true},
		{"arm64", "midr", midr[:8] + midr, false},
		{"arm64", "cpu", midr, false},
		{"amd64", "midr", midr, false},
	} {
		p := &object.Package{Name: "p", Arch: tt.arch, Routines: []object.Routine{{Name: tt.name, File: "p.s", Code: []byte(tt.code)}}}
		if r := lint.Package(p, map[string]*spec.Routine{}); (len(r) == 0) != tt.ok {
			t.Errorf("%s of %s, % x: %v, want it accepted: %t", tt.name, tt.arch, tt.code, r, tt.ok)
		}
	}
}
