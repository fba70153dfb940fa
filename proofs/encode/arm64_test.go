package encode_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// armForms calls f for every form that is modelled.
func armForms(f func(op, form string)) {
	for _, r := range arm64.AllowList() {
		for _, form := range strings.Split(r.Forms, " ") {
			f(r.Op, form)
		}
	}
}

// armSamples returns instructions of every form, each at its offset.
func armSamples(t *testing.T, n int) (code []byte, list []arm64.Inst) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	armForms(func(op, form string) {
		for range n {
			in := encode.SampleARM64(rng, op, form)
			b, err := encode.ARM64(in)
			if err != nil {
				t.Fatal(err)
			}
			in.Offset = len(code)
			for i, a := range in.Args {
				if a.Kind == arm64.TargetKind {
					in.Args[i].Target += in.Offset
				}
			}
			code, list = append(code, b...), append(list, in)
		}
	})
	return code, list
}

// armRoutines returns the code of all routines for arm64.
func armRoutines(t *testing.T) (code [][]byte) {
	t.Helper()
	code, err := linkedARM64()
	if err != nil {
		t.Fatal(err)
	}
	return code
}

var linkedARM64 = sync.OnceValues(func() (code [][]byte, err error) {
	var paths []string
	for _, p := range spec.Packages() {
		paths = append(paths, "github.com/seed-6f9cd256/fieldproof/"+p)
	}
	pkgs, err := object.LoadArch("arm64", ".", paths...)
	for _, p := range pkgs {
		for _, r := range p.Routines {
			if r.Name != "midr" { // reads a system register, and handles no secrets
				code = append(code, r.Code)
			}
		}
	}
	return code, err
})

// TestARM64 encodes every form and decodes it again; encodes the decoded routines
// again; and sees that each form on the allow-list is in a routine.
func TestARM64(t *testing.T) {
	code, want := armSamples(t, 300)
	got, err := arm64.DecodeAll(code)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if g := got[i]; g.Op != w.Op || g.Cond != w.Cond || !reflect.DeepEqual(append([]arm64.Operand{}, g.Args...), append([]arm64.Operand{}, w.Args...)) {
			t.Fatalf("%v: decoded %s %v %v, want %s %v %v", g, g.Op, g.Cond, g.Args, w.Op, w.Cond, w.Args)
		}
	}
	seen, n := map[string]bool{}, 0
	for _, code := range armRoutines(t) {
		list, err := arm64.DecodeAll(code)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range list {
			b, err := encode.ARM64(in)
			if w := code[in.Offset : in.Offset+arm64.Length]; err != nil || !bytes.Equal(b, w) {
				t.Fatalf("%v: encoded as % x, %v, want % x", in, b, err, w)
			}
			if err := arm64.Allow(in); err != nil {
				t.Errorf("%v: %v", in, err)
			}
			seen[in.Op+" "+in.Form()] = true
			n++
		}
	}
	armForms(func(op, form string) {
		if !seen[op+" "+form] {
			t.Errorf("%s with operands %q is on the allow-list and in no routine", op, form)
		}
	})
	t.Logf("%d samples, %d instructions of routines", len(want), n)
}

// TestARM64Refuses holds what cannot be encoded.
func TestARM64Refuses(t *testing.T) {
	reg := func(r arm64.Reg) arm64.Operand { return arm64.Operand{Kind: arm64.RegKind, Reg: r} }
	imm := func(v uint64) arm64.Operand { return arm64.Operand{Kind: arm64.ImmKind, Imm: v} }
	mem := func(r arm64.Reg, d int64) arm64.Operand { return arm64.Operand{Kind: arm64.MemKind, Reg: r, Disp: d} }
	for _, in := range []arm64.Inst{
		{Op: "UDIV", Args: []arm64.Operand{reg(0), reg(1), reg(2)}},
		{Op: "ADD", Args: []arm64.Operand{reg(0), reg(arm64.SP), reg(2)}},
		{Op: "ADD", Args: []arm64.Operand{reg(arm64.ZR), reg(1), imm(1)}},
		{Op: "SUB", Args: []arm64.Operand{reg(0), reg(1), imm(4096)}},
		{Op: "AND", Args: []arm64.Operand{reg(0), reg(1), imm(5)}},
		{Op: "AND", Args: []arm64.Operand{reg(0), reg(1), imm(0)}},
		{Op: "LSR", Args: []arm64.Operand{reg(0), reg(1), imm(64)}},
		{Op: "LDR", Args: []arm64.Operand{reg(0), mem(1, 4)}},
		{Op: "LDR", Args: []arm64.Operand{reg(0), mem(1, -8)}},
		{Op: "LDR", Args: []arm64.Operand{reg(0), mem(arm64.ZR, 8)}},
		{Op: "LDP", Args: []arm64.Operand{reg(0), reg(1), mem(2, 512)}},
		{Op: "LDP", Args: []arm64.Operand{reg(0), reg(1), mem(2, -520)}},
		{Op: "LDP", Args: []arm64.Operand{reg(1), reg(1), mem(2, 0)}},
		{Op: "STUR", Args: []arm64.Operand{reg(0), mem(2, -257)}},
		{Op: "CBNZ", Args: []arm64.Operand{reg(0), {Kind: arm64.TargetKind, Target: 2}}},
	} {
		if b, err := encode.ARM64(in); err == nil {
			t.Errorf("%s %v is encoded as % x, want an error", in.Op, in.Args, b)
		}
	}
}

// armRandom returns random words that the decoder takes for modelled instructions.
func armRandom() (code []byte) {
	rng := rand.New(rand.NewPCG(13, 14))
	sample := func() []byte {
		rules := arm64.AllowList()
		r := rules[rng.IntN(len(rules))]
		forms := strings.Split(r.Forms, " ")
		b, err := encode.ARM64(encode.SampleARM64(rng, r.Op, forms[rng.IntN(len(forms))]))
		if err != nil {
			panic(err)
		}
		return b
	}
	for range 100_000 {
		w := rng.Uint32()
		if rng.IntN(4) > 0 { // some bits away from a modelled one
			w = binary.LittleEndian.Uint32(sample())
			for range 1 + rng.IntN(4) {
				w ^= 1 << rng.IntN(32)
			}
		}
		b := binary.LittleEndian.AppendUint32(nil, w)
		if _, err := arm64.Decode(b, 0); err == nil {
			code = append(code, b...)
		}
	}
	return code
}

// armCodes calls f with code on which decoders are compared.
func armCodes(t *testing.T, f func(code []byte)) {
	code, _ := armSamples(t, 100)
	f(code)
	f(bytes.Join(armRoutines(t), nil))
	f(armRandom())
}

// plain returns an instruction in Arm's syntax without aliases, constants being
// decimal.
func plain(in arm64.Inst) string {
	var parts []string
	op := in.Op
	for i, a := range in.Args {
		switch a.Kind {
		case arm64.RegKind:
			parts = append(parts, strings.ToLower(a.Reg.String()))
		case arm64.WordKind:
			parts = append(parts, "w"+strings.ToLower(a.Reg.String())[1:])
		case arm64.TargetKind:
			parts = append(parts, fmt.Sprint(uint64(a.Target)))
		case arm64.PreKind:
			parts = append(parts, fmt.Sprintf("[%s,#%d]!", strings.ToLower(a.Reg.String()), a.Disp))
		case arm64.MemKind:
			parts = append(parts, fmt.Sprintf("[%s,#%d]", strings.ToLower(a.Reg.String()), a.Disp))
			if a.Disp == 0 {
				parts[i] = fmt.Sprintf("[%s]", strings.ToLower(a.Reg.String()))
			}
		case arm64.ImmKind:
			k := a.Imm
			switch {
			case op == "LSL":
				op, k = "UBFM", (64-a.Imm)%64
				parts = append(parts, fmt.Sprintf("#%d,#%d", k, 63-a.Imm))
				continue
			case op == "LSR", op == "ASR":
				op = map[string]string{"LSR": "UBFM", "ASR": "SBFM"}[op]
				parts = append(parts, fmt.Sprintf("#%d,#63", k))
				continue
			case a.Shift > 0 && len(in.Args) == 3:
				parts = append(parts, fmt.Sprintf("#%d,lsl#%d", k>>a.Shift, a.Shift))
				continue
			case a.Shift > 0:
				parts = append(parts, fmt.Sprintf("#%d,lsl#%d", k, a.Shift))
				continue
			}
			parts = append(parts, fmt.Sprintf("#%d", k))
		}
	}
	if strings.HasPrefix(op, "CS") {
		parts = append(parts, strings.ToLower(in.Cond.String()))
	}
	return strings.ToLower(op) + " " + strings.Join(parts, ",")
}

var (
	hexNumber = regexp.MustCompile(`(#?)(-?)0x([0-9a-f]+)`)
	comment   = regexp.MustCompile(`\s*(//|;).*`)
)

// normal brings the output of a disassembler into the shape of plain.
func normal(line string) string {
	line = comment.ReplaceAllString(strings.TrimSpace(line), "")
	op, args, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	args = strings.ReplaceAll(args, " ", "")
	args = hexNumber.ReplaceAllStringFunc(args, func(s string) string {
		m := hexNumber.FindStringSubmatch(s)
		v, err := strconv.ParseUint(m[3], 16, 64)
		if err != nil {
			return s
		}
		return m[1] + m[2] + strconv.FormatUint(v, 10)
	})
	if reg, v, ok := strings.Cut(args, ",#"); ok && op == "mov" {
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			args = fmt.Sprintf("%s,#%d", reg, uint64(n))
		}
	}
	if base, ok := strings.CutSuffix(args, ",#0]"); ok {
		args = base + "]"
	}
	if op == "ret" || op == "udf" { // which have no operands in plain
		args = ""
	}
	args = strings.NewReplacer("hs", "cs", "lo", "cc").Replace(args)
	return op + " " + args
}

// TestObjdumpARM64 compares the decoder with objdump and with llvm-mc, where there
// are such.
func TestObjdumpARM64(t *testing.T) {
	var tools []func(code []byte) []string
	if tool, err := exec.LookPath("aarch64-linux-gnu-objdump"); err == nil {
		tools = append(tools, func(code []byte) []string { return armObjdump(t, tool, code) })
	}
	for _, name := range []string{"llvm-mc-22", "llvm-mc"} {
		if tool, err := exec.LookPath(name); err == nil {
			tools = append(tools, func(code []byte) []string { return llvm(t, tool, code) })
			break
		}
	}
	if len(tools) == 0 {
		t.Skip("no aarch64-linux-gnu-objdump and no llvm-mc here")
	}
	armCodes(t, func(code []byte) {
		list, err := arm64.DecodeAll(code)
		if err != nil {
			t.Fatal(err)
		}
		for i, tool := range tools {
			lines := tool(code)
			if len(lines) != len(list) {
				t.Fatalf("disassembler %d has %d instructions, the decoder %d", i, len(lines), len(list))
			}
			for j, in := range list {
				if want := unaliased(lines[j], 0); plain(in) != want && moved(in) != want {
					t.Fatalf("bytes % x: the decoder has %q, disassembler %d %q", code[in.Offset:in.Offset+4], plain(in), i, want)
				}
			}
		}
		t.Logf("%d instructions, %d disassemblers", len(list), len(tools))
	})
	if plain(arm64.Inst{Op: "SUB", Args: []arm64.Operand{{Kind: arm64.RegKind}, {Kind: arm64.RegKind, Reg: 1}, {Kind: arm64.RegKind, Reg: 2}}}) == normal("sub x0, x2, x1") {
		t.Error("the order of operands is not compared")
	}
}

func armObjdump(t *testing.T, tool string, code []byte) (lines []string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(name, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, "-D", "-b", "binary", "-m", "aarch64", "-M", "no-aliases", "-z", "--no-show-raw-insn", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if _, text, ok := strings.Cut(line, ":\t"); ok {
			lines = append(lines, text)
		}
	}
	return lines
}

func llvm(t *testing.T, tool string, code []byte) (lines []string) {
	t.Helper()
	var in strings.Builder
	for i, b := range code {
		fmt.Fprintf(&in, "0x%02x", b)
		if i%4 == 3 {
			in.WriteString("\n")
		} else {
			in.WriteString(",")
		}
	}
	cmd := exec.Command(tool, "--disassemble", "--triple=aarch64", "-M", "no-aliases")
	cmd.Stdin = strings.NewReader(in.String())
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil || wrong.Len() > 0 {
		t.Fatalf("%s: %v %s", tool, err, &wrong)
	}
	at := 0
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '.' {
			continue
		}
		// A jump is printed as a distance.
		if op, args, ok := strings.Cut(line, "\t"); ok && op == "cbnz" {
			r, d, _ := strings.Cut(args, ", #")
			n, err := strconv.Atoi(d)
			if err != nil {
				t.Fatal(err)
			}
			line = fmt.Sprintf("cbnz %s,%d", r, uint64(at+n))
		}
		lines = append(lines, line)
		at += arm64.Length
	}
	return lines
}

// TestGoDecoderARM64 compares the decoder with golang.org/x/arch/arm64/arm64asm.
func TestGoDecoderARM64(t *testing.T) {
	armCodes(t, func(code []byte) {
		list, err := arm64.DecodeAll(code)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range list {
			b := code[in.Offset : in.Offset+arm64.Length]
			if in.Op == "UDF" {
				continue // arm64asm has no such instruction
			}
			raw, err := arm64asm.Decode(b)
			if err != nil {
				t.Fatalf("bytes % x: the decoder has %q, arm64asm says %v", b, plain(in), err)
			}
			if in.Cond == arm64.NV {
				in.Cond = arm64.AL // arm64asm does not tell them apart
			}
			if got, want := plain(in), unaliased(raw.String(), in.Offset); got != want && moved(in) != want {
				t.Fatalf("bytes % x: the decoder has %q, arm64asm %q: %q", b, got, raw, want)
			}
		}
	})
}

// moved is plain, but a move of a constant is MOV, as some disassemblers have it.
func moved(in arm64.Inst) string {
	mov := func(v uint64) string {
		return fmt.Sprintf("mov %s,#%d", strings.ToLower(in.Args[0].Reg.String()), v)
	}
	switch {
	case in.Op == "MOVZ":
		return mov(in.Args[1].Imm << in.Args[1].Shift)
	case in.Op == "MOVN":
		return mov(^(in.Args[1].Imm << in.Args[1].Shift))
	case in.Op == "ORR" && in.Form() == "rri" && in.Args[1].Reg == arm64.ZR:
		return mov(in.Args[2].Imm)
	}
	return plain(in)
}

// unaliased brings the output of a disassembler into the shape of plain, and undoes
// aliases.
func unaliased(text string, offset int) string {
	op, rest, _ := strings.Cut(normal(strings.ToLower(text)), " ")
	a := strings.Split(rest, ",")
	last := a[len(a)-1]
	join := func(op string, args ...string) string { return op + " " + strings.Join(args, ",") }
	number := func() uint64 {
		v, err := strconv.ParseUint(strings.TrimPrefix(last, "#"), 10, 64)
		if err != nil {
			return 1 << 63
		}
		return v
	}
	not := func(cond string) string {
		for c := arm64.EQ; c <= arm64.NV; c++ {
			if strings.ToLower(c.String()) == cond {
				return strings.ToLower((c ^ 1).String())
			}
		}
		return cond
	}
	switch op {
	case "cmp", "cmn", "tst":
		return join(map[string]string{"cmp": "subs", "cmn": "adds", "tst": "ands"}[op], append([]string{"xzr"}, a...)...)
	case "neg", "negs", "ngc", "ngcs":
		return join(map[string]string{"neg": "sub", "negs": "subs", "ngc": "sbc", "ngcs": "sbcs"}[op], a[0], "xzr", a[1])
	case "lsl":
		return join("ubfm", a[0], a[1], fmt.Sprintf("#%d", (64-number())%64), fmt.Sprintf("#%d", 63-number()))
	case "lsr", "asr":
		return join(map[string]string{"lsr": "ubfm", "asr": "sbfm"}[op], a[0], a[1], last, "#63")
	case "ror":
		return join("extr", a[0], a[1], a[1], last)
	case "mul":
		return join("madd", append(a, "xzr")...)
	case "umull":
		return join("umaddl", append(a, "xzr")...)
	case "cset", "csetm":
		return join(map[string]string{"cset": "csinc", "csetm": "csinv"}[op], a[0], "xzr", "xzr", not(last))
	case "cinc", "cinv", "cneg":
		return join("cs"+op[1:], a[0], a[1], a[1], not(last))
	case "mov":
		switch {
		case last[0] == '#':
			return join("mov", a...)
		case strings.Contains(rest, "sp"):
			return join("add", a[0], a[1], "#0")
		}
		return join("orr", a[0], "xzr", a[1])
	case "cbnz":
		if d, ok := strings.CutPrefix(last, ".+"); ok {
			if v, err := strconv.ParseUint(d, 10, 64); err == nil {
				last = fmt.Sprint(uint64(offset) + v)
			}
		}
		return join("cbnz", a[0], last)
	}
	return join(op, a...)
}
