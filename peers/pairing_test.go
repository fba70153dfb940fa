package peers

import (
	"bytes"
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// A pairing is one of our types O next to a peer's type P for the same field.
type pairing[O, P any] struct {
	modulus *big.Int
	encode  func(v *big.Int) []byte // of an integer below 2^256

	ours side[O]
	peer side[P]
	ops  []pairedOp[O, P]
}

// A side says how a type is read and written. set refuses what the type's
// strict setter refuses, and then leaves z as it was.
type side[T any] struct {
	set   func(z *T, b []byte) error
	bytes func(z *T) []byte
}

// A pairedOp is one operation on both sides: it may write z, and returns an
// integer, 0 where the operation has no such result.
type pairedOp[O, P any] struct {
	name string
	ours func(z, x, y *O, k uint32) int
	peer func(z, x, y *P, k uint32) int
}

// registers is how many values a program of operations works on. With three,
// every pattern of aliasing is frequent.
const registers = 3

// A machine runs the same program on both sides.
type machine[O, P any] struct {
	pairing[O, P]
	o [registers]O
	p [registers]P
}

// load sets a register on both sides. The sides must agree on whether b is an
// encoding.
func (m *machine[O, P]) load(r int, b []byte) error {
	errOurs, errPeer := m.ours.set(&m.o[r], b), m.peer.set(&m.p[r], b)
	if (errOurs == nil) != (errPeer == nil) {
		return fmt.Errorf("encoding %x: ours returns error %v, the peer %v", b, errOurs, errPeer)
	}
	return m.compare(fmt.Sprintf("load %x", b))
}

// do runs one operation on registers z, x, y.
func (m *machine[O, P]) do(op pairedOp[O, P], z, x, y int, k uint32) error {
	before := fmt.Sprintf("r%d, r%d, r%d = %x, %x, %x", z, x, y,
		m.peer.bytes(&m.p[z]), m.peer.bytes(&m.p[x]), m.peer.bytes(&m.p[y]))
	ours := op.ours(&m.o[z], &m.o[x], &m.o[y], k)
	peer := op.peer(&m.p[z], &m.p[x], &m.p[y], k)
	if ours != peer {
		return fmt.Errorf("%s r%d, r%d, r%d, %d with %s: ours returns %d, the peer %d", op.name, z, x, y, k, before, ours, peer)
	}
	return m.compare(fmt.Sprintf("%s r%d, r%d, r%d, %d with %s", op.name, z, x, y, k, before))
}

// compare compares all registers: those that were not named must not change.
func (m *machine[O, P]) compare(after string) error {
	for r := range registers {
		if ours, peer := m.ours.bytes(&m.o[r]), m.peer.bytes(&m.p[r]); !bytes.Equal(ours, peer) {
			return fmt.Errorf("%s: r%d is %x for ours, %x for the peer", after, r, ours, peer)
		}
	}
	return nil
}

// edges returns integers below 2^256 at which carries and reductions change:
// near 0, the multiples of the modulus, half of it, and the ends of limbs.
func edges(p *big.Int) []*big.Int {
	one := big.NewInt(1)
	centers := []*big.Int{new(big.Int), new(big.Int).Rsh(p, 1)}
	for m := new(big.Int).Set(p); m.BitLen() <= 256 && len(centers) < 6; m = new(big.Int).Add(m, p) {
		centers = append(centers, m)
	}
	for _, bit := range []uint{32, 51, 64, 128, 192, 224, 252, 255, 256} {
		centers = append(centers, new(big.Int).Lsh(one, bit))
	}
	var all []*big.Int
	for _, c := range centers {
		for d := int64(-2); d <= 2; d++ {
			if v := new(big.Int).Add(c, big.NewInt(d)); v.Sign() >= 0 && v.BitLen() <= 256 {
				all = append(all, v)
			}
		}
	}
	return all
}

// aliasing are the patterns of registers for z, x, y that differ in what is
// the same.
var aliasing = [][3]int{{0, 1, 2}, {1, 1, 2}, {2, 1, 2}, {0, 1, 1}, {1, 1, 1}}

// checkEdges runs every operation on every pair of edges, the patterns of
// aliasing and the extreme factors in turn.
func (p pairing[O, P]) checkEdges() error {
	m := machine[O, P]{pairing: p}
	all := edges(p.modulus)
	for i, x := range all {
		for j, y := range all {
			pattern := aliasing[(i+2*j)%len(aliasing)]
			k := uint32(0)
			if (i+j)%2 == 1 {
				k = 1<<32 - 1
			}
			for _, op := range p.ops {
				if err := m.load(1, p.encode(x)); err != nil {
					return err
				}
				if err := m.load(2, p.encode(y)); err != nil {
					return err
				}
				if err := m.do(op, pattern[0], pattern[1], pattern[2], k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// integers draws integers below 2^256: edges, limbs that are weighted towards
// their ends, and uniform ones.
func integers(p *big.Int) *rapid.Generator[*big.Int] {
	limb := rapid.OneOf(
		rapid.SampledFrom([]uint64{0, 1, 1<<64 - 1, 1<<64 - 2, 1 << 63, 1<<63 - 1, 1<<32 - 1, 1 << 32, 1<<51 - 1, 1 << 51}),
		rapid.Uint64())
	return rapid.OneOf(
		rapid.SampledFrom(edges(p)),
		rapid.Custom(func(t *rapid.T) *big.Int {
			v := new(big.Int)
			for range 4 {
				v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(limb.Draw(t, "limb")))
			}
			return v
		}),
		rapid.Custom(func(t *rapid.T) *big.Int {
			return new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "bytes"))
		}),
	)
}

// property runs random programs, so that operations meet what others leave:
// values that are not fully reduced.
func (p pairing[O, P]) property(t *rapid.T) {
	m := machine[O, P]{pairing: p}
	values := integers(p.modulus)
	register := rapid.IntRange(0, registers-1)
	for r := range registers {
		if err := m.load(r, p.encode(values.Draw(t, "value"))); err != nil {
			t.Fatal(err)
		}
	}
	for range rapid.IntRange(1, 200).Draw(t, "steps") {
		op := p.ops[rapid.IntRange(0, len(p.ops)-1).Draw(t, "operation")]
		z, x, y := register.Draw(t, "z"), register.Draw(t, "x"), register.Draw(t, "y")
		if err := m.do(op, z, x, y, rapid.Uint32().Draw(t, "k")); err != nil {
			t.Fatal(err)
		}
	}
}

// check runs both, as the subtests of a test.
func (p pairing[O, P]) check(t *testing.T) {
	t.Run("edges", func(t *testing.T) {
		if err := p.checkEdges(); err != nil {
			t.Error(err)
		}
	})
	t.Run("programs", func(t *testing.T) { rapid.Check(t, p.property) })
}

// The constructors below make a pairedOp of methods of the usual shapes. They
// return 1 if the method returned its receiver, which peers do as well.

func nullary[O, P any](name string, ours func(z *O) *O, peer func(z *P) *P) pairedOp[O, P] {
	return pairedOp[O, P]{name,
		func(z, _, _ *O, _ uint32) int { return same(ours(z), z) },
		func(z, _, _ *P, _ uint32) int { return same(peer(z), z) }}
}

func unary[O, P any](name string, ours func(z, x *O) *O, peer func(z, x *P) *P) pairedOp[O, P] {
	return pairedOp[O, P]{name,
		func(z, x, _ *O, _ uint32) int { return same(ours(z, x), z) },
		func(z, x, _ *P, _ uint32) int { return same(peer(z, x), z) }}
}

func binary[O, P any](name string, ours func(z, x, y *O) *O, peer func(z, x, y *P) *P) pairedOp[O, P] {
	return pairedOp[O, P]{name,
		func(z, x, y *O, _ uint32) int { return same(ours(z, x, y), z) },
		func(z, x, y *P, _ uint32) int { return same(peer(z, x, y), z) }}
}

func ternary[O, P any](name string, ours func(z, x, y, w *O) *O, peer func(z, x, y, w *P) *P) pairedOp[O, P] {
	return pairedOp[O, P]{name, // the third operand is the old z
		func(z, x, y *O, _ uint32) int { return same(ours(z, x, y, z), z) },
		func(z, x, y *P, _ uint32) int { return same(peer(z, x, y, z), z) }}
}

func scaled[O, P any](name string, ours func(z, x *O, k uint32) *O, peer func(z, x *P, k uint32) *P) pairedOp[O, P] {
	return pairedOp[O, P]{name,
		func(z, x, _ *O, k uint32) int { return same(ours(z, x, k), z) },
		func(z, x, _ *P, k uint32) int { return same(peer(z, x, k), z) }}
}

func selecting[O, P any](name string, ours func(z, x, y *O, cond int) *O, peer func(z, x, y *P, cond int) *P) pairedOp[O, P] {
	return pairedOp[O, P]{name,
		func(z, x, y *O, k uint32) int { return same(ours(z, x, y, int(k&1)), z) },
		func(z, x, y *P, k uint32) int { return same(peer(z, x, y, int(k&1)), z) }}
}

func swapping[O, P any](name string, ours func(z, x *O, cond int), peer func(z, x *P, cond int)) pairedOp[O, P] {
	return pairedOp[O, P]{name,
		func(z, x, _ *O, k uint32) int { ours(z, x, int(k&1)); return 0 },
		func(z, x, _ *P, k uint32) int { peer(z, x, int(k&1)); return 0 }}
}

func asking[O, P any](name string, ours func(z *O) int, peer func(z *P) int) pairedOp[O, P] {
	return pairedOp[O, P]{name,
		func(z, _, _ *O, _ uint32) int { return ours(z) },
		func(z, _, _ *P, _ uint32) int { return peer(z) }}
}

func comparing[O, P any](name string, ours func(z, x *O) int, peer func(z, x *P) int) pairedOp[O, P] {
	return pairedOp[O, P]{name,
		func(z, x, _ *O, _ uint32) int { return ours(z, x) },
		func(z, x, _ *P, _ uint32) int { return peer(z, x) }}
}

func same[T any](a, b *T) int {
	if a == b {
		return 1
	}
	return 0
}
