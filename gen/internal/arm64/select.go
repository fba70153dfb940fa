package arm64

import (
	"fmt"
	"math/bits"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

// An inst is an instruction over words. In its text, {a}, {b} and {c} stand for
// the registers of in, {d} for that of out, and {m} for memory.
type inst struct {
	text   string
	out    *limb.Word // or nil
	in     []*limb.Word
	cond   *limb.Flag // what it reads from the flags, or nil
	writes bool       // it writes the flags,
	flag   *limb.Flag // which then stand for this, or nothing
	op     limb.Op    // Store, Loop and EndLoop are special
	cell   limb.Cell  // of a store, the first
	result string     // the parameter that it writes, or ""
	imm    int        // runs of a loop
}

// A selection is a program as instructions.
type selection struct {
	uses  limb.Uses
	defs  map[*limb.Word]*limb.Instr
	conds map[*limb.Flag]condition
	fused map[*limb.Instr]bool // instructions that became part of another
	wide  map[*limb.Instr]bool // products of the lower halves of words
	temps int
	code  []*inst
	loads []*limb.Word
	born  map[*limb.Word]int
}

// A condition is a pair of names, for a flag that is set and one that is not.
// After an addition the machine's carry is the flag; after a subtraction it is
// the opposite of the borrow.
type condition struct{ set, unset string }

var (
	carry   = condition{"HS", "LO"}
	borrow  = condition{"LO", "HS"}
	notZero = condition{"NE", "EQ"}
	sign    = condition{"MI", "PL"}
)

func isConst(w *limb.Word, k uint64) bool { return w.IsConst && w.K == k }

// selectAll selects the instructions for a program. Misuse panics.
func selectAll(p *limb.Program) *selection {
	wide := narrowProducts(p)
	s := &selection{
		wide: wide,
		uses: p.Uses(), defs: map[*limb.Word]*limb.Instr{}, conds: map[*limb.Flag]condition{},
		fused: map[*limb.Instr]bool{}, born: map[*limb.Word]int{},
	}
	for _, i := range p.Instrs {
		for _, w := range i.Out {
			s.defs[w] = i
		}
	}
	s.fuse(p)
	for _, i := range p.Instrs {
		if !s.fused[i] {
			s.instr(i)
		}
	}
	return s
}

// narrowProducts finds the products of words below 2^32, which one instruction
// (UMULL) forms from the lower halves of its operands, so that they need not be
// cut off before.
func narrowProducts(p *limb.Program) map[*limb.Instr]bool {
	const half = 1<<32 - 1
	defs := map[*limb.Word]*limb.Instr{}
	found := map[*limb.Instr]bool{}
	// from returns a word whose lower half is w, if w is below 2^32.
	from := func(w *limb.Word) *limb.Word {
		if w.IsConst && w.K <= half {
			return w
		}
		switch d := defs[w]; {
		case d == nil:
			return nil
		case d.Op == limb.And && isConst(d.In[1], half):
			return d.In[0]
		case d.Op == limb.Shr && d.Imm >= 32:
			return w
		}
		return nil
	}
	for _, i := range p.Instrs {
		for _, w := range i.Out {
			defs[w] = i
		}
		if i.Op != limb.MulLo {
			continue
		}
		if a, b := from(i.In[0]), from(i.In[1]); a != nil && b != nil {
			i.In, found[i] = []*limb.Word{a, b}, true
		}
	}
	p.DropDead()
	return found
}

// fuse marks the instructions that can become part of their only reader: a
// product in a sum (MADD), and h ^ m in a + (h ^ m) + 1 = a - ^(h ^ m).
func (s *selection) fuse(p *limb.Program) {
	for _, i := range p.Instrs {
		if i.Op == limb.Select { // of -x and x (CNEG)
			d := s.defs[i.In[0]]
			if d != nil && d.Op == limb.Sub && d.Cond == nil && isConst(d.In[0], 0) && d.In[1] == i.In[1] &&
				len(s.uses.Word[i.In[0]]) == 1 && !s.reads(d.Flag[0]) {
				s.fused[d] = true
			}
		}
		if i.Op != limb.Sum {
			continue
		}
		d := s.defs[i.In[1]]
		if d == nil || len(s.uses.Word[i.In[1]]) != 1 || i.In[0] == i.In[1] {
			continue
		}
		if d.Op == limb.MulLo && !s.wide[d] && i.Imm == 0 || d.Op == limb.Xor && i.Imm == 1 && !d.In[0].IsConst && !d.In[1].IsConst {
			s.fused[d] = true
		}
	}
}

func (s *selection) temp() *limb.Word { s.temps++; return &limb.Word{ID: -s.temps} }

func (s *selection) add(i *inst) { s.code = append(s.code, i) }

// plain appends an instruction that neither reads nor writes the flags.
func (s *selection) plain(text string, out *limb.Word, in ...*limb.Word) {
	s.add(&inst{text: text, out: out, in: in})
}

// reads reports whether anything reads a flag.
func (s *selection) reads(f *limb.Flag) bool { return len(s.uses.Flag[f]) > 0 }

func (s *selection) used(w *limb.Word) bool { return len(s.uses.Word[w]) > 0 }

// immediate reports whether k is one of an addition or subtraction.
func immediate(w *limb.Word) bool {
	return w.IsConst && w.K > 0 && (w.K < 1<<12 || w.K < 1<<24 && w.K%(1<<12) == 0)
}

// bitmask reports whether k is an immediate of a logical instruction: a run of
// ones, rotated in an element of 2, 4, ... 64 bits, and the element repeated.
func bitmask(k uint64) bool {
	if k == 0 || k == 1<<64-1 {
		return false
	}
	n := 64
	for ; n > 2; n /= 2 {
		low := k & (1<<(n/2) - 1)
		if k&(1<<(n-1)*2-1)>>(n/2) != low {
			break
		}
	}
	mask := uint64(1<<(n-1)*2 - 1)
	e := k & mask
	rotated := (e>>1 | e<<(n-1)) & mask
	return bits.OnesCount64(e^rotated) == 2 // one place where a run starts, one where it ends
}

func (s *selection) instr(i *limb.Instr) {
	switch i.Op {
	case limb.Load:
		s.loads = append(s.loads, i.Out[0])
		s.born[i.Out[0]] = len(s.code)
	case limb.Store:
		s.store(i)
	case limb.Add, limb.Sub:
		s.addSub(i)
	case limb.Mul:
		for n, op := range []string{"UMULH", "MUL"} {
			if s.used(i.Out[n]) {
				s.plain(op+" {b}, {a}, {d}", i.Out[n], i.In...)
			}
		}
	case limb.MulLo:
		op := "MUL"
		if s.wide[i] {
			op = "UMULL"
		}
		s.plain(op+" {b}, {a}, {d}", i.Out[0], i.In...)
	case limb.And, limb.Or, limb.Xor:
		op := map[limb.Op]string{limb.And: "AND", limb.Or: "ORR", limb.Xor: "EOR"}[i.Op]
		a, b := i.In[0], i.In[1]
		if a.IsConst {
			a, b = b, a
		}
		if b.IsConst && bitmask(b.K) {
			s.plain(fmt.Sprintf("%s $%#x, {a}, {d}", op, b.K), i.Out[0], a)
		} else {
			s.plain(op+" {b}, {a}, {d}", i.Out[0], a, b)
		}
	case limb.Shl, limb.Shr, limb.Sar:
		op := map[limb.Op]string{limb.Shl: "LSL", limb.Shr: "LSR", limb.Sar: "ASR"}[i.Op]
		s.plain(fmt.Sprintf("%s $%d, {a}, {d}", op, i.Imm), i.Out[0], i.In[0])
	case limb.ShrD:
		s.plain(fmt.Sprintf("EXTR $%d, {b}, {a}, {d}", i.Imm), i.Out[0], i.In...)
	case limb.Halve:
		s.plain("ASR $1, {a}, {d}", i.Out[0], i.In[0])
		s.test("TST $1, {a}", notZero, i.Flag[0], i.In[0])
	case limb.Sum:
		s.sum(i)
	case limb.Bit:
		s.test(fmt.Sprintf("TST $%#x, {a}", 1<<i.Imm), notZero, i.Flag[0], i.In[0])
	case limb.Neg:
		s.test("CMP $0, {a}", sign, i.Flag[0], i.In[0])
	case limb.NonZ:
		s.test("CMP $0, {a}", notZero, i.Flag[0], i.In[0])
	case limb.BitIf:
		s.test("TST {b}, {a}", notZero, i.Flag[0], i.In...)
	case limb.Select:
		c := s.conds[i.Cond]
		if d := s.defs[i.In[0]]; d != nil && s.fused[d] {
			s.add(&inst{text: "CNEG " + c.set + ", {a}, {d}", out: i.Out[0], in: i.In[1:], cond: i.Cond})
			return
		}
		if isConst(i.In[0], 0) && isConst(i.In[1], 1) {
			s.add(&inst{text: "CSET " + c.unset + ", {d}", out: i.Out[0], cond: i.Cond})
			return
		}
		s.add(&inst{text: "CSEL " + c.set + ", {a}, {b}, {d}", out: i.Out[0], in: i.In, cond: i.Cond})
	case limb.Mask:
		s.add(&inst{text: "CSETM " + s.conds[i.Cond].set + ", {d}", out: i.Out[0], cond: i.Cond})
	case limb.Return:
		s.add(&inst{text: "MOVD {a}, {m}", in: i.In, result: "r"})
	case limb.Loop, limb.EndLoop:
		s.add(&inst{op: i.Op, imm: i.Imm, writes: true})
	default:
		panic(fmt.Sprintf("operation %v is not part of this target", i.Op))
	}
}

// test appends an instruction that sets the flag f, and has no other result.
func (s *selection) test(text string, c condition, f *limb.Flag, in ...*limb.Word) {
	s.conds[f] = c
	s.add(&inst{text: text, in: in, writes: true, flag: f})
}

// store writes a word, together with the one below it if that was written just
// before, with no load in between: it might be of the cell that this overwrites.
func (s *selection) store(i *limb.Instr) {
	n, loads := len(s.code), len(s.loads)
	if n > 0 && i.Cell.Index%2 == 1 && (loads == 0 || s.born[s.loads[loads-1]] < n) {
		below := limb.Cell{Buf: i.Cell.Buf, Index: i.Cell.Index - 1}
		if last := s.code[n-1]; last.op == limb.Store && last.cell == below && len(last.in) == 1 {
			last.text = "STP ({a}, {b}), {m}"
			last.in = append(last.in, i.In[0])
			return
		}
	}
	s.add(&inst{text: "MOVD {a}, {m}", op: limb.Store, in: []*limb.Word{i.In[0]}, cell: i.Cell})
}

// addSub selects additions and subtractions; they write the flags only if
// something reads the carry.
func (s *selection) addSub(i *limb.Instr) {
	a, b, f := i.In[0], i.In[1], i.Flag[0]
	in := &inst{out: i.Out[0], cond: i.Cond}
	op, own := "ADD", carry
	if i.Op == limb.Sub {
		op, own = "SUB", borrow
	}
	if s.reads(f) {
		in.writes, in.flag = true, f
		s.conds[f] = own
	} else if !s.used(i.Out[0]) {
		return
	}
	suffix := ""
	if in.writes {
		suffix = "S"
	}
	if i.Cond != nil {
		if c := s.conds[i.Cond]; c != own {
			if i.Op == limb.Add && isConst(a, 0) && isConst(b, 0) && !in.writes {
				in.text = "CSET " + c.set + ", {d}"
				s.add(in)
				return
			}
			panic(fmt.Sprintf("%v takes flag %d, which another kind of instruction defined", i.Op, i.Cond.ID))
		}
		if isConst(a, 0) && isConst(b, 0) && !in.writes && i.Op == limb.Add {
			in.text = "CSET HS, {d}"
			s.add(in)
			return
		}
		in.text = map[limb.Op]string{limb.Add: "ADC", limb.Sub: "SBC"}[i.Op] + suffix + " {b}, {a}, {d}"
		in.in = []*limb.Word{a, b}
		s.add(in)
		return
	}
	if i.Op == limb.Add && a.IsConst {
		a, b = b, a
	}
	switch {
	case immediate(b) && !a.IsConst && s.used(i.Out[0]):
		in.text, in.in = fmt.Sprintf("%s%s $%d, {a}, {d}", op, suffix, b.K), []*limb.Word{a}
	case immediate(b) && !a.IsConst && i.Op == limb.Sub:
		in.text, in.in = fmt.Sprintf("CMP $%d, {a}", b.K), []*limb.Word{a}
	case immediate(b) && !a.IsConst:
		in.text, in.in = fmt.Sprintf("CMN $%d, {a}", b.K), []*limb.Word{a}
	default:
		in.text, in.in = op+suffix+" {b}, {a}, {d}", []*limb.Word{a, b}
	}
	s.add(in)
}

// sum selects additions that leave the flags alone.
func (s *selection) sum(i *limb.Instr) {
	a, b, out := i.In[0], i.In[1], i.Out[0]
	if d := s.defs[b]; d != nil && s.fused[d] {
		if d.Op == limb.MulLo {
			s.plain("MADD {b}, {c}, {a}, {d}", out, d.In[0], d.In[1], a)
			return
		}
		t := s.temp()
		s.plain("EON {b}, {a}, {d}", t, d.In...)
		s.plain("SUB {b}, {a}, {d}", out, a, t)
		return
	}
	if a.IsConst {
		a, b = b, a
	}
	minus := &limb.Word{IsConst: true, K: -b.K}
	switch {
	case b.IsConst && immediate(b):
		s.plain(fmt.Sprintf("ADD $%d, {a}, {d}", b.K), out, a)
	case b.IsConst && immediate(minus):
		s.plain(fmt.Sprintf("SUB $%d, {a}, {d}", minus.K), out, a)
	case i.Imm == 0:
		s.plain("ADD {b}, {a}, {d}", out, a, b)
	default:
		t := s.temp()
		s.plain("ADD {b}, {a}, {d}", t, a, b)
		s.plain(fmt.Sprintf("ADD $%d, {a}, {d}", i.Imm), out, t)
	}
}

// checkFlags panics unless each instruction that reads the flags finds there
// what it wants.
func checkFlags(code []*inst) {
	var now *limb.Flag
	for n, i := range code {
		if i.cond != nil && i.cond != now {
			panic(fmt.Sprintf("instruction %d: flag %d was overwritten before this use", n, i.cond.ID))
		}
		if i.writes {
			now = i.flag
		}
	}
}
