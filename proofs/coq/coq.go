// Package coq holds the Coq development: the semantics of machine code, the
// checker of certificates, and the proof that what it accepts is correct. See
// README.md in this folder for what is trusted.
package coq

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed *.v
var files embed.FS

// Files lists the files of the development, each after those that it requires.
func Files() []string {
	return []string{"Divstep.v", "Inverse.v", "Hull.v", "HullCert.v", "Bound.v", "Prime.v", "PrimeCert.v", "Moduli.v",
		"Poly.v", "Instr.v", "Claim.v", "Word.v", "Split.v", "Bits.v", "Step.v", "Derive.v", "Goal.v", "Check.v",
		"Machine.v", "Slots.v", "Value.v", "BatchCode.v", "Batch.v", "Sim.v", "Loop.v", "X86.v", "Routine.v", "Proof.v", "Alias.v", "Sound.v", "Trace.v",
		"Segment.v", "Bridge.v", "Invert.v", "InvertSound.v"}
}

// Source returns the text of a file.
func Source(name string) (string, error) {
	b, err := fs.ReadFile(files, name)
	return string(b), err
}

// Compile runs coqc on a file in dir, and returns what it printed.
func Compile(dir, name string) (string, error) {
	cmd := exec.Command("coqc", "-q", name)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("coqc %s: %w\n%s", name, err, out)
	}
	return string(out), nil
}

// Build writes the development into dir and compiles it. It calls progress
// before each file, and fails unless the main theorems rest on no axiom.
func Build(dir string, progress func(name string)) error {
	for _, name := range Files() {
		text, err := Source(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
		progress(name)
		out, err := Compile(dir, name)
		if err != nil {
			return err
		}
		if n := strings.Count(text, "\nPrint Assumptions "); n > 0 && !Closed(out, n) {
			return fmt.Errorf("a theorem of %s rests on more than the definitions:\n%s", name, out)
		}
	}
	return nil
}

// Closed reports whether coqc's output says of n theorems, and of nothing
// else, that they rest on no axiom.
func Closed(out string, n int) bool {
	want := strings.Repeat("Closed under the global context\n", n)
	return out == want
}
