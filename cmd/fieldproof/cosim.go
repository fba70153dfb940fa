package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	proofcosim "github.com/seed-6f9cd256/fieldproof/proofs/cosim"
)

// cosim is the command "fieldproof cosim".
func cosim(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fieldproof cosim", flag.ContinueOnError)
	n := flags.Int("states", 10_000_000, "execute and compare that `number` of states in all")
	seed := flags.Uint64("seed", 1, "draw the states from this `number`")
	status := parse(flags, "usage: fieldproof cosim [flags]\n"+
		"Executes every modelled form of instruction on this CPU, amd64 or arm64, and on the\n"+
		"emulator of the proofs, from random states, and compares registers, flags and memory.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	if flags.NArg() > 0 || *n < 1 {
		fmt.Fprintf(stderr, "fieldproof cosim: want at least 1 state and no arguments, got %d and %q\n", *n, flags.Args())
		return exitUsage
	}
	return cosimulate(proofcosim.Options{States: *n, Seed: *seed}, stdout, stderr)
}

// cosimulate runs and prints how far it is at every tenth.
func cosimulate(o proofcosim.Options, stdout, stderr io.Writer) int {
	tenths := int64(0)
	o.Progress = func(done int) {
		if t := int64(done) * 10 / int64(o.States); t > tenths {
			tenths = t
			fmt.Fprintf(stderr, "cosim: %d of %d states\n", done, o.States)
		}
	}
	report, err := proofcosim.Run(o)
	var mismatch *proofcosim.Mismatch
	switch {
	case errors.As(err, &mismatch):
		fmt.Fprintf(stdout, "cosim: after %d states: %v\n", report.States, err)
		return exitFailed
	case err != nil:
		fmt.Fprintf(stderr, "fieldproof cosim: %v\n", err)
		return exitUsage
	}
	fmt.Fprintln(stdout, report)
	return exitOK
}
