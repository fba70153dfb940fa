package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"text/tabwriter"

	"github.com/seed-6f9cd256/fieldproof/proofs/certs"
	"github.com/seed-6f9cd256/fieldproof/proofs/ledger"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// verifyCommand is the command "fieldproof verify".
func verifyCommand(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fieldproof verify", flag.ContinueOnError)
	dir := flags.String("certs", "", "the `folder` of the certificates (default those that this command was built with)")
	inputs := inputsFlag(flags)
	tested := flags.Bool("tested", false, "accept routines that the ledger calls tested, if their bytes are those of the ledger")
	status := parse(flags, "usage: fieldproof verify [flags] binary\n"+
		"Finds the assembly routines of this module in a linked Go program (ELF, Mach-O\n"+
		"or PE for amd64 or arm64, not stripped), and proves each from the bytes that it has there:\n"+
		"by its certificate if they are the bytes of the ledger, else by the same\n"+
		"certificate or by a new search. Fails if one is not proved.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	if flags.NArg() != 1 {
		fmt.Fprintf(stderr, "fieldproof verify: want the name of one file, got %q\n", flags.Args())
		return exitUsage
	}
	var from fs.FS = certs.Files
	if *dir != "" {
		from = os.DirFS(*dir)
	}
	kept, err := ledger.Parse(ledger.Text)
	if err != nil {
		return failure("verify", err, stderr)
	}
	name := flags.Arg(0)
	b, err := object.Open(name)
	if err != nil {
		return failure("verify", err, stderr)
	}
	targets, addrs, err := prove.FromBinary(b, module)
	if err != nil {
		return failure("verify", fmt.Errorf("%s: %w", name, err), stderr)
	}
	v := verifier{ledger: kept, tested: *tested, inputs: *inputs, how: map[string]string{}}
	n := 0
	results := prove.Each(targets, func(t *prove.Target) prove.Result { return v.verify(t, from) }, func(r prove.Result) {
		n++
		fmt.Fprintf(stderr, "verify %d/%d %s %.1fs\n", n, len(targets), r.Name, r.Time.Seconds())
	})
	fmt.Fprintf(stdout, "%s: %s, %s, %s, %s %s\n", name, b.Format, b.Arch, b.Info.GoVersion, module, version(b.Info))
	return v.report(results, addrs, stdout)
}

// version returns the version of this module in a program.
func version(info *debug.BuildInfo) string {
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == module {
			return m.Version
		}
	}
	return "of unknown version"
}

type verifier struct {
	ledger []ledger.Entry
	tested bool
	inputs int

	mu  sync.Mutex
	how map[string]string // by the name of a routine
}

// kept reports whether the routine has the bytes of the ledger.
func (v *verifier) kept(r *prove.Result) bool {
	hash := ledger.Hash(r.Code)
	return slices.ContainsFunc(v.ledger, func(e ledger.Entry) bool { return e.Routine == r.Name && e.Code == hash })
}

// verify proves one routine, or says why it is not acceptable.
func (v *verifier) verify(t *prove.Target, from fs.FS) prove.Result {
	r, how := t.Verify(from)
	switch {
	case r.Err != nil || t.Covered():
	case !v.kept(&r):
		r.Err = fmt.Errorf("its bytes are not those of the ledger, and there is no prover for it")
	case !v.tested:
		r.Err = errors.New("it is not proved, but tested, and its bytes are those of the ledger (-tested accepts that)")
	default:
		how = "not proved: tested, the bytes of the ledger"
	}
	v.mu.Lock()
	v.how[t.Name] = how
	v.mu.Unlock()
	return r
}

func (v *verifier) report(results []prove.Result, addrs []uint64, stdout io.Writer) int {
	failed := 0
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "routine\taddress\tbytes\tledger\tfunctional\tconstant time\tmemory\thow")
	for i, r := range results {
		same, functional, linted, how := "other bytes", "proved", "linted", v.how[r.Name]
		if v.kept(&r) {
			same = "as kept"
		}
		if !r.Covered() {
			functional = "tested"
		}
		memory := functional
		if functional != "proved" {
			memory = "linted"
		}
		switch {
		case r.Err != nil && !r.Covered() && v.kept(&r):
			functional, how = "NOT PROVED", "-"
		case r.Err != nil:
			functional, memory, how = "FAILED", "FAILED", "-"
		}
		if len(r.Problems) > 0 {
			linted = "FAILED"
		}
		if r.Err != nil || len(r.Problems) > 0 {
			failed++
		}
		fmt.Fprintf(w, "%s\t%#x\t%d\t%s\t%s\t%s\t%s\t%s\n", r.Name, addrs[i], len(r.Code), same, functional, linted, memory, how)
	}
	w.Flush()
	for i, r := range results {
		if r.Err != nil {
			fmt.Fprintf(stdout, "%s at %#x: %v\n", r.Name, addrs[i], r.Err)
			if v.kept(&r) {
				continue // tests have run it on more inputs
			}
			if c := r.Counterexample(v.inputs, 1); c != "" {
				fmt.Fprintf(stdout, "%s: counterexample: %s\n", r.Name, c)
			}
		}
		for _, p := range r.Problems {
			fmt.Fprintln(stdout, p)
		}
	}
	fmt.Fprintf(stdout, "verify: %d routines, %d failed or not proved\n", len(results), failed)
	if failed > 0 {
		return exitFailed
	}
	return exitOK
}
