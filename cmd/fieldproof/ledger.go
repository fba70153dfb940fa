package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/seed-6f9cd256/fieldproof/proofs/ledger"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// entries returns what was shown of each routine; kernel is what Coq says of
// those that are proved.
func entries(results []prove.Result, kernel ledger.Claim) ([]ledger.Entry, error) {
	var list []ledger.Entry
	for _, r := range results {
		e, err := ledger.New(r)
		if err != nil {
			return nil, err
		}
		if e.Kernel == ledger.Unknown {
			e.Kernel = kernel
		}
		list = append(list, e)
	}
	return list, nil
}

// compareLedger compares what was shown with the ledger, and prints the differences.
func compareLedger(s *selection, results []prove.Result, kernel ledger.Claim, stdout, stderr io.Writer) int {
	kept, err := ledger.Parse(ledger.Text)
	if err != nil {
		fmt.Fprintf(stderr, "fieldproof: %v\n", err)
		return exitFailed
	}
	now, err := entries(results, kernel)
	if err != nil {
		fmt.Fprintf(stdout, "ledger: %v\n", err)
		return exitFailed
	}
	if s.partial {
		kept = ledger.Only(kept, now)
	}
	diffs := ledger.Compare(kept, now)
	for _, d := range diffs {
		fmt.Fprintf(stdout, "ledger: %s\n", d)
	}
	if len(diffs) > 0 {
		return exitFailed
	}
	fmt.Fprintf(stdout, "ledger: %d entries, as shown\n", len(kept))
	return exitOK
}

// ledgerCommand is the command "fieldproof ledger".
func ledgerCommand(args []string, stdout, stderr io.Writer) int {
	var s selection
	flags := flag.NewFlagSet("fieldproof ledger", flag.ContinueOnError)
	hashes := flags.String("hashes", "", "bring the hashes of the ledger in `file` up to date, and nothing else")
	markdown := flags.Bool("markdown", false, "print the kept ledger as the table of README, without looking at routines")
	readme := flags.String("readme", "", "write the kept ledger as a table into `file`, without looking at routines")
	kernel := flags.Bool("kernel", false, "let Coq check the certificates; otherwise what the ledger says of Coq is repeated")
	dirFlag(flags, &s.dir)
	certsFlag(flags, &s.certs)
	status := parse(flags, "usage: fieldproof ledger [flags]\n"+
		"Prints what the ledger, proofs/ledger/ledger.txt, would say of what is shown now.\n"+
		"The ledger is kept by hand: compare, and edit. Only its hashes can be written by\n"+
		"-hashes, since they claim nothing.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "fieldproof ledger: want no arguments, got %q\n", flags.Args())
		return exitUsage
	}
	kept, err := ledger.Parse(ledger.Text)
	if *markdown || *readme != "" {
		if err == nil && *readme != "" {
			err = rewrite(*readme, func(text string) (string, error) { return ledger.Readme(text, kept) })
		} else if err == nil {
			fmt.Fprint(stdout, ledger.Markdown(kept))
		}
		return failure("ledger", err, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "fieldproof ledger: %v\n", err) // and print what it should be
	}
	if err := s.load(nil); err != nil {
		return failure("ledger", err, stderr)
	}
	if *hashes != "" {
		return failure("ledger", rewrite(*hashes, func(text string) (string, error) { return ledger.Rehash(text, s.targets) }), stderr)
	}
	results, status := each("ledger", s.targets, func(t *prove.Target) prove.Result { return t.Check(s.certs) }, stderr, stderr)
	claim := ledger.Unknown
	if status == exitOK && *kernel {
		status, claim = kernelCheck(&s, stderr, stderr), ledger.Coq
	}
	if status != exitOK {
		return status
	}
	now, err := entries(results, claim)
	if err != nil {
		return failure("ledger", err, stderr)
	}
	ledger.Merge(kept, now)
	fmt.Fprint(stdout, ledger.Format(now))
	return exitOK
}

// rewrite replaces the text of a file, if edit changes it.
func rewrite(file string, edit func(string) (string, error)) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err := edit(string(old))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if text == string(old) {
		return nil
	}
	return writeFile(file, text)
}

// failure prints err, if there is one, and returns the exit status.
func failure(name string, err error, stderr io.Writer) int {
	if err != nil {
		fmt.Fprintf(stderr, "fieldproof %s: %v\n", name, err)
		return exitUsage
	}
	return exitOK
}
