package main

import (
	"bytes"
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
		"prove", "-certs", dir, "-run", "fieldp256.feNegate")
	command(exitOK, []string{"check: 1 routines, 1 proved, 0 failed", "ledger: 1 entries, as shown"},
		"check", "-certs", dir, "-run", "fieldp256.feNegate")
	command(exitFailed, []string{"FAILED", "no such file"}, "check", "-certs", dir, "-run", "fieldp256.feDouble")
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
	command(exitFailed, []string{"fieldp256.feNegateAMD64: ", "line "}, "check", "-certs", dir, "-run", "fieldp256.feNegate")
}
