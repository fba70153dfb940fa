// Package object finds the machine code of a Go package's assembly routines.
//
// The bytes come out of a linked program, the package's test binary, because
// that is what runs. Which routines there ought to be comes from the object
// files that the assembler wrote, so that a routine which the linker dropped is
// noticed.
package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Package is a Go package together with its assembly routines.
type Package struct {
	ImportPath string
	Name       string
	Arch       string    // as GOARCH
	Routines   []Routine // in the order of their names
}

// A Routine is one TEXT symbol of an assembly file.
type Routine struct {
	Name string // without the package, as in Go
	File string // the assembly file, without its folder
	Code []byte // nil if no part of the package and its tests refers to it
}

// Load is LoadArch for amd64.
func Load(dir string, patterns ...string) ([]*Package, error) {
	return LoadArch("amd64", dir, patterns...)
}

// LoadArch builds the packages that match the patterns, which are those of the go
// command, for linux and an architecture (as GOARCH), whatever the host is, and
// returns the assembly routines of each. dir is the folder to run the go command in.
func LoadArch(arch, dir string, patterns ...string) ([]*Package, error) {
	run := builder{arch, dir}
	tmp, err := os.MkdirTemp("", "fieldproof")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)

	args := []string{"list", "-export", "-json=ImportPath,Name,Dir,Export,SFiles"}
	out, err := run.command(append(append(args, "--"), patterns...)...)
	if err != nil {
		return nil, err
	}
	var pkgs []*Package
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := dec.Decode(&l); err == io.EOF {
			if len(pkgs) == 0 {
				return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
			}
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the output of go list: %w", err)
		}
		p, err := l.load(run, filepath.Join(tmp, "test"))
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", l.ImportPath, err)
		}
		pkgs = append(pkgs, p)
	}
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Name string
	Dir              string
	Export           string   // the archive of the compiled package
	SFiles           []string // its assembly files
}

func (l *listed) load(run builder, binary string) (*Package, error) {
	p := &Package{ImportPath: l.ImportPath, Name: l.Name, Arch: run.arch}
	if len(l.SFiles) == 0 {
		return p, nil
	}
	for _, f := range l.SFiles {
		// The go command reads the file in a process of its own. Looking at it
		// here tells go test that a cached result depends on it.
		if _, err := os.Stat(filepath.Join(l.Dir, f)); err != nil {
			return nil, err
		}
	}
	symbols, err := run.command("tool", "nm", "-type", l.Export)
	if err != nil {
		return nil, err
	}
	if p.Routines, err = assembled(string(symbols), l.SFiles, l.ImportPath); err != nil {
		return nil, err
	}
	if _, err := run.command("test", "-c", "-vet=off", "-o", binary, l.ImportPath); err != nil {
		return nil, err
	}
	linked, err := Open(binary)
	if err != nil {
		return nil, err
	}
	prefix := symbolName(l.ImportPath) + "."
	functions, err := linked.Functions(func(name string) bool { return strings.HasPrefix(name, prefix) })
	if err != nil {
		return nil, err
	}
	for i := range p.Routines {
		for _, f := range functions {
			if f.Name == prefix+p.Routines[i].Name {
				p.Routines[i].Code = f.Code
			}
		}
	}
	return p, nil
}

// assembled returns the TEXT symbols of the object files that were assembled
// from the given files, out of the output of go tool nm for the archive:
// lines such as "archive(fe_amd64.o):  f89 T example.com/p.feAddAMD64".
func assembled(nm string, sFiles []string, path string) ([]Routine, error) {
	// The format of archives has room for 16 bytes of a member's name.
	from := make(map[string]string)
	for _, f := range sFiles {
		member := strings.TrimSuffix(f, ".s") + ".o"
		from[member[:min(len(member), 16)]] = f
	}
	var list []Routine
	seen := make(map[string]bool)
	for _, line := range strings.Split(nm, "\n") {
		member, symbol, ok := strings.Cut(line, "):")
		_, object, ok2 := strings.Cut(member, "(")
		fields := strings.Fields(symbol)
		if !ok || !ok2 || len(fields) < 2 {
			continue
		}
		file, ok := from[object]
		if !ok {
			continue
		}
		seen[object] = true
		if len(fields) == 3 && (fields[1] == "T" || fields[1] == "t") {
			name := strings.TrimPrefix(fields[2], symbolName(path)+".")
			list = append(list, Routine{Name: name, File: file})
		}
	}
	for object, f := range from {
		if !seen[object] {
			return nil, fmt.Errorf("go tool nm shows no object file %s, made from %s", object, f)
		}
	}
	slices.SortFunc(list, func(a, b Routine) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// symbolName returns the import path as it is spelled in symbols, where a dot
// in its last element is escaped.
func symbolName(path string) string {
	dir, last := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, last = path[:i+1], path[i+1:]
	}
	return dir + strings.ReplaceAll(last, ".", "%2e")
}

// A builder runs the go command for linux and an architecture, without cgo.
type builder struct{ arch, dir string }

// command returns what the go command prints. Its error holds what that had to say.
func (b builder) command(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+b.arch, "CGO_ENABLED=0")
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("go %s: %s", strings.Join(args, " "), strings.TrimSpace(string(failed.Stderr)))
	}
	return out, err
}
