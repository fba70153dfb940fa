//go:build (!amd64 && !arm64) || purego

package suite

// Assembly reports whether this build has assembly routines.
const Assembly = false
