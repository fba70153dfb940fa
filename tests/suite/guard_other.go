//go:build !unix

package suite

// guardCases does nothing: this system's pages cannot be protected through the
// standard library, and what the routines access does not depend on the system.
func (c *checker) guardCases() error { return nil }
