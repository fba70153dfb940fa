// Package coq holds the Coq development: the semantics of machine code, the
// checker of certificates, and the proof that what it accepts is correct. See
// README.md in this folder for what is trusted.
package coq

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

//go:embed *.v
var files embed.FS

// Source returns the text of a file.
func Source(name string) (string, error) {
	b, err := fs.ReadFile(files, name)
	return string(b), err
}

var requires = regexp.MustCompile(`(?m)^Require Import ([^.]*)\.$`)

// A source is a file of the development.
type source struct {
	name, text string
	needs      []string // the files that it requires
	weight     int      // how many files require it, or one of those
}

// sources returns the files of the development, those that most others require first.
func sources() ([]*source, error) {
	names, err := fs.Glob(files, "*.v")
	if err != nil {
		return nil, err
	}
	list := make([]*source, len(names))
	for i, name := range names {
		s := &source{name: name}
		if s.text, err = Source(name); err != nil {
			return nil, err
		}
		for _, m := range requires.FindAllStringSubmatch(s.text, -1) {
			for lib := range strings.FieldsSeq(m[1]) {
				if slices.Contains(names, lib+".v") {
					s.needs = append(s.needs, lib+".v")
				}
			}
		}
		list[i] = s
	}
	return list, order(list)
}

// order sorts files so that each comes after those that it needs.
func order(list []*source) error {
	by := map[string]*source{}
	for _, s := range list {
		by[s.name] = s
	}
	for _, s := range list {
		seen := map[string]bool{}
		var visit func(s *source)
		visit = func(s *source) {
			for _, name := range s.needs {
				if n := by[name]; !seen[name] {
					seen[name] = true
					n.weight++
					visit(n)
				}
			}
		}
		visit(s)
		if seen[s.name] {
			return fmt.Errorf("%s requires itself, through others", s.name)
		}
	}
	slices.SortFunc(list, func(a, b *source) int {
		return cmp.Or(b.weight-a.weight, strings.Compare(a.name, b.name))
	})
	return nil
}

// A Development is a folder in which the development is compiled.
type Development struct{ dir string }

// Compile runs coqc on a file that may require those of the development, and
// returns what it printed. Nothing of it is kept.
func (d *Development) Compile(name, text string) (string, error) {
	dir, err := os.MkdirTemp("", "fieldproof-theorem-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		return "", err
	}
	return coqc(dir, "-R", d.dir, "", name)
}

func coqc(dir string, args ...string) (string, error) {
	cmd := exec.Command("coqc", append([]string{"-q"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("coqc %s: %w\n%s", args[len(args)-1], err, out)
	}
	return string(out), nil
}

// Build compiles the development, as many files at a time as there are CPUs, and
// fails unless the main theorems rest on no axiom. The result is kept in the
// user's cache directory, fieldproof/coq-HASH; what is there already, from the
// same files and by the same coqc, is not compiled again. It calls progress
// before each file.
func Build(progress func(name string)) (*Development, error) {
	list, err := sources()
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	cache = filepath.Join(cache, "fieldproof")
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return nil, err
	}
	version, err := coqc(cache, "--version")
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, s := range append(list, &source{name: "coqc", text: version}) {
		fmt.Fprintf(h, "%s %d\n%s", s.name, len(s.text), s.text)
	}
	done := filepath.Join(cache, fmt.Sprintf("coq-%x", h.Sum(nil)[:16]))
	if _, err := os.Stat(done); err == nil {
		return &Development{done}, nil
	}
	dir, err := os.MkdirTemp(cache, "build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := (&Development{dir}).build(list, progress); err != nil {
		return nil, err
	}
	// Another build may have been faster.
	if err := os.Rename(dir, done); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return &Development{done}, nil
}

// build compiles every file after those that it needs, until one fails.
func (d *Development) build(list []*source, progress func(name string)) error {
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	compiled := map[string]bool{}
	var failed error
	// next takes the first file that can be compiled. It returns nil at the end.
	next := func() *source {
		mu.Lock()
		defer mu.Unlock()
		for failed == nil && len(list) > 0 {
			i := slices.IndexFunc(list, func(s *source) bool {
				return !slices.ContainsFunc(s.needs, func(n string) bool { return !compiled[n] })
			})
			if i >= 0 {
				s := list[i]
				list = slices.Delete(list, i, i+1)
				progress(s.name)
				return s
			}
			changed.Wait()
		}
		return nil
	}
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for s := next(); s != nil; s = next() {
				err := d.file(s)
				mu.Lock()
				compiled[s.name] = err == nil
				failed = cmp.Or(failed, err)
				changed.Broadcast()
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failed
}

func (d *Development) file(s *source) error {
	if err := os.WriteFile(filepath.Join(d.dir, s.name), []byte(s.text), 0o644); err != nil {
		return err
	}
	out, err := coqc(d.dir, s.name)
	if err != nil {
		return err
	}
	if n := strings.Count(s.text, "\nPrint Assumptions "); n > 0 && !Closed(out, n) {
		return fmt.Errorf("a theorem of %s rests on more than the definitions:\n%s", s.name, out)
	}
	return nil
}

// Closed reports whether coqc's output says of n theorems, and of nothing
// else, that they rest on no axiom.
func Closed(out string, n int) bool {
	want := strings.Repeat("Closed under the global context\n", n)
	return out == want
}
