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
}

// below reports whether the package is one of the directories or below it.
func (d dependency) below(dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return d.path == module+"/"+dir || strings.HasPrefix(d.path, module+"/"+dir+"/")
	})
}

// userPackages are the directories of what users import.
var userPackages = spec.Packages()

// packagePaths returns them as arguments of the go command.
func packagePaths() (paths []string) {
	for _, p := range userPackages {
		paths = append(paths, "./"+p)
	}
	return paths
}

var rules = []rule{
	{
		"what users import depends on the standard library and x/sys/cpu only, and not on math/big",
		".", packagePaths(),
		func(d dependency) bool {
			return d.standard && d.path != "math/big" || d.path == "golang.org/x/sys/cpu" || d.below(userPackages...)
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
	args := append([]string{"list", "-deps", "-tags", tags, "-f", "{{.ImportPath}} {{.Standard}}"}, r.packages...)
	out, err := goCommand(r.dir, env, args...)
	if err != nil {
		return nil, err
	}
	var deps []dependency
	for line := range strings.Lines(out) {
		path, standard, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return nil, fmt.Errorf("go list printed %q", line)
		}
		deps = append(deps, dependency{path, standard == "true"})
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
	for i, bad := range []string{"math/big", "golang.org/x/sys/cpu", module + "/gen/field", module + "/proofs/lint"} {
		good := dependency{"errors", true}
		if err := rules[i].check([]dependency{good}); err != nil {
			t.Error(err)
		}
		if err := rules[i].check([]dependency{good, {bad, bad == "math/big"}}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: got error %v for %s", rules[i].about, err, bad)
		}
	}
	for _, bad := range []string{"golang.org/x/sys/unix", "golang.org/x/sys/cpuid", module + "/spec", module + "/field25519x", "filippo.io/edwards25519/field"} {
		if err := rules[0].check([]dependency{{bad, false}}); err == nil {
			t.Errorf("%s is allowed in what users import", bad)
		}
	}
	if err := rules[0].check(nil); err == nil {
		t.Error("a list without packages passed")
	}
}
