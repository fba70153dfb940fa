package lint

import "math/bits"

// The analysis is the machine that reads instructions for what they do to secrets;
// a view of it has the types of an architecture. The methods in this file compute
// labels, and values where they are public constants; those in memory.go guard
// registers and memory.

func mask(n int) uint64 { return ^uint64(0) >> (64 - n) }

func (a *analysis) Const(v uint64) value { return constant(v) }

func (a *analysis) Low(n int, w value) value {
	if int(w.defined) < n {
		if w.defined == 0 {
			a.report(Undefined, "reads a register that holds no defined value here")
		} else {
			a.report(Undefined, "reads %d bits of a register of which only %d are defined here", n, w.defined)
		}
		return unknown(w.secret)
	}
	w.defined = 64 // the rest is zero from here on
	switch {
	case n == 64:
	case w.shape != number:
		return unknown(w.secret)
	case w.known:
		w.v &= mask(n)
	}
	return w
}

func (a *analysis) Insert(n int, old, w value) value {
	switch {
	case old.defined == 0:
		return value{secret: w.secret, defined: uint8(n)}
	case old.known && w.known && old.shape == number && w.shape == number:
		return value{known: true, defined: max(old.defined, uint8(n)), v: old.v&^mask(n) | w.v&mask(n)}
	}
	return value{secret: w.secret || old.secret, defined: max(old.defined, uint8(n))}
}

// compute returns f of the numbers ws where all are known, and otherwise a
// number with their label.
func (a *analysis) compute(f func(v ...uint64) uint64, ws ...value) value {
	secret, known := false, true
	vs := make([]uint64, len(ws))
	for i, w := range ws {
		if w.shape == onEntry {
			a.report(Register, "computes with the caller's %s", a.arch.reg(w.obj))
		}
		secret = secret || w.secret
		known = known && w.known && w.shape == number
		vs[i] = w.v
	}
	if known {
		return constant(f(vs...))
	}
	return unknown(secret)
}

// test is compute for a result of one bit.
func (a *analysis) test(f func(v ...uint64) bool, ws ...value) bit {
	r := a.compute(func(v ...uint64) uint64 { return bitValue(f(v...)) }, ws...)
	return bit{secret: r.secret, known: r.known, v: r.v == 1}
}

func bitValue(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// word returns a bit as a number, so that compute can take it.
func word(b bit) value {
	return value{secret: b.secret, known: b.known, defined: 64, v: bitValue(b.v)}
}

func (a *analysis) FromBit(b bit) value { return word(b) }

func (a *analysis) Select(b bit, w, v value) value {
	switch {
	case b.known && b.v:
		return w
	case b.known:
		return v
	case w == v && (w.known || w.shape == onEntry): // one word, so the bit does not matter
		return w
	}
	j := join(w, v)
	j.secret = j.secret || b.secret
	return j
}

// Add also moves pointers: pointer + number is the only sum that is an address.
func (a *analysis) Add(n int, w, v value, carry bit) (value, bit, bit) {
	if v.shape == pointer {
		w, v = v, w
	}
	k := a.compute(func(x ...uint64) uint64 { return x[0] + x[1] }, v, word(carry))
	if n == 64 && w.shape == pointer && v.shape == number {
		return a.move(w, k), a.addressBit(w, k), a.addressBit(w, k)
	}
	full := func(x ...uint64) (sum, over uint64) {
		if n == 64 {
			return bits.Add64(x[0], x[1], x[2])
		}
		sum = x[0] + x[1] + x[2]
		return sum & mask(n), sum >> n & 1
	}
	sum := a.compute(func(x ...uint64) uint64 { s, _ := full(x...); return s }, w, v, word(carry))
	c := a.test(func(x ...uint64) bool { _, c := full(x...); return c == 1 }, w, v, word(carry))
	o := a.test(func(x ...uint64) bool { return (x[0]^x[2])&(x[1]^x[2])>>(n-1)&1 == 1 }, w, v, sum)
	return sum, c, o
}

// Sub also moves pointers: pointer - number is the only difference that is an
// address. The distance between two places in one object is a number, but which
// address is the lower one is left open, since they may lie outside of it.
func (a *analysis) Sub(n int, w, v value, borrow bit) (value, bit, bit) {
	k := a.compute(func(x ...uint64) uint64 { return -x[0] - x[1] }, v, word(borrow))
	if n == 64 && w.shape == pointer && v.shape == number {
		return a.move(w, k), a.addressBit(w, k), a.addressBit(w, k)
	}
	if n == 64 && w.shape == pointer && v.shape == pointer && w.obj == v.obj && w.known && v.known && borrow.known {
		return constant(w.v - v.v - bitValue(borrow.v)), bit{}, bit{}
	}
	full := func(x ...uint64) (diff, under uint64) {
		diff, under = bits.Sub64(x[0], x[1], x[2])
		return diff & mask(n), under
	}
	diff := a.compute(func(x ...uint64) uint64 { d, _ := full(x...); return d }, w, v, word(borrow))
	c := a.test(func(x ...uint64) bool { _, c := full(x...); return c == 1 }, w, v, word(borrow))
	o := a.test(func(x ...uint64) bool { return (x[0]^x[1])&(x[0]^x[2])>>(n-1)&1 == 1 }, w, v, diff)
	return diff, c, o
}

// move returns the pointer p moved by k bytes.
func (a *analysis) move(p, k value) value {
	p.secret = p.secret || k.secret
	p.known = p.known && k.known
	p.v += k.v
	if !p.known {
		p.v = 0
	}
	return p
}

// addressBit is a flag of address arithmetic: a public bit of unknown value,
// unless a secret has moved the pointer.
func (a *analysis) addressBit(p, k value) bit { return bit{secret: p.secret || k.secret} }

// zero reports whether one of the factors is the number 0, which makes a
// product public.
func zero(w, v value) bool { return w.isNumber(0) || v.isNumber(0) }

func (a *analysis) Mul(n int, w, v value) (hi, lo value) {
	if zero(w, v) {
		return constant(0), constant(0)
	}
	lo = a.compute(func(x ...uint64) uint64 { return x[0] * x[1] & mask(n) }, w, v)
	hi = a.compute(func(x ...uint64) uint64 {
		h, l := bits.Mul64(x[0], x[1])
		if n < 64 {
			return l >> n & mask(n)
		}
		return h
	}, w, v)
	return hi, lo
}

func (a *analysis) MulOverflow(n int, w, v value) bit {
	return a.test(func(x ...uint64) bool {
		s, t := signed(n, x[0]), signed(n, x[1])
		h, l := bits.Mul64(uint64(s), uint64(t))
		h -= uint64(s>>63)&uint64(t) + uint64(t>>63)&uint64(s) // the high half of the signed product
		low := signed(n, l)
		return uint64(low) != l || uint64(low>>63) != h
	}, w, v)
}

// signed returns the n-bit word v as a signed number.
func signed(n int, v uint64) int64 { return int64(v<<(64-n)) >> (64 - n) }

func (a *analysis) And(w, v value) value {
	if zero(w, v) {
		return constant(0)
	}
	return a.compute(func(x ...uint64) uint64 { return x[0] & x[1] }, w, v)
}

func (a *analysis) Or(w, v value) value {
	return a.compute(func(x ...uint64) uint64 { return x[0] | x[1] }, w, v)
}

func (a *analysis) Xor(w, v value) value {
	return a.compute(func(x ...uint64) uint64 { return x[0] ^ x[1] }, w, v)
}

func (a *analysis) Not(n int, w value) value {
	return a.compute(func(x ...uint64) uint64 { return ^x[0] & mask(n) }, w)
}

func (a *analysis) Shl(n int, w, count value) value {
	return a.compute(func(x ...uint64) uint64 { return x[0] << x[1] & mask(n) }, w, count)
}

func (a *analysis) Shr(n int, w, count value) value {
	return a.compute(func(x ...uint64) uint64 { return x[0] >> x[1] }, w, count)
}

func (a *analysis) Sar(n int, w, count value) value {
	return a.compute(func(x ...uint64) uint64 { return uint64(signed(n, x[0])>>x[1]) & mask(n) }, w, count)
}

func (a *analysis) IsZero(w value) bit {
	return a.test(func(x ...uint64) bool { return x[0] == 0 }, w)
}

func (a *analysis) BitAt(w, i value) bit {
	return a.test(func(x ...uint64) bool { return x[0]>>x[1]&1 == 1 }, w, i)
}

func (a *analysis) Parity(w value) bit {
	return a.test(func(x ...uint64) bool { return bits.OnesCount8(uint8(x[0]))%2 == 0 }, w)
}

func (a *analysis) Bit(v bool) bit { return bit{known: true, v: v} }

func (a *analysis) NotBit(b bit) bit {
	b.v = b.known && !b.v
	return b
}

func (a *analysis) OrBit(b, c bit) bit {
	if b.known && b.v || c.known && c.v {
		return a.Bit(true)
	}
	return a.test(func(x ...uint64) bool { return x[0]|x[1] == 1 }, word(b), word(c))
}

func (a *analysis) XorBit(b, c bit) bit {
	return a.test(func(x ...uint64) bool { return x[0] != x[1] }, word(b), word(c))
}

func (a *analysis) Undefined() bit { return bit{undefined: true} }
