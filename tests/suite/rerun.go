package suite

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Rerun runs tests of the current test binary again in a process of its own
// with the given value of GODEBUG, which is read at start-up only. It fails
// unless every test that it names ran and passed there.
func Rerun(t *testing.T, godebug string, tests ...string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.v", "-test.run=^("+strings.Join(tests, "|")+")$", fmt.Sprintf("-rapid.checks=%d", Checks()))
	cmd.Env = append(os.Environ(), "GODEBUG="+godebug)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("with GODEBUG=%s: %v\n%s", godebug, err, out)
	}
	for _, name := range tests {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("with GODEBUG=%s: %s did not pass:\n%s", godebug, name, out)
		}
	}
}
