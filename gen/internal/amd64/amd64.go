// Package amd64 turns limb programs into Go assembly for amd64, through avo.
//
// Instructions come out in the order of the program: scheduling is left to the
// processor. Registers are allocated on the way, evicting the word whose next
// use is farthest away (Belady, IBM Systems Journal 5, 1966); a word that still
// stands in a parameter costs nothing to evict. Every read of a carry is
// checked against the instruction that the carry was defined by, so that a
// flag can never be overwritten unnoticed.
package amd64

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/seed-6f9cd256/fieldproof/gen/internal/gosrc"
	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

// A Set is an instruction set.
type Set struct {
	Name     string // as in tests and tables
	Suffix   string // of the routines' names
	ADX      bool   // BMI2 (MULX, BZHI) and ADX (ADCX, ADOX)
	Features limb.Features
}

// The instruction sets. Baseline is what every amd64 processor has.
var (
	Baseline = Set{Name: "amd64", Suffix: "AMD64", Features: limb.Features{Unroll: true, SlowShrD: true}}
	ADX      = Set{Name: "adx", Suffix: "ADX", ADX: true, Features: limb.Features{Unroll: true, SlowShrD: true, DualCarry: true, MulKeepsCarry: true}}
)

// allocatable returns the registers in the order in which they are handed out.
// SP and g (R14) are never used. The ones that multiplication fixes come late,
// and BP last, because the frame that saves it costs a prologue.
func (s Set) allocatable(bp bool) []reg.GPPhysical {
	r := []reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R15, reg.RBX, reg.RCX, reg.RSI, reg.RDI, reg.RAX, reg.RDX}
	if bp {
		r = append(r, reg.RBP)
	}
	return r
}

// Add appends the program as an assembly function called name to the file that
// ctx builds, with doc as comment lines at its head.
func Add(ctx *build.Context, p *limb.Program, set Set, name string, doc []string) error {
	p.DropDead()
	// A first run without BP shows whether it is needed.
	l := newLowering(build.NewContext(), p, set, false)
	if err := l.run(name, doc); err != nil {
		return err
	}
	l = newLowering(ctx, p, set, l.spilled || len(p.Frames) > 0)
	return l.run(name, doc)
}

type lowering struct {
	ctx  *build.Context
	prog *limb.Program
	set  Set
	uses limb.Uses
	pos  int // index of the current instruction

	regs   []reg.GPPhysical
	holds  []*limb.Word       // what each register holds
	pinned []bool             // registers that the current instruction needs
	in     map[*limb.Word]int // the register of a word
	slot   map[*limb.Word]operand.Mem
	free   []operand.Mem // spill slots for reuse
	stale  map[*limb.Word]bool
	ptr    map[*limb.Buf]*limb.Word // address of a pointer parameter
	ptrOf  map[*limb.Word]*limb.Buf
	frame  map[*limb.Buf]operand.Mem
	apart  map[*limb.Word]bool // words that MULX reads where they stand
	zero   *limb.Word

	// Which flag stands in CF, OF and in ZF and SF; zsOf is the word that ZF
	// and SF describe.
	cf, of, zs *limb.Flag
	zsOf       *limb.Word

	spilled bool
	loops   []loop
	labels  int
}

type loop struct {
	label   string
	counter operand.Mem
}

func newLowering(ctx *build.Context, p *limb.Program, set Set, bp bool) *lowering {
	l := &lowering{
		ctx: ctx, prog: p, set: set, uses: p.Uses(), regs: set.allocatable(bp),
		in: map[*limb.Word]int{}, slot: map[*limb.Word]operand.Mem{}, stale: map[*limb.Word]bool{},
		ptr: map[*limb.Buf]*limb.Word{}, ptrOf: map[*limb.Word]*limb.Buf{}, frame: map[*limb.Buf]operand.Mem{},
		apart: factors(p), zero: &limb.Word{IsConst: true},
	}
	l.holds = make([]*limb.Word, len(l.regs))
	l.pinned = make([]bool, len(l.regs))
	use := func(b *limb.Buf, n int) {
		if b.Kind != limb.Pointer {
			return
		}
		w := l.ptr[b]
		if w == nil {
			w = &limb.Word{ID: -1 - len(l.ptr)}
			l.ptr[b], l.ptrOf[w] = w, b
		}
		if u := l.uses.Word[w]; len(u) == 0 || u[len(u)-1] != n {
			l.uses.Word[w] = append(u, n)
		}
	}
	for n, i := range p.Instrs {
		for _, w := range i.In {
			if w.Home != nil {
				use(w.Home.Buf, n)
			}
			if w.IsConst && w.K == 0 {
				l.zero = w
			}
		}
		if i.Op == limb.Store {
			use(i.Cell.Buf, n)
		}
	}
	return l
}

func (l *lowering) run(name string, doc []string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: instruction %d: %v", name, l.pos, r)
		}
	}()
	l.ctx.Function(name)
	l.ctx.Attributes(attr.NOSPLIT) // a leaf with a small frame
	l.ctx.SignatureExpr("func" + gosrc.Signature(l.prog.Routine))
	l.ctx.Comment(doc...)
	for _, b := range l.prog.Frames {
		l.frame[b] = l.ctx.AllocLocal(8 * b.Limbs)
	}
	for n, i := range l.prog.Instrs {
		l.pos = n
		l.instr(i)
		l.release()
	}
	l.ctx.RET()
	return nil
}

// release forgets the words that nothing reads any more.
func (l *lowering) release() {
	for r, w := range l.holds {
		l.pinned[r] = false
		if w != nil && l.dies(w) {
			l.drop(w)
		}
	}
	for w, s := range l.slot {
		if l.dies(w) {
			delete(l.slot, w)
			l.putSlot(s)
		}
	}
}

// putSlot keeps the free slots sorted, so that output does not depend on the
// order of a map.
func (l *lowering) putSlot(s operand.Mem) {
	n := 0
	for n < len(l.free) && l.free[n].Disp < s.Disp {
		n++
	}
	l.free = append(l.free[:n], append([]operand.Mem{s}, l.free[n:]...)...)
}

// nextUse returns the index of the first read of w at or after n.
func (l *lowering) nextUse(w *limb.Word, n int) int {
	for _, at := range l.uses.Word[w] {
		if at >= n {
			return at
		}
	}
	return math.MaxInt
}

func (l *lowering) dies(w *limb.Word) bool { return l.nextUse(w, l.pos+1) == math.MaxInt }

func (l *lowering) drop(w *limb.Word) {
	if r, ok := l.in[w]; ok {
		l.holds[r] = nil
		delete(l.in, w)
	}
}

// stored reports whether w can be had again without saving it.
func (l *lowering) stored(w *limb.Word) bool {
	_, spilled := l.slot[w]
	_, pointer := l.ptrOf[w]
	return w.IsConst || pointer || spilled || w.Home != nil && !l.stale[w]
}

// take returns a register that holds nothing, and pins it.
func (l *lowering) take() int {
	victim, far := -1, -1
	for r, w := range l.holds {
		if l.pinned[r] {
			continue
		}
		if w == nil {
			l.pinned[r] = true
			return r
		}
		n := l.nextUse(w, l.pos)
		if l.stored(w) {
			n += len(l.prog.Instrs) // rather than one that costs a store
		}
		if n > far {
			victim, far = r, n
		}
	}
	if victim < 0 {
		panic("no register left")
	}
	l.evict(l.holds[victim])
	l.pinned[victim] = true
	return victim
}

// evict frees the register of w, saving w if need be.
func (l *lowering) evict(w *limb.Word) {
	if !l.stored(w) {
		var s operand.Mem
		if n := len(l.free); n > 0 {
			s, l.free = l.free[0], l.free[1:]
		} else {
			s = l.ctx.AllocLocal(8)
		}
		l.ctx.MOVQ(l.regs[l.in[w]], s)
		l.slot[w] = s
		l.spilled = true
	}
	l.drop(w)
}

// put records that register r holds w.
func (l *lowering) put(w *limb.Word, r int) {
	l.drop(w)
	l.holds[r], l.in[w], l.pinned[r] = w, r, true
}

// fix empties the register r, moving what it holds elsewhere, and pins it.
func (l *lowering) fix(r int) {
	l.pinned[r] = true
	w := l.holds[r]
	if w == nil {
		return
	}
	if l.stored(w) && l.nextUse(w, l.pos) > l.pos {
		l.drop(w)
		return
	}
	to := l.take()
	l.ctx.MOVQ(l.regs[r], l.regs[to])
	l.put(w, to)
	l.holds[r] = nil
}

func (l *lowering) index(p reg.GPPhysical) int {
	for r, q := range l.regs {
		if q == p {
			return r
		}
	}
	panic("register is not allocatable")
}

// home returns the memory operand of a cell.
func (l *lowering) home(c limb.Cell) operand.Mem {
	switch c.Buf.Kind {
	case limb.Frame:
		return l.frame[c.Buf].Offset(8 * c.Index)
	case limb.Scalar:
		return l.param(c.Buf.Name)
	}
	r := l.reg(l.ptr[c.Buf])
	return operand.Mem{Base: l.regs[r], Disp: 8 * c.Index}
}

func (l *lowering) param(name string) operand.Mem {
	b, err := l.ctx.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// memory returns where w stands in memory.
func (l *lowering) memory(w *limb.Word) operand.Mem {
	if s, ok := l.slot[w]; ok {
		return s
	}
	if b, ok := l.ptrOf[w]; ok {
		return l.param(b.Name)
	}
	if w.Home == nil || l.stale[w] {
		panic(fmt.Sprintf("word %d is used before it is defined, or across a loop", w.ID))
	}
	return l.home(*w.Home)
}

// fill puts a copy of w into register r.
func (l *lowering) fill(r int, w *limb.Word) {
	if from, ok := l.in[w]; ok {
		if from != r {
			l.ctx.MOVQ(l.regs[from], l.regs[r])
		}
		return
	}
	if !w.IsConst {
		l.ctx.MOVQ(l.memory(w), l.regs[r])
		return
	}
	switch {
	case w.K == 0 && l.flagsDead():
		l.ctx.XORL(l.regs[r].As32(), l.regs[r].As32())
		l.setFlags(nil, nil, nil, nil)
	case w.K <= math.MaxUint32:
		l.ctx.MOVL(operand.U32(w.K), l.regs[r].As32())
	case int64(w.K) == int64(int32(w.K)):
		l.ctx.MOVQ(operand.I32(int32(w.K)), l.regs[r])
	default:
		l.ctx.MOVQ(operand.U64(w.K), l.regs[r])
	}
}

// reg returns the register of w, pinned, loading w if need be.
func (l *lowering) reg(w *limb.Word) int {
	if r, ok := l.in[w]; ok {
		l.pinned[r] = true
		return r
	}
	r := l.take()
	l.fill(r, w)
	l.put(w, r)
	return r
}

func (l *lowering) hasFree() bool {
	for r, w := range l.holds {
		if w == nil && !l.pinned[r] {
			return true
		}
	}
	return false
}

// source returns w as the operand that an instruction only reads: an immediate
// where imm allows one, memory where w stands there and a register would not
// pay, or a register.
func (l *lowering) source(w *limb.Word, imm bool) operand.Op {
	if w.IsConst && imm && int64(w.K) == int64(int32(w.K)) {
		return immediate(int32(w.K))
	}
	_, loaded := l.in[w]
	_, pointer := l.ptrOf[w]
	if !loaded && !pointer && !w.IsConst && (l.dies(w) || !l.hasFree()) {
		return l.memory(w)
	}
	return l.regs[l.reg(w)]
}

// factors returns the words of parameters behind pointers that are first
// factors of products and nothing else. MULX reads them from memory at no cost,
// as often as it takes: they need neither a register nor an instruction that
// loads it.
func factors(p *limb.Program) map[*limb.Word]bool {
	f := map[*limb.Word]bool{}
	for _, i := range p.Instrs {
		if i.Op == limb.Load {
			f[i.Out[0]] = i.Cell.Buf.Kind == limb.Pointer
		}
		for k, w := range i.In {
			if i.Op != limb.Mul || k == 1 {
				delete(f, w)
			}
		}
	}
	return f
}

func immediate(k int32) operand.Op {
	if k == int32(int8(k)) {
		return operand.I8(int8(k))
	}
	return operand.I32(k)
}

// target returns a register with a copy of w that the instruction may change.
func (l *lowering) target(w *limb.Word) int {
	if r, ok := l.in[w]; ok && l.dies(w) {
		l.pinned[r] = true
		return r
	}
	if _, ok := l.in[w]; ok {
		l.pinned[l.in[w]] = true
	}
	r := l.take()
	l.fill(r, w)
	return r
}

// define makes register r the home of the result w.
func (l *lowering) define(w *limb.Word, r int) {
	if old := l.holds[r]; old != nil {
		l.drop(old)
	}
	l.put(w, r)
}

// inPlace reports whether w's register can be overwritten.
func (l *lowering) inPlace(w *limb.Word) bool {
	_, ok := l.in[w]
	return ok && l.dies(w)
}

// binary lowers a two-address instruction out = a op b.
func (l *lowering) binary(out, a, b *limb.Word, commutes, imm bool, emit func(src operand.Op, dst reg.GPPhysical)) {
	if commutes && a != b && !l.inPlace(a) && (l.inPlace(b) || a.IsConst) {
		a, b = b, a
	}
	if r, ok := l.in[b]; ok {
		l.pinned[r] = true // loading a must not evict b
	}
	d := l.target(a)
	var src operand.Op = l.regs[d]
	if a != b {
		src = l.source(b, imm)
	}
	emit(src, l.regs[d])
	l.define(out, d)
}
