package prove

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// suffixes are the ends of the names of assembly routines.
var suffixes = []string{"AMD64", "ADX", "ARM64", "Karatsuba"}

// FromBinary returns the routines of the module's packages that a linked
// program contains, and their addresses. It is an error if there are none, or
// one that looks like a routine and has no contract.
func FromBinary(b *object.Binary, module string) ([]Target, []uint64, error) {
	conv, ok := convs[b.Arch]
	if !ok {
		return nil, nil, fmt.Errorf("the program is for %s: only amd64 and arm64 have proofs", b.Arch)
	}
	prefixes := map[string]string{} // package, by what its symbols begin with
	for _, p := range spec.Packages() {
		prefixes[module+"/"+p+"."] = path.Base(p)
	}
	split := func(symbol string) (pkg, name string) {
		i := strings.LastIndexByte(symbol, '/')
		if i < 0 {
			return "", ""
		}
		j := i + strings.IndexByte(symbol[i:], '.')
		if j < i {
			return "", ""
		}
		return prefixes[symbol[:j+1]], symbol[j+1:]
	}
	functions, err := b.Functions(func(symbol string) bool {
		pkg, name := split(symbol)
		if pkg == "" || name == "chooseKaratsuba" { // which is Go
			return false
		}
		_, ok := lint.ContractsArch(b.Arch, pkg)[name]
		return ok || slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
	})
	if err != nil {
		return nil, nil, err
	}
	var ts []Target
	var addrs []uint64
	for _, f := range functions {
		pkg, name := split(f.Name)
		c, ok := lint.ContractsArch(b.Arch, pkg)[name]
		if !ok {
			return nil, nil, fmt.Errorf("%s.%s has no contract", pkg, name)
		}
		ts = append(ts, Target{Name: pkg + "." + name, Contract: c, Code: f.Code, Conv: conv})
		addrs = append(addrs, f.Addr)
	}
	if len(ts) > 0 {
		return ts, addrs, nil
	}
	for _, s := range b.Info.Settings {
		if s.Key == "-tags" && strings.Contains(s.Value, "purego") {
			return nil, nil, fmt.Errorf("the program contains no assembly routine of %s: it is built with the tag purego", module)
		}
	}
	return nil, nil, fmt.Errorf("the program contains no assembly routine of %s", module)
}

// The ways in which Verify proves a routine.
const (
	ByCertificate = "by its certificate"
	ByReplay      = "other bytes, by the same certificate"
	BySearch      = "other bytes, by a new search"
)

// Verify proves the routine by its certificate in certs. If its code is not
// that of the certificate, it tries the certificate on it nevertheless, and
// then looks for another. how says which of these it was.
func (t *Target) Verify(certs fs.FS) (res Result, how string) {
	res = t.newResult()
	if !t.Covered() {
		return res, ""
	}
	start := time.Now()
	text, err := fs.ReadFile(certs, t.File("."))
	if err != nil {
		res.Err = fmt.Errorf("there is no certificate: %w", err)
		return res, ""
	}
	how = ByCertificate
	other := false
	check := func(text string) error {
		r, err := kernel.NewRoutine(t.Contract, t.Conv, t.Code)
		if err != nil {
			return err
		}
		ks, err := r.ParseText(t.Name, text)
		if err != nil {
			return err
		}
		res.Patterns = len(ks)
		return r.Check(ks)
	}
	s := string(text)
	if adopted := kernel.Rehash(s, t.Code); adopted != s {
		other, s, how = true, adopted, ByReplay
	}
	res.Size, res.Err = len(s), check(s)
	if res.Err != nil && other {
		var found string
		how = BySearch
		found, res.Patterns, res.Err = t.search()
		res.Size = len(found)
	}
	res.Time = time.Since(start)
	return res, how
}
