package kernel

import (
	"math/big"
)

// A tag is what is known of a location that holds no plain word: an address
// (an offset in a buffer), or nothing.
type tag struct {
	junk   bool
	buffer int
	offset int64
}

// Slot returns the location of word k of a buffer.
func Slot(buffer, k int) Loc { return Loc(1000 + 64*buffer + k) }

// maxSlots is the number of words that a buffer may have.
const maxSlots = 64

func isReg(l Loc) bool { return 0 < l && l < 1000 }

// A layout says how many words a buffer has and which may be written.
type layout struct {
	size   func(buffer int) int
	writes func(buffer, k int) bool
}

func (y *layout) valid(buffer, k int) bool {
	return buffer >= 0 && 0 <= k && k < y.size(buffer) && k < maxSlots
}

// order puts the constant of a logical operation second, as order in Proof.v
// does: the same result, and what the checker has rules for.
func order(code []Instr) {
	consts := map[Loc]bool{}
	for n := range code {
		i := &code[n]
		if (i.Op == And || i.Op == Or || i.Op == Xor) && i.A.isLoc() && i.B.isLoc() && consts[i.A.Loc] && !consts[i.B.Loc] {
			i.A, i.B = i.B, i.A
		}
		isConst := i.Op == Mov && (!i.A.isLoc() || consts[i.A.Loc])
		for _, l := range i.Results() {
			delete(consts, l)
		}
		if isConst {
			consts[i.D] = true
		}
	}
}

// A translator turns operations of the machine into operations on locations,
// one for each word of each buffer; see Sim.v.
type translator struct {
	layout
	redZone int64 // bytes below SP that may be used, or -1 if that is not looked at
	sp      Loc
	tags    map[Loc]tag
	out     []Instr
	mop     *Mop
}

func (t *translator) clean(x Src) bool {
	if !x.isLoc() {
		return x.Imm.Sign() >= 0 && x.Imm.Cmp(Radix) < 0
	}
	_, tagged := t.tags[x.Loc]
	return isReg(x.Loc) && !tagged
}

// pointer returns the address that a register holds, if it holds one.
func (t *translator) pointer(l Loc) (tag, bool) {
	g, ok := t.tags[l]
	return g, ok && isReg(l) && !g.junk
}

// cell returns the buffer and the word at Base + Disp.
func (t *translator) cell() (buffer, k int) {
	g, ok := t.pointer(t.mop.Base)
	if !ok {
		Refuse("offset %#x: an access through register %d, which is not known to hold an address", t.mop.Offset, t.mop.Base-1)
	}
	o := g.offset + t.mop.Disp
	if o%8 != 0 || o < 0 || !t.valid(g.buffer, int(o/8)) {
		Refuse("offset %#x: an access at byte %d of buffer %d, which has %d words", t.mop.Offset, o, g.buffer, t.size(g.buffer))
	}
	if sp := t.tags[t.sp]; g.buffer == 0 && t.redZone >= 0 && o < sp.offset-t.redZone {
		Refuse("offset %#x: an access %d bytes below SP, where %d are allowed", t.mop.Offset, sp.offset-o, t.redZone)
	}
	return g.buffer, int(o / 8)
}

func (t *translator) registers(ls ...Loc) {
	for _, l := range ls {
		if !isReg(l) {
			Refuse("offset %#x: location %d is no register", t.mop.Offset, l)
		}
	}
}

// copy moves an address or a word.
func (t *translator) copy(to, from Loc) {
	if g, ok := t.tags[from]; ok {
		t.tags[to] = g
		return
	}
	t.out = append(t.out, Instr{Op: Mov, D: to, A: at(from)})
	delete(t.tags, to)
}

// move sets D to the address o bytes from g; the carry is lost.
func (t *translator) move(i *Instr, g tag, o int64) {
	t.registers(i.D, i.D2)
	if i.D == i.D2 {
		Refuse("offset %#x: an address and its carry in one register", t.mop.Offset)
	}
	t.tags[i.D] = tag{buffer: g.buffer, offset: g.offset + o}
	t.tags[i.D2] = tag{junk: true}
}

func signed(z *big.Int) int64 { return int64(z.Uint64()) }

func (t *translator) plain(i *Instr) {
	for _, x := range i.Sources() {
		if !t.clean(x) {
			Refuse("offset %#x: computes with location %d, which holds an address or is undefined", t.mop.Offset, x.Loc)
		}
	}
	t.registers(i.Results()...)
	if i.Op == Shl && i.N > 64 {
		Refuse("offset %#x: a shift by %d", t.mop.Offset, i.N)
	}
	t.out = append(t.out, *i)
	for _, l := range i.Results() {
		delete(t.tags, l)
	}
}

func (t *translator) translate(m *Mop) {
	t.mop = m
	switch m.Kind {
	case MopOp:
		i := m.Instr
		switch {
		case i.Op == Mov && i.A.isLoc():
			t.registers(i.D, i.A.Loc)
			t.copy(i.D, i.A.Loc)
			return
		case (i.Op == Adc || i.Op == Sbb) && i.A.isLoc() && !i.B.isLoc() && !i.C.isLoc() && i.C.Imm.Sign() == 0:
			if g, ok := t.pointer(i.A.Loc); ok {
				if !t.clean(i.B) {
					Refuse("offset %#x: constant %v", m.Offset, i.B.Imm)
				}
				o := signed(i.B.Imm)
				if i.Op == Sbb {
					o = -o
				}
				t.move(&i, g, o)
				return
			}
		}
		t.plain(&i)
	case MopLoad:
		b, k := t.cell()
		t.registers(m.D)
		t.copy(m.D, Slot(b, k))
	case MopStore:
		b, k := t.cell()
		if !t.writes(b, k) {
			Refuse("offset %#x: writes word %d of buffer %d, which may only be read", m.Offset, k, b)
		}
		if m.A.isLoc() {
			t.registers(m.A.Loc)
			t.copy(Slot(b, k), m.A.Loc)
			return
		}
		if !t.clean(m.A) {
			Refuse("offset %#x: constant %v", m.Offset, m.A.Imm)
		}
		t.out = append(t.out, Instr{Op: Mov, D: Slot(b, k), A: m.A})
		delete(t.tags, Slot(b, k))
	case MopHavoc:
		t.registers(m.D)
		t.tags[m.D] = tag{junk: true}
	}
}

// all translates operations, and returns the offsets of their instructions.
func (t *translator) all(mops []Mop) (offsets []int) {
	for i := range mops {
		t.translate(&mops[i])
		for len(offsets) < len(t.out) {
			offsets = append(offsets, mops[i].Offset)
		}
	}
	return offsets
}
