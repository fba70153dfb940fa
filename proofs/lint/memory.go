package lint

import (
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// The objects that a routine may touch: the stack, at offsets from SP on
// entry, and one buffer for each pointer parameter. Two buffers may be one and
// the same, so what is stored through one parameter may be read through
// another. All buffers therefore share one label, frame.secret, and of what is
// in them only that label is known, whatever has been stored there.
const stack = 0

// A buffer is the memory behind a pointer parameter.
type buffer struct {
	spec.Param
	size int64 // in bytes
}

// A frame is the contract of a routine as its memory looks on entry.
type frame struct {
	buffers []buffer // buffers[0] stands for the stack
	args    []value  // the argument slots, at 8(SP) and up
	result  *spec.Param
	secret  bool // the label of the buffers
}

// firstArg is the offset in the stack, from SP on entry, of the first argument. Below
// it is the return address, or a place that the caller has for one.
const firstArg = 8

// resultSlot is the offset of the result, which follows the arguments.
func (f *frame) resultSlot() int64 { return firstArg + 8*int64(len(f.args)) }

// newFrame lays out the parameters as Go's ABI0 does: one word each, in order,
// then the result.
func newFrame(r *spec.Routine) (*frame, error) {
	f := &frame{buffers: []buffer{{}}}
	for i, p := range r.Params {
		switch {
		case p.Role == spec.Result:
			if i != len(r.Params)-1 {
				return nil, fmt.Errorf("contract of %s: result %s is not the last parameter", r.Name(), p.Name)
			}
			f.result = &r.Params[i]
		case p.Role == spec.Value:
			f.args = append(f.args, unknown(p.Secret))
		case p.Role.Pointer():
			if p.Limbs < 1 {
				return nil, fmt.Errorf("contract of %s: %d limbs behind %s, want at least 1", r.Name(), p.Limbs, p.Name)
			}
			f.args = append(f.args, at(len(f.buffers), 0))
			f.buffers = append(f.buffers, buffer{p, 8 * int64(p.Limbs)})
			f.secret = f.secret || p.Secret
		default:
			return nil, fmt.Errorf("contract of %s: unknown role %d of %s", r.Name(), p.Role, p.Name)
		}
	}
	return f, nil
}

// entry returns the state in which the routine starts.
func (f *frame) entry(arch *arch) *state {
	s := &state{mem: make(map[cell]value)}
	s.regs[arch.sp] = at(stack, 0)
	for _, r := range arch.kept {
		s.regs[r] = asOnEntry(r)
	}
	for i := range s.flags {
		s.flags[i].undefined = true
	}
	for i, v := range f.args {
		s.mem[cell{stack, firstArg + 8*int64(i)}] = v
	}
	for obj, b := range f.buffers {
		if b.Role == spec.Out {
			continue
		}
		for off := int64(0); off < b.size; off += 8 {
			s.mem[cell{obj, off}] = unknown(f.secret)
		}
	}
	return s
}

// setSP admits SP ± constant and discards what is below the new SP.
func (a *analysis) setSP(v value) {
	if !a.arch.movesSP(a.in) {
		a.fatal(Stack, "moves SP other than by a constant")
		return
	}
	sp := int64(v.v)
	switch {
	case v.shape != pointer || v.obj != stack || !v.known:
		a.fatal(Stack, "moves SP other than by a constant")
	case sp > 0:
		a.fatal(Stack, "moves SP %d bytes above its value on entry", sp)
	case sp%a.arch.align != 0:
		a.fatal(Stack, "moves SP off %d-byte alignment", a.arch.align)
	default:
		for c := range a.s.mem {
			if c.obj == stack && c.offset < sp {
				delete(a.s.mem, c)
			}
		}
	}
}

// access checks an access to memory and returns the cell that holds it, and
// the offset in it.
func (a *analysis) access(addr value, bytes int, write bool) (c cell, within int, ok bool) {
	verb := "reads"
	if write {
		verb = "writes"
	}
	switch {
	case addr.secret:
		a.report(Address, "%s at an address that depends on a secret", verb)
		return
	case addr.shape != pointer:
		a.report(Memory, "%s at an address that is not in a buffer, nor in the frame", verb)
		return
	case !addr.known:
		a.report(Memory, "%s at an offset of %s that cannot be bounded", verb, a.name(addr.obj))
		return
	}
	off := int64(addr.v)
	if why := a.outside(addr.obj, off, int64(bytes), write); why != "" {
		a.report(Memory, "%s %d bytes at offset %d of %s: %s", verb, bytes, off, a.name(addr.obj), why)
		return
	}
	c = cell{addr.obj, off &^ 7}
	within = int(off & 7)
	if within+bytes > 8 {
		a.report(Memory, "%s %d bytes at offset %d of %s: across two limbs", verb, bytes, off, a.name(addr.obj))
		return
	}
	return c, within, true
}

func (a *analysis) name(obj int) string {
	if obj == stack {
		return "the stack (0 is SP on entry)"
	}
	return a.frame.buffers[obj].Name
}

// outside says why an access is not allowed; the empty string allows it.
func (a *analysis) outside(obj int, off, bytes int64, write bool) string {
	end := off + bytes
	if obj != stack {
		switch b := a.frame.buffers[obj]; {
		case off < 0 || end > b.size:
			return fmt.Sprintf("it has %d bytes", b.size)
		case write && b.Role == spec.In:
			return "the contract only lets it be read"
		}
		return ""
	}
	args := a.frame.resultSlot()
	sp := a.sp()
	switch {
	case off < sp:
		return fmt.Sprintf("below SP, which is %d", sp)
	case end <= 0: // the frame
		return ""
	case off < firstArg:
		return a.arch.atSP
	case end <= args:
		if write {
			return "an argument, which may only be read"
		}
		return ""
	case off >= args && end <= args+8 && a.frame.result != nil:
		return ""
	}
	return "above the arguments and the result"
}

func (a *analysis) Load(addr value, bytes int) value {
	c, within, ok := a.access(addr, bytes, false)
	if !ok {
		return unknown(addr.secret || addr.shape == pointer && a.frame.secret)
	}
	v := a.s.mem[c]
	if int(v.defined) < 8*(within+bytes) {
		a.report(Undefined, "reads %d bytes at offset %d of %s before they are written", bytes, int64(addr.v), a.name(addr.obj))
		return unknown(v.secret)
	}
	v.defined = 64
	if bytes == 8 {
		return v
	}
	return a.compute(func(x ...uint64) uint64 { return x[0] >> (8 * within) & mask(8*bytes) }, v)
}

func (a *analysis) Store(addr value, bytes int, v value) {
	if a.arch.stores(a, addr, v) {
		return
	}
	c, within, ok := a.access(addr, bytes, true)
	if !ok {
		return
	}
	public, where := c.obj != stack && !a.frame.secret, a.name(c.obj)
	if r := a.frame.result; r != nil && c == (cell{stack, a.frame.resultSlot()}) {
		public, where = !r.Secret, "the result "+r.Name
	}
	if public && v.secret {
		a.report(Secret, "stores a secret in %s, which the contract calls public", where)
	}
	old := a.s.mem[c]
	switch {
	case bytes == 8:
	case int(old.defined) >= 8*within:
		v = value{secret: old.secret || v.secret, defined: max(old.defined, uint8(8*(within+bytes)))}
	default: // a hole below: keep it undefined
		v = value{secret: old.secret || v.secret, defined: old.defined}
	}
	if c.obj != stack {
		v = value{secret: a.frame.secret, defined: v.defined}
	}
	a.s.mem[c] = v
}
