// Package prove runs proofs of whole packages: it finds their routines in a
// linked program, looks for certificates, keeps them in files, and checks them
// with the Go checker and with Coq.
package prove

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/proofs/search"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A Target is an assembly routine that is to be proved.
type Target struct {
	Name     string // field25519.feAddAMD64
	Contract *spec.Routine
	Code     []byte
	Conv     kernel.Convention
}

// convs are the calling conventions of Go.
var convs = map[string]kernel.Convention{"amd64": kernel.ABI0, "arm64": kernel.GoARM64}

// Covered reports whether the provers of this package can handle the routine:
// straight-line code on the limbs of a field, and on amd64 formulas and inversions
// that are not in Montgomery form. The absolute values in products by Karatsuba's method are beyond
// them; a square there has none.
func (t *Target) Covered() bool {
	switch {
	case t.Contract.Formula != nil:
		return t.Conv == kernel.ABI0 && t.Contract.Formula.Select == nil
	case t.Conv == kernel.GoARM64:
		k := t.Contract.Kind
		return k != spec.KindInvert && (k == spec.KindSquare || !strings.HasSuffix(t.Name, "Karatsuba"))
	}
	return t.Contract.Kind != spec.KindInvert || t.Contract.Field.Form == spec.Weak
}

// InCoq reports whether there is a theorem about the routine, if it is Covered.
func (t *Target) InCoq() bool { return t.Contract.Formula == nil }

// Load builds packages for every architecture that has proofs, as object.LoadArch
// does, and returns their Targets.
func Load(dir string, patterns ...string) ([]Target, error) {
	var all []*object.Package
	for _, arch := range slices.Sorted(maps.Keys(convs)) {
		ps, err := object.LoadArch(arch, dir, patterns...)
		if err != nil {
			return nil, fmt.Errorf("for %s: %w", arch, err)
		}
		all = append(all, ps...)
	}
	return Targets(all)
}

// Targets returns the assembly routines of packages, in the order of their
// names. A contract without a routine, or the reverse, is an error.
func Targets(packages []*object.Package) ([]Target, error) {
	var ts []Target
	for _, p := range packages {
		conv, ok := convs[p.Arch]
		if !ok {
			return nil, fmt.Errorf("package %s: there are no proofs for %s", p.Name, p.Arch)
		}
		contracts := lint.ContractsArch(p.Arch, p.Name)
		for _, r := range p.Routines {
			c, ok := contracts[r.Name]
			if !ok && lint.Known(p.Arch, r) != "" {
				continue
			}
			if !ok {
				return nil, fmt.Errorf("%s.%s has no contract", p.Name, r.Name)
			}
			if len(r.Code) == 0 {
				return nil, fmt.Errorf("%s.%s is not in the linked program", p.Name, r.Name)
			}
			delete(contracts, r.Name)
			ts = append(ts, Target{Name: p.Name + "." + r.Name, Contract: c, Code: r.Code, Conv: conv})
		}
		for name := range contracts {
			return nil, fmt.Errorf("%s.%s has a contract, but no assembly file has it", p.Name, name)
		}
	}
	slices.SortFunc(ts, func(a, b Target) int { return strings.Compare(a.Name, b.Name) })
	return ts, nil
}

// A Result is what became of one routine. Err is nil if it is proved, or if it
// is not Covered.
type Result struct {
	Target
	Patterns int            // ways in which its pointers may be equal
	Size     int            // of its certificate file, in bytes
	Time     time.Duration  // of the search, of the check, or its share of a run of coqc
	Err      error          // why it is not proved
	Problems []lint.Problem // what the lint found
}

// newResult lints the routine. The lint knows the rules of Go only.
func (t *Target) newResult() Result {
	if t.Conv == kernel.SystemV {
		return Result{Target: *t}
	}
	return Result{Target: *t, Problems: lint.RoutineArch(t.Conv.Arch(), t.Name, t.Code, t.Contract).Problems}
}

// Unlisted returns the operations of the routine, in the order of their names,
// that have a form which is not on the allow-list of instructions.
func (t *Target) Unlisted() ([]string, error) {
	insts, err := amd64.DecodeAll(t.Code)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, in := range insts {
		if amd64.Allow(in) != nil {
			list = append(list, in.Op)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// File returns the name of the routine's certificate file in a folder.
func (t *Target) File(dir string) string { return filepath.Join(dir, t.Name+".cert") }

// Search looks for certificates of the routine, checks them, and returns them as text.
func (t *Target) Search() (text string, res Result) {
	res = t.newResult()
	if !t.Covered() {
		return "", res
	}
	start := time.Now()
	text, res.Patterns, res.Err = t.search()
	res.Time, res.Size = time.Since(start), len(text)
	return text, res
}

func (t *Target) search() (string, int, error) {
	r, err := kernel.NewRoutine(t.Contract, t.Conv, t.Code)
	if err != nil {
		return "", 0, err
	}
	pats := r.Patterns()
	ks := make([]*kernel.Cert, len(pats))
	if r.HasLoop() {
		if err := searchInversion(r, ks); err != nil {
			return "", len(pats), err
		}
		return t.accepted(r, ks)
	}
	var disjoint *kernel.Program
	for i, pat := range slices.Backward(pats) { // disjoint pointers first
		p, err := r.Program(pat)
		switch {
		case err != nil:
		case disjoint == nil:
			disjoint = p
			ks[i], err = searchFor(r, p, pat)
		case kernel.Alias(disjoint, p, pat) != nil:
			if ks[i] = reuse(p, ks); ks[i] == nil {
				ks[i], err = searchFor(r, p, pat)
			}
		}
		if err != nil {
			return "", len(pats), failure(r, pat, p, err)
		}
	}
	return t.accepted(r, ks)
}

// accepted returns the text of certificates that were found, and how many there are.
func (t *Target) accepted(r *kernel.Routine, ks []*kernel.Cert) (string, int, error) {
	if err := r.Check(ks); err != nil {
		return "", len(ks), fmt.Errorf("the certificate that was found is not accepted: %w", err)
	}
	return r.Text(t.Name, ks), len(ks), nil
}

func searchFor(r *kernel.Routine, p *kernel.Program, pat kernel.Pattern) (*kernel.Cert, error) {
	if r.Values != nil {
		return search.ProvePieces(r, p, pat)
	}
	return search.Prove(p)
}

// reuse returns the certificate of another pattern that proves the program, or nil.
func reuse(p *kernel.Program, ks []*kernel.Cert) *kernel.Cert {
	for _, k := range ks {
		if k != nil && kernel.Replay(p.Code, &p.Contract, k, nil) == nil {
			return k
		}
	}
	return nil
}

// Check checks the routine's certificate file, without any search.
func (t *Target) Check(dir string) (res Result) {
	res = t.newResult()
	if !t.Covered() {
		return res
	}
	start := time.Now()
	r, ks, size, err := t.load(dir)
	if err == nil {
		res.Patterns = len(ks)
		err = r.Check(ks)
	}
	res.Time, res.Size, res.Err = time.Since(start), size, err
	return res
}

// Load reads the routine's certificate file, and the routine as the kernel sees
// it. The certificates are in the order of the routine's patterns.
func (t *Target) Load(dir string) (*kernel.Routine, []*kernel.Cert, error) {
	r, ks, _, err := t.load(dir)
	return r, ks, err
}

func (t *Target) load(dir string) (*kernel.Routine, []*kernel.Cert, int, error) {
	text, err := os.ReadFile(t.File(dir))
	if err != nil {
		return nil, nil, 0, err
	}
	r, err := kernel.NewRoutine(t.Contract, t.Conv, t.Code)
	if err != nil {
		return nil, nil, len(text), err
	}
	ks, err := r.ParseText(t.Name, string(text))
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Base(t.File(dir)), err)
	}
	return r, ks, len(text), err
}

// Each calls f for every target, in parallel, and returns the results in the
// order of the targets. Done is called with each result as it comes. Routines with
// much code come first, so that none that takes long is left alone at the end.
func Each(ts []Target, f func(*Target) Result, done func(Result)) []Result {
	out := make([]Result, len(ts))
	order := bySize(ts)
	var mu sync.Mutex
	parallel(len(ts), func(n int) {
		i := order[n]
		out[i] = f(&ts[i])
		mu.Lock()
		defer mu.Unlock()
		done(out[i])
	})
	return out
}

// bySize returns the indices of the targets, those with the most code first.
func bySize(ts []Target) []int {
	order := make([]int, len(ts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(ts[j].Code) - len(ts[i].Code) })
	return order
}

// parallel calls f for 0 to n-1, as many at a time as there are CPUs.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// Extra returns the certificate files in dir that belong to no target.
func Extra(dir string, ts []Target) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.cert"))
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for i := range ts {
		known[ts[i].File(dir)] = true
	}
	return slices.DeleteFunc(files, func(f string) bool { return known[f] }), nil
}
