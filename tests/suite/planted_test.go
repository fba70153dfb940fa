package suite

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// model returns an implementation made from the contract itself, with the
// least value that a congruence allows.
func model(t *testing.T, r *spec.Routine, set string) Impl {
	t.Helper()
	return Impl{Field: r.Field.Name, Kind: r.Kind, Set: set, Available: true, Call: func(p []unsafe.Pointer, v []uint64) uint64 {
		env := make(spec.Env)
		pi, vi := 0, 0
		ptr := make(map[string][]uint64)
		for _, q := range r.Params {
			switch {
			case q.Role.Pointer():
				l := unsafe.Slice((*uint64)(p[pi]), q.Limbs)
				env[q.Name] = fromLimbs(l)
				ptr[q.Name], ptr[spec.After(q.Name)] = l, l
				pi++
			case q.Role == spec.Value:
				env[q.Name] = new(big.Int).SetUint64(v[vi])
				vi++
			}
		}
		values := make(map[string]*big.Int)
		for _, c := range r.Claims {
			if c.Rel == spec.Less {
				continue
			}
			x, err := c.R.Eval(env)
			if err != nil {
				t.Error(err)
				return 0
			}
			if c.Rel == spec.Congruent {
				x = new(big.Int).Mod(x, c.Mod)
			}
			values[c.L.Name] = x
		}
		var result uint64
		for name, x := range values {
			if l, ok := ptr[name]; ok {
				copy(l, toLimbs(x, len(l)))
			} else {
				result = x.Uint64()
			}
		}
		return result
	}}
}

func lookup(t *testing.T, field string, kind spec.Kind) *spec.Routine {
	t.Helper()
	f, err := spec.Lookup(field)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Routine(kind)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func at(p unsafe.Pointer) *[4]uint64 { return (*[4]uint64)(p) }

func read(p unsafe.Pointer) *big.Int { return fromLimbs(at(p)[:]) }

func write(p unsafe.Pointer, x *big.Int) { copy(at(p)[:], toLimbs(x, 4)) }

// TestModel runs the whole suite on implementations that are right.
func TestModel(t *testing.T) {
	for _, f := range spec.Fields() {
		for _, r := range f.Routines() {
			t.Run(f.Name+"/"+string(r.Kind), func(t *testing.T) {
				c := newChecker(group{r, []Impl{model(t, r, Generic)}})
				for _, err := range []error{c.edgeCases(), c.randomCases(20, 1), c.guardCases()} {
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// A call has the signature of Impl.Call.
type call = func(p []unsafe.Pointer, v []uint64) uint64

// A fault is a wrong implementation, made from a right one.
type fault struct {
	name   string
	field  string
	kind   spec.Kind
	spoil  func(right call, p []unsafe.Pointer, v []uint64) uint64
	expect string // part of the message
}

// The faults that the edges must find, without any luck. Each was made by
// somebody, in some library; the first four come from public reports.
var faults = []fault{
	{"the second carry of an addition is lost", "p25519", spec.KindAdd,
		// Probability 2^-250 for uniform operands.
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			s := new(big.Int).Add(read(p[1]), read(p[2]))
			if s.BitLen() > 256 {
				s.SetBit(s, 256, 0).Add(s, big.NewInt(38))
			}
			write(p[0], s.SetBit(s, 256, 0))
			return 0
		}, "claim"},
	{"the second borrow of a subtraction is lost", "p25519", spec.KindSubtract,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			d := new(big.Int).Sub(read(p[1]), read(p[2]))
			if d.Sign() < 0 {
				d.Sub(d.Add(d, pow2(256)), big.NewInt(38))
			}
			write(p[0], d.Mod(d, pow2(256)))
			return 0
		}, "claim"},
	{"a small difference has the modulus added", "p256", spec.KindSubtract,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			f, _ := spec.Lookup("p256")
			d := new(big.Int).Sub(read(p[1]), read(p[2]))
			if d.Sign() < 0 || d.Cmp(new(big.Int).Sub(pow2(256), f.Modulus)) < 0 {
				d.Add(d, f.Modulus)
			}
			write(p[0], d.Mod(d, pow2(256)))
			return 0
		}, "claim"},
	{"bit 256 is ignored before the last subtraction", "n256", spec.KindAdd,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			f, _ := spec.Lookup("n256")
			s := new(big.Int).Add(read(p[1]), read(p[2]))
			s.SetBit(s, 256, 0)
			if s.Cmp(f.Modulus) >= 0 {
				s.Sub(s, f.Modulus)
			}
			write(p[0], s)
			return 0
		}, "claim"},
	{"the modulus is returned for 0", "n25519", spec.KindMultiply,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			r := right(p, v)
			if f, _ := spec.Lookup("n25519"); read(p[0]).Sign() == 0 {
				write(p[0], f.Modulus)
			}
			return r
		}, "< p fails"},
	{"a product is wrong where one limb of it is all ones", "p256", spec.KindMultiply,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			r := right(p, v)
			if at(p[0])[2] == ^uint64(0) {
				at(p[0])[2] = 0
			}
			return r
		}, "claim"},
	{"two equal top limbs are mistaken for less", "p25519", spec.KindCanon,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			f, _ := spec.Lookup("p25519")
			if x := read(p[1]); x.Cmp(f.Modulus) == 0 {
				write(p[0], x)
				return 0
			}
			return right(p, v)
		}, "claim"},
	{"a reduction of a wide value is wrong for one high half", "p25519", spec.KindReduceWide,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			x := (*[8]uint64)(p[1])
			bad := x[4]&x[5]&x[6]&x[7] == ^uint64(0) && x[0] == 0
			r := right(p, v)
			if bad {
				at(p[0])[0] ^= 1
			}
			return r
		}, "claim"},
	{"the output is written while an input is needed", "n256", spec.KindMulAdd,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			if p[0] == p[3] && p[1] != p[0] && p[2] != p[0] && p[1] != p[2] {
				*at(p[3]) = *at(p[1])
			}
			return right(p, v)
		}, "with pointers [z=w, x, y]"},
	{"a swap of a value with itself clears it", "p256", spec.KindSwap,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			if p[0] == p[1] {
				*at(p[0]) = [4]uint64{}
			}
			return right(p, v)
		}, "with pointers [x=y]"},
	{"an input is reduced in place", "p25519", spec.KindEqual,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			r := right(p, v)
			f, _ := spec.Lookup("p25519")
			if x := read(p[1]); x.Cmp(f.Modulus) >= 0 {
				write(p[1], x.Sub(x, f.Modulus))
			}
			return r
		}, "input y was overwritten"},
	{"a word after the output is written", "p256", spec.KindNegate,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			r := right(p, v)
			*(*uint64)(unsafe.Add(p[0], 32)) = 1
			return r
		}, "a word outside every operand was overwritten"},
	{"the result is a mask instead of 1", "p256", spec.KindIsZero,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			return -right(p, v)
		}, "claim"},
	{"the multiplier is read as a signed number", "n25519", spec.KindMult32,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			return right(p, []uint64{uint64(int32(v[0])) & (1<<63 - 1)})
		}, "claim"},
	{"a selection ignores the condition where the inputs differ in a high limb", "n256", spec.KindSelect,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			if at(p[1])[3] != at(p[2])[3] {
				return right(p, []uint64{1})
			}
			return right(p, v)
		}, "claim"},
}

// firstError runs the parts of the suite that take no luck.
func firstError(c *checker) error {
	if err := c.edgeCases(); err != nil {
		return err
	}
	return c.guardCases()
}

// TestPlantedFaults checks that each fault is found both when the faulty
// implementation is the only one and when it stands beside a right one.
func TestPlantedFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			r := lookup(t, f.field, f.kind)
			wrong := model(t, r, AMD64)
			right := wrong.Call
			wrong.Call = func(p []unsafe.Pointer, v []uint64) uint64 { return f.spoil(right, p, v) }
			err := firstError(newChecker(group{r, []Impl{wrong}}))
			if err == nil || !strings.Contains(err.Error(), f.expect) {
				t.Errorf("alone: got error %v, want one with %q", err, f.expect)
			}
			err = firstError(newChecker(group{r, []Impl{model(t, r, Generic), wrong}}))
			if err == nil || !strings.Contains(err.Error(), "(amd64)") {
				t.Errorf("beside a right one: got error %v, want one about amd64", err)
			}
		})
	}
}

// TestOtherLimbs checks that implementations which are all right, but return
// different representations of one residue, are told apart.
func TestOtherLimbs(t *testing.T) {
	r := lookup(t, "p25519", spec.KindMultiply)
	other := model(t, r, AMD64)
	right := other.Call
	other.Call = func(p []unsafe.Pointer, v []uint64) uint64 {
		right(p, v)
		if x := read(p[0]); x.Cmp(big.NewInt(5)) < 0 {
			write(p[0], x.Add(x, r.Field.Modulus))
		}
		return 0
	}
	err := firstError(newChecker(group{r, []Impl{model(t, r, Generic), other}}))
	if err == nil || !strings.Contains(err.Error(), "returns other limbs") {
		t.Errorf("got error %v, want one about other limbs", err)
	}
}

// TestReadsOutput plants a routine that depends on what its output held.
func TestReadsOutput(t *testing.T) {
	r := lookup(t, "p25519", spec.KindAdd)
	wrong := model(t, r, AMD64)
	right := wrong.Call
	wrong.Call = func(p []unsafe.Pointer, v []uint64) uint64 {
		old := at(p[0])[0]
		right(p, v)
		if x := read(p[0]); old&1 == 1 && x.Cmp(big.NewInt(19)) < 0 {
			write(p[0], x.Add(x, r.Field.Modulus))
		}
		return 0
	}
	if err := firstError(newChecker(group{r, []Impl{model(t, r, Generic), wrong}})); err == nil {
		t.Error("a routine that reads its output passed")
	}
}

// TestPatterns counts the partitions: Bell numbers, and products of them where
// the sizes differ.
func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		limbs []int
		want  int
	}{{[]int{4}, 1}, {[]int{4, 4}, 2}, {[]int{4, 4, 4}, 5}, {[]int{4, 4, 4, 4}, 15}, {[]int{4, 8}, 1}, {[]int{4, 8, 4, 8}, 4}} {
		ps := patterns(test.limbs)
		if len(ps) != test.want {
			t.Errorf("patterns(%v): got %d, want %d", test.limbs, len(ps), test.want)
		}
		for i, p := range ps {
			for _, q := range ps[:i] {
				if slices.Equal(p, q) {
					t.Errorf("patterns(%v): %v comes twice", test.limbs, p)
				}
			}
		}
	}
}
