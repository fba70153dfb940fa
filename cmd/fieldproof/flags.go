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

	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// exitHelp is the status of a command that was only asked for help.
const exitHelp = -1

func helpIsOK(status int) int {
	if status == exitHelp {
		return exitOK
	}
	return status
}

// parse reads a command's flags; a status other than exitOK ends the command.
func parse(flags *flag.FlagSet, usage string, args []string, stderr io.Writer) int {
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, usage)
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitHelp
	case err != nil:
		return exitUsage
	}
	return exitOK
}

// The flags that several commands have.

func dirFlag(flags *flag.FlagSet, dir *string) {
	flags.StringVar(dir, "C", ".", "run the go command in `folder`")
}

func certsFlag(flags *flag.FlagSet, certs *string) {
	flags.StringVar(certs, "certs", "", "the `folder` of the certificates (default proofs/certs in the module)")
}

func inputsFlag(flags *flag.FlagSet) *int {
	return flags.Int("inputs", 10_000, "look for a counterexample among that `number` of inputs if there is no proof")
}

// writeFile writes a file as a whole or, if there is an error, not at all.
func writeFile(name, text string) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".fieldproof-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err = tmp.WriteString(text); err == nil {
		err = tmp.Chmod(0o644)
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	return err
}

// defaultPatterns are the packages that have assembly.
func defaultPatterns() []string {
	var patterns []string
	for _, p := range spec.Packages() {
		patterns = append(patterns, module+"/"+p)
	}
	return patterns
}

// moduleDir returns the folder of this module, as the go command sees it from dir.
func moduleDir(dir string) (string, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("finding the folder of the module %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// A selection is the routines that a command is about, and where their
// certificates are: the flags that are common to the commands that prove.
type selection struct {
	dir, certs, run string
	targets         []prove.Target
	partial         bool // some routines were left out by -run
}

func (s *selection) parse(flags *flag.FlagSet, usage string, args []string, stderr io.Writer) int {
	dirFlag(flags, &s.dir)
	certsFlag(flags, &s.certs)
	flags.StringVar(&s.run, "run", "", "only routines whose name contains `text`")
	if status := parse(flags, usage, args, stderr); status != exitOK {
		return status
	}
	if err := s.load(flags.Args()); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", flags.Name(), err)
		return exitUsage
	}
	return exitOK
}

func (s *selection) load(patterns []string) error {
	if s.certs == "" {
		dir, err := moduleDir(s.dir)
		if err != nil {
			return err
		}
		s.certs = filepath.Join(dir, "proofs", "certs")
	}
	if len(patterns) == 0 {
		patterns = defaultPatterns()
	} else {
		s.partial = true
	}
	all, err := prove.Load(s.dir, patterns...)
	if err != nil {
		return err
	}
	for _, t := range all {
		if strings.Contains(t.Name, s.run) {
			s.targets = append(s.targets, t)
		} else {
			s.partial = true
		}
	}
	if len(s.targets) == 0 {
		return fmt.Errorf("no routine to prove")
	}
	return nil
}
