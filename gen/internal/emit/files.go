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

// Files returns every generated file of f by name, those of its package among
// them.
func Files(f *spec.Field, command string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, part := range []func(*spec.Field, string) (map[string][]byte, error){Routines, api.Files, shared} {
		more, err := part(f, command)
		if err != nil {
			return nil, err
		}
		for name, b := range more {
			if files[name] != nil {
				return nil, fmt.Errorf("file %s is generated twice", name)
			}
			files[name] = b
		}
	}
	return files, nil
}

//go:embed *.tmpl
var texts embed.FS

var templates = template.Must(template.ParseFS(texts, "*.tmpl"))

// shared returns the files that a package has once, whatever fields it holds:
// the choice of the instruction set, and tests of it. Every field of the package
// writes the same bytes, so they do not name the command.
func shared(f *spec.Field, _ string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, t := range templates.Templates() {
		var b bytes.Buffer
		if err := t.Execute(&b, f.Package); err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(t.Name(), ".tmpl")
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
