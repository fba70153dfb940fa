package explain_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/explain"
	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

const (
	root  = "../.."
	certs = "../certs"
)

var load = sync.OnceValues(func() ([]prove.Target, error) {
	var patterns []string
	for _, p := range spec.Packages() {
		patterns = append(patterns, "github.com/seed-6f9cd256/fieldproof/"+p)
	}
	packages, err := object.Load(root, patterns...)
	if err != nil {
		return nil, err
	}
	all, err := prove.Targets(packages)
	return slices.DeleteFunc(all, func(t prove.Target) bool {
		return !t.Covered()
	}), err
})

func targets(t *testing.T) []prove.Target {
	t.Helper()
	ts, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

// listing explains the routine for pointers that are all different.
func listing(t *testing.T, x *prove.Target) *explain.Listing {
	t.Helper()
	r, ks, err := x.Load(certs)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Patterns(), func(p kernel.Pattern) bool { return r.Names(p) == "disjoint" })
	l, err := explain.Routine(r, r.Patterns()[i], ks[i])
	if err != nil {
		t.Fatalf("%s: %v", x.Name, err)
	}
	return l
}

// source returns the number of instructions that an assembly file has for the
// routine, and whether the assembler adds none for a frame.
func source(t *testing.T, name string) (n int, bare bool) {
	t.Helper()
	pkg, routine, _ := strings.Cut(name, ".")
	i := slices.IndexFunc(spec.Packages(), func(p string) bool { return path.Base(p) == pkg })
	if i < 0 {
		t.Fatalf("no package %s", pkg)
	}
	files, err := filepath.Glob(filepath.Join(root, spec.Packages()[i], "*_amd64.s"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, body, ok := strings.Cut(string(text), "\nTEXT ·"+routine+"(SB)")
		if !ok {
			continue
		}
		head, body, _ := strings.Cut(body, "\n")
		body, _, _ = strings.Cut(body, "\nTEXT ")
		for _, line := range strings.Split(body, "\n") {
			if strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "\t//") {
				n++
			}
		}
		return n, strings.Contains(head, "$0-")
	}
	t.Fatalf("no assembly file has %s", name)
	return 0, false
}

// TestListing checks of every routine that each of its instructions, as many as
// its assembly file has, is listed once, and that each carry that nothing reads
// has a reason; and that a second listing is the same.
func TestListing(t *testing.T) {
	bare, dropped := 0, 0
	for i, x := range targets(t) {
		l := listing(t, &x)
		if n, ok := source(t, x.Name); ok {
			bare++
			if len(l.Instructions) != n {
				t.Errorf("%s: %d instructions listed, the assembly file has %d", x.Name, len(l.Instructions), n)
			}
		}
		next := 0
		for _, in := range l.Instructions {
			if in.Offset != next {
				t.Errorf("%s: offset %#x listed, want %#x", x.Name, in.Offset, next)
			}
			decoded, err := amd64.Decode(x.Code, in.Offset)
			if err != nil {
				t.Fatal(err)
			}
			next += decoded.Len
			if in.Drops && len(in.Dropped) == 0 {
				t.Errorf("%s+%#x: %s drops a carry, and no reason is given", x.Name, in.Offset, in.Text)
			}
			dropped += len(in.Dropped)
		}
		if next != len(x.Code) {
			t.Errorf("%s: the listing ends at %#x, the code at %#x", x.Name, next, len(x.Code))
		}
		for i := range x.Contract.Claims {
			claim := x.Contract.Claims[i].String()
			if !slices.ContainsFunc(l.Claims, func(n explain.Note) bool { return strings.HasPrefix(n.Text, claim+": ") }) {
				t.Errorf("%s: nothing is said of the claim %s", x.Name, claim)
			}
		}
		var a, b strings.Builder
		if err := l.Write(&a); err != nil {
			t.Fatal(err)
		}
		if i%8 == 0 {
			if err := listing(t, &x).Write(&b); err != nil || a.String() != b.String() {
				t.Errorf("%s: a second listing differs (%v)", x.Name, err)
			}
		}
		for i := range l.Instructions {
			line := fmt.Sprintf("\n0x%04x  %s\n", l.Instructions[i].Offset, l.Instructions[i].Text)
			if strings.Count(a.String(), line) != 1 {
				t.Errorf("%s: printed %d times: %q, want once", x.Name, strings.Count(a.String(), line), line)
			}
		}
	}
	if bare < 40 || dropped < 200 {
		t.Errorf("%d routines compared with their assembly, %d carries explained: want more, or the test sees nothing", bare, dropped)
	}
}

// TestDropped runs every routine in the emulator and looks at the flags where
// the listing says of all paths that a carry is 0 or 1.
func TestDropped(t *testing.T) {
	carry := regexp.MustCompile(`^the (?:carry|borrow) is ([01]), by`)
	looked := 0
	for _, x := range targets(t) {
		want := map[int]emulate.Bit{}
		for _, in := range listing(t, &x).Instructions {
			if len(in.Dropped) != 1 || in.Dropped[0].Cases != nil {
				continue
			}
			if m := carry.FindStringSubmatch(in.Dropped[0].Text); m != nil && !strings.HasPrefix(in.Text, "LEA") && !strings.HasPrefix(in.Text, "NEG") {
				want[in.Offset] = emulate.Bit(m[1][0] - '0')
			}
		}
		p, err := emulate.NewProgram(x.Code, x.Contract, emulate.Go)
		if err != nil {
			t.Fatal(err)
		}
		inputs := emulate.NewInputs(x.Contract, 1)
		for range 50 {
			in := inputs.Next()
			run, err := p.Start(in)
			if err != nil {
				t.Fatal(err)
			}
			for !run.Done() {
				at := run.Inst().(amd64.Inst)
				if err := run.Step(); err != nil {
					t.Fatal(err)
				}
				bit, ok := want[at.Offset]
				if !ok {
					continue
				}
				flag := amd64.CF
				if at.Op == "ADOX" {
					flag = amd64.OF
				}
				looked++
				if run.Flags[flag] != bit {
					t.Fatalf("%s+%#x, %v: the carry is %v, the listing says %d; %s", x.Name, at.Offset, at, run.Flags[flag], bit, in.Describe(x.Contract))
				}
			}
		}
	}
	if looked < 10000 {
		t.Errorf("compared %d flags, want at least 10000", looked)
	}
	t.Logf("%d flags compared with the emulator", looked)
}

// TestWrongCertificate explains with certificates that do not fit.
func TestWrongCertificate(t *testing.T) {
	ts := targets(t)
	find := func(name string) *prove.Target {
		return &ts[slices.IndexFunc(ts, func(x prove.Target) bool { return x.Name == name })]
	}
	r, ks, err := find("fieldp256.feAddAMD64").Load(certs)
	if err != nil {
		t.Fatal(err)
	}
	_, others, err := find("fieldp256.feMultiplyAMD64").Load(certs)
	if err != nil {
		t.Fatal(err)
	}
	pats := r.Patterns()
	last := len(pats) - 1
	pat := pats[last]
	for name, k := range map[string]*kernel.Cert{
		"of another routine":   others[len(others)-1],
		"none":                 nil,
		"cut short":            {Kind: kernel.NodeRun, N: 3},
		"too long":             {Kind: kernel.NodeRun, N: 3, Next: [2]*kernel.Cert{ks[last], nil}},
		"ending at the begin":  {Kind: kernel.NodeEnd},
		"of an unknown opcode": {Kind: kernel.NodeHint, Hint: kernel.Hint{Kind: kernel.HintSame, Var: 9999}},
	} {
		if l, err := explain.Routine(r, pat, k); err == nil {
			t.Errorf("a certificate %s: got %d instructions and no error", name, len(l.Instructions))
		}
	}
}
