package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/certs"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// build links a program of testdata and returns the name of the file.
func build(t *testing.T, program, system string, flags ...string) string {
	t.Helper()
	return buildFor(t, program, system, "amd64", flags...)
}

func buildFor(t *testing.T, program, system, arch string, flags ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), program)
	cmd := exec.Command("go", append(append([]string{"build", "-o", name}, flags...), "./testdata/"+program)...)
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return name
}

// verify runs the command and expects a status, and texts in what it prints.
func verify(t *testing.T, status int, texts []string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(append([]string{"verify"}, args...), &stdout, &stderr); got != status {
		t.Errorf("fieldproof verify %s: status %d, want %d", args, got, status)
	}
	for _, text := range texts {
		if out := stdout.String() + stderr.String(); !strings.Contains(out, text) {
			t.Errorf("fieldproof verify %s printed\n%s\nwant %q", args, out, text)
		}
	}
}

// TestVerify verifies programs in every format that Go links for amd64.
func TestVerify(t *testing.T) {
	used := []string{"field25519.feAddAMD64 ", "field25519.feMultiplyADX ", "field25519.feInvertADX ", "field25519.feInvertAMD64 ", "field25519.feReduceAMD64 ", "fieldp256.scNegateAMD64 ",
		" as kept ", " " + prove.ByCertificate + "\n", " 0 failed or not proved\n"}
	for _, tt := range []struct {
		system, format string
		flags          []string
	}{
		{"linux", "ELF", nil},
		{"linux", "ELF", []string{"-buildmode=pie"}},
		{"linux", "ELF", []string{"-ldflags=-w", "-trimpath"}},
		{"darwin", "Mach-O", nil},
		{"windows", "PE", nil},
		{"windows", "PE", []string{"-buildmode=pie", "-ldflags=-w"}},
	} {
		verify(t, exitOK, append(used, ": "+tt.format+", amd64, go1.", ", "+module+" "), build(t, "user", tt.system, tt.flags...))
	}
}

// TestVerifyARM64 verifies programs for arm64, whole and with one instruction changed.
func TestVerifyARM64(t *testing.T) {
	program := buildFor(t, "user", "linux", "arm64")
	names := []string{"field25519.feMultiplyKaratsuba ", "field25519.feInvertARM64 ", "fieldp256.scNegateARM64 ", " as kept ", " linted ", " 0 failed or not proved\n"}
	verify(t, exitOK, append(names, ": ELF, arm64, go1."), "-tested", program)
	verify(t, exitOK, append(names, ": Mach-O, arm64, go1."), "-tested", buildFor(t, "user", "darwin", "arm64"))
	b, err := object.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	ts, _, err := prove.FromBinary(b, module)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(ts, func(x prove.Target) bool { return x.Name == "fieldp256.scNegateARM64" })
	code := ts[i].Code
	at := 4
	for code[at+3] != 0xfa { // the first SBCS becomes ADCS
		at += 4
	}
	old := code[at-4 : at+4]
	patched := patch(t, program, ts[i].Name, old, slices.Concat(old[:7], []byte{0xba}))
	verify(t, exitFailed, []string{" other bytes ", ts[i].Name + ": counterexample: input ", " 1 failed or not proved\n"}, "-tested", patched)
}

// TestVerifyOther gives the command what is no program that it can verify.
func TestVerifyOther(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	program := build(t, "user", "linux")
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, exitUsage, []string{"it is stripped; want one linked without -s"}, build(t, "user", "linux", "-ldflags=-s"))
	verify(t, exitUsage, []string{"it is stripped"}, build(t, "user", "windows", "-ldflags=-s"))
	verify(t, exitUsage, []string{"built with the tag purego"}, build(t, "user", "linux", "-tags=purego"))
	verify(t, exitUsage, []string{"contains no assembly routine of " + module}, program2(t))
	verify(t, exitUsage, []string{"want an ELF, Mach-O or PE file"}, write("text", "no program"))
	verify(t, exitUsage, []string{"want an ELF, Mach-O or PE file"}, write("empty", ""))
	verify(t, exitUsage, []string{"a damaged ELF file"}, write("magic", "\x7fELF"))
	verify(t, exitUsage, []string{"lipo -thin"}, write("fat", "\xca\xfe\xba\xbe\x00\x00\x00\x02"))
	verify(t, exitUsage, []string{"damaged"}, write("half", string(data[:len(data)/2])))
	verify(t, exitUsage, []string{"no such file"}, filepath.Join(dir, "none"))
	verify(t, exitUsage, []string{"fieldproof verify: "}, dir)
	verify(t, exitUsage, []string{"want the name of one file"})
	verify(t, exitUsage, []string{"want the name of one file"}, program, program)
	verify(t, exitOK, []string{"usage: fieldproof verify"}, "-h")
}

// program2 builds a Go program that does not use this module.
func program2(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "other")
	source := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", name, source)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return name
}

// patch changes the only place in a routine that has the bytes old, and
// returns the name of the changed program.
func patch(t *testing.T, program, routine string, old, new []byte) string {
	t.Helper()
	b, err := object.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	fs, err := b.Functions(func(name string) bool { return strings.HasSuffix(name, "/"+routine) })
	if err != nil || len(fs) != 1 || bytes.Count(fs[0].Code, old) != 1 {
		t.Fatalf("the program has the routine %s %d times (%v), want once, and % x in it once", routine, len(fs), err, old)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(data, fs[0].Code) != 1 {
		t.Fatalf("the code of %s is in the program %d times, want once", routine, bytes.Count(data, fs[0].Code))
	}
	copy(data[bytes.Index(data, fs[0].Code)+bytes.Index(fs[0].Code, old):], new)
	name := filepath.Join(t.TempDir(), "patched")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestVerifyPatched changes bytes of a routine in a linked program.
func TestVerifyPatched(t *testing.T) {
	const routine = "fieldp256.scNegateAMD64"
	program := build(t, "user", "linux")

	// SBBQ 0x18(R9), R12 becomes ADCQ: wrong.
	wrong := patch(t, program, routine, []byte{0x4d, 0x1b, 0x61, 0x18}, []byte{0x4d, 0x13, 0x61, 0x18})
	verify(t, exitFailed, []string{" other bytes ", "FAILED", routine + " at 0x", ": pointers ", ": offset 0x", "the claim z ≡ 0 - x (mod p) does not follow",
		routine + ": counterexample: input ", " 1 failed or not proved\n"}, wrong)

	// MOVQ R9, R13 in its other encoding: the same operations.
	same := patch(t, program, routine, []byte{0x4d, 0x89, 0xcd}, []byte{0x4d, 0x8b, 0xe9})
	verify(t, exitOK, []string{" other bytes ", " " + prove.ByReplay + "\n", " 0 failed or not proved\n"}, same)

	// The same with a certificate that proves nothing, with none, and unchanged with both.
	dir := t.TempDir()
	if err := os.CopyFS(dir, certs.Files); err != nil {
		t.Fatal(err)
	}
	cert := filepath.Join(dir, routine+".cert")
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := strings.Replace(string(text), "\nrun ", "\nrun 1", 1)
	if err := os.WriteFile(cert, []byte(spoilt), 0o666); err != nil {
		t.Fatal(err)
	}
	verify(t, exitOK, []string{" " + prove.BySearch + "\n", " 0 failed or not proved\n"}, "-certs", dir, same)
	verify(t, exitFailed, []string{routine + " at 0x", " 1 failed or not proved\n"}, "-certs", dir, program)
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	verify(t, exitFailed, []string{"there is no certificate", " 1 failed or not proved\n"}, "-certs", dir, program)
}

// TestVerifyTested verifies a program with routines that are not proved, as
// long as there are such.
func TestVerifyTested(t *testing.T) {
	program := build(t, "curve", "linux")
	b, err := object.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	ts, _, err := prove.FromBinary(b, module)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(ts, func(x prove.Target) bool { return x.Name == "edwards.ladderStepADX" }); i < 0 {
		t.Errorf("the program has %d routines, edwards.ladderStepADX is not among them", len(ts))
	}
	verify(t, exitOK, []string{" 0 failed or not proved\n"}, "-tested", program)
	i := slices.IndexFunc(ts, func(x prove.Target) bool { return !x.Covered() })
	if i < 0 {
		verify(t, exitOK, []string{" 0 failed or not proved\n"}, program)
		return
	}
	verify(t, exitFailed, []string{ts[i].Name + " at 0x", "NOT PROVED", "it is not proved, but tested"}, program)
	verify(t, exitOK, []string{"not proved: tested, the bytes of the ledger\n"}, "-tested", program)
	last := ts[i].Code[len(ts[i].Code)-12:]
	pkg, routine, _ := strings.Cut(ts[i].Name, ".")
	patched := patch(t, program, pkg+"."+routine, last, slices.Concat(bytes.Repeat([]byte{0x90}, 11), []byte{0xc3}))
	verify(t, exitFailed, []string{"its bytes are not those of the ledger", " 1 failed or not proved\n"}, "-tested", "-inputs", "10", patched)
}
