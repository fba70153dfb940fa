package main

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	proofcosim "github.com/seed-6f9cd256/fieldproof/proofs/cosim"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

func TestCosim(t *testing.T) {
	if _, err := proofcosim.Run(proofcosim.Options{States: 1}); errors.Is(err, proofcosim.ErrUnsupported) {
		t.Skip(err)
	}
	var stdout, stderr bytes.Buffer
	status := run([]string{"cosim", "-states", "200000"}, &stdout, &stderr)
	if status != exitOK || !strings.HasPrefix(stdout.String(), "cosim: 200000 states of ") || !strings.Contains(stderr.String(), "cosim: 100000 of 200000 states") {
		t.Errorf("status %d, want %d; printed\n%s%s", status, exitOK, &stdout, &stderr)
	}
	if runtime.GOARCH != "amd64" {
		return // the rest is about ADCX
	}
	stdout.Reset()
	status = cosimulate(proofcosim.Options{States: 100_000, Semantics: func(m *emulate.Machine, in amd64.Inst) (machine.Exit[emulate.Bit], error) {
		exit, err := m.Step(in)
		if in.Op == "ADCX" {
			m.Flags[amd64.CF] = 0
		}
		return exit, err
	}}, &stdout, &stderr)
	if status != exitFailed || !strings.Contains(stdout.String(), "CF: the CPU has 1, the emulator 0") {
		t.Errorf("ADCX without a carry: status %d, want %d; printed\n%s", status, exitFailed, &stdout)
	}
}
