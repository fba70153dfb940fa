// Package algo holds the algorithms on limbs, each written once over the
// abstract machine of package limb. Which one a routine uses follows from the
// form of its field and the shape of its modulus.
package algo

import (
	"fmt"
	"math/big"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// Record records the routine r for a target with the given features.
func Record(r *spec.Routine, feat limb.Features) (p *limb.Program, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%s: %v", r.Name(), e)
		}
	}()
	m := machine{limb.New(r, feat), r.Field}
	if err := m.record(r); err != nil {
		return nil, err
	}
	return m.Program(), nil
}

// A machine records routines on one field.
type machine struct {
	*limb.Machine
	f *spec.Field
}

func (m machine) record(r *spec.Routine) error {
	if r.Formula != nil {
		m.formula(r)
		return nil
	}
	in := func(name string) []*limb.Word { return m.LoadAll(m.Param(name)) }
	var z []*limb.Word
	switch r.Kind {
	case spec.KindAdd:
		z = m.add(in("x"), in("y"))
	case spec.KindDouble:
		x := in("x")
		z = m.add(x, x)
	case spec.KindSubtract:
		z = m.sub(in("x"), in("y"))
	case spec.KindNegate:
		z = m.sub(m.zeros(m.f.Limbs), in("x"))
	case spec.KindMultiply:
		z = m.mul(in("x"), in("y"))
	case spec.KindSquare:
		z = m.square(in("x"))
	case spec.KindMult32:
		z = m.mult32(in("x"), m.Load(m.Param("k"), 0))
	case spec.KindMulAdd:
		z = m.add(m.mul(in("x"), in("y")), in("w"))
	case spec.KindCanon:
		z = m.canon(in("x"))
	case spec.KindReduceWide:
		z = m.reduceWide(in("x"))
	case spec.KindToMont:
		z = m.montMul(m.consts(m.radix(2)), in("x"))
	case spec.KindFromMont:
		z = m.fromMont(in("x"))
	case spec.KindSelect:
		z = m.choose(in("x"), in("y"), m.Bit(m.Load(m.Param("cond"), 0), 0))
	case spec.KindSwap:
		m.swap(m.Param("x"), m.Param("y"), m.Bit(m.Load(m.Param("cond"), 0), 0))
		return nil
	case spec.KindEqual:
		m.Return(m.isZero(m.difference(in("x"), in("y"))))
		return nil
	case spec.KindIsZero:
		x := in("x")
		if m.f.Form == spec.Weak {
			x = m.canon(x)
		}
		m.Return(m.isZero(x))
		return nil
	case spec.KindInvert:
		z = m.invert(in("x"))
	default:
		return fmt.Errorf("no algorithm for %s", r.Kind)
	}
	m.StoreAll(m.Param("z"), z)
	return nil
}

// The operations on residues, by the form of the field.

func (m machine) add(x, y []*limb.Word) []*limb.Word {
	if m.f.Form == spec.Weak {
		return m.weakAdd(x, y)
	}
	return m.montAdd(x, y)
}

func (m machine) sub(x, y []*limb.Word) []*limb.Word {
	if m.f.Form == spec.Weak {
		return m.weakSub(x, y)
	}
	return m.montSub(x, y)
}

func (m machine) mul(x, y []*limb.Word) []*limb.Word {
	if m.f.Form == spec.Weak {
		return m.fold(m.product(x, y))
	}
	return m.montMul(x, y)
}

func (m machine) square(x []*limb.Word) []*limb.Word {
	if m.f.Form == spec.Weak {
		return m.fold(m.productSquare(x))
	}
	z, _ := m.productSquare(x)
	return m.montReduce(z)
}

func (m machine) mult32(x []*limb.Word, k *limb.Word) []*limb.Word {
	if m.f.Form == spec.Weak {
		return m.weakMult32(x, k)
	}
	return m.barrett(m.row(x, k))
}

func (m machine) reduceWide(x []*limb.Word) []*limb.Word {
	if m.f.Form == spec.Weak {
		return m.fold(x, nil)
	}
	n := m.f.Limbs
	lo := m.montMul(m.consts(m.radix(2)), x[:n])
	hi := m.montMul(m.consts(m.radix(3)), x[n:])
	return m.montAdd(lo, hi)
}

// difference returns limbs that are all zero if and only if x ≡ y.
func (m machine) difference(x, y []*limb.Word) []*limb.Word {
	if m.f.Form == spec.Weak {
		return m.canon(m.weakSub(x, y))
	}
	d := make([]*limb.Word, len(x))
	for i := range d {
		d[i] = m.Xor(x[i], y[i])
	}
	return d
}

// radix returns R^k mod p.
func (m machine) radix(k int64) *big.Int {
	return new(big.Int).Exp(m.f.R(), big.NewInt(k), m.f.Modulus)
}

// limbs returns the n little-endian 64-bit limbs of v.
func limbs(v *big.Int, n int) []uint64 {
	mask := new(big.Int).SetUint64(1<<64 - 1)
	x := make([]uint64, n)
	for i := range x {
		t := new(big.Int).Rsh(v, uint(64*i))
		x[i] = t.And(t, mask).Uint64()
	}
	return x
}

// consts returns the limbs of v as constants.
func (m machine) consts(v *big.Int) []*limb.Word {
	x := make([]*limb.Word, m.f.Limbs)
	for i, k := range limbs(v, m.f.Limbs) {
		x[i] = m.Const(k)
	}
	return x
}

func (m machine) zeros(n int) []*limb.Word {
	x := make([]*limb.Word, n)
	for i := range x {
		x[i] = m.Const(0)
	}
	return x
}

func isConst(w *limb.Word, k uint64) bool { return w.IsConst && w.K == k }
