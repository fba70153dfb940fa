package main

import (
	"flag"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/explain"
	"github.com/seed-6f9cd256/fieldproof/proofs/ledger"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// explainCommand is the command "fieldproof explain".
func explainCommand(args []string, stdout, stderr io.Writer) int {
	var s selection
	flags := flag.NewFlagSet("fieldproof explain", flag.ContinueOnError)
	dirFlag(flags, &s.dir)
	certsFlag(flags, &s.certs)
	pointers := flags.String("pointers", "disjoint", "the `pattern` of equal pointers, such as \"x=z y=z\"")
	status := parse(flags, "usage: fieldproof explain [flags] routine\n"+
		"Prints the instructions of a routine, such as field25519.feAddAMD64, with what its\n"+
		"proof says of each: the words that it computes, the facts and cases that are used\n"+
		"there, and for every carry that nothing reads why nothing is lost.", args, stderr)
	if status != exitOK {
		return helpIsOK(status)
	}
	if flags.NArg() != 1 {
		fmt.Fprintf(stderr, "fieldproof explain: want the name of one routine, got %q\n", flags.Args())
		return exitUsage
	}
	name := flags.Arg(0)
	pkg, _, _ := strings.Cut(name, ".")
	var patterns []string // the package of the routine, or all, to list what there is
	for _, p := range defaultPatterns() {
		if path.Base(p) == pkg {
			patterns = append(patterns, p)
		}
	}
	if err := s.load(patterns); err != nil {
		return failure("explain", err, stderr)
	}
	i := slices.IndexFunc(s.targets, func(t prove.Target) bool { return t.Name == name })
	if i < 0 {
		return failure("explain", fmt.Errorf("no routine %q; the routines are %s", name, strings.Join(names(s.targets), ", ")), stderr)
	}
	t := &s.targets[i]
	if !t.Covered() {
		return failure("explain", fmt.Errorf("%s is not proved: there is nothing to explain", name), stderr)
	}
	r, ks, err := t.Load(s.certs)
	if err != nil {
		return failure("explain", err, stderr)
	}
	var equal []string
	pats := r.Patterns()
	for j, pat := range pats {
		if equal = append(equal, r.Names(pat)); r.Names(pat) != *pointers {
			continue
		}
		k := ks[j]
		if k == nil {
			pat, k = pats[len(pats)-1], ks[len(pats)-1]
		}
		l, err := explain.Routine(r, pat, k)
		if err == nil {
			fmt.Fprintf(stdout, "%s, sha256:%s\n", name, ledger.Hash(t.Code))
			if ks[j] == nil {
				fmt.Fprintf(stdout, "with %s it computes the same words as with disjoint pointers:\n", *pointers)
			}
			for _, c := range t.Contract.Claims {
				fmt.Fprintf(stdout, "ensures %v\n", c)
			}
			err = l.Write(stdout)
		}
		return failure("explain", err, stderr)
	}
	return failure("explain", fmt.Errorf("-pointers is %q, want one of %q", *pointers, equal), stderr)
}

func names(ts []prove.Target) []string {
	var list []string
	for _, t := range ts {
		list = append(list, t.Name)
	}
	return list
}
