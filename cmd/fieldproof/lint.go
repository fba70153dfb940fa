package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	prooflint "github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
)

// module is the path of this module, whose packages are linted by default.
const module = "github.com/seed-6f9cd256/fieldproof"

// lint is the command "fieldproof lint".
func lint(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fieldproof lint", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("C", ".", "run the go command in `folder`")
	verbose := flags.Bool("v", false, "also print one line for each routine that passes")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: fieldproof lint [flags] [packages]")
		fmt.Fprintln(stderr, "Checks the machine code of the packages' assembly routines, by default those")
		fmt.Fprintln(stderr, "of field25519 and fieldp256, against their contracts in package spec.")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	patterns := flags.Args()
	if len(patterns) == 0 {
		patterns = []string{module + "/field25519", module + "/fieldp256"}
	}
	packages, err := object.Load(*dir, patterns...)
	if err != nil {
		fmt.Fprintf(stderr, "fieldproof lint: %v\n", err)
		return exitUsage
	}
	var total, instructions, steps, problems int
	for _, p := range packages {
		contracts := prooflint.Contracts(p.Name)
		for _, r := range prooflint.Package(p, contracts) {
			total++
			instructions += r.Instructions
			steps += r.Steps
			problems += len(r.Problems)
			for _, problem := range r.Problems {
				fmt.Fprintln(stdout, problem)
			}
			if *verbose && len(r.Problems) == 0 {
				fmt.Fprintf(stdout, "%s: ok, %d instructions, %d followed\n", r.Routine, r.Instructions, r.Steps)
			}
		}
	}
	if total == 0 {
		fmt.Fprintln(stderr, "fieldproof lint: none of the packages has contracts or assembly")
		return exitUsage
	}
	fmt.Fprintf(stdout, "lint: %d packages, %d routines, %d instructions, %d followed, %d problems\n",
		len(packages), total, instructions, steps, problems)
	if problems > 0 {
		return exitFailed
	}
	return exitOK
}
