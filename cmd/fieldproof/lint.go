package main

import (
	"flag"
	"fmt"
	"io"
	"slices"

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
	only := flags.String("arch", "", "only the assembly for that `architecture`, as GOARCH; by default amd64 and arm64")
	verbose := flags.Bool("v", false, "also print one line for each routine that passes")
	status := parse(flags, "usage: fieldproof lint [flags] [packages]\n"+
		"Checks the machine code of the packages' assembly routines for amd64 and arm64\n"+
		"against their contracts in package spec; by default those of this module.\n"+
		"Packages without assembly and without contracts are passed over.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	patterns := flags.Args()
	if len(patterns) == 0 {
		patterns = defaultPatterns()
	}
	arches := []string{"amd64", "arm64"}
	if *only != "" {
		if !slices.Contains(arches, *only) {
			fmt.Fprintf(stderr, "fieldproof lint: -arch is %q, want one of %q\n", *only, arches)
			return exitUsage
		}
		arches = []string{*only}
	}
	var total, instructions, steps, problems int
	linted := make(map[string]bool)
	passed := make(map[string]bool)
	for _, arch := range arches {
		packages, err := object.LoadArch(arch, dir, patterns...)
		if err != nil {
			fmt.Fprintf(stderr, "fieldproof lint: %s: %v\n", arch, err)
			return exitUsage
		}
		for _, p := range packages {
			if why, ok := harnesses[p.ImportPath]; ok {
				if !passed[p.ImportPath] {
					fmt.Fprintf(stdout, "%s: passed over: %s\n", p.ImportPath, why)
				}
				passed[p.ImportPath] = true
				continue
			}
			for _, r := range prooflint.Package(p, prooflint.ContractsArch(arch, p.Name)) {
				linted[p.ImportPath] = true
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
	}
	if total == 0 {
		fmt.Fprintln(stderr, "fieldproof lint: none of the packages has contracts or assembly")
		return exitUsage
	}
	fmt.Fprintf(stdout, "lint: %d packages, %d routines, %d instructions, %d followed, %d problems\n",
		len(linted), total, instructions, steps, problems)
	if problems > 0 {
		return exitFailed
	}
	return exitOK
}
