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

// Main is the body of the generator command called name, for the fields of the
// given form. It returns the exit code: 0, 1 when generation failed, or 2 for
// wrong arguments. Files are written only after all of them were generated.
func Main(name string, form spec.Form, args []string, stderr io.Writer) int {
	var names []string
	for _, f := range spec.Fields() {
		if f.Form == form {
			names = append(names, f.Name)
		}
	}
	known := strings.Join(names, ", ")
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	field := fs.String("field", "", "the `name` of the field: "+known)
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
	if !slices.Contains(names, *field) {
		return fail(2, "-field %q: expected one of %s", *field, known)
	}
	f, err := spec.Lookup(*field)
	if err != nil {
		return fail(2, "-field: %v", err)
	}
	if err := checkDir(*out, f.Package); err != nil {
		return fail(2, "-out: %v", err)
	}
	command := fmt.Sprintf("go run ../gen/%s -out . -field %s", name, f.Name)
	files, err := Files(f, command)
	if err != nil {
		return fail(1, "%v", err)
	}
	if err := write(*out, files, os.Rename); err != nil {
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
