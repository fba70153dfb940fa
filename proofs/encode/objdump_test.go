package encode_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
)

// TestObjdump compares the decoder with objdump of GNU binutils: on every
// encoding of samples of all forms, and on the routines of the field packages.
// It is skipped where there is no objdump.
func TestObjdump(t *testing.T) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("there is no objdump")
	}
	rng := rand.New(rand.NewPCG(7, 8))
	var blob []byte
	for _, s := range encode.Shapes() {
		for range 40 {
			in := s.Sample(rng, len(blob)+rng.IntN(500)-100)
			in.Offset = len(blob)
			list, err := encode.All(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, code := range list {
				blob = append(blob, code...)
			}
		}
	}
	samples := len(blob)
	pkgs, err := object.Load(".", "github.com/seed-6f9cd256/fieldproof/field25519", "github.com/seed-6f9cd256/fieldproof/fieldp256")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, r := range p.Routines {
			blob = append(blob, r.Code...)
		}
	}
	insts, err := amd64.DecodeAll(blob)
	if err != nil {
		t.Fatal(err)
	}
	lines := objdump(t, blob)
	if len(lines) != len(insts) {
		t.Errorf("objdump has %d instructions, the decoder %d", len(lines), len(insts))
	}
	for i, in := range insts {
		if i < len(lines) && !agree(in, lines[i]) {
			t.Fatalf("bytes % x: the decoder has %q, objdump %q", blob[in.Offset:in.Offset+in.Len], intel(in), lines[i])
		}
	}
	t.Logf("%d instructions, in %d bytes of samples and %d of routines", len(insts), samples, len(blob)-samples)

	// A difference is noticed.
	add := amd64.Inst{Op: "ADD", Args: []amd64.Operand{{Kind: amd64.RegKind, Bits: 64}, {Kind: amd64.RegKind, Reg: amd64.R9, Bits: 64}}}
	for _, wrong := range []string{"0:\tadc rax,r9", "0:\tadd rax,r9d", "0:\tadd r9,rax", "8:\tadd rax,r9", "0:\tadd rax,QWORD PTR [r9]"} {
		if agree(add, wrong) {
			t.Errorf("ADD RAX, R9 agrees with %q", wrong)
		}
	}
	if !agree(add, "0:\tadd    rax,r9") {
		t.Errorf("ADD RAX, R9 does not agree with itself, as %q", intel(add))
	}
}

// objdump returns one line an instruction, "offset:\ttext".
func objdump(t *testing.T, code []byte) []string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(name, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "-w", "-z", "--no-show-raw-insn", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.Contains(line, ":\t") {
			lines = append(lines, line)
		}
	}
	return lines
}

// agree reports whether the line of objdump is the instruction.
func agree(in amd64.Inst, line string) bool {
	at, text, _ := strings.Cut(line, ":\t")
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "+0x0]", "]")
	if at != fmt.Sprintf("%x", in.Offset) {
		return false
	}
	want := intel(in)
	if want == text || in.Op == "NOP" && strings.HasPrefix(text, "nop") { // some have an operand
		return true
	}
	// Operands that may stand either way round.
	name, args, _ := strings.Cut(want, " ")
	a, b, ok := strings.Cut(args, ",")
	return ok && (in.Op == "XCHG" || in.Op == "TEST") && text == name+" "+b+","+a
}

// intel prints an instruction as objdump does.
func intel(in amd64.Inst) string {
	name := strings.ToLower(in.Op)
	if stem, ok := strings.CutSuffix(name, "cc"); ok {
		name = stem + strings.ToLower(in.Cond.String())
	}
	n := 0
	if len(in.Args) > 0 {
		n = in.Args[0].Bits
	}
	var args []string
	for i, a := range in.Args {
		switch a.Kind {
		case amd64.RegKind:
			args = append(args, intelReg(a.Reg, a.Bits))
		case amd64.TargetKind:
			args = append(args, fmt.Sprintf("%#x", uint64(a.Target)))
		case amd64.ImmKind:
			if in.Op == "MOV" && n == 64 && in.Len == 10 {
				name = "movabs"
			}
			s := fmt.Sprintf("%#x", uint64(a.Imm)<<(64-n)>>(64-n))
			if strings.HasPrefix(in.Op, "RO") || strings.HasPrefix(in.Op, "SH") || in.Op == "SAR" {
				s = fmt.Sprintf("%#x", a.Imm)
				if a.Imm == 1 && oneByOpcode(in) {
					s = "1"
				}
			}
			args = append(args, s)
		case amd64.MemKind:
			s := intelMem(a)
			if a.Bits != 0 {
				s = map[int]string{8: "BYTE", 16: "WORD", 32: "DWORD", 64: "QWORD"}[a.Bits] + " PTR " + s
			}
			args = append(args, s)
		default:
			args = append(args, fmt.Sprintf("?%d", i))
		}
	}
	return strings.TrimSpace(name + " " + strings.Join(args, ","))
}

// oneByOpcode reports whether the count 1 is part of the opcode (D1): such an
// instruction is one byte shorter than with a count of its own.
func oneByOpcode(in amd64.Inst) bool {
	if in.Op == "RORX" || in.Op == "SHLD" || in.Op == "SHRD" {
		return false
	}
	list, err := encode.All(in)
	if err != nil {
		return false
	}
	for _, code := range list {
		op := code[0]
		if op&0xf0 == 0x40 {
			op = code[1]
		}
		if op == 0xd1 && len(code) == in.Len {
			return true
		}
	}
	return false
}

func intelReg(r amd64.Reg, bits int) string {
	i := int(r)
	if i >= 8 {
		return fmt.Sprintf("r%d%s", i, map[int]string{8: "b", 16: "w", 32: "d"}[bits])
	}
	base := []string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}[i]
	switch {
	case bits == 64:
		return "r" + base
	case bits == 32:
		return "e" + base
	case bits == 16:
		return base
	case i < 4:
		return base[:1] + "l"
	}
	return base + "l"
}

func intelMem(a amd64.Operand) string {
	var parts []string
	if a.Base != amd64.NoReg {
		parts = append(parts, intelReg(a.Base, 64))
	}
	if a.Index != amd64.NoReg {
		parts = append(parts, fmt.Sprintf("%s*%d", intelReg(a.Index, 64), a.Scale))
	}
	s := strings.Join(parts, "+")
	switch {
	case a.Disp < 0:
		s += fmt.Sprintf("-%#x", -a.Disp)
	case a.Disp > 0:
		s += fmt.Sprintf("+%#x", a.Disp)
	}
	return "[" + s + "]"
}
