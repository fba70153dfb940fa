package tests

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// An instruction is one line of the compiler's listing.
type instruction struct {
	offset   int    // in its function, in bytes
	source   string // file:line
	mnemonic string
	operands string
}

var (
	functionLine    = regexp.MustCompile(`^(\S+) STEXT `)
	instructionLine = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \(([^)]*)\)\t([A-Z0-9.]+)\t?(.*)$`)
)

// parseListing returns the instructions of each function in what go build
// -gcflags=-S prints, by the full name of the function.
func parseListing(text string) map[string][]instruction {
	all := make(map[string][]instruction)
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := functionLine.FindStringSubmatch(line); m != nil {
			name = m[1]
			all[name] = nil
		} else if m := instructionLine.FindStringSubmatch(line); m != nil && m[3] != "PCDATA" && m[3] != "FUNCDATA" {
			offset, err := strconv.Atoi(m[1])
			if err == nil {
				all[name] = append(all[name], instruction{offset, m[2], m[3], m[4]})
			}
		}
	}
	return all
}

// conditional matches the conditional jumps of each architecture, by the Go
// assembler's names.
var conditional = map[string]*regexp.Regexp{
	"amd64":   regexp.MustCompile(`^(J(A|AE|B|BE|C[SCX].*|EQ|E|NE|G[TE]?|L[TES]?|H[IS]|LO|MI|PL|O[SC]|P[SCEO])|LOOP.*)$`),
	"386":     regexp.MustCompile(`^(J(A|AE|B|BE|C[SCX].*|EQ|E|NE|G[TE]?|L[TES]?|H[IS]|LO|MI|PL|O[SC]|P[SCEO])|LOOP.*)$`),
	"arm64":   regexp.MustCompile(`^(B(EQ|NE|CS|HS|CC|LO|MI|PL|VS|VC|HI|LS|GE|LT|GT|LE)|CBN?ZW?|TBN?Z)$`),
	"riscv64": regexp.MustCompile(`^B(EQ|NE|LT|GE|GT|LE)(U|Z)?$`),
	"s390x":   regexp.MustCompile(`^(B(EQ|NE|LT|LE|GT|GE)U?|BV[SC]|BRC|BRCTG?|CMPU?B(EQ|NE|LT|LE|GT|GE)|CL?G?[RI]J)$`),
}

// callMnemonic matches what calls a function, where its name is the operand.
var callMnemonic = regexp.MustCompile(`^(CALL|BL|JALR?|JMP)$`)

// calls are the functions that a routine may call. Those of math/bits promise a
// time that does not depend on their arguments.
var calls = []string{"math/bits.Add64", "math/bits.Sub64", "math/bits.Mul64"}

// checkBranches returns an error if a function has a conditional jump, other
// than the one at the start that makes the stack grow and those of loops, or
// calls something that was not looked at. loops are the lines, as file:line, of
// loops that run a constant number of times.
func checkBranches(code []instruction, arch string, loops []string) error {
	if len(code) == 0 {
		return fmt.Errorf("no instructions")
	}
	first := true
	for at, i := range code {
		if strings.HasSuffix(i.operands, "(SB)") && callMnemonic.MatchString(i.mnemonic) {
			name := strings.TrimSuffix(i.operands[strings.LastIndex(i.operands, " ")+1:], "(SB)")
			if !strings.HasPrefix(name, "runtime.morestack") && !slices.Contains(calls, name) {
				return fmt.Errorf("offset %d: it calls %s", i.offset, name)
			}
		}
		if conditional[arch].MatchString(i.mnemonic) && !slices.Contains(loops, i.source) {
			if !first || !growsStack(code, at) {
				return fmt.Errorf("offset %d: conditional jump %s %s", i.offset, i.mnemonic, i.operands)
			}
			first = false
		}
	}
	return nil
}

// stackPointer matches the names of the stack pointer.
var stackPointer = regexp.MustCompile(`\b(SP|RSP|R15)\b`)

// growsStack reports whether the first jump of a function, at the given index,
// is the one that makes the stack grow: it comes at the very start, after
// instructions that read the stack pointer, and the function has the call that
// it is for.
func growsStack(code []instruction, at int) bool {
	reads := func(i instruction) bool { return stackPointer.MatchString(i.operands) }
	return at < 7 && slices.ContainsFunc(code[1:at+1], reads) &&
		slices.ContainsFunc(code, func(i instruction) bool { return strings.Contains(i.operands, "runtime.morestack") })
}

var loopLine = regexp.MustCompile(`^\s*for range \d+ {$`)

// constantLoops returns the lines of a Go file that start a loop with a constant
// number of rounds. Its jump compares a counter that nothing else changes.
func constantLoops(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var loops []string
	for i, line := range strings.Split(string(text), "\n") {
		if loopLine.MatchString(line) {
			loops = append(loops, fmt.Sprintf("%s:%d", file, i+1))
		}
	}
	return loops, nil
}

// Compilers turned masks and carries into jumps. No portable routine has one.
func TestReport_dalek_cryptography_curve25519_dalek_659(t *testing.T) {
	for _, arch := range slices.Sorted(maps.Keys(conditional)) {
		t.Run(arch, func(t *testing.T) {
			out, err := goCommand(".", []string{"GOOS=linux", "GOARCH=" + arch},
				append([]string{"build", "-tags", "purego", "-gcflags=-S"}, packagePaths()...)...)
			if err != nil {
				t.Fatal(err)
			}
			listing := parseListing(out)
			for _, f := range spec.Fields() {
				file, err := filepath.Abs(filepath.Join(root, f.Package, f.Prefix+"_generic.go"))
				if err != nil {
					t.Fatal(err)
				}
				loops, err := constantLoops(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range f.Routines() {
					name := module + "/" + f.Package + "." + r.Name() + "Generic"
					if err := checkBranches(listing[name], arch, loops); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
		})
	}
}

// TestCheckBranches plants jumps in a listing.
func TestCheckBranches(t *testing.T) {
	const grow = `x/y.f STEXT size=1 args=0x0
	0x0000 00000 (/a b/y.go:5)	TEXT	x/y.f(SB), ABIInternal, $24-16
	0x0000 00000 (y.go:5)	CMPQ	SP, 16(R14)
	0x0004 00004 (y.go:5)	PCDATA	$0, $-2
	0x0004 00004 (y.go:5)	JLS	39
	0x0006 00006 (y.go:6)	ADDQ	AX, BX
%s	0x0026 00038 (y.go:7)	RET
	0x0027 00039 (y.go:7)	NOP
	0x0027 00039 (y.go:5)	MOVQ	AX, 8(SP)
	0x002c 00044 (y.go:5)	CALL	runtime.morestack_noctxt(SB)
	0x0031 00049 (y.go:5)	JMP	0
	0x0000 49 3b 66 10 76 21 55                             .
`
	for _, test := range []struct {
		arch, lines, expect string
	}{
		{"amd64", "", ""},
		{"amd64", "	0x0008 00008 (y.go:6)	SETHI	BL\n	0x0008 00008 (y.go:6)	JMP	38\n", ""},
		{"amd64", "	0x0008 00008 (y.go:8)	JLT	6\n", ""},
		{"amd64", "	0x0008 00008 (y.go:6)	CALL	math/bits.Mul64(SB)\n", ""},
		{"amd64", "	0x0008 00008 (y.go:6)	CALL	math/big.f(SB)\n", "calls math/big.f"},
		{"amd64", "	0x0008 00008 (y.go:6)	JCS	38\n", "conditional jump JCS"},
		{"amd64", "	0x0008 00008 (y.go:6)	JNE	6\n", "conditional jump JNE"},
		{"amd64", "	0x0008 00008 (y.go:6)	MOVQ	8(SP), AX\n	0x0008 00008 (y.go:6)	JNE	38\n", "conditional jump JNE"},
		{"arm64", "	0x0008 00008 (y.go:6)	JAL	X5, math/big.f(SB)\n", "calls math/big.f"},
		{"386", "	0x0008 00008 (y.go:6)	JMI	38\n", "conditional jump JMI"},
	} {
		err := checkBranches(parseListing(fmt.Sprintf(grow, test.lines))["x/y.f"], test.arch, []string{"y.go:8"})
		if test.expect == "" && err != nil || test.expect != "" && (err == nil || !strings.Contains(err.Error(), test.expect)) {
			t.Errorf("%s %q: got error %v, want one with %q", test.arch, test.lines, err, test.expect)
		}
	}
	if err := checkBranches(nil, "amd64", nil); err == nil {
		t.Error("a function that is not there passed")
	}
	file := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(file, []byte("for range 10 {\n\tfor range 9 {\nfor range n {\nfor i < 10 {\nif x {\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if loops, err := constantLoops(file); err != nil || !slices.Equal(loops, []string{file + ":1", file + ":2"}) {
		t.Errorf("constantLoops: got %v, %v; want the first two lines", loops, err)
	}
	for arch, jumps := range map[string]string{
		"amd64":   "JCS JCC JEQ JNE JLT JLS JHI JMI JPL JOS JGE",
		"386":     "JCS JCC JEQ JNE JLT JLS JHI",
		"arm64":   "BEQ BNE BLO BHS BLT CBZ CBNZ CBZW TBZ TBNZ",
		"riscv64": "BEQ BNE BLT BLTU BGE BGEU BEQZ BNEZ BGTU",
		"s390x":   "BEQ BNE BLT BLEU BRC CMPBEQ CMPUBLT CGRJ CLGIJ CRJ BRCTG",
	} {
		for _, j := range strings.Fields(jumps) {
			if !conditional[arch].MatchString(j) {
				t.Errorf("%s: %s is not seen as a conditional jump", arch, j)
			}
		}
		for _, other := range strings.Fields("JMP B BL BR CALL JAL JALR BSFQ MOVQ SETCS CSEL ADCS CMOVQCS") {
			if conditional[arch].MatchString(other) {
				t.Errorf("%s: %s is seen as a conditional jump", arch, other)
			}
		}
	}
}
