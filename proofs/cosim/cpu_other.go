//go:build !linux || !amd64 || purego

package cosim

// A processor cannot be had here.
type processor struct{}

func newProcessor() (*processor, error)   { return nil, ErrUnsupported }
func (*processor) close()                 {}
func (*processor) has(string) bool        { return false }
func (*processor) memoryAddress() uint64  { return 0 }
func (*processor) load([]sample) error    { return ErrUnsupported }
func (*processor) run(int, *State) *State { return new(State) }
