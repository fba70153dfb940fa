//go:build !linux || (!amd64 && !arm64) || purego

package cosim

// An architecture cannot be had here.
func newArchitecture(Options) (architecture, error) { return nil, ErrUnsupported }
