// Package asmtest assembles hand-written routines for the tests of the proofs.
package asmtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/object"
)

// header precedes the TEXT directives of an assembly file.
const header = "#include \"textflag.h\"\n"

var text = regexp.MustCompile(`(?m)^TEXT ·(\w+)\(SB\)`)

// Module writes a module that consists of one package of the given name, with
// the given assembly for amd64, and returns its folder. The package declares every
// routine of the assembly, and its test refers to each of those not listed in
// unused, so that the linker keeps them.
func Module(t testing.TB, pkg, asm string, unused ...string) string {
	t.Helper()
	dir := t.TempDir()
	skip := make(map[string]bool)
	for _, u := range unused {
		skip[u] = true
	}
	decls := "package " + pkg + "\n"
	test := "package " + pkg + "\n\nimport \"testing\"\n\nvar routines []func()\n\nfunc TestRoutines(t *testing.T) {\n"
	for _, m := range text.FindAllStringSubmatch(asm, -1) {
		decls += fmt.Sprintf("\nfunc %s()\n", m[1])
		if !skip[m[1]] {
			test += fmt.Sprintf("\troutines = append(routines, %s)\n", m[1])
		}
	}
	for name, content := range map[string]string{
		// The dot is there because symbols spell it in their own way.
		"go.mod":               "module example.com/" + pkg + ".v0\n\ngo 1.26\n",
		pkg + ".go":            "package " + pkg + "\n",
		pkg + "_amd64.go":      decls,
		pkg + "_amd64_test.go": test + "}\n",
		pkg + "_amd64.s":       header + asm,
		// The code of another architecture must not be taken for ours.
		"other_386.s": header + "TEXT ·other(SB), NOSPLIT, $0-0\n\tRET\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Load builds a module that Module wrote and returns its package.
func Load(t testing.TB, dir string) *object.Package {
	t.Helper()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	pkgs, err := object.Load(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) != 1 {
		t.Fatalf("loaded %d packages, want 1", len(pkgs))
	}
	return pkgs[0]
}

// Code assembles the routines and returns their machine code by name.
func Code(t testing.TB, asm string) map[string][]byte {
	t.Helper()
	code := make(map[string][]byte)
	for _, r := range Load(t, Module(t, "planted", asm)).Routines {
		code[r.Name] = r.Code
	}
	for _, m := range text.FindAllStringSubmatch(asm, -1) {
		if len(code[m[1]]) == 0 {
			t.Fatalf("no machine code of %s in the linked program, which has %d routines", m[1], len(code))
		}
	}
	return code
}

// Routine writes the TEXT directive and the body of a routine; lines of the
// body are separated by semicolons or newlines. frame is its frame and argument
// size, such as "$0-24".
func Routine(name, frame, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "TEXT ·%s(SB), NOSPLIT, %s\n", name, frame)
	for _, line := range strings.FieldsFunc(body, func(r rune) bool { return r == ';' || r == '\n' }) {
		line = strings.TrimSpace(line)
		if line != "" {
			fmt.Fprintf(&b, "\t%s\n", line)
		}
	}
	return b.String()
}
