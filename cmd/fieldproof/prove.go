package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/seed-6f9cd256/fieldproof/proofs/coq"
	"github.com/seed-6f9cd256/fieldproof/proofs/ledger"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// each runs do on the routines, with progress, and prints a table of what became of them.
func each(verb string, targets []prove.Target, do func(*prove.Target) prove.Result, stdout, stderr io.Writer) ([]prove.Result, int) {
	start := time.Now()
	results := prove.Each(targets, do, progress(verb, len(targets), stderr))
	return results, table(verb, results, time.Since(start), stdout)
}

// progress returns what tells the user of each of total results.
func progress(verb string, total int, stderr io.Writer) func(prove.Result) {
	n := 0
	return func(r prove.Result) {
		n++
		fmt.Fprintf(stderr, "%s %d/%d %s %.1fs\n", verb, n, total, r.Name, r.Time.Seconds())
	}
}

// table prints what is shown of each routine, and why not.
func table(verb string, results []prove.Result, took time.Duration, stdout io.Writer) int {
	var proved, failed, tested, size int
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "routine\tinstruction set\tfunctional\tconstant time\tmemory\tpointers\tcertificate\tseconds")
	for _, r := range results {
		set, err := ledger.Set(r.Name)
		if err != nil {
			set = "-"
		}
		functional, linted, memory := "proved", "linted", "proved"
		if len(r.Problems) > 0 {
			linted = "FAILED"
		}
		switch {
		case !r.Covered():
			functional, memory = "not proved", linted
			tested++
		case r.Err != nil:
			functional, memory = "FAILED", linted
		default:
			proved++
		}
		if r.Err != nil || len(r.Problems) > 0 {
			failed++
		}
		size += r.Size
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%.2f\n", r.Name, set, functional, linted, memory, r.Patterns, r.Size, r.Time.Seconds())
	}
	w.Flush()
	for _, r := range results {
		if r.Err != nil {
			fmt.Fprintf(stdout, "%s: %v\n", r.Name, r.Err)
		}
		for _, p := range r.Problems {
			fmt.Fprintln(stdout, p)
		}
	}
	fmt.Fprintf(stdout, "%s: %d routines, %d proved, %d failed, %d without a prover; %d bytes of certificates, %.1fs\n",
		verb, len(results), proved, failed, tested, size, took.Seconds())
	if failed > 0 {
		return exitFailed
	}
	return exitOK
}

// proveCommand is the command "fieldproof prove".
func proveCommand(args []string, stdout, stderr io.Writer) int {
	if isForeign(args) {
		return foreignCommand(args, stdout, stderr)
	}
	var s selection
	flags := flag.NewFlagSet("fieldproof prove", flag.ContinueOnError)
	dry := flags.Bool("n", false, "do not write the certificates")
	inputs := inputsFlag(flags)
	status := s.parse(flags, "usage: fieldproof prove [flags] [packages]\n"+
		"       fieldproof prove -object FILE.o -symbol NAME -contract FILE.json [flags]\n"+
		"Looks for proofs of the packages' assembly routines, by default those of this\n"+
		"module, and writes their certificates. Where there is no proof it says at which\n"+
		"instruction and for which pointers and cases, and looks for a counterexample.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	if !*dry {
		if err := os.MkdirAll(s.certs, 0o777); err != nil {
			fmt.Fprintf(stderr, "fieldproof prove: %v\n", err)
			return exitUsage
		}
	}
	results, status := each("prove", s.targets, func(t *prove.Target) prove.Result {
		text, r := t.Search()
		if r.Err == nil && !*dry && text != "" {
			r.Err = writeFile(t.File(s.certs), text)
		}
		return r
	}, stdout, stderr)
	counterexamples(results, *inputs, stdout)
	return status
}

// counterexamples looks for inputs on which routines without a proof do not keep their contracts.
func counterexamples(results []prove.Result, inputs int, stdout io.Writer) {
	for _, r := range results {
		if r.Err == nil {
			continue
		}
		if c := r.Counterexample(inputs, 1); c != "" {
			fmt.Fprintf(stdout, "%s: counterexample: %s\n", r.Name, c)
		} else {
			fmt.Fprintf(stdout, "%s: no counterexample among %d inputs\n", r.Name, inputs)
		}
	}
}

// checkCommand is the command "fieldproof check".
func checkCommand(args []string, stdout, stderr io.Writer) int {
	var s selection
	flags := flag.NewFlagSet("fieldproof check", flag.ContinueOnError)
	kernel := flags.Bool("kernel", false, "let Coq check the certificates (needs coqc)")
	status := s.parse(flags, "usage: fieldproof check [flags] [packages]\n"+
		"Checks the certificates of the packages' assembly routines against their machine\n"+
		"code, without any search, and compares what is shown with the ledger.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	results, status := each("check", s.targets, func(t *prove.Target) prove.Result { return t.Check(s.certs) }, stdout, stderr)
	if extra, err := prove.Extra(s.certs, s.targets); err != nil || len(extra) > 0 && !s.partial {
		fmt.Fprintf(stdout, "certificates that belong to no routine: %s %v\n", extra, err)
		status = exitFailed
	}
	if status != exitOK {
		return status
	}
	claims := ledger.Unknown
	if *kernel {
		if status := kernelCheck(&s, stdout, stderr); status != exitOK {
			return status
		}
		claims = ledger.Coq
	}
	return compareLedger(&s, results, claims, stdout, stderr)
}

// kernelCheck lets Coq check the certificates.
func kernelCheck(s *selection, stdout, stderr io.Writer) int {
	start := time.Now()
	dev, err := development(stderr)
	if err != nil {
		fmt.Fprintf(stdout, "fieldproof: %v\n", err)
		return exitFailed
	}
	targets := slices.DeleteFunc(slices.Clone(s.targets), func(t prove.Target) bool { return !t.InCoq() })
	results := prove.CoqCheck(targets, s.certs, dev, progress("kernel", len(targets), stderr))
	return table("kernel", results, time.Since(start), stdout)
}

// development compiles the Coq development.
func development(stderr io.Writer) (*coq.Development, error) {
	return coq.Build(func(name string) { fmt.Fprintf(stderr, "coqc %s\n", name) })
}
