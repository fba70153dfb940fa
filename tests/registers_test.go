package tests

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// On arm64 these are not for routines: R18 belongs to the platform, the
// assembler builds large constants in R27 without saying so, R28 is g. R29 and
// R30 are the assembler's own, to save and restore.
var reserved = regexp.MustCompile(`\b(R18|R27|R28|g)\b`)
var ofTheFrame = regexp.MustCompile(`\b(R29|R30)\b`)

// checkRegisters checks the listing of a disassembler, from go tool objdump.
func checkRegisters(listing string) (routines int, err error) {
	name := ""
	for line := range strings.Lines(listing) {
		if rest, ok := strings.CutPrefix(line, "TEXT "); ok {
			name, _, _ = strings.Cut(rest, "(SB)")
			routines++
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		text := strings.TrimSpace(fields[len(fields)-1])
		op, _, _ := strings.Cut(text, " ")
		switch {
		case reserved.MatchString(text),
			ofTheFrame.MatchString(text) && !strings.Contains(text, "RSP") && op != "RET":
			return routines, fmt.Errorf("%s: %s", name, text)
		}
	}
	return routines, nil
}

// TestRegistersARM64 checks that no arm64 routine uses a register that is not
// for routines, in what the assembler made of it.
func TestRegistersARM64(t *testing.T) {
	for _, p := range append(packagePaths(), "./curves/internal/edwards", "./curves/internal/nist") {
		archive := filepath.Join(t.TempDir(), "package.a")
		if _, err := goCommand(".", []string{"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"}, "build", "-o", archive, p); err != nil {
			t.Fatal(err)
		}
		listing, err := goCommand(".", nil, "tool", "objdump", "-s", `ARM64$`, archive)
		if err != nil {
			t.Fatal(err)
		}
		n, err := checkRegisters(listing)
		if err != nil {
			t.Errorf("%s: %v", p, err)
		}
		if n < 4 {
			t.Errorf("%s: the listing has %d routines, want 4 or more", p, n)
		}
	}
}

func TestCheckRegisters(t *testing.T) {
	const head = "TEXT x.f(SB) gofile..f.s\n"
	for line, ok := range map[string]bool{
		"  f.s:1\t0x10\t8b020020\tADD R2, R1, R0\n":       true,
		"  f.s:1\t0x10\tf81e0ffe\tMOVD.W R30, -32(RSP)\n": true,
		"  f.s:1\t0x10\td65f03c0\tRET\n":                  true,
		"  f.s:1\t0x10\td2800001\tMOVD $1234567, R27\n":   false,
		"  f.s:1\t0x10\t8b1b0020\tADD R27, R1, R0\n":      false,
		"  f.s:1\t0x10\t8b120020\tADD R18, R1, R0\n":      false,
		"  f.s:1\t0x10\t8b1c0020\tADD g, R1, R0\n":        false,
		"  f.s:1\t0x10\t8b1e0020\tADD R30, R1, R0\n":      false,
		"  f.s:1\t0x10\tf940001d\tMOVD (R0), R29\n":       false,
	} {
		if n, err := checkRegisters(head + line); (err == nil) != ok || n != 1 {
			t.Errorf("%q: got %d routines and error %v, want ok = %t", line, n, err, ok)
		}
	}
}
