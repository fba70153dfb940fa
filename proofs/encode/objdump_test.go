package encode_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
)

// TestObjdump compares the decoder with objdump of GNU binutils: on every
// encoding of samples of all forms, on the routines of the field packages, and
// on random bytes. It is skipped where there is no objdump.
func TestObjdump(t *testing.T) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("there is no objdump")
	}
	compare := func(blob []byte) {
		t.Helper()
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
		t.Logf("%d instructions", len(insts))
	}
	compare(samples(t))
	pkgs, err := object.Load(".", "github.com/seed-6f9cd256/fieldproof/field25519", "github.com/seed-6f9cd256/fieldproof/fieldp256")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		var code []byte
		for _, r := range p.Routines {
			code = append(code, r.Code...)
		}
		compare(code)
	}
	compare(randomCode())
}

// TestAgree checks that the comparison of TestObjdump sees differences.
func TestAgree(t *testing.T) {
	add := amd64.Inst{Op: "ADD", Args: []amd64.Operand{{Kind: amd64.RegKind, Bits: 64}, {Kind: amd64.RegKind, Reg: amd64.R9, Bits: 64}}}
	for _, wrong := range []string{"0:\tadc rax,r9", "0:\tadd rax,r9d", "0:\tadd r9,rax", "8:\tadd rax,r9", "0:\tadd rax,QWORD PTR [r9]", "0:\t(bad)"} {
		if agree(add, wrong) {
			t.Errorf("ADD RAX, R9 agrees with %q", wrong)
		}
	}
	if !agree(add, "0:\tadd    rax,r9") {
		t.Errorf("ADD RAX, R9 does not agree with itself, as %q", intel(add))
	}
}

// samples returns every encoding of some instructions of each form.
func samples(t *testing.T) (code []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	for _, s := range encode.Shapes() {
		for range 40 {
			in := s.Sample(rng, len(code)+rng.IntN(500)-100)
			in.Offset = len(code)
			list, err := encode.All(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				code = append(code, c...)
			}
		}
	}
	return code
}

// randomCode returns random bytes that the decoder takes for modelled
// instructions: among them are prefixes that mean nothing, and encodings that
// no assembler writes. Each has NOPs behind it, so that one that objdump takes
// for something longer shows.
func randomCode() (code []byte) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 60_000 {
		b := make([]byte, 16)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		// Often, the first bytes lead to the opcodes of longer encodings.
		switch rng.IntN(5) {
		case 0:
			b[0] = 0x48 | b[0]&7
			b[1] |= byte(rng.IntN(2)) * 0x0f
		case 1:
			copy(b, []byte{[]byte{0x66, 0xf3, 0xf2}[rng.IntN(3)], 0x48 | b[1]&7, 0x0f, 0x38, 0xf6})
		case 2:
			b[0], b[1] = 0xc4, b[1]&0xe0|byte(1+rng.IntN(3))
			b[3] = []byte{0xf6, 0xf7, 0xf2, 0xf0, 0xf5}[rng.IntN(5)]
		}
		if in, err := amd64.Decode(b, 0); err == nil && amd64.Modelled(in) == nil {
			code = append(append(code, b[:in.Len]...), bytes.Repeat([]byte{0x90}, 16)...)
		}
	}
	return code
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

// noise is what objdump says of prefixes and indices that mean nothing.
var noise = regexp.MustCompile(`^rex\S* |\+riz\*\d`)

// agree reports whether the line of objdump is the instruction.
func agree(in amd64.Inst, line string) bool {
	at, text, _ := strings.Cut(line, ":\t")
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "+0x0]", "]")
	text = noise.ReplaceAllString(text, "")
	if at != fmt.Sprintf("%x", in.Offset) {
		return false
	}
	want := intel(in)
	switch {
	case want == text, strings.TrimSuffix(want, ",0x1") == strings.TrimSuffix(text, ",1"):
		return true
	case in.Op == "NOP": // some have an operand, or prefixes
		return strings.Contains(text, "nop") && !strings.Contains(text, "lock") || text == "xchg rax,rax" || text == "xchg ax,ax"
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
