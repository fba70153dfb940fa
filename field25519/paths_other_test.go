//go:build !amd64 || purego

package field25519

import "testing"

// eachPath runs a test with the portable code, which is all there is.
func eachPath(t *testing.T, test func(t *testing.T)) { t.Run("Generic", test) }
