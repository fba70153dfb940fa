package lint

// A shape says what kind of word a value is.
type shape uint8

const (
	number  shape = iota
	pointer       // an address inside the object obj, or just behind it
	onEntry       // what the register obj held on entry; it may only be saved and restored
)

// A value is what is known of a 64-bit word on every execution that reaches an
// instruction. What is known is the same on every execution, so it is never
// secret. Values that are equal describe equal words only where they are known,
// or a register on entry: two numbers of which nothing is known are two numbers.
type value struct {
	shape   shape
	secret  bool   // may depend on a secret
	known   bool   // v is its value: of a number, or of a pointer's offset in obj
	defined uint8  // how many low bits have been written; the others hold anything
	obj     int    // of a pointer, or what was on entry
	v       uint64 // canonical: 0 unless known
}

func constant(v uint64) value { return value{known: true, defined: 64, v: v} }

// unknown returns a number of which only the label is known.
func unknown(secret bool) value { return value{secret: secret, defined: 64} }

// at returns the address of the byte at the given offset of an object.
func at(obj int, offset int64) value {
	return value{shape: pointer, obj: obj, known: true, defined: 64, v: uint64(offset)}
}

func (a value) isNumber(v uint64) bool { return a.shape == number && a.known && a.v == v }

// join returns what is known of a word that is either a or b. It says nothing of
// what decides between them; where that may be secret, the caller adds it.
func join(a, b value) value {
	if a == b {
		return a
	}
	j := value{secret: a.secret || b.secret, defined: min(a.defined, b.defined)}
	switch {
	case a.shape == pointer && b.shape == pointer && a.obj == b.obj:
		j.shape, j.obj = pointer, a.obj
	case a.shape == onEntry || b.shape == onEntry:
		j.defined = 0
	}
	return j
}

// A bit is what is known of a flag; again, known bits are not secret.
type bit struct {
	undefined bool
	secret    bool
	known     bool
	v         bool
}

func joinBits(a, b bit) bit {
	if a == b {
		return a
	}
	return bit{undefined: a.undefined || b.undefined, secret: a.secret || b.secret}
}

// A cell is eight aligned bytes of an object.
type cell struct {
	obj    int
	offset int64
}

// A state is what is known of the registers and flags, by their numbers, and of
// memory. A cell of memory that is not in mem has not been written.
type state struct {
	regs  [maxRegs]value
	flags [maxFlags]bit
	mem   map[cell]value
}

func (s *state) clone() *state {
	c := *s
	c.mem = make(map[cell]value, len(s.mem))
	for k, v := range s.mem {
		c.mem[k] = v
	}
	return &c
}

// merge widens s to also describe t and reports whether s changed.
func (s *state) merge(t *state) bool {
	changed := false
	for i := range s.regs {
		j := join(s.regs[i], t.regs[i])
		changed = changed || j != s.regs[i]
		s.regs[i] = j
	}
	for i := range s.flags {
		j := joinBits(s.flags[i], t.flags[i])
		changed = changed || j != s.flags[i]
		s.flags[i] = j
	}
	for k, v := range s.mem {
		w, ok := t.mem[k]
		if !ok {
			delete(s.mem, k)
			changed = true
			continue
		}
		j := join(v, w)
		changed = changed || j != v
		s.mem[k] = j
	}
	return changed
}
