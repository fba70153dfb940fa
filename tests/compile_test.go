package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// compile compiles a program that uses the type and holds the statement, where
// a and b are variables of the type.
func compile(t *testing.T, pkg, typ, statement string) error {
	t.Helper()
	dir := t.TempDir()
	src := fmt.Sprintf("package main\n\nimport %q\n\nfunc main() {\n\tvar a, b %s.%s\n\t_, _ = &a, &b\n\t%s\n}\n",
		module+"/"+pkg, pkg, typ, statement)
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := goCommand(".", nil, "build", "-o", filepath.Join(dir, "main.exe"), file)
	return err
}

// TestNoOperator checks that the compiler refuses ==, which would compare
// limbs, not numbers, and in a time that depends on them.
func TestNoOperator(t *testing.T) {
	for _, pkg := range userPackages {
		for _, typ := range []string{"Element", "Scalar"} {
			if err := compile(t, pkg, typ, "a, b = b, a; println(a.Equal(&b))"); err != nil {
				t.Errorf("a program that uses %s.%s: %v", pkg, typ, err)
			}
			for statement, expect := range map[string]string{
				"println(a == b)":         "cannot be compared",
				"println(a != b)":         "cannot be compared",
				"_ = map[T]int{}":         "invalid map key type",
				"switch a { case b: }":    "is not comparable",
				"println(a.l)":            "a.l undefined",
				"println(*(&a) == *(&b))": "cannot be compared",
			} {
				statement = strings.ReplaceAll(statement, "T", pkg+"."+typ)
				if err := compile(t, pkg, typ, statement); err == nil || !strings.Contains(err.Error(), expect) {
					t.Errorf("%s.%s: %s: got error %v, want one with %q", pkg, typ, statement, err, expect)
				}
			}
		}
	}
}

// With the tag purego, and on other architectures, no assembly is compiled: a
// broken line in every assembly file does no harm there.
func TestReport_golang_go_23172(t *testing.T) {
	files, err := readTree(root, func(name string) bool { return strings.HasSuffix(name, ".s") })
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no assembly in the tree")
	}
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.s")
	// The constraints of the file stay, the rest does not assemble.
	replace := make(map[string]string)
	for name, text := range files {
		at, err := filepath.Abs(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		to := fmt.Sprintf("%s.%d", broken, len(replace))
		if err := os.WriteFile(to, append(text, "\nBROKEN\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[at] = to
	}
	overlay := filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		t.Fatal(err)
	}
	build := func(arch, tags string) error {
		_, err := goCommand(".", []string{"GOOS=linux", "GOARCH=" + arch}, "build", "-overlay", overlay, "-tags", tags, "./field25519", "./fieldp256")
		return err
	}
	if err := build("amd64", ""); err == nil || !strings.Contains(err.Error(), "BROKEN") {
		t.Errorf("amd64 without purego: got error %v, want one about the broken line", err)
	}
	for _, arch := range []string{"amd64", "arm64", "386", "riscv64", "s390x"} {
		if err := build(arch, "purego"); err != nil {
			t.Errorf("%s with purego: %v", arch, err)
		}
		if arch != "amd64" {
			if err := build(arch, ""); err != nil {
				t.Errorf("%s: %v", arch, err)
			}
		}
	}
}
