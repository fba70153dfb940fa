package foreign_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/foreign"
	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// TestReadme proves the examples of proofs/README.md.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```asm\n(.*?)```").FindAllSubmatch(text, -1)
	contracts := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1)
	if len(code) != 2 || len(contracts) != 2 {
		t.Fatalf("%d pieces of assembly and %d contracts, want 2 of each", len(code), len(contracts))
	}
	for i := range code {
		c, err := foreign.ParseContract(contracts[i][1])
		if err != nil {
			t.Fatal(err)
		}
		source := filepath.Join(t.TempDir(), "it.s")
		if err := os.WriteFile(source, code[i][1], 0o666); err != nil {
			t.Fatal(err)
		}
		name := string(c.Kind)
		bytes, err := foreign.ReadObject(assemble(t, source), name)
		if err != nil {
			t.Fatal(err)
		}
		tt := &prove.Target{Name: name, Contract: c, Code: bytes, Conv: kernel.SystemV}
		if _, res := tt.Search(); res.Err != nil {
			t.Errorf("%s: %v", name, res.Err)
		}
	}
}
