package emit

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/api"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A part makes some of the files of a package, by name, for a command line.
type part func(command string) (map[string][]byte, error)

// files returns those of all parts.
func files(command string, parts ...part) (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, p := range parts {
		more, err := p(command)
		if err != nil {
			return nil, err
		}
		for name, b := range more {
			if all[name] != nil {
				return nil, fmt.Errorf("file %s is generated twice", name)
			}
			all[name] = b
		}
	}
	return all, nil
}

// A target is what a generator command can write: the package of a field or of a
// curve.
type target struct {
	name, pkg string
	parts     []part
}

// field returns the target of a field: every generated file, those of its
// package among them.
func field(f *spec.Field) target {
	of := func(make func(*spec.Field, string) (map[string][]byte, error)) part {
		return func(command string) (map[string][]byte, error) { return make(f, command) }
	}
	return target{f.Name, f.Package, []part{fieldUnit(f).files, of(api.Files), of(shared)}}
}

// curve returns the target of a curve.
func curve(c *spec.Curve) target {
	pkg := c.Field().Package
	more := func(string) (map[string][]byte, error) { return filled(pkg, "") }
	return target{c.Name, pkg, []part{curveUnit(c).files, more}}
}

//go:embed *.tmpl
var texts embed.FS

var templates = template.Must(template.ParseFS(texts, "*.tmpl"))

// shared returns the files that a package has once, whatever fields it holds:
// the choice of the instruction set, and tests of it. Every field of the package
// writes the same bytes, so they do not name the command.
func shared(f *spec.Field, _ string) (map[string][]byte, error) {
	return filled(f.Package, `, "TestElement", "TestScalar"`)
}

// filled returns the files for a package; tests are those that run on every
// path besides the tests of routines, as further arguments.
func filled(pkg, tests string) (map[string][]byte, error) {
	data := struct{ Package, Tests string }{pkg, tests}
	files := map[string][]byte{}
	for _, t := range templates.Templates() {
		var b bytes.Buffer
		if err := t.Execute(&b, data); err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(t.Name(), ".tmpl")
		if files[name] = b.Bytes(); !strings.HasSuffix(name, ".go") {
			continue
		}
		var err error
		if files[name], err = format.Source(b.Bytes()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}

// write puts all files into dir, or none: it refuses before the first of them
// where one would replace something that is no regular file, and it restores
// what it replaced if a rename fails. Each file is placed by renaming, so that
// it is either the old one or the new one at any time.
func write(dir string, files map[string][]byte, rename func(from, to string) error) (err error) {
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("expected %s to be a regular file or absent, got %v", path, info.Mode())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	tmp, err := os.MkdirTemp(dir, ".generate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	fresh := func(name string) string { return filepath.Join(tmp, "new-"+name) }
	saved := func(name string) string { return filepath.Join(tmp, "old-"+name) }
	had := map[string]bool{}
	for _, name := range names {
		if err := os.WriteFile(fresh(name), files[name], 0o644); err != nil {
			return err
		}
		old, err := os.ReadFile(filepath.Join(dir, name))
		if had[name] = err == nil; had[name] {
			err = os.WriteFile(saved(name), old, 0o644)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for i, name := range names {
		err := rename(fresh(name), filepath.Join(dir, name))
		if err == nil {
			continue
		}
		for _, name := range names[:i] {
			path := filepath.Join(dir, name)
			if had[name] {
				err = errors.Join(err, os.Rename(saved(name), path))
			} else {
				err = errors.Join(err, os.Remove(path))
			}
		}
		return err
	}
	return nil
}
