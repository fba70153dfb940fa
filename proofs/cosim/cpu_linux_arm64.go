//go:build !purego

package cosim

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
)

// call calls the code at entry with the address of the data.
func call(entry, data uintptr)

// flush tells the CPU that code between two addresses is new.
func flush(from, to uintptr)

// Offsets in the data page.
const (
	regsIn   = 0 // X0 to X30, SP
	flagsIn  = 256
	regsOut  = 264
	flagsOut = 520
	taken    = 528
	saved    = 536 // SP, X28, X29, X30
	memory   = 576

	dataSize = 4096
	codeSize = 1 << 20
)

// A processor executes samples on the CPU. Its memory is a page of data, with the
// state before and after, and pages of code that are writable or executable, never
// both. All registers change, the one that holds the goroutine too, on which Go's
// handler of signals relies: signals are blocked meanwhile.
type processor struct {
	onARM64
	pages   []byte
	entries []int // offsets in pages of the samples
	at      int   // where the next instruction goes
	err     error
	mask    uint64 // of signals, before
}

func newArchitecture(o Options) (architecture, error) {
	pages, err := syscall.Mmap(-1, 0, dataSize+codeSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("co-simulation cannot map memory: %w", err)
	}
	c := &processor{pages: pages}
	c.onARM64 = newARM64(o.ARM64, uint64(c.address(0)), uint64(c.address(memory)))
	runtime.LockOSThread()
	all := ^uint64(0)
	if err := setMask(&all, &c.mask); err != nil {
		c.close()
		return nil, fmt.Errorf("co-simulation cannot block signals: %w", err)
	}
	return c, nil
}

// setMask sets the mask of blocked signals of this thread.
func setMask(mask, old *uint64) error {
	const setmask = 2
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setmask, uintptr(unsafe.Pointer(mask)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func (c *processor) close() {
	setMask(&c.mask, nil)
	runtime.UnlockOSThread()
	syscall.Munmap(c.pages)
}

func (c *processor) address(offset int) uintptr {
	return uintptr(unsafe.Pointer(&c.pages[0])) + uintptr(offset)
}

// emit writes an instruction; the first error stays.
func (c *processor) emit(op string, args ...arm64.Operand) {
	code, err := encode.ARM64(arm64.Inst{Op: op, Args: args})
	if err != nil && c.err == nil {
		c.err = err
	}
	c.at += copy(c.pages[c.at:], code)
}

// word writes an instruction that is not modelled.
func (c *processor) word(w uint32) {
	binary.LittleEndian.PutUint32(c.pages[c.at:], w)
	c.at += arm64.Length
}

const (
	setFlags = 0xd51b4200 // MSR NZCV, Xt
	getFlags = 0xd53b4200 // MRS Xt, NZCV
	jump     = 0x14000000 // B
)

// load writes the code that executes the samples: for each, one that loads the state,
// the sample, and one that stores the state. The scratch register has the address of
// the data page throughout.
func (c *processor) load(samples []sample) error {
	code := c.pages[dataSize:]
	if err := syscall.Mprotect(code, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		return fmt.Errorf("co-simulation cannot write its code: %w", err)
	}
	c.at, c.entries, c.err = dataSize, c.entries[:0], nil
	x := func(r int) arm64.Operand { return arm64.Operand{Kind: arm64.RegKind, Reg: arm64.Reg(r)} }
	none := x(int(arm64.ZR))
	sp := x(int(arm64.SP))
	kept := []int{28, 29, 30}
	for _, s := range samples {
		if c.at+1024 > len(c.pages) {
			return fmt.Errorf("%d instructions do not fit %d bytes", len(samples), codeSize)
		}
		data := func(offset int) arm64.Operand {
			return arm64.Operand{Kind: arm64.MemKind, Reg: arm64.Reg(s.scratch), Disp: int64(offset)}
		}
		other := 0 // a register that is free while the state is not loaded
		if s.scratch == other {
			other = 1
		}

		c.entries = append(c.entries, c.at)
		first := func(offset int) arm64.Operand {
			return arm64.Operand{Kind: arm64.MemKind, Disp: int64(offset)} // from X0
		}
		for i, r := range kept {
			c.emit("STR", x(r), first(saved+8+8*i))
		}
		c.emit("ORR", x(s.scratch), none, x(0))
		c.emit("ADD", x(other), sp, arm64.Operand{Kind: arm64.ImmKind})
		c.emit("STR", x(other), data(saved))
		c.emit("LDR", x(other), data(flagsIn))
		c.word(setFlags | uint32(other))
		c.emit("LDR", x(other), data(regsIn+8*int(arm64.SP)))
		c.emit("ADD", sp, x(other), arm64.Operand{Kind: arm64.ImmKind})
		for r := range 31 {
			if r != s.scratch {
				c.emit("LDR", x(r), data(regsIn+8*r))
			}
		}

		c.at += copy(c.pages[c.at:], s.code)
		if s.in.(arm64.Inst).Op == "CBNZ" { // over a jump, to where a mark is set
			c.word(jump | 2)
			c.emit("STR", x(s.scratch), data(taken))
		}

		for r := range 31 {
			c.emit("STR", x(r), data(regsOut+8*r))
		}
		c.word(getFlags | uint32(other))
		c.emit("STR", x(other), data(flagsOut))
		c.emit("ADD", x(other), sp, arm64.Operand{Kind: arm64.ImmKind})
		c.emit("STR", x(other), data(regsOut+8*int(arm64.SP)))
		c.emit("LDR", x(other), data(saved))
		c.emit("ADD", sp, x(other), arm64.Operand{Kind: arm64.ImmKind})
		c.emit("ORR", x(0), none, x(s.scratch))
		for i, r := range kept {
			c.emit("LDR", x(r), first(saved+8+8*i))
		}
		c.emit("RET")
	}
	if c.err != nil {
		return c.err
	}
	if err := syscall.Mprotect(code, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		return fmt.Errorf("co-simulation cannot make its code executable: %w", err)
	}
	flush(c.address(dataSize), c.address(c.at))
	return nil
}

// run executes sample i from the given state.
func (c *processor) run(i int, before *State) *State {
	put := func(at int, v uint64) { binary.LittleEndian.PutUint64(c.pages[at:], v) }
	get := func(at int) uint64 { return binary.LittleEndian.Uint64(c.pages[at:]) }
	for r, v := range before.Regs {
		put(regsIn+8*r, v)
	}
	put(flagsIn, before.Flags)
	put(taken, 0)
	copy(c.pages[memory:], before.Memory[:])

	call(c.address(c.entries[i]), c.address(0))

	after := &State{Regs: make([]uint64, arm64.NumRegs), Flags: get(flagsOut), Taken: get(taken) != 0}
	for r := range after.Regs {
		after.Regs[r] = get(regsOut + 8*r)
	}
	copy(after.Memory[:], c.pages[memory:])
	return after
}
