//go:build !purego

package fieldp256

import "golang.org/x/sys/cpu"

// hasADX reports whether the CPU has both instruction sets of the fast
// routines. Each has a bit of its own: there are CPUs, and emulators, with one
// of the two. The package golang.org/x/sys/cpu reads the environment variable
// GODEBUG, so that cpu.adx=off or cpu.bmi2=off in it makes this false.
var hasADX = cpu.X86.HasADX && cpu.X86.HasBMI2

// useADX makes the dispatching functions call the routines that need BMI2 and
// ADX. It is a variable of its own so that tests can clear it.
var useADX = hasADX
