// Package arm64 turns limb programs into Go assembly for arm64.
//
// Instructions are selected first, over words, in the order of the program
// (select.go); then registers are allocated and the text is written (this
// file). Registers are R0 to R17 and R19 to R26: R18 belongs to the platform,
// R27 to the assembler, R28 is g, R29 the frame pointer, R30 the return address.
// No instruction is written that the assembler would build with R27, and
// nothing is kept at 0(RSP), where the return address is saved.
package arm64

import (
	"fmt"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/gosrc"
	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/gen/internal/regs"
)

// A Set is a choice of algorithms for the instructions that all arm64 CPUs have.
type Set struct {
	Name     string // as in tests and tables
	Suffix   string // of the routines' names
	Features limb.Features
}

// The sets. Baseline has the schoolbook product, for CPUs with a fast multiplier;
// Karatsuba has products with fewer multiplications, for the others.
var (
	Baseline  = Set{Name: "arm64", Suffix: "ARM64", Features: limb.Features{Unroll: true, MulKeepsCarry: true, ThreeAddress: true, SlowShrD: true}}
	Karatsuba = Set{Name: "karatsuba", Suffix: "Karatsuba", Features: limb.Features{Unroll: true, MulKeepsCarry: true, ThreeAddress: true, SlowShrD: true, SlowMul: true}}
)

// counter is the register that counts the runs of a loop. It is allocatable in
// routines without one.
const counter = "R26"

func allocatable(loops bool) (names []string) {
	for r := range 27 {
		if name := fmt.Sprintf("R%d", r); r != 18 && !(loops && name == counter) {
			names = append(names, name)
		}
	}
	return names
}

// Func returns the program as an assembly function called name, with doc as
// comment lines above it.
func Func(p *limb.Program, name string, doc []string) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", name, r)
		}
	}()
	p.DropDead()
	s := selectAll(p)
	checkFlags(s.code)
	l := &lowering{prog: p, code: s.code, loads: s.loads, born: s.born}
	return l.function(name, doc), nil
}

type lowering struct {
	prog   *limb.Program
	code   []*inst
	loads  []*limb.Word       // words that have a home, in order
	born   map[*limb.Word]int // the index from which on a word can be loaded
	regs   *regs.File
	names  []string
	stale  map[*limb.Word]bool // words whose home was overwritten
	ptr    map[*limb.Buf]*limb.Word
	ptrOf  map[*limb.Word]*limb.Buf
	offset map[*limb.Buf]int // of local memory, in words
	locals int               // words of local memory
	loops  int
	open   bool // inside a loop
	b      strings.Builder
}

func (l *lowering) line(format string, args ...any) {
	fmt.Fprintf(&l.b, "\t"+format+"\n", args...)
}

func (l *lowering) function(name string, doc []string) string {
	l.stale, l.ptr, l.ptrOf, l.offset = map[*limb.Word]bool{}, map[*limb.Buf]*limb.Word{}, map[*limb.Word]*limb.Buf{}, map[*limb.Buf]int{}
	loops := false
	for _, i := range l.code {
		loops = loops || i.op == limb.Loop
	}
	l.names = allocatable(loops)
	l.regs = regs.New(len(l.names), len(l.code))
	l.regs.Stored = l.stored
	l.regs.Save = func(r, slot int) { l.line("MOVD %s, %s", l.names[r], l.local(l.locals+slot)) }
	for _, b := range l.prog.Frames {
		l.offset[b] = l.locals
		l.locals += b.Limbs
	}
	for n, i := range l.code {
		for _, w := range i.in {
			l.regs.Use(w, n)
			if w.Home != nil {
				l.usePointer(w.Home.Buf, n)
			}
		}
		if i.op == limb.Store {
			l.usePointer(i.cell.Buf, n)
		}
	}
	for n, i := range l.code {
		l.regs.Pos = n
		l.inst(i)
		l.regs.End()
	}
	l.line("RET")
	var head strings.Builder
	for _, d := range doc {
		fmt.Fprintf(&head, "// %s\n", d)
	}
	fmt.Fprintf(&head, "// func %s%s\n", name, gosrc.Signature(l.prog.Routine))
	fmt.Fprintf(&head, "TEXT ·%s(SB), NOSPLIT, $%d-%d\n", name, 8*(l.locals+l.regs.Slots()), 8*len(l.prog.Routine.Params))
	return head.String() + l.b.String()
}

func (l *lowering) usePointer(b *limb.Buf, n int) {
	if b.Kind != limb.Pointer {
		return
	}
	w := l.ptr[b]
	if w == nil {
		w = &limb.Word{}
		l.ptr[b], l.ptrOf[w] = w, b
	}
	l.regs.Use(w, n)
}

// stored reports whether w can be had again from outside the spill slots.
func (l *lowering) stored(w *limb.Word) bool {
	return w.IsConst || l.ptrOf[w] != nil || w.Home != nil && !l.stale[w]
}

// local returns the operand of a word of local memory; the return address is
// below them.
func (l *lowering) local(n int) string { return fmt.Sprintf("%d(RSP)", 8+8*n) }

// pairable reports whether one instruction reaches the cell and the next: its
// offset has 7 bits, and the assembler would build a larger one in R27.
func (l *lowering) pairable(c limb.Cell) bool {
	switch c.Buf.Kind {
	case limb.Scalar:
		return false
	case limb.Frame:
		return 1+l.offset[c.Buf]+c.Index < 64
	}
	return c.Index < 64
}

// param returns the operand of a parameter or result.
func (l *lowering) param(name string) string {
	for n, p := range l.prog.Routine.Params {
		if p.Name == name {
			return fmt.Sprintf("%s+%d(FP)", name, 8*n)
		}
	}
	panic(fmt.Sprintf("no parameter %q", name))
}

// memory returns the operand of a cell.
func (l *lowering) memory(c limb.Cell) string {
	switch c.Buf.Kind {
	case limb.Frame:
		return l.local(l.offset[c.Buf] + c.Index)
	case limb.Scalar:
		return l.param(c.Buf.Name)
	}
	base := l.names[l.reg(l.ptr[c.Buf])]
	if c.Index == 0 {
		return fmt.Sprintf("(%s)", base)
	}
	return fmt.Sprintf("%d(%s)", 8*c.Index, base)
}

// reg returns the register of w, pinned, loading w if need be.
func (l *lowering) reg(w *limb.Word) int {
	if r, ok := l.regs.In(w); ok {
		l.regs.Pin(r)
		return r
	}
	slot, spilled := l.regs.Slot(w)
	switch b := l.ptrOf[w]; {
	case w.IsConst:
		r := l.regs.Take()
		l.constant(w.K, l.names[r])
		l.regs.Put(w, r)
		return r
	case spilled:
		r := l.regs.Take()
		l.line("MOVD %s, %s", l.local(l.locals+slot), l.names[r])
		l.regs.Put(w, r)
		return r
	case b != nil:
		r := l.regs.Take()
		l.line("MOVD %s, %s", l.param(b.Name), l.names[r])
		l.regs.Put(w, r)
		return r
	case w.Home == nil || l.stale[w]:
		panic(fmt.Sprintf("instruction %d reads word %d before it is defined, or across a loop", l.regs.Pos, w.ID))
	}
	return l.load(w)
}

// load loads w from its home, with the word above or below it if that is needed
// too and a register is free.
func (l *lowering) load(w *limb.Word) int {
	c := *w.Home
	from := limb.Cell{Buf: c.Buf, Index: c.Index &^ 1}
	var v *limb.Word
	if l.pairable(from) {
		v = l.homed(limb.Cell{Buf: c.Buf, Index: c.Index ^ 1})
	}
	if v == nil {
		from = c
	}
	at := l.memory(from)
	r := l.regs.Take()
	l.regs.Put(w, r)
	if v != nil {
		if s, ok := l.regs.Empty(); ok {
			l.regs.Put(v, s)
			lo, hi := r, s
			if c.Index&1 == 1 {
				lo, hi = s, r
			}
			l.line("LDP %s, (%s, %s)", at, l.names[lo], l.names[hi])
			return r
		}
		at = l.memory(c)
	}
	l.line("MOVD %s, %s", at, l.names[r])
	return r
}

// homed returns a word that was loaded from the cell, is in no register, and is
// to be read in this part of the program, or nil.
func (l *lowering) homed(c limb.Cell) *limb.Word {
	for _, w := range l.loads {
		if *w.Home != c || l.stale[w] || l.born[w] > l.regs.Pos || l.regs.Dies(w) {
			continue
		}
		_, in := l.regs.In(w)
		if _, spilled := l.regs.Slot(w); !in && !spilled {
			return w
		}
	}
	return nil
}

// constant puts k into a register, without the assembler's R27.
func (l *lowering) constant(k uint64, r string) { l.line("MOVD $%#x, %s", k, r) }

func (l *lowering) inst(i *inst) {
	switch i.op {
	case limb.Loop, limb.EndLoop:
		l.loop(i)
		return
	case limb.Store:
		l.save(i.cell, len(i.in))
	}
	var operands []string
	for n, w := range i.in {
		name := "ZR"
		if !isConst(w, 0) {
			name = l.names[l.reg(w)]
		}
		operands = append(operands, "{"+string(rune('a'+n))+"}", name)
	}
	text := i.text
	if i.op == limb.Store {
		operands = append(operands, "{m}", l.memory(i.cell))
		if len(i.in) == 2 && !l.pairable(i.cell) {
			above := i.cell
			above.Index++
			operands = append(operands, "{n}", l.memory(above))
			text = "MOVD {a}, {m}\n\tMOVD {b}, {n}"
		}
	}
	if i.result != "" {
		operands = append(operands, "{m}", l.param(i.result))
	}
	l.regs.ReleaseDead()
	d := "ZR"
	if i.out != nil && len(l.regs.Uses[i.out]) > 0 {
		r := l.regs.Take()
		l.regs.Put(i.out, r)
		d = l.names[r]
	}
	l.line("%s", strings.NewReplacer(append(operands, "{d}", d)...).Replace(text))
}

// save prepares a store to n cells from c on: words that were loaded from cells
// that it overwrites, and are still to be read, move to registers. Parameters may
// alias, so that is the same index of any of them.
func (l *lowering) save(c limb.Cell, n int) {
	for _, w := range l.loads {
		h := *w.Home
		if l.born[w] > l.regs.Pos || h.Buf.Kind != c.Buf.Kind || h.Index < c.Index || h.Index >= c.Index+n || c.Buf.Kind == limb.Frame && h.Buf != c.Buf {
			continue
		}
		if _, spilled := l.regs.Slot(w); !l.stale[w] && !spilled && l.regs.NextUse(w, l.regs.Pos) < 1<<62 {
			l.reg(w)
		}
		l.stale[w] = true
	}
}

// loop starts or ends a loop that counts down in a register of its own. Words
// are not carried across: both ways into a loop's head must agree.
func (l *lowering) loop(i *inst) {
	if w := l.regs.Forget(); w != nil {
		panic(fmt.Sprintf("word %d is live across the edge of a loop", w.ID))
	}
	if start := i.op == limb.Loop; start == l.open {
		panic("a loop inside a loop")
	}
	l.open = !l.open
	if l.open {
		l.loops++
		l.line("MOVD $%d, %s", i.imm, counter)
		fmt.Fprintf(&l.b, "\nloop%d:\n", l.loops)
		return
	}
	l.line("SUB $1, %s, %s", counter, counter)
	l.line("CBNZ %s, loop%d", counter, l.loops)
}
