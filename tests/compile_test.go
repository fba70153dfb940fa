package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/spec"
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
	for _, f := range spec.Fields() {
		pkg, typ := f.Package, f.Type
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
	overlay := func(name string, replace map[string]string) string {
		data, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	build := func(overlay, arch, tags, packages string) error {
		_, err := goCommand(".", []string{"GOOS=linux", "GOARCH=" + arch}, "build", "-overlay", overlay, "-tags", tags, packages)
		return err
	}
	// The constraints of a file stay, the rest does not assemble.
	all := make(map[string]string)
	for name, text := range files {
		at, err := filepath.Abs(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		n := len(all)
		all[at] = filepath.Join(dir, fmt.Sprintf("broken%d.s", n))
		if err := os.WriteFile(all[at], append(text, "\nBROKEN\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
		// Where it is compiled, the broken line does harm.
		arch := "amd64"
		if strings.HasSuffix(name, "_arm64.s") {
			arch = "arm64"
		}
		one := overlay(fmt.Sprintf("overlay%d.json", n), map[string]string{at: all[at]})
		if err := build(one, arch, "", "./"+path.Dir(name)); err == nil || !strings.Contains(err.Error(), "BROKEN") {
			t.Errorf("%s without purego: %s: got error %v, want one about the broken line", arch, name, err)
		}
	}
	every := overlay("overlay.json", all)
	for _, arch := range []string{"amd64", "arm64", "386", "riscv64", "s390x"} {
		if err := build(every, arch, "purego", "./..."); err != nil {
			t.Errorf("%s with purego: %v", arch, err)
		}
		if arch != "amd64" && arch != "arm64" {
			if err := build(every, arch, "", "./..."); err != nil {
				t.Errorf("%s: %v", arch, err)
			}
		}
	}
}
