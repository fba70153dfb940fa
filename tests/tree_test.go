package tests

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the directory of the module, seen from here.
const root = ".."

// A tree is the content of files by path, with slashes.
type tree map[string][]byte

// readTree reads the files below dir for which keep is true.
func readTree(dir string, keep func(path string) bool) (tree, error) {
	files := make(tree)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !keep(name):
			return nil
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	return files, err
}

// compareTrees returns an error that names each file which only one of the
// trees has, or whose bytes differ, with the first line that does.
func compareTrees(want, got tree) error {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		w, g := want[name], got[name]
		switch {
		case g == nil:
			faults = append(faults, name+": missing")
		case !bytes.Equal(w, g):
			faults = append(faults, fmt.Sprintf("%s: %s", name, firstDifference(w, g)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] == nil {
			faults = append(faults, name+": unexpected")
		}
	}
	if faults == nil {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(faults, "\n"))
}

func firstDifference(want, got []byte) string {
	w, g := strings.SplitAfter(string(want), "\n"), strings.SplitAfter(string(got), "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			line := ""
			if i < len(g) {
				line = g[i]
			}
			return fmt.Sprintf("line %d: got %q, want %q", i+1, line, w[i])
		}
	}
	return fmt.Sprintf("got %d more lines than expected", len(g)-len(w))
}

func TestCompareTrees(t *testing.T) {
	a := tree{"x": []byte("1\n2\n"), "y": []byte("3\n")}
	for _, test := range []struct {
		got    tree
		expect string
	}{
		{tree{"x": []byte("1\n2\n"), "y": []byte("3\n")}, ""},
		{tree{"x": []byte("1\n4\n"), "y": []byte("3\n")}, "x: line 2"},
		{tree{"x": []byte("1\n2\n3"), "y": []byte("3\n")}, "x: line 3"},
		{tree{"x": []byte("1\n2\n")}, "y: missing"},
		{tree{"x": []byte("1\n2\n"), "y": []byte("3\n"), "z": nil}, "z: unexpected"},
	} {
		err := compareTrees(a, test.got)
		if test.expect == "" && err != nil || test.expect != "" && (err == nil || !strings.Contains(err.Error(), test.expect)) {
			t.Errorf("compareTrees(%q): got error %v, want one with %q", test.got, err, test.expect)
		}
	}
}

// goCommand runs the go command in the directory dir of the module, with
// settings added to the environment, and returns what it prints.
func goCommand(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join(root, dir)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
