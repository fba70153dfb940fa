package main

import (
	"flag"
	"fmt"
	"io"

	prooflint "github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
)

// module is the path of this module, whose field packages are linted by default.
const module = "github.com/seed-6f9cd256/fieldproof"

// harnesses are the packages whose assembly has no contract and is not for
// users: it is there to call machine code in ways that Go cannot. They are passed
// over, and named. The assembly of any other package needs contracts.
var harnesses = map[string]string{
	module + "/proofs/cosim": "calls code that is made at run time, to compare it with the emulator",
	module + "/tests/flags":  "calls routines with flags and registers set, in tests only",
}

// lint is the command "fieldproof lint".
func lint(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fieldproof lint", flag.ContinueOnError)
	var dir string
	dirFlag(flags, &dir)
	verbose := flags.Bool("v", false, "also print one line for each routine that passes")
	status := parse(flags, "usage: fieldproof lint [flags] [packages]\n"+
		"Checks the machine code of the packages' assembly routines against their\n"+
		"contracts in package spec; by default those of this module.\n"+
		"Packages without assembly and without contracts are passed over.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	patterns := flags.Args()
	if len(patterns) == 0 {
		patterns = defaultPatterns()
	}
	packages, err := object.Load(dir, patterns...)
	if err != nil {
		fmt.Fprintf(stderr, "fieldproof lint: %v\n", err)
		return exitUsage
	}
	var linted, total, instructions, steps, problems int
	for _, p := range packages {
		if why, ok := harnesses[p.ImportPath]; ok {
			fmt.Fprintf(stdout, "%s: passed over: %s\n", p.ImportPath, why)
			continue
		}
		results := prooflint.Package(p, prooflint.Contracts(p.Name))
		if len(results) > 0 {
			linted++
		}
		for _, r := range results {
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
		linted, total, instructions, steps, problems)
	if problems > 0 {
		return exitFailed
	}
	return exitOK
}
