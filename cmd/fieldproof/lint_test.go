package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/asmtest"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args, want string // want is a part of what is printed
		status     int
	}{
		{"", "no command given", exitUsage},
		{"frobnicate", `unknown command "frobnicate"`, exitUsage},
		{"help", "usage: fieldproof command", exitOK},
		{"lint -h", "usage: fieldproof lint", exitOK},
		{"lint -frobnicate", "flag provided but not defined: -frobnicate", exitUsage},
		{"lint ./nowhere", "nowhere", exitUsage},
		{"cosim -h", "usage: fieldproof cosim", exitOK},
		{"cosim -states 0", "want at least 1 state and no arguments, got 0", exitUsage},
		{"cosim all", "want at least 1 state", exitUsage},
		{"lint -h", "Packages without assembly and without contracts are passed over", exitOK},
		{"lint -arch s390x errors", `-arch is "s390x", want one of ["amd64" "arm64"]`, exitUsage},
		{"check -C / -run feAddARM64", "go.mod file not found", exitUsage},
		{"lint errors", "none of the packages has contracts or assembly", exitUsage},
	} {
		var stdout, stderr bytes.Buffer
		status := run(strings.Fields(tt.args), &stdout, &stderr)
		if out := stdout.String() + stderr.String(); status != tt.status || !strings.Contains(out, tt.want) {
			t.Errorf("fieldproof %s: status %d, want %d; printed\n%s\nwant %q", tt.args, status, tt.status, out, tt.want)
		}
	}
}

// TestLint lints a package that bears the name of a field package and has one
// routine of its contracts, which leaks.
func TestLint(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	dir := asmtest.Module(t, "fieldp256", asmtest.Routine("feIsZeroAMD64", "$0-16",
		"MOVQ x+0(FP), SI; MOVQ $0, r+8(FP); MOVQ (SI), AX; TESTQ AX, AX; JEQ end; DIVQ AX; end: RET"))
	var stdout, stderr bytes.Buffer
	if status := run([]string{"lint", "-C", dir, "."}, &stdout, &stderr); status != exitFailed {
		t.Errorf("status %d, want %d: %s", status, exitFailed, &stderr)
	}
	for _, want := range []string{
		"fieldp256.feIsZeroAMD64+0x14: JE 0x19: secret jump: jumps on a condition that depends on a secret\n",
		"fieldp256.feIsZeroAMD64+0x16: DIVQ AX: instruction: DIV is not on the allow-list\n",
		"fieldp256.feMultiplyKaratsuba: contract: no assembly file has the routine, for which there is a contract\n",
		"fieldp256.feMultiplyADX: contract: no assembly file has the routine, for which there is a contract\n",
		"\nlint: 1 packages, ",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("printed\n%s\nwant %q", &stdout, want)
		}
	}
}

// TestLintEverything lints all packages of the module: those of the fields, and
// others that have nothing to lint or are passed over by name.
func TestLintEverything(t *testing.T) {
	var stdout, stderr bytes.Buffer
	status := run([]string{"lint", "-v", module + "/..."}, &stdout, &stderr)
	if status != exitOK || !strings.HasSuffix(stdout.String(), " 0 problems\n") {
		t.Errorf("status %d, want %d; printed\n%s%s", status, exitOK, &stdout, &stderr)
	}
	if want := fmt.Sprintf("lint: %d packages, ", len(spec.Packages())); !strings.Contains(stdout.String(), want) {
		t.Errorf("printed\n%s\nwant %q", &stdout, want)
	}
	for _, want := range []string{"field25519.feAddAMD64: ok, ", "field25519.feMultiplyADX: ok, ", "field25519.feAddARM64: ok, ", "nist.doubleKaratsuba: ok, "} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("printed\n%s\nwant %q", &stdout, want)
		}
	}
	for path := range harnesses {
		if !strings.Contains(stdout.String(), path+": passed over: ") {
			t.Errorf("printed\n%s\nwant that %s is passed over", &stdout, path)
		}
	}
}

// TestHarnesses checks that no package for users depends on what is passed over.
func TestHarnesses(t *testing.T) {
	args := []string{"list", "-deps"}
	for _, p := range spec.Packages() {
		args = append(args, module+"/"+p)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, module+"/"+spec.Packages()[0]) {
		t.Fatalf("go list -deps printed %q, want the packages themselves at least", deps)
	}
	for path := range harnesses {
		if slices.Contains(deps, path) {
			t.Errorf("the field packages depend on %s, whose assembly is not linted", path)
		}
	}
}

// TestLintNoContract lints a package whose assembly no contract knows.
func TestLintNoContract(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	dir := asmtest.Module(t, "flags", asmtest.Routine("uninvited", "$0-0", "RET"))
	var stdout, stderr bytes.Buffer
	if status := run([]string{"lint", "-C", dir, "."}, &stdout, &stderr); status != exitFailed {
		t.Errorf("status %d, want %d: %s", status, exitFailed, &stderr)
	}
	if want := "flags.uninvited: contract: flags_amd64.s has a routine for which there is no contract\n"; !strings.Contains(stdout.String(), want) {
		t.Errorf("printed\n%s\nwant %q", &stdout, want)
	}
}

// TestLintOne lints one package, with a line for each routine.
func TestLintOne(t *testing.T) {
	var stdout, stderr bytes.Buffer
	status := run([]string{"lint", "-v", module + "/fieldp256"}, &stdout, &stderr)
	if status != exitOK || !strings.Contains(stdout.String(), "lint: 1 packages, ") || !strings.HasSuffix(stdout.String(), " 0 problems\n") {
		t.Errorf("status %d, want %d; printed\n%s%s", status, exitOK, &stdout, &stderr)
	}
	if want := "fieldp256.feMultiplyADX: ok, "; !strings.Contains(stdout.String(), want) {
		t.Errorf("printed\n%s\nwant %q", &stdout, want)
	}
}
