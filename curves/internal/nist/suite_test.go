package nist

import (
	"testing"

	"github.com/seed-6f9cd256/fieldproof/tests/suite"
)

func TestRoutines(t *testing.T) { suite.Run(t, formulasImpls) }

func FuzzRoutines(f *testing.F) { suite.Fuzz(f, formulasImpls) }

func TestDurations(t *testing.T) { suite.CheckDurations(t, formulasImpls) }
