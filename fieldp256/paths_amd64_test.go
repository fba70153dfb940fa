//go:build !purego

package fieldp256

import (
	"testing"

	"github.com/seed-6f9cd256/fieldproof/tests/suite"
)

// eachPath runs a test once with the assembly that every CPU runs and, on a CPU
// that has what it needs, once with the assembly for BMI2 and ADX.
func eachPath(t *testing.T, test func(t *testing.T)) {
	defer func(old bool) { useADX = old }(useADX)
	useADX = false
	t.Run("AMD64", test)
	if hasADX {
		useADX = true
		t.Run("ADX", test)
	}
}

// TestGate compares the decision about the instruction set with what the kernel
// says about the CPU.
func TestGate(t *testing.T) {
	host := suite.HostADX()
	if host == suite.Unknown {
		t.Skip("only Linux lists the features of the CPU in a file")
	}
	if hasADX != (host == suite.With) {
		t.Errorf("hasADX is %t; BMI2 and ADX are both there: %t", hasADX, host == suite.With)
	}
	if useADX != hasADX {
		t.Errorf("useADX is %t, want %t", useADX, hasADX)
	}
}

// ADX has a bit of its own, as has BMI2: each of the two, switched off alone,
// switches the fast path off. Then everything runs without it.
func TestReport_supranational_blst_156(t *testing.T) {
	if suite.HostADX() == suite.Unknown {
		t.Skip("TestGate needs a list of the CPU's features")
	}
	for _, godebug := range []string{"cpu.adx=off", "cpu.bmi2=off"} {
		suite.Rerun(t, godebug, "TestGate")
	}
	suite.Rerun(t, "cpu.adx=off,cpu.bmi2=off", "TestGate", "TestRoutines", "TestElement", "TestScalar")
}
