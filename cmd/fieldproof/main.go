// Fieldproof checks the machine code of this module's assembly routines, and
// what the checks rest on.
//
// Usage:
//
//	fieldproof prove [packages]
//	fieldproof prove -object FILE.o -symbol NAME -contract FILE.json
//	fieldproof check [-kernel] [packages]
//	fieldproof verify binary
//	fieldproof explain routine
//	fieldproof ledger
//	fieldproof lint [packages]
//	fieldproof cosim
//
// With -h after its name a command says what it does, and which flags it has.
// It exits with status 0 if all is well, 1 if a check fails, and 2 if it could
// not be run as asked.
package main

import (
	"fmt"
	"io"
	"os"
)

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // a check failed
	exitUsage  = 2 // wrong arguments, or the check could not be run
)

// A command is a subcommand: it gets the arguments after its name and returns
// the exit status.
type command struct {
	name, synopsis string
	run            func(args []string, stdout, stderr io.Writer) int
}

var commands = []command{
	{"prove", "look for proofs of routines, and write their certificates", proveCommand},
	{"check", "check the certificates of routines, also with Coq", checkCommand},
	{"verify", "prove the routines in a linked program", verifyCommand},
	{"explain", "print what the proof of a routine says of each instruction", explainCommand},
	{"ledger", "print what is claimed of each routine", ledgerCommand},
	{"lint", "check assembly for leaks of secrets and for the rules of Go", lint},
	{"cosim", "compare the semantics of instructions with this CPU", cosim},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprintln(stderr, "fieldproof: no command given")
		usage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		usage(stdout)
		return exitOK
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(args[1:], stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "fieldproof: unknown command %q\n", args[0])
	usage(stderr)
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: fieldproof command [arguments]")
	fmt.Fprintln(w, "commands:")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.synopsis)
	}
}
