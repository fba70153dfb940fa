package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-6f9cd256/fieldproof/proofs/coq"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// proofFlags are common to prove and check.
type proofFlags struct {
	dir, certs, run string
	targets         []prove.Target // to be proved
	other           int            // routines that no prover covers
	partial         bool           // some routines were left out by -run
}

// parse reads the flags and finds the routines; a status other than exitOK ends the command.
func (f *proofFlags) parse(flags *flag.FlagSet, usage string, args []string, stderr io.Writer) int {
	flags.SetOutput(stderr)
	flags.StringVar(&f.dir, "C", ".", "run the go command in `folder`")
	flags.StringVar(&f.certs, "certs", "", "the `folder` of the certificates (default proofs/certs in the module)")
	flags.StringVar(&f.run, "run", "", "only routines whose name contains `text`")
	flags.Usage = func() {
		fmt.Fprintln(stderr, usage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitHelp
	} else if err != nil {
		return exitUsage
	}
	if err := f.load(flags.Args()); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", flags.Name(), err)
		return exitUsage
	}
	return exitOK
}

func (f *proofFlags) load(patterns []string) error {
	if f.certs == "" {
		cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
		cmd.Dir = f.dir
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("finding the module %s, which has the certificates: %w", module, err)
		}
		f.certs = filepath.Join(strings.TrimSpace(string(out)), "proofs", "certs")
	}
	if len(patterns) == 0 {
		patterns = []string{module + "/field25519", module + "/fieldp256"}
	}
	packages, err := object.Load(f.dir, patterns...)
	if err != nil {
		return err
	}
	all, err := prove.Targets(packages)
	if err != nil {
		return err
	}
	for _, t := range all {
		switch {
		case !strings.Contains(t.Name, f.run):
			f.partial = true
		case !prove.Covered(t.Contract.Kind):
			f.other++
		default:
			f.targets = append(f.targets, t)
		}
	}
	if len(f.targets) == 0 {
		return fmt.Errorf("no routine to prove")
	}
	return nil
}

// each runs f on the targets, with progress, and prints the table.
func (f *proofFlags) each(verb string, do func(*prove.Target) prove.Result, stdout, stderr io.Writer) int {
	n, failed, size := 0, 0, 0
	start := time.Now()
	results := prove.Each(f.targets, do, func(r prove.Result) {
		n++
		fmt.Fprintf(stderr, "%s %d/%d %s %.1fs\n", verb, n, len(f.targets), r.Name, r.Time.Seconds())
	})
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "routine\tfunctional\tpointer patterns\tcertificate bytes\tseconds")
	for _, r := range results {
		verdict := "proved"
		if r.Err != nil {
			verdict = "FAILED"
			failed++
		}
		size += r.Size
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.2f\n", r.Name, verdict, r.Patterns, r.Size, r.Time.Seconds())
	}
	w.Flush()
	for _, r := range results {
		if r.Err != nil {
			fmt.Fprintf(stdout, "%s: %v\n", r.Name, r.Err)
		}
	}
	fmt.Fprintf(stdout, "%s: %d routines, %d failed, %d bytes of certificates, %.1fs; %d routines with loops are not covered\n",
		verb, len(results), failed, size, time.Since(start).Seconds(), f.other)
	if failed > 0 {
		return exitFailed
	}
	return exitOK
}

// proveCommand is the command "fieldproof prove".
func proveCommand(args []string, stdout, stderr io.Writer) int {
	var f proofFlags
	flags := flag.NewFlagSet("fieldproof prove", flag.ContinueOnError)
	dry := flags.Bool("n", false, "do not write the certificates")
	status := f.parse(flags, "usage: fieldproof prove [flags] [packages]\n"+
		"Looks for proofs of the packages' assembly routines, by default those of field25519\n"+
		"and fieldp256, and writes their certificates.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	if !*dry {
		if err := os.MkdirAll(f.certs, 0o777); err != nil {
			fmt.Fprintf(stderr, "fieldproof prove: %v\n", err)
			return exitUsage
		}
	}
	return f.each("prove", func(t *prove.Target) prove.Result {
		text, r := t.Search()
		if r.Err == nil && !*dry {
			r.Err = os.WriteFile(t.File(f.certs), []byte(text), 0o666)
		}
		return r
	}, stdout, stderr)
}

// checkCommand is the command "fieldproof check".
func checkCommand(args []string, stdout, stderr io.Writer) int {
	var f proofFlags
	flags := flag.NewFlagSet("fieldproof check", flag.ContinueOnError)
	kernel := flags.Bool("kernel", false, "let Coq check the certificates (needs coqc)")
	status := f.parse(flags, "usage: fieldproof check [flags] [packages]\n"+
		"Checks the certificates of the packages' assembly routines against their machine\n"+
		"code, without any search.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	status = f.each("check", func(t *prove.Target) prove.Result { return t.Check(f.certs) }, stdout, stderr)
	if extra, err := prove.Extra(f.certs, f.targets); err != nil || len(extra) > 0 && !f.partial {
		fmt.Fprintf(stdout, "certificates that belong to no routine: %s %v\n", extra, err)
		status = exitFailed
	}
	if status != exitOK || !*kernel {
		return status
	}
	work, err := os.MkdirTemp("", "fieldproof-coq-")
	if err != nil {
		fmt.Fprintf(stderr, "fieldproof check: %v\n", err)
		return exitUsage
	}
	defer os.RemoveAll(work)
	if err := coq.Build(work, func(name string) { fmt.Fprintf(stderr, "coqc %s\n", name) }); err != nil {
		fmt.Fprintf(stdout, "fieldproof check: %v\n", err)
		return exitFailed
	}
	return f.each("kernel", func(t *prove.Target) prove.Result { return t.CoqCheck(f.certs, work) }, stdout, stderr)
}

// exitHelp is the status of a command that was only asked for help.
const exitHelp = -1

func helpIsOK(status int) int {
	if status == exitHelp {
		return exitOK
	}
	return status
}
