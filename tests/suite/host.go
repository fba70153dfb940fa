package suite

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// A Host says what is known of the machine without asking the library under
// test, or the package that it asks.
type Host int

// What is known of ADX and BMI2.
const (
	Unknown Host = iota // not Linux
	Without             // one of the two is absent or switched off
	With                // both are there
)

// HostADX reports whether this process should run the ADX implementations: the
// kernel lists ADX and BMI2, and GODEBUG does not switch one of them off.
func HostADX() Host {
	if architecture() != "amd64" {
		return Without
	}
	if runtime.GOOS != "linux" {
		return Unknown
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return Unknown
	}
	return hostADX(string(info), os.Getenv("GODEBUG"))
}

func hostADX(cpuinfo, godebug string) Host {
	for option := range strings.SplitSeq(godebug, ",") {
		switch option {
		case "cpu.adx=off", "cpu.bmi2=off", "cpu.all=off":
			return Without
		}
	}
	for line := range strings.Lines(cpuinfo) {
		name, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) != "flags" {
			continue
		}
		flags := strings.Fields(value)
		if slices.Contains(flags, "adx") && slices.Contains(flags, "bmi2") {
			return With
		}
		return Without
	}
	return Unknown
}

// ranAll returns an error if an implementation of a build for arch was left out
// that the machine can run.
func (c *checker) ranAll(arch string, host Host) error {
	for _, set := range sets(c.routine, arch) {
		if set == ADX && host != With {
			continue
		}
		if c.ran[set] == 0 {
			return fmt.Errorf("%s %s: the %s implementation did not run, on a machine that has what it needs",
				c.routine.Field.Name, c.routine.Kind, set)
		}
	}
	return nil
}
