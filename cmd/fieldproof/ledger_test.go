package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/ledger"
)

func TestLedger(t *testing.T) {
	list, err := ledger.Parse(ledger.Text)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	command := func(status int, want string, args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if got := run(append([]string{"ledger"}, args...), &stdout, &stderr); got != status {
			t.Errorf("fieldproof ledger %s: status %d, want %d: %s", args, got, status, &stderr)
		}
		if status == exitOK && stdout.String() != want || !strings.Contains(stdout.String()+stderr.String(), want) {
			t.Errorf("fieldproof ledger %s printed\n%s%s\nwant %q", args, &stdout, &stderr, want)
		}
	}
	holds := func(file, want string) {
		t.Helper()
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s holds\n%s\nwant\n%s (%v)", file, got, want, err)
		}
	}
	command(exitOK, ledger.Text)
	command(exitOK, ledger.Markdown(list), "-markdown")
	command(exitUsage, "want no arguments", "extra")

	other := write("other.md", "no table\n")
	command(exitUsage, "other.md: the text has no lines", "-readme", other)
	holds(other, "no table\n")
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	stale := write("README.md", strings.ReplaceAll(string(text), "**accepts the proof**", "?"))
	command(exitOK, "", "-readme", stale)
	holds(stale, string(text))

	hash := list[len(list)/2].Code
	old := write("ledger.txt", strings.Replace(ledger.Text, hash, strings.Repeat("0", len(hash)), 1))
	command(exitOK, "", "-hashes", old)
	holds(old, ledger.Text)
	command(exitUsage, "no such file", "-hashes", filepath.Join(dir, "none"))
	if files, err := filepath.Glob(filepath.Join(dir, ".fieldproof-*")); err != nil || len(files) > 0 {
		t.Errorf("left the files %q (%v)", files, err)
	}
}
