//go:build !purego

package cosim

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
)

// call calls the code at the address entry, which may change every register
// but SP.
func call(entry uintptr)

// Offsets in the data page, which the code addresses relative to itself.
const (
	regsIn   = 0
	flagsIn  = 128
	regsOut  = 136
	flagsOut = 264
	taken    = 272
	savedSP  = 280
	target   = 288
	memory   = 320

	dataSize = 4096
	codeSize = 1 << 18 // a multiple of the size of a page
	codeAt   = dataSize
)

// A processor executes samples on the CPU. Its memory is a page of data, with
// the state before and after, and pages of code that are writable or
// executable, never both.
//
// The code runs on SP as the state has it. A signal is no danger to that: Go
// handles signals on a stack of its own, and does not preempt code that it does
// not know.
type processor struct {
	onAMD64
	pages   []byte
	entries []int // offsets in pages of the samples
	at      int   // where the next byte of code goes
	end     int   // the common end
}

func newArchitecture(o Options) (architecture, error) {
	pages, err := syscall.Mmap(-1, 0, dataSize+codeSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("co-simulation cannot map memory: %w", err)
	}
	c := &processor{pages: pages}
	c.onAMD64 = newAMD64(o.Semantics, c.address(memory), c.has)
	return c, nil
}

func (c *processor) close() { syscall.Munmap(c.pages) }

// has reports whether the CPU has the operation.
func (c *processor) has(op string) bool {
	switch op {
	case "ADCX", "ADOX":
		return cpu.X86.HasADX
	case "MULX", "SHLX", "SHRX", "SARX", "RORX", "BZHI":
		return cpu.X86.HasBMI2
	case "ANDN":
		return cpu.X86.HasBMI1
	}
	return true
}

func (c *processor) address(offset int) uint64 {
	return uint64(uintptr(unsafe.Pointer(&c.pages[0]))) + uint64(offset)
}

func (c *processor) emit(b ...byte) { c.at += copy(c.pages[c.at:], b) }

// data emits an instruction with an operand in the data page, of which the last
// bytes follow the displacement.
func (c *processor) data(offset int, tail []byte, op ...byte) {
	c.emit(op...)
	next := c.at + 4 + len(tail)
	c.emit(binary.LittleEndian.AppendUint32(nil, uint32(offset-next))...)
	c.emit(tail...)
}

// jumpTo emits a jump.
func (c *processor) jumpTo(offset int) {
	c.emit(0xe9)
	c.emit(binary.LittleEndian.AppendUint32(nil, uint32(offset-c.at-4))...)
}

// moves emits a move between each register and its place in the data page.
func (c *processor) moves(op byte, place int) {
	for r := range amd64.NumRegs {
		if amd64.Reg(r) != amd64.SP {
			c.move(op, r, place+8*r)
		}
	}
}

func (c *processor) move(op byte, reg, place int) {
	c.data(place, nil, 0x48|byte(reg>>3)<<2, op, byte(reg&7)<<3|5)
}

const (
	load  = 0x8b // MOV to the register
	store = 0x89
	sp    = int(amd64.SP)
)

// load writes the code that executes the samples.
func (c *processor) load(samples []sample) error {
	code := c.pages[codeAt:]
	if err := syscall.Mprotect(code, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		return fmt.Errorf("co-simulation cannot write its code: %w", err)
	}
	c.at, c.entries = codeAt, c.entries[:0]

	// The beginning that all share: it loads the state and jumps to a sample.
	c.move(store, sp, savedSP)
	c.data(flagsIn, nil, 0xff, 0x35) // PUSH
	c.emit(0x9d)                     // POPF
	c.moves(load, regsIn)
	c.move(load, sp, regsIn+8*sp)
	c.data(target, nil, 0xff, 0x25) // JMP

	// The end that all share.
	c.end = c.at
	c.move(store, sp, regsOut+8*sp)
	c.moves(store, regsOut)
	c.move(load, sp, savedSP)
	c.emit(0x9c)                      // PUSHF
	c.data(flagsOut, nil, 0x8f, 0x05) // POP
	c.emit(0xc3)                      // RET

	for _, s := range samples {
		if c.at+64 > len(c.pages) {
			return fmt.Errorf("%d instructions do not fit %d bytes", len(samples), codeSize)
		}
		c.entries = append(c.entries, c.at)
		if op := s.in.(amd64.Inst).Op; op == "JMP" || op == "Jcc" {
			// Jump over a jump to the end, to where a mark is set.
			over := append([]byte(nil), s.code...)
			at := len(over) - 4
			binary.LittleEndian.PutUint32(over[at:], binary.LittleEndian.Uint32(over[at:])+5)
			c.emit(over...)
			c.jumpTo(c.end)
			c.data(taken, []byte{1, 0, 0, 0}, 0xc7, 0x05) // MOV, 32 bits
		} else {
			c.emit(s.code...)
		}
		c.jumpTo(c.end)
	}
	if err := syscall.Mprotect(code, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		return fmt.Errorf("co-simulation cannot make its code executable: %w", err)
	}
	return nil
}

// run executes sample i from the given state.
func (c *processor) run(i int, before *State) *State {
	put := func(at int, v uint64) { binary.LittleEndian.PutUint64(c.pages[at:], v) }
	get := func(at int) uint64 { return binary.LittleEndian.Uint64(c.pages[at:]) }
	for r, v := range before.Regs {
		put(regsIn+8*r, v)
	}
	put(flagsIn, before.Flags|1<<9|1<<1) // interrupts are on, and bit 1 is always set
	put(taken, 0)
	put(target, c.address(c.entries[i]))
	copy(c.pages[memory:], before.Memory[:])

	call(uintptr(c.address(codeAt)))

	after := &State{Regs: make([]uint64, amd64.NumRegs), Flags: get(flagsOut), Taken: get(taken) != 0}
	for r := range after.Regs {
		after.Regs[r] = get(regsOut + 8*r)
	}
	copy(after.Memory[:], c.pages[memory:])
	return after
}
