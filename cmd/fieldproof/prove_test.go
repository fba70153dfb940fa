package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProve proves one routine, checks what was written, and then a spoilt copy.
func TestProve(t *testing.T) {
	dir := t.TempDir()
	command := func(want int, parts []string, args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		args = append(args, module+"/fieldp256")
		if status := run(args, &stdout, &stderr); status != want {
			t.Errorf("fieldproof %s: status %d, want %d", args, status, want)
		}
		for _, part := range parts {
			if !strings.Contains(stdout.String()+stderr.String(), part) {
				t.Errorf("fieldproof %s printed\n%s%s\nwant %q", args, &stdout, &stderr, part)
			}
		}
	}
	command(exitOK, []string{"prove 1/1 fieldp256.feNegateAMD64", "proved", "prove: 1 routines, 1 proved, 0 failed"},
		"prove", "-certs", dir, "-run", "fieldp256.feNegateAMD64")
	command(exitOK, []string{"check: 1 routines, 1 proved, 0 failed", "ledger: 1 entries, as shown"},
		"check", "-certs", dir, "-run", "fieldp256.feNegateAMD64")
	command(exitFailed, []string{"FAILED", "no such file"}, "check", "-certs", dir, "-run", "fieldp256.feDoubleAMD64")
	command(exitUsage, []string{"no routine to prove"}, "check", "-certs", dir, "-run", "frobnicate")
	command(exitOK, []string{"usage: fieldproof prove"}, "prove", "-h")
	command(exitUsage, []string{"flag provided but not defined"}, "check", "-frobnicate")

	file := filepath.Join(dir, "fieldp256.feNegateAMD64.cert")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text[:len(text)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	command(exitFailed, []string{"fieldp256.feNegateAMD64: ", "line "}, "check", "-certs", dir, "-run", "fieldp256.feNegateAMD64")
}

// TestProveFails looks for a proof of a routine from whose assembly one
// instruction is dropped: the last with a borrow.
func TestProveFails(t *testing.T) {
	file, err := filepath.Abs("../../fieldp256/fe_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(text), "TEXT ·feNegateAMD64(SB)")
	if i := strings.Index(after, "\tSBBQ"); ok && i >= 0 {
		after = after[:i] + "\t// " + after[i+1:]
	} else {
		t.Fatal("feNegateAMD64 has no SBBQ")
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "changed.s"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{changed: before + "TEXT ·feNegateAMD64(SB)" + after, overlay: string(list)} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOFLAGS", "-overlay="+overlay)
	var stdout, stderr bytes.Buffer
	status := run([]string{"prove", "-certs", dir, "-run", "fieldp256.feNegateAMD64", module + "/fieldp256"}, &stdout, &stderr)
	if status != exitFailed {
		t.Errorf("status %d, want %d: %s", status, exitFailed, &stderr)
	}
	for _, want := range []string{
		"FAILED", "feNegateAMD64: pointers ", "RET: the claim z ≡ 0 - x (mod p) does not follow: ",
		"feNegateAMD64: counterexample: input 1: x = 0x", " 0 proved, 1 failed",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("printed\n%s\nwant %q", &stdout, want)
		}
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*.cert")); err != nil || len(files) > 0 {
		t.Errorf("wrote %q, %v: want no certificate", files, err)
	}
}
