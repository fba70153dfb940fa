package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/foreign"
	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// isForeign reports whether the arguments of prove name an object file.
func isForeign(args []string) bool {
	for _, a := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if strings.HasPrefix(a, "-") && name == "object" {
			return true
		}
	}
	return false
}

// foreignCommand is the command "fieldproof prove -object".
func foreignCommand(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fieldproof prove -object", flag.ContinueOnError)
	object := flags.String("object", "", "the object `file`: relocatable ELF for x86-64")
	symbol := flags.String("symbol", "", "the `name` of the function in it")
	contract := flags.String("contract", "", "the `file` of the contract, in JSON (see proofs/README.md)")
	certs := flags.String("certs", "", "write the certificate to a file in this `folder`")
	inputs := inputsFlag(flags)
	useCoq := flags.Bool("kernel", false, "let Coq check the certificate too (needs coqc)")
	status := parse(flags, "usage: fieldproof prove -object FILE.o -symbol NAME -contract FILE.json [flags]\n"+
		"Looks for a proof that a function with the System V ABI for AMD64 keeps a contract.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	fail := func(err error) int {
		fmt.Fprintf(stderr, "fieldproof prove: %v\n", err)
		return exitUsage
	}
	if *object == "" || *symbol == "" || *contract == "" || flags.NArg() > 0 {
		return fail(fmt.Errorf("want -object, -symbol and -contract, and no other arguments than flags"))
	}
	t, err := readForeign(*object, *symbol, *contract)
	if err != nil {
		return fail(err)
	}
	dir := *certs
	if dir == "" {
		if dir, err = os.MkdirTemp("", "fieldproof-certs-"); err != nil {
			return fail(err)
		}
		defer os.RemoveAll(dir)
	} else if err := os.MkdirAll(dir, 0o777); err != nil {
		return fail(err)
	}
	fmt.Fprintf(stderr, "prove %s: searching\n", t.Name)
	text, r := t.Search()
	if r.Err != nil {
		fmt.Fprintf(stdout, "%s: NOT PROVED, %.2fs: %v\n", t.Name, r.Time.Seconds(), r.Err)
		counterexamples([]prove.Result{r}, *inputs, stdout)
		return exitFailed
	}
	if err := writeFile(t.File(dir), text); err != nil {
		return fail(err)
	}
	unlisted, err := t.Unlisted()
	if err != nil {
		return fail(err)
	}
	fmt.Fprintf(stdout, "%s: proved from %d bytes of code: the claims, memory, stack and registers; "+
		"%d ways in which pointers may be equal, certificate of %d bytes, %.2fs\n",
		t.Name, len(t.Code), r.Patterns, r.Size, r.Time.Seconds())
	fmt.Fprintf(stdout, "%s: no jump, and no address that depends on data; instructions that are not on the allow-list "+
		"of those believed to take constant time: %s\n", t.Name, cmp.Or(strings.Join(unlisted, " "), "none"))
	if !*useCoq {
		return exitOK
	}
	return kernelForeign(t, dir, stdout, stderr)
}

// kernelForeign lets Coq check the certificate.
func kernelForeign(t *prove.Target, dir string, stdout, stderr io.Writer) int {
	dev, err := development(stderr)
	if err != nil {
		fmt.Fprintf(stdout, "fieldproof prove: %v\n", err)
		return exitFailed
	}
	r := prove.CoqCheck([]prove.Target{*t}, dir, dev, func(prove.Result) {})[0]
	if r.Err != nil {
		fmt.Fprintf(stdout, "%s: NOT ACCEPTED by Coq: %v\n", t.Name, r.Err)
		return exitFailed
	}
	fmt.Fprintf(stdout, "%s: accepted by Coq, on no axiom, %.1fs\n", t.Name, r.Time.Seconds())
	return exitOK
}

// readForeign reads a function and its contract.
func readForeign(object, symbol, contract string) (*prove.Target, error) {
	text, err := os.ReadFile(contract)
	if err != nil {
		return nil, err
	}
	r, err := foreign.ParseContract(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", contract, err)
	}
	file, err := os.Open(object)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	code, err := foreign.ReadObject(file, symbol)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", object, err)
	}
	return &prove.Target{Name: string(r.Kind), Contract: r, Code: code, Conv: kernel.SystemV}, nil
}
