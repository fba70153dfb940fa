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

// emulated is the environment variable with which whoever starts an emulator
// says how the multiplier of the core is: slow or fast.
const emulated = "FIELDPROOF_MULTIPLIER"

// HostKaratsuba reports whether this process should multiply with few wide
// multiplications: GODEBUG says so, or the core has a slow multiplier, as the
// kernel says or whoever started an emulator.
func HostKaratsuba() Host {
	info, err := os.ReadFile("/proc/cpuinfo")
	if runtime.GOOS != "linux" || err != nil {
		info = nil
	}
	return hostKaratsuba(string(info), os.Getenv("GODEBUG"), os.Getenv(emulated))
}

func hostKaratsuba(cpuinfo, godebug, emulated string) Host {
	for option := range strings.SplitSeq(godebug, ",") {
		switch option {
		case "fieldproof.mul=karatsuba":
			return With
		case "fieldproof.mul=schoolbook", "cpu.cpuid=off", "cpu.all=off":
			return Without
		}
	}
	switch emulated {
	case "slow":
		return With
	case "fast":
		return Without
	}
	// Cores may differ; which one reads its register is not known.
	result := Unknown
	implementer := ""
	for line := range strings.Lines(cpuinfo) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "CPU implementer":
			implementer = value
		case "CPU part":
			slow := implementer == "0x41" && slices.Contains([]string{"0xd07", "0xd08", "0xd0b", "0xd0c"}, value)
			is := Without
			if slow {
				is = With
			}
			if result != Unknown && result != is {
				return Unknown
			}
			result = is
		}
	}
	return result
}
