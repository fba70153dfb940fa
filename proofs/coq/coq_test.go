package coq

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestSources orders the files, and finds what each requires.
func TestSources(t *testing.T) {
	list, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range list {
		for _, n := range s.needs {
			if !seen[n] {
				t.Errorf("%s comes before %s, which it needs", s.name, n)
			}
		}
		seen[s.name] = true
		if got, want := len(requires.FindAllString(s.text, -1)), strings.Count(s.text, "Require"); got != want {
			t.Errorf("%s: %d lines are understood of %d that say Require", s.name, got, want)
		}
	}
	if i := slices.IndexFunc(list, func(s *source) bool { return s.name == "Sound.v" }); !slices.Contains(list[i].needs, "X86.v") {
		t.Errorf("Sound.v needs %v, want X86.v among them", list[i].needs)
	}
	if err := order([]*source{{name: "A.v", needs: []string{"B.v"}}, {name: "B.v", needs: []string{"A.v"}}}); err == nil {
		t.Error("files that require each other are accepted")
	}
}

// fake stands for coqc: it refuses a file that comes before those that it needs,
// and says that there are no axioms, or what is in the file "say".
const fake = `#!/bin/sh
[ "$2" = --version ] && { cat "$FAKE/version"; exit; }
echo "$2" >>"$FAKE/log"
for lib in $(sed -n 's/^Require Import \(.*\)\.$/\1/p' "$2"); do
	[ ! -e $lib.v ] || [ -e $lib.vo ] || { echo "no $lib"; exit 1; }
done
[ -e "$FAKE/fail-$2" ] && { echo bad proof; exit 1; }
touch "${2%.v}.vo"
if [ -e "$FAKE/say" ]; then cat "$FAKE/say"; else
	grep '^Print Assumptions ' "$2" | sed 's/.*/Closed under the global context/'
fi
exit 0
`

// TestBuild compiles what is needed, once, and reports what fails.
func TestBuild(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a shell script stands for coqc")
	}
	bin := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("coqc", fake)
	write("version", "1\n")
	if err := os.WriteFile(filepath.Join(bin, "log"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("FAKE", bin)
	cache := filepath.Join(t.TempDir(), "new")
	t.Setenv("XDG_CACHE_HOME", cache) // what os.UserCacheDir returns on Linux
	progress := 0
	// build returns how many files were compiled.
	build := func() (int, error) {
		t.Helper()
		before, _ := os.ReadFile(filepath.Join(bin, "log"))
		_, err := Build(func(string) { progress++ })
		after, _ := os.ReadFile(filepath.Join(bin, "log"))
		return strings.Count(string(after), "\n") - strings.Count(string(before), "\n"), err
	}
	list, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	want := func(what string, n int, fault string) {
		t.Helper()
		got, err := build()
		if fault == "" && (err != nil || got != n) {
			t.Errorf("%s: got %d files and error %v, want %d", what, got, err, n)
		}
		if fault != "" && (err == nil || !strings.Contains(err.Error(), fault)) {
			t.Errorf("%s: got error %v, want one with %q", what, err, fault)
		}
	}
	write("fail-Claim.v", "")
	want("a file fails", 0, "bad proof")
	os.Remove(filepath.Join(bin, "fail-Claim.v"))
	want("after a failure", len(list), "")
	want("again", 0, "")
	if progress < len(list) {
		t.Errorf("progress was called %d times, want %d or more", progress, len(list))
	}
	write("version", "2\n")
	want("another coqc", len(list), "")
	write("version", "1\n")
	want("the first again", 0, "")
	write("version", "3\n")
	write("say", "Axioms:\ncheat : False\n")
	want("an axiom", 0, "rests on more than the definitions")
	want("an axiom again", 0, "rests on more than the definitions")
	left, err := os.ReadDir(filepath.Join(cache, "fieldproof"))
	if err != nil || len(left) != 2 {
		t.Errorf("%d folders are kept (error %v), want one for each coqc", len(left), err)
	}
}
