package emit

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// list returns what a directory holds, by name; directories have no text.
func list(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text := ""
		if !e.IsDir() {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		all[e.Name()] = text
	}
	return all
}

// TestWrite checks that write places all files or leaves everything as it was,
// whichever rename fails and whatever stands in the way.
func TestWrite(t *testing.T) {
	files := map[string][]byte{"a": []byte("new a"), "b": []byte("new b"), "c": []byte("new c")}
	before := map[string]string{"b": "old b", "c": "old c", "d": "old d"}
	failing := errors.New("planted")
	for _, test := range []struct {
		name  string
		fails int    // number of the rename that fails
		block string // a directory with this name stands in the way
		want  string // in the error, or none
	}{
		{"nothing fails", -1, "", ""},
		{"the first rename", 0, "", "planted"},
		{"the second rename", 1, "", "planted"},
		{"the last rename", 2, "", "planted"},
		{"a directory", -1, "c", "regular file"},
	} {
		dir := t.TempDir()
		for name, text := range before {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want := maps.Clone(before)
		if test.block != "" {
			path := filepath.Join(dir, test.block)
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
				t.Fatal(err)
			}
			want[test.block] = ""
		}
		var renamed []string
		err := write(dir, files, func(from, to string) error {
			if renamed = append(renamed, filepath.Base(to)); len(renamed) == test.fails+1 {
				return failing
			}
			return os.Rename(from, to)
		})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
		if test.want == "" {
			for name, b := range files {
				want[name] = string(b)
			}
		}
		if got := list(t, dir); !maps.Equal(got, want) {
			t.Errorf("%s: the directory holds %q, want %q", test.name, got, want)
		}
		if !slices.IsSorted(renamed) || test.block != "" && renamed != nil {
			t.Errorf("%s: placed %v, want the order of names, and none where one is refused", test.name, renamed)
		}
	}
}

// TestShared checks that all fields of a package agree on the files of the
// package, and that no file of a field is among them.
func TestShared(t *testing.T) {
	of := map[string]map[string][]byte{}
	for _, f := range spec.Fields() {
		got, err := shared(f, "a command for "+f.Name)
		if err != nil {
			t.Fatal(err)
		}
		for name, b := range got {
			if strings.HasSuffix(name, ".go") && !bytes.Contains(b, []byte("package "+f.Package+"\n")) {
				t.Errorf("%s: %s is not in package %s", f.Name, name, f.Package)
			}
			if strings.HasPrefix(name, f.Prefix+"_") {
				t.Errorf("%s: %s looks like a file of the field", f.Name, name)
			}
		}
		if len(got) == 0 || of[f.Package] != nil && !maps.EqualFunc(got, of[f.Package], bytes.Equal) {
			t.Errorf("%s: the %d files differ from those of another field of %s", f.Name, len(got), f.Package)
		}
		of[f.Package] = got
	}
}

// TestHeadings checks that above each routine stand its contract by name, and
// the instructions that it uses.
func TestHeadings(t *testing.T) {
	for _, f := range spec.Fields() {
		files, err := fieldUnit(f).files("a test")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range f.Routines() {
			line := "// Contract: " + f.Name + " " + string(r.Kind) + ". Instruction set: "
			want := map[string][]string{
				"_generic.go": {"portable Go.\n"},
				"_amd64.go":   {"baseline amd64.\n"},
				"_amd64.s":    {"baseline amd64.\n"},
				"_arm64.go":   {"arm64.\n"},
				"_arm64.s":    {"arm64.\n"},
			}
			if r.Multiplies() {
				want["_amd64.go"] = []string{"BMI2 and ADX where the CPU has them, else baseline amd64.\n"}
				want["_amd64.s"] = append(want["_amd64.s"], "BMI2 and ADX.\n")
			}
			if r.HasProduct() {
				want["_arm64.go"] = []string{"arm64, with few wide multiplications where they are slow, else arm64.\n"}
				want["_arm64.s"] = append(want["_arm64.s"], "arm64, few wide multiplications.\n")
			}
			for suffix, sets := range want {
				text := files[f.Prefix+suffix]
				if n := bytes.Count(text, []byte(line)); n != len(sets) {
					t.Errorf("%s%s: got %d lines with %q, want %d", f.Prefix, suffix, n, line, len(sets))
				}
				for _, set := range sets {
					if !bytes.Contains(text, []byte(line+set)) {
						t.Errorf("%s%s: no line %q", f.Prefix, suffix, line+set)
					}
				}
			}
		}
		for _, suffix := range []string{"_amd64.s", "_arm64.s"} {
			if head := "routines modulo p, " + f.Title + ":\n"; !bytes.Contains(files[f.Prefix+suffix], []byte(head)) {
				t.Errorf("%s%s: no heading with %q", f.Prefix, suffix, head)
			}
		}
	}
}
