package emit

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Fields is the body of the generator command called name, for the fields of the
// given form. It returns the exit code: 0, 1 when generation failed, or 2 for
// wrong arguments. Files are written only after all of them were generated.
func Fields(name string, form spec.Form, args []string, stderr io.Writer) int {
	var targets []target
	for _, f := range spec.Fields() {
		if f.Form == form {
			targets = append(targets, field(f))
		}
	}
	return run(name, "../gen/", "field", targets, args, stderr)
}

// Curves is the same for the generator command of the curves.
func Curves(name string, args []string, stderr io.Writer) int {
	var targets []target
	for _, c := range spec.Curves() {
		targets = append(targets, curve(c))
	}
	return run(name, "../../../gen/", "curve", targets, args, stderr)
}

// run is a generator command that stands in the folder gen, as seen from the
// packages that it writes. Its flag called what chooses the target.
func run(name, gen, what string, targets []target, args []string, stderr io.Writer) int {
	var names []string
	for _, t := range targets {
		names = append(names, t.name)
	}
	known := strings.Join(names, ", ")
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	choice := fs.String(what, "", "the `name` of the "+what+": "+known)
	out := fs.String("out", "", "the `directory` of the package to write")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	fail := func(code int, format string, args ...any) int {
		fmt.Fprintf(stderr, name+": "+format+"\n", args...)
		return code
	}
	if fs.NArg() > 0 {
		return fail(2, "unexpected argument %q", fs.Arg(0))
	}
	i := slices.Index(names, *choice)
	if i < 0 {
		return fail(2, "-%s %q: expected one of %s", what, *choice, known)
	}
	t := targets[i]
	if err := checkDir(*out, t.pkg); err != nil {
		return fail(2, "-out: %v", err)
	}
	all, err := files(fmt.Sprintf("go run %s%s -out . -%s %s", gen, name, what, t.name), t.parts...)
	if err != nil {
		return fail(1, "%v", err)
	}
	if err := write(*out, all, os.Rename); err != nil {
		return fail(1, "%v", err)
	}
	return 0
}

// checkDir returns an error unless dir is a directory that holds the package
// pkg, or no Go files.
func checkDir(dir, pkg string) error {
	if dir == "" {
		return fmt.Errorf("expected the directory of package %s, got none", pkg)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("expected a directory, but %s is a file", dir)
	}
	sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, path := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		if got := strings.TrimSuffix(file.Name.Name, "_test"); got != pkg {
			return fmt.Errorf("expected the directory of package %s, but %s holds package %s", pkg, dir, got)
		}
	}
	return nil
}
