//go:build linux || darwin

package suite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"syscall"
	"unsafe"
)

const canGuard = true

// A guardedPage is readable and writable memory between two pages that are
// neither.
type guardedPage struct {
	mapping []byte
	words   []uint64 // the middle page
}

func newGuardedPage() (*guardedPage, error) {
	size := os.Getpagesize()
	m, err := syscall.Mmap(-1, 0, 3*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("suite: mmap: %w", err)
	}
	g := &guardedPage{m, unsafe.Slice((*uint64)(unsafe.Pointer(&m[size])), size/8)}
	for _, guard := range [][]byte{m[:size], m[2*size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			return nil, fmt.Errorf("suite: mprotect: %w", err)
		}
	}
	return g, nil
}

func (g *guardedPage) free() error { return syscall.Munmap(g.mapping) }

// guardCases calls every implementation with operands that start where a
// guarded page starts, and then with operands that end where it ends. An access
// outside an operand is a fault of the processor there.
func (c *checker) guardCases() (err error) {
	var pages []*guardedPage
	for range c.ptrs {
		g, err := newGuardedPage()
		if err != nil {
			return err
		}
		defer g.free()
		pages = append(pages, g)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var edge string
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v with operands at the %s of a page: %v", c.now, edge, r)
		}
	}()
	defer c.useArena()
	s := plainSource{rand.New(rand.NewPCG(3, 4))}
	for _, edge = range []string{"start", "end"} {
		for i, p := range c.ptrs {
			w := pages[i].words
			if edge == "end" {
				w = w[len(w)-p.Limbs:]
			}
			c.bufs[i] = w[:p.Limbs:p.Limbs]
		}
		for range 4 {
			if err := c.check(c.draw(s)); err != nil {
				return err
			}
		}
	}
	return nil
}
