package amd64

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

func (l *lowering) instr(i *limb.Instr) {
	switch i.Op {
	case limb.Load:
		// The word stays in memory until it is needed.
	case limb.Store:
		l.store(i)
	case limb.Add:
		l.add(i)
	case limb.Sub:
		l.sub(i)
	case limb.Mul:
		if l.set.ADX {
			l.mulx(i)
		} else {
			l.mulq(i)
		}
	case limb.MulLo:
		l.mulLo(i)
	case limb.And, limb.Or, limb.Xor:
		emit := map[limb.Op]func(a, b operand.Op){limb.And: l.ctx.ANDQ, limb.Or: l.ctx.ORQ, limb.Xor: l.ctx.XORQ}[i.Op]
		l.binary(i.Out[0], i.In[0], i.In[1], true, true, func(src operand.Op, dst reg.GPPhysical) { emit(src, dst) })
		l.setFlags(nil, nil, nil, i.Out[0])
	case limb.Shl, limb.Shr, limb.Sar:
		d := l.target(i.In[0])
		k := operand.U8(uint8(i.Imm))
		switch i.Op {
		case limb.Shl:
			l.ctx.SHLQ(k, l.regs[d])
		case limb.Shr:
			l.ctx.SHRQ(k, l.regs[d])
		case limb.Sar:
			l.ctx.SARQ(k, l.regs[d])
		}
		l.define(i.Out[0], d)
		l.setFlags(nil, nil, nil, nil)
	case limb.ShrD: // a double shift, which Go's assembler spells like a single one
		hi := l.reg(i.In[0])
		d := l.target(i.In[1])
		l.ctx.SHRQ(operand.U8(uint8(i.Imm)), l.regs[hi], l.regs[d])
		l.define(i.Out[0], d)
		l.setFlags(nil, nil, nil, nil)
	case limb.Halve:
		d := l.target(i.In[0])
		l.ctx.SARQ(operand.U8(1), l.regs[d])
		l.define(i.Out[0], d)
		l.setFlags(i.Flag[0], nil, nil, i.Out[0])
	case limb.Sum:
		l.sum(i)
	case limb.Bit, limb.Neg, limb.NonZ:
		l.test(i)
	case limb.BitIf:
		l.bitIf(i)
	case limb.Select:
		l.selectWord(i)
	case limb.Mask:
		l.require(i.Cond)
		if i.Cond.Kind != limb.Carry {
			panic("only a carry of the main chain can become a mask")
		}
		r := l.take()
		l.ctx.SBBQ(l.regs[r], l.regs[r]) // CF stays as it is
		l.define(i.Out[0], r)
		l.setOF(nil)
		l.setZS(nil, i.Out[0])
	case limb.Clear:
		r, ok := l.in[l.zero]
		if !ok {
			r = l.take()
		}
		l.ctx.XORL(l.regs[r].As32(), l.regs[r].As32())
		l.put(l.zero, r)
		l.setFlags(i.Flag[0], i.Flag[1], nil, nil)
	case limb.Return:
		b, err := l.ctx.ReturnIndex(0).Resolve()
		if err != nil {
			panic(err)
		}
		l.ctx.MOVQ(l.regs[l.reg(i.In[0])], b.Addr)
	case limb.Loop:
		l.loop(i.Imm)
	case limb.EndLoop:
		l.endLoop()
	default:
		panic(fmt.Sprintf("operation %v is not part of this target", i.Op))
	}
}

// store writes a word to memory. Words that were loaded from a cell that this
// overwrites, and are still to be read, move to registers first; parameters
// may alias, so that is the same index of any of them.
func (l *lowering) store(i *limb.Instr) {
	w, c := i.In[0], i.Cell
	for n := 0; n <= l.pos; n++ {
		p := l.prog.Instrs[n]
		if p.Op != limb.Load || p.Cell.Buf.Kind != c.Buf.Kind || p.Cell.Index != c.Index || c.Buf.Kind == limb.Frame && p.Cell.Buf != c.Buf {
			continue
		}
		v := p.Out[0]
		if l.lastUse(v) > l.pos || v == w {
			l.reg(v)
		}
		l.stale[v] = true
	}
	var src operand.Op
	if w.IsConst && int64(w.K) == int64(int32(w.K)) {
		src = operand.I32(int32(w.K))
	} else {
		src = l.regs[l.reg(w)]
	}
	l.ctx.MOVQ(src, l.home(c))
}

func (l *lowering) add(i *limb.Instr) {
	a, b, f := i.In[0], i.In[1], i.Flag[0]
	if i.Cond == nil {
		l.binary(i.Out[0], a, b, true, true, func(src operand.Op, dst reg.GPPhysical) { l.ctx.ADDQ(src, dst) })
		l.setFlags(f, nil, nil, i.Out[0])
		return
	}
	l.require(i.Cond)
	switch {
	case i.Cond.Kind == limb.Carry2:
		l.binary(i.Out[0], a, b, true, false, func(src operand.Op, dst reg.GPPhysical) { l.ctx.ADOXQ(src, dst) })
		l.setOF(f)
	case l.live(l.of):
		l.binary(i.Out[0], a, b, true, false, func(src operand.Op, dst reg.GPPhysical) { l.ctx.ADCXQ(src, dst) })
		l.setCF(f)
	default:
		l.binary(i.Out[0], a, b, true, true, func(src operand.Op, dst reg.GPPhysical) { l.ctx.ADCQ(src, dst) })
		l.setFlags(f, nil, nil, i.Out[0])
	}
}

func (l *lowering) sub(i *limb.Instr) {
	a, b, f := i.In[0], i.In[1], i.Flag[0]
	if i.Cond == nil && len(l.uses.Word[i.Out[0]]) == 0 {
		l.ctx.CMPQ(l.regs[l.reg(a)], l.source(b, true))
	} else if i.Cond == nil {
		l.binary(i.Out[0], a, b, false, true, func(src operand.Op, dst reg.GPPhysical) { l.ctx.SUBQ(src, dst) })
	} else {
		l.require(i.Cond)
		if i.Cond.Kind != limb.Carry {
			panic("subtraction has one borrow chain")
		}
		l.binary(i.Out[0], a, b, false, true, func(src operand.Op, dst reg.GPPhysical) { l.ctx.SBBQ(src, dst) })
	}
	l.setFlags(f, nil, nil, i.Out[0])
}

// mulx multiplies without touching the flags; the factor In[1] stands in RDX.
func (l *lowering) mulx(i *limb.Instr) {
	a, b := i.In[0], i.In[1]
	rdx := l.index(reg.RDX)
	if l.holds[rdx] == a && l.holds[rdx] != b {
		a, b = b, a
	}
	if l.holds[rdx] != b {
		if r, ok := l.in[a]; ok {
			l.pinned[r] = true
		}
		l.fix(rdx)
		l.fill(rdx, b)
		l.put(b, rdx)
	}
	l.pinned[rdx] = true
	var src operand.Op
	if _, loaded := l.in[a]; l.apart[a] && !loaded {
		src = l.memory(a)
	} else {
		src = l.source(a, false)
	}
	lo, hi := l.take(), -1
	if len(l.uses.Word[i.Out[1]]) > 0 {
		hi = l.take()
	} else {
		hi = lo // the high word wins
	}
	l.ctx.MULXQ(src, l.regs[lo], l.regs[hi])
	if hi != lo {
		l.define(i.Out[1], lo)
	}
	l.define(i.Out[0], hi)
}

// mulq multiplies RAX, and leaves the product in RDX and RAX.
func (l *lowering) mulq(i *limb.Instr) {
	a, b := i.In[0], i.In[1]
	rax, rdx := l.index(reg.RAX), l.index(reg.RDX)
	if l.holds[rax] == b && l.holds[rax] != a {
		a, b = b, a
	}
	if r, ok := l.in[b]; ok {
		l.pinned[r] = true
	}
	if !(l.holds[rax] == a && l.dies(a)) {
		// A word that stands in RAX and is read again later moves on, but its
		// value is still there.
		here := l.holds[rax] == a
		if here && l.stored(a) {
			l.drop(a)
		}
		l.fix(rax)
		if !here {
			l.fill(rax, a)
		}
	}
	l.pinned[rax] = true
	if l.holds[rdx] == b && l.dies(b) {
		l.pinned[rdx] = true
	} else {
		l.fix(rdx)
	}
	var src operand.Op
	switch {
	case a == b:
		src = l.regs[rax]
	default:
		src = l.source(b, false)
	}
	l.ctx.MULQ(src)
	l.setFlags(nil, nil, nil, nil)
	l.define(i.Out[1], rax)
	l.define(i.Out[0], rdx)
}

func (l *lowering) mulLo(i *limb.Instr) {
	a, b := i.In[0], i.In[1]
	if a.IsConst {
		a, b = b, a
	}
	if b.IsConst && int64(b.K) == int64(int32(b.K)) {
		src := l.source(a, false)
		d := l.take()
		l.ctx.IMUL3Q(immediate(int32(b.K)), src, l.regs[d])
		l.define(i.Out[0], d)
	} else {
		l.binary(i.Out[0], a, b, true, false, func(src operand.Op, dst reg.GPPhysical) { l.ctx.IMULQ(src, dst) })
	}
	l.setFlags(nil, nil, nil, nil)
}

// sum adds with LEA, which leaves the flags alone.
func (l *lowering) sum(i *limb.Instr) {
	a, b := i.In[0], i.In[1]
	if a.IsConst {
		a, b = b, a
	}
	m := operand.Mem{Base: l.regs[l.reg(a)], Disp: i.Imm}
	if b.IsConst && int64(b.K) == int64(int32(b.K)) {
		m.Disp += int(int32(b.K))
	} else {
		m.Index, m.Scale = l.regs[l.reg(b)], 1
	}
	d := -1
	for _, w := range []*limb.Word{a, b} {
		if d < 0 && l.inPlace(w) {
			d = l.in[w]
		}
	}
	if d < 0 {
		d = l.take()
	}
	l.ctx.LEAQ(m, l.regs[d])
	l.define(i.Out[0], d)
}

// test sets ZF and SF from a word, unless they already describe it.
func (l *lowering) test(i *limb.Instr) {
	w, f := i.In[0], i.Flag[0]
	if i.Op != limb.Bit && l.zsOf == w {
		l.setZS(f, w)
		return
	}
	r := l.regs[l.reg(w)]
	switch {
	case i.Op != limb.Bit:
		l.ctx.TESTQ(r, r)
	case i.Imm < 7:
		l.ctx.TESTB(operand.U8(1<<i.Imm), r.As8())
	default:
		l.ctx.TESTL(operand.U32(1<<i.Imm), r.As32())
	}
	l.setFlags(nil, nil, f, nil)
	if i.Op != limb.Bit {
		l.zsOf = w
	}
}

// bitIf sets ZF from the low bits of a word, 1 or none of them. TEST would do,
// but on Intel's Golden Cove cores the flags of logical instructions reach a
// conditional move about a cycle later than those of BZHI (measured).
func (l *lowering) bitIf(i *limb.Instr) {
	a, b := l.regs[l.reg(i.In[0])], l.regs[l.reg(i.In[1])]
	if l.set.ADX {
		l.ctx.BZHIQ(b, a, l.regs[l.take()])
	} else {
		l.ctx.TESTQ(b, a)
	}
	l.setFlags(nil, nil, i.Flag[0], nil)
}

// selectWord moves conditionally.
func (l *lowering) selectWord(i *limb.Instr) {
	l.require(i.Cond)
	a, b := i.In[0], i.In[1]
	var set, unset func(a, b operand.Op)
	switch i.Cond.Kind {
	case limb.Carry:
		set, unset = l.ctx.CMOVQCS, l.ctx.CMOVQCC
	case limb.Carry2:
		set, unset = l.ctx.CMOVQOS, l.ctx.CMOVQOC
	case limb.NotZero:
		set, unset = l.ctx.CMOVQNE, l.ctx.CMOVQEQ
	case limb.Sign:
		set, unset = l.ctx.CMOVQMI, l.ctx.CMOVQPL
	}
	if !l.inPlace(b) && l.inPlace(a) {
		a, b, set = b, a, unset
	}
	l.binary(i.Out[0], b, a, false, false, func(src operand.Op, dst reg.GPPhysical) { set(src, dst) })
}

func (l *lowering) loop(n int) {
	l.forget()
	s := l.ctx.AllocLocal(8)
	l.ctx.MOVQ(operand.I32(int32(n)), s)
	l.labels++
	label := fmt.Sprintf("loop%d", l.labels)
	l.ctx.Label(label)
	l.loops = append(l.loops, loop{label, s})
	l.setFlags(nil, nil, nil, nil)
}

func (l *lowering) endLoop() {
	l.forget()
	top := l.loops[len(l.loops)-1]
	l.loops = l.loops[:len(l.loops)-1]
	l.ctx.DECQ(top.counter)
	l.ctx.JNE(operand.LabelRef(top.label))
	l.setFlags(nil, nil, nil, nil)
}

// forget empties the registers, as both ways into a loop's head must agree.
func (l *lowering) forget() {
	for _, w := range l.holds {
		if w == nil {
			continue
		}
		if !l.stored(w) || len(l.slot) > 0 {
			panic(fmt.Sprintf("word %d is live across the edge of a loop", w.ID))
		}
		l.drop(w)
	}
}
