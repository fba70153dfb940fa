package amd64_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
)

// A tri is a bit that may be undefined.
type tri int8

const undefined tri = -1

func triOf(v bool) tri {
	if v {
		return 1
	}
	return 0
}

// A concrete machine computes with numbers. Using an undefined flag, or memory
// that was not mapped, is an error that stays in err.
type concrete struct {
	regs  [amd64.NumRegs]uint64
	flags [amd64.NumFlags]tri
	mem   map[uint64]byte
	err   error
}

var _ amd64.Machine[uint64, tri] = (*concrete)(nil)

func (c *concrete) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// use returns b as a number.
func (c *concrete) use(b tri) uint64 {
	if b == undefined {
		c.fail("uses an undefined bit")
		return 0
	}
	return uint64(b)
}

func maskOf(n int) uint64 { return ^uint64(0) >> (64 - n) }

func (c *concrete) Reg(r amd64.Reg) uint64             { return c.regs[r] }
func (c *concrete) SetReg(r amd64.Reg, w uint64)       { c.regs[r] = w }
func (c *concrete) Flag(f amd64.Flag) tri              { return c.flags[f] }
func (c *concrete) SetFlag(f amd64.Flag, b tri)        { c.flags[f] = b }
func (c *concrete) Const(v uint64) uint64              { return v }
func (c *concrete) Low(n int, w uint64) uint64         { return w & maskOf(n) }
func (c *concrete) Insert(n int, old, w uint64) uint64 { return old&^maskOf(n) | w }
func (c *concrete) FromBit(b tri) uint64               { return c.use(b) }
func (c *concrete) And(w, v uint64) uint64             { return w & v }
func (c *concrete) Or(w, v uint64) uint64              { return w | v }
func (c *concrete) Xor(w, v uint64) uint64             { return w ^ v }
func (c *concrete) Not(n int, w uint64) uint64         { return ^w & maskOf(n) }
func (c *concrete) Shl(n int, w, k uint64) uint64      { return w << k & maskOf(n) }
func (c *concrete) Shr(n int, w, k uint64) uint64      { return w >> k }
func (c *concrete) IsZero(w uint64) tri                { return triOf(w == 0) }
func (c *concrete) BitAt(w, i uint64) tri              { return tri(w >> i & 1) }
func (c *concrete) Parity(w uint64) tri                { return triOf(bits.OnesCount8(uint8(w))%2 == 0) }
func (c *concrete) Bit(v bool) tri                     { return triOf(v) }
func (c *concrete) NotBit(b tri) tri                   { return tri(1 - c.use(b)) }
func (c *concrete) OrBit(a, b tri) tri                 { return tri(c.use(a) | c.use(b)) }
func (c *concrete) XorBit(a, b tri) tri                { return tri(c.use(a) ^ c.use(b)) }
func (c *concrete) Undefined() tri                     { return undefined }

func (c *concrete) Sar(n int, w, k uint64) uint64 {
	return uint64(int64(w<<(64-n))>>(64-n)>>k) & maskOf(n)
}

func (c *concrete) Select(b tri, w, v uint64) uint64 {
	if c.use(b) == 1 {
		return w
	}
	return v
}

func (c *concrete) Load(addr uint64, n int) uint64 {
	var buf [8]byte
	for i := range n {
		b, ok := c.mem[addr+uint64(i)]
		if !ok {
			c.fail("reads address %#x, which is not mapped", addr+uint64(i))
		}
		buf[i] = b
	}
	return binary.LittleEndian.Uint64(buf[:])
}

func (c *concrete) Store(addr uint64, n int, w uint64) {
	for i := range n {
		if _, ok := c.mem[addr+uint64(i)]; !ok {
			c.fail("writes address %#x, which is not mapped", addr+uint64(i))
		}
		c.mem[addr+uint64(i)] = byte(w >> (8 * i))
	}
}

// signedBig returns the n-bit word w as a signed number.
func signedBig(n int, w uint64) *big.Int {
	v := new(big.Int).SetUint64(w)
	if w>>(n-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return v
}

// overflows reports whether v is not a signed number of n bits.
func overflows(n int, v *big.Int) tri {
	limit := new(big.Int).Lsh(big.NewInt(1), uint(n-1))
	return triOf(v.Cmp(limit) >= 0 || v.Cmp(new(big.Int).Neg(limit)) < 0)
}

// wrap returns v modulo 2^n, and whether that differs from v.
func wrap(n int, v *big.Int) (uint64, tri) {
	w := new(big.Int).And(v, new(big.Int).SetUint64(maskOf(n)))
	return w.Uint64(), triOf(w.Cmp(v) != 0)
}

func sum(xs ...*big.Int) *big.Int {
	s := new(big.Int)
	for _, x := range xs {
		s.Add(s, x)
	}
	return s
}

func (c *concrete) Add(n int, w, v uint64, carry tri) (uint64, tri, tri) {
	k := new(big.Int).SetUint64(c.use(carry))
	r, over := wrap(n, sum(new(big.Int).SetUint64(w), new(big.Int).SetUint64(v), k))
	return r, over, overflows(n, sum(signedBig(n, w), signedBig(n, v), k))
}

func (c *concrete) Sub(n int, w, v uint64, borrow tri) (uint64, tri, tri) {
	neg := func(x *big.Int) *big.Int { return new(big.Int).Neg(x) }
	k := neg(new(big.Int).SetUint64(c.use(borrow)))
	r, under := wrap(n, sum(new(big.Int).SetUint64(w), neg(new(big.Int).SetUint64(v)), k))
	return r, under, overflows(n, sum(signedBig(n, w), neg(signedBig(n, v)), k))
}

func (c *concrete) Mul(n int, w, v uint64) (hi, lo uint64) {
	p := new(big.Int).Mul(new(big.Int).SetUint64(w), new(big.Int).SetUint64(v))
	lo, _ = wrap(n, p)
	return p.Rsh(p, uint(n)).Uint64(), lo
}

func (c *concrete) MulOverflow(n int, w, v uint64) tri {
	return overflows(n, new(big.Int).Mul(signedBig(n, w), signedBig(n, v)))
}
