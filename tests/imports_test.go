package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

const module = "github.com/seed-6f9cd256/fieldproof"

// A rule says what some packages may depend on, however indirectly.
type rule struct {
	about    string
	dir      string // where the packages are: a module of the workspace
	packages []string
	allowed  func(dep dependency) bool
}

// A dependency is a package that another one needs.
type dependency struct {
	path     string
	standard bool
	imports  []string // what it imports itself
}

// below reports whether the package is one of the directories or below it.
func (d dependency) below(dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return d.path == module+"/"+dir || strings.HasPrefix(d.path, module+"/"+dir+"/")
	})
}

// fieldPackages and userPackages are the directories of what users import.
var (
	fieldPackages = spec.Packages()
	userPackages  = append(spec.Packages(), "curves")
)

// packagePaths returns the field packages as arguments of the go command.
func packagePaths() (paths []string) {
	for _, p := range fieldPackages {
		paths = append(paths, "./"+p)
	}
	return paths
}

var rules = []rule{
	{
		"the field packages depend on the standard library and x/sys/cpu only, and not on math/big",
		".", packagePaths(),
		func(d dependency) bool {
			return d.standard && d.path != "math/big" || d.path == "golang.org/x/sys/cpu" || d.below(fieldPackages...)
		},
	},
	{
		// crypto/rand depends on math/big.
		"the curves depend on the standard library and x/sys/cpu only, and do not import math/big",
		".", []string{"./curves/..."},
		func(d dependency) bool {
			return d.standard || d.path == "golang.org/x/sys/cpu" || d.below(userPackages...) && !slices.Contains(d.imports, "math/big")
		},
	},
	{
		"the specification depends on the standard library only",
		".", []string{"./spec"},
		func(d dependency) bool { return d.standard || d.below("spec") },
	},
	{
		"the proofs do not know the generators",
		".", []string{"./proofs/..."},
		func(d dependency) bool { return !d.below("gen") },
	},
	{
		"the generators do not know the proofs, nor what they generate",
		"gen", []string{"./..."},
		func(d dependency) bool { return !d.below("proofs", "tests") && !d.below(userPackages...) },
	},
}

// check returns an error that names each dependency that is not allowed.
func (r rule) check(deps []dependency) error {
	if len(deps) == 0 {
		return fmt.Errorf("%s: no packages", r.about)
	}
	var bad []string
	for _, d := range deps {
		if !r.allowed(d) {
			bad = append(bad, d.path)
		}
	}
	if bad != nil {
		return fmt.Errorf("the rule is that %s; dependencies: %s", r.about, strings.Join(bad, ", "))
	}
	return nil
}

// list returns the dependencies of the rule's packages, without their tests.
func (r rule) list(env []string, tags string) ([]dependency, error) {
	args := append([]string{"list", "-deps", "-tags", tags, "-f", "{{.ImportPath}} {{.Standard}} {{join .Imports \" \"}}"}, r.packages...)
	out, err := goCommand(r.dir, env, args...)
	if err != nil {
		return nil, err
	}
	var deps []dependency
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) < 2 {
			return nil, fmt.Errorf("go list printed %q", line)
		}
		deps = append(deps, dependency{words[0], words[1] == "true", words[2:]})
	}
	return deps, nil
}

func TestImports(t *testing.T) {
	for _, r := range rules {
		for _, build := range []struct{ arch, tags string }{{"amd64", ""}, {"amd64", "purego"}, {"arm64", ""}, {"386", ""}} {
			deps, err := r.list([]string{"GOARCH=" + build.arch, "GOOS=linux"}, build.tags)
			if err == nil {
				err = r.check(deps)
			}
			if err != nil {
				t.Errorf("GOARCH=%s, tags %q: %v", build.arch, build.tags, err)
			}
		}
	}
}

// TestRules checks that each rule refuses what it is for.
func TestRules(t *testing.T) {
	for i, bad := range []dependency{
		{"math/big", true, nil},
		{module + "/curves/p256", false, []string{"errors", "math/big"}},
		{"golang.org/x/sys/cpu", false, nil},
		{module + "/gen/field", false, nil},
		{module + "/proofs/lint", false, nil},
	} {
		good := dependency{"errors", true, nil}
		if err := rules[i].check([]dependency{good}); err != nil {
			t.Error(err)
		}
		if err := rules[i].check([]dependency{good, bad}); err == nil || !strings.Contains(err.Error(), bad.path) {
			t.Errorf("%s: got error %v for %s", rules[i].about, err, bad.path)
		}
	}
	for _, bad := range []string{"golang.org/x/sys/unix", "golang.org/x/sys/cpuid", module + "/spec", module + "/field25519x", "filippo.io/edwards25519/field"} {
		for _, r := range rules[:2] {
			if err := r.check([]dependency{{bad, false, nil}}); err == nil {
				t.Errorf("%s is allowed, though %s", bad, r.about)
			}
		}
	}
	if err := rules[0].check(nil); err == nil {
		t.Error("a list without packages passed")
	}
}
