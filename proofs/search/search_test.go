package search

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
)

func TestTry(t *testing.T) {
	ps, err := object.Load("../..", "github.com/seed-6f9cd256/fieldproof/field25519", "github.com/seed-6f9cd256/fieldproof/fieldp256")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps {
		cs := lint.Contracts(p.Name)
		for _, r := range p.Routines {
			if strings.Contains(r.Name, "Invert") || !strings.Contains(p.Name+"."+r.Name, os.Getenv("ONLY")) {
				continue
			}
			k, err := kernel.NewRoutine(cs[r.Name], r.Code)
			if err != nil {
				t.Errorf("%s.%s: %v", p.Name, r.Name, err)
				continue
			}
			for _, pat := range k.Patterns() {
				pr, err := k.Program(pat)
				if err != nil {
					t.Errorf("%s.%s: %v", p.Name, r.Name, err)
					break
				}
				t0 := time.Now()
				c, err := Prove(pr)
				if err != nil {
					s := err.Error()
					t.Errorf("%s.%s %s: %.1fs %v", p.Name, r.Name, k.Names(pat), time.Since(t0).Seconds(), s[:min(len(s), 400)])
					break
				}
				dt := time.Since(t0)
				err = kernel.Replay(pr.Code, &pr.Contract, c, nil)
				t.Logf("%s.%s %s: %.1fs ok %v", p.Name, r.Name, k.Names(pat), dt.Seconds(), err)
			}
		}
	}
}
