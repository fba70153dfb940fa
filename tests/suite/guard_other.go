//go:build !linux && !darwin

package suite

const canGuard = false

// guardCases does nothing: the standard library cannot protect pages on this
// system, and what a routine accesses does not depend on the system.
func (c *checker) guardCases() error { return nil }
