package ledger_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/ledger"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

const (
	root  = "../.."
	certs = "../certs"
)

func load(t *testing.T) []prove.Target {
	t.Helper()
	var patterns []string
	for _, p := range spec.Packages() {
		patterns = append(patterns, "github.com/seed-6f9cd256/fieldproof/"+p)
	}
	ts, err := prove.Load(root, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

// kept returns the ledger as it is in the tree.
func kept(t *testing.T) []ledger.Entry {
	t.Helper()
	list, err := ledger.Parse(ledger.Text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestLedger compares the ledger with the routines as they are now, what their
// certificates prove, and what the lint finds.
func TestLedger(t *testing.T) {
	ts := load(t)
	var now []ledger.Entry
	for _, r := range prove.Each(ts, func(x *prove.Target) prove.Result { return x.Check(certs) }, func(prove.Result) {}) {
		e, err := ledger.New(r)
		if err != nil {
			t.Errorf("no entry: %v", err)
		}
		now = append(now, e)
	}
	for _, d := range ledger.Compare(kept(t), now) {
		t.Error(d)
	}
	ledger.Merge(kept(t), now)
	if got := ledger.Format(now); got != ledger.Text && !t.Failed() {
		t.Errorf("ledger.txt is not what fieldproof ledger prints:\n%s", got)
	}
}

// TestReadme compares the table in README with the ledger.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := ledger.Readme(string(text), kept(t))
	if err != nil {
		t.Fatalf("README.md: %v", err)
	}
	if want != string(text) {
		t.Errorf("the status table of README.md is not that of the ledger: run fieldproof ledger -readme README.md; it is\n%s", ledger.Markdown(kept(t)))
	}
	if _, err := ledger.Readme("no table", kept(t)); err == nil {
		t.Error("a text without a place for the table is accepted")
	}
}

func TestMarkdown(t *testing.T) {
	entry := func(name, set string, functional, kernel ledger.Claim) ledger.Entry {
		return ledger.Entry{Routine: name, Set: set, Functional: functional, Time: ledger.Linted, Memory: functional, Kernel: kernel}
	}
	got := ledger.Markdown([]ledger.Entry{
		entry("p.feAddAMD64", "amd64", ledger.Proved, ledger.Coq),
		entry("p.feInvertAMD64", "amd64", ledger.Tested, ledger.No),
		entry("p.feMultiplyAMD64", "amd64", ledger.Proved, ledger.Coq),
	})
	for _, want := range []string{
		"\n| `p` | amd64 | 2: feAddAMD64, feMultiplyAMD64 | **proved** | linted | **proved** | **accepts the proof** |\n",
		"\n| `p` | amd64 | 1: feInvertAMD64 | tested | linted | tested | no |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant the line %s", got, want)
		}
	}
}

// TestCompare changes one thing at a time in a copy of the ledger.
func TestCompare(t *testing.T) {
	if diffs := ledger.Compare(kept(t), kept(t)); len(diffs) > 0 {
		t.Fatalf("the ledger differs from itself: %q", diffs)
	}
	other := map[ledger.Claim]ledger.Claim{ledger.Proved: ledger.Tested, ledger.Tested: ledger.Proved, ledger.Linted: ledger.Proved,
		ledger.Coq: ledger.No, ledger.No: ledger.Coq}
	for name, change := range map[string]func(list *[]ledger.Entry){
		": functional: ":           func(l *[]ledger.Entry) { e := &(*l)[3]; e.Functional = other[e.Functional] },
		": constant time: ":        func(l *[]ledger.Entry) { e := &(*l)[3]; e.Time = other[e.Time] },
		": memory: ":               func(l *[]ledger.Entry) { e := &(*l)[3]; e.Memory = other[e.Memory] },
		": kernel: ":               func(l *[]ledger.Entry) { e := &(*l)[3]; e.Kernel = other[e.Kernel] },
		"the ledger has code":      func(l *[]ledger.Entry) { (*l)[3].Code = strings.Repeat("0", 64) },
		"there is no such routine": func(l *[]ledger.Entry) { *l = slices.Delete(*l, 3, 4) },
		"not in the ledger": func(l *[]ledger.Entry) {
			*l = append(*l, ledger.Entry{Routine: "fieldp256.feFrobnicateAMD64"})
		},
	} {
		now := kept(t)
		change(&now)
		diffs := ledger.Compare(kept(t), now)
		if len(diffs) != 1 || !strings.Contains(diffs[0], name) {
			t.Errorf("got the differences %q, want one with %q", diffs, name)
		}
	}
	now := kept(t)
	now[3].Kernel = ledger.Unknown
	if diffs := ledger.Compare(kept(t), now); len(diffs) > 0 {
		t.Errorf("a claim that was not looked at: got the differences %q", diffs)
	}
	if ledger.Merge(kept(t), now); now[3] != kept(t)[3] {
		t.Errorf("merged: got %v, want %v", now[3], kept(t)[3])
	}
}

func TestParse(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	const good = "p.feAddAMD64 amd64 proved linted proved coq " + hash + "\n"
	if list, err := ledger.Parse("# comment\n\n" + good); err != nil || len(list) != 1 || list[0].Memory != ledger.Proved {
		t.Fatalf("got %v, %v", list, err)
	}
	for want, text := range map[string]string{
		"no entries":                        "# comment\n",
		"line 2: 6 fields, want 7":          "\n" + strings.Replace(good, " coq", "", 1),
		"the order of names":                good + good,
		"known instruction set":             strings.Replace(good, "AMD64", "Z80", 1),
		`has the instruction set "ppc"`:     strings.Replace(good, " amd64", " ppc", 1),
		`functional is "linted"`:            strings.Replace(good, " proved", " linted", 1),
		`constant time is "tested"`:         strings.Replace(good, " linted", " tested", 1),
		`kernel is "yes"`:                   strings.Replace(good, " coq", " yes", 1),
		"want a SHA-256":                    strings.Replace(good, "abcdef", "ABCDEF", 1),
		"want a SHA-256 in lower-case hexa": strings.Replace(good, "abcdef", "", 1),
	} {
		if _, err := ledger.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one with %q", text, err, want)
		}
	}
}

func TestRehash(t *testing.T) {
	const zeros = "0000000000000000000000000000000000000000000000000000000000000000"
	text := "# comment\np.feAddAMD64 amd64 proved linted proved coq " + zeros + "\np.feXorAMD64 amd64 tested linted linted no " + zeros + "\n"
	a, x := prove.Target{Name: "p.feAddAMD64", Code: []byte("abc")}, prove.Target{Name: "p.feXorAMD64", Code: nil}
	got, err := ledger.Rehash(text, []prove.Target{a, x})
	// The hash of "abc" is from FIPS 180-2, appendix B.1; that of nothing is well known.
	want := strings.Replace(text, zeros, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 1)
	want = strings.Replace(want, zeros, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 1)
	if err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := ledger.Rehash(text, []prove.Target{a}); err == nil || !strings.Contains(err.Error(), "p.feXorAMD64: in the ledger") {
		t.Errorf("a routine less: got %v", err)
	}
	if _, err := ledger.Rehash(text, []prove.Target{a, x, {Name: "p.feYAMD64"}}); err == nil || !strings.Contains(err.Error(), "p.feYAMD64: not in the ledger") {
		t.Errorf("a routine more: got %v", err)
	}
}

var rounds = flag.Int("rounds", 1, "changed copies of the assembly that TestAssembly tries")

// TestAssembly drops one instruction of every routine in copies of the assembly
// files, and expects the ledger to notice each.
func TestAssembly(t *testing.T) {
	dir := t.TempDir()
	for seed := range *rounds {
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		overlay := map[string]string{}
		dropped := map[string]string{}
		for _, pkg := range spec.Packages() {
			files, err := filepath.Glob(filepath.Join(root, pkg, "*_a*64.s"))
			if err != nil || len(files) < 2 {
				t.Fatalf("no assembly files of %s for two architectures: %v", pkg, err)
			}
			files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "cpu_arm64.s" }) // which has no contract
			for i, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				abs, err := filepath.Abs(file)
				if err != nil {
					t.Fatal(err)
				}
				overlay[abs] = filepath.Join(dir, fmt.Sprintf("%s-%d-%d.s", path.Base(pkg), i, seed))
				if err := os.WriteFile(overlay[abs], []byte(drop(string(text), path.Base(pkg), dropped, rng)), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		list, err := json.Marshal(map[string]any{"Replace": overlay})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "overlay.json")
		if err := os.WriteFile(file, list, 0o666); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GOFLAGS", "-overlay="+file)
		now := kept(t)
		for _, x := range load(t) {
			i := slices.IndexFunc(now, func(e ledger.Entry) bool { return e.Routine == x.Name })
			now[i].Code = ledger.Hash(x.Code)
		}
		diffs := ledger.Compare(kept(t), now)
		if len(dropped) != len(now) || len(diffs) != len(now) {
			t.Errorf("seed %d: dropped an instruction of %d routines, and see %d changes of %d routines: %q", seed, len(dropped), len(diffs), len(now), dropped)
		}
	}
	t.Logf("%d rounds, one instruction of every routine in each", *rounds)
}

// drop comments one instruction of every routine out, and records it by the routine's name.
func drop(text, pkg string, dropped map[string]string, rng *rand.Rand) string {
	lines := strings.Split(text, "\n")
	routine := ""
	var body []int // lines of instructions
	flush := func() {
		if routine == "" {
			return
		}
		i := body[rng.IntN(len(body))]
		dropped[routine] = lines[i]
		lines[i] = "\t// " + lines[i]
	}
	for i, line := range lines {
		name, isText := strings.CutPrefix(line, "TEXT ·")
		switch {
		case isText:
			flush()
			routine, body = pkg+"."+name[:strings.Index(name, "(")], nil
		case strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "\t//") && !strings.HasPrefix(line, "\tRET"):
			body = append(body, i)
		}
	}
	flush()
	return strings.Join(lines, "\n")
}
