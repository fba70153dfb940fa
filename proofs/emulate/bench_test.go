package emulate_test

import (
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
)

// BenchmarkCheck runs one multiplication, with its input and the contract.
func BenchmarkCheck(b *testing.B) {
	pkgs, err := object.Load(".", "github.com/seed-6f9cd256/fieldproof/field25519")
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range pkgs[0].Routines {
		if r.Name != "feMultiplyADX" && r.Name != "feInvertADX" {
			continue
		}
		b.Run(r.Name, func(b *testing.B) {
			p, err := emulate.NewProgram(r.Code, lint.Contracts("field25519")[r.Name], emulate.Go)
			if err != nil {
				b.Fatal(err)
			}
			inputs := emulate.NewInputs(p.Routine, 1)
			run, err := p.Start(inputs.Next())
			for err == nil && !run.Done() {
				err = run.Step()
			}
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := p.Check(inputs.Next()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(run.Taken), "instructions")
		})
	}
}
