package suite

import (
	"flag"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// A recorder takes the place of *testing.T where a failure is expected.
type recorder struct {
	*testing.T
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Error(...any)          { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true }
func (r *recorder) Fatal(...any)          { r.failed = true }
func (r *recorder) FailNow()              { r.failed = true }
func (r *recorder) Fail()                 { r.failed = true }
func (r *recorder) Failed() bool          { return r.failed }

// plain reports whether the lower limbs are far from the ends of their range.
func plain(p unsafe.Pointer) bool {
	for _, w := range at(p)[:3] {
		if top := w >> 40; top == 0 || top == 1<<24-1 {
			return false
		}
	}
	return true
}

// rareFaults are far from the fixed edges: only random cases find them.
var rareFaults = []fault{
	{"a product that is 1 for operands without structure", "p256", spec.KindMultiply,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			bad := plain(p[1])
			right(p, v)
			if x := read(p[0]); bad && x.Cmp(one) == 0 {
				write(p[0], new(big.Int))
			}
			return 0
		}, ""},
	{"a difference of 2^64 without structure", "n25519", spec.KindSubtract,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			bad := plain(p[1])
			right(p, v)
			if x := read(p[0]); bad && x.Cmp(pow2(64)) == 0 {
				write(p[0], new(big.Int))
			}
			return 0
		}, ""},
	{"a product by a word with one limb 0, of limbs without structure", "n25519", spec.KindMult32,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			product := new(big.Int).Mul(read(p[1]), new(big.Int).SetUint64(v[0]))
			bad := plain(p[1]) && v[0] > 1<<20 && toLimbs(product, 5)[2] == 0
			right(p, v)
			if bad {
				at(p[0])[0] ^= 1
			}
			return 0
		}, ""},
	{"a sum of two rows with a limb of ones, of limbs without structure", "p256", spec.KindMultiply,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			rows := new(big.Int).Mod(read(p[2]), pow2(128))
			rows.Mul(rows, read(p[1]))
			bad := plain(p[1]) && plain(p[2]) && slices.Contains(toLimbs(rows, 6)[2:], ^uint64(0))
			right(p, v)
			if bad {
				at(p[0])[0] ^= 1
			}
			return 0
		}, ""},
	{"one operand in sixteen", "n256", spec.KindInvert,
		func(right call, p []unsafe.Pointer, v []uint64) uint64 {
			bad := at(p[1])[0]*0x9e3779b97f4a7c15>>60 == 9
			right(p, v)
			if bad {
				at(p[0])[0] ^= 1
			}
			return 0
		}, ""},
}

func TestRareFaults(t *testing.T) {
	for _, f := range rareFaults {
		t.Run(f.name, func(t *testing.T) {
			r := lookup(t, f.field, f.kind)
			wrong := model(t, r, AMD64)
			right := wrong.Call
			wrong.Call = func(p []unsafe.Pointer, v []uint64) uint64 { return f.spoil(right, p, v) }
			c := newChecker(group{r, []Impl{model(t, r, Generic), wrong}})
			if err := c.randomCases(20_000, 1); err == nil {
				t.Error("the random cases passed")
			}
		})
	}
}

// TestProperty checks that a fault makes the rapid property fail, and that a
// right implementation does not.
func TestProperty(t *testing.T) {
	// A failure that is expected leaves no file behind.
	noFile := flag.Lookup("rapid.nofailfile").Value
	old := noFile.String()
	if err := noFile.Set("true"); err != nil {
		t.Fatal(err)
	}
	defer noFile.Set(old)
	f := rareFaults[len(rareFaults)-1]
	r := lookup(t, f.field, f.kind)
	wrong := model(t, r, AMD64)
	right := wrong.Call
	wrong.Call = func(p []unsafe.Pointer, v []uint64) uint64 { return f.spoil(right, p, v) }
	for _, test := range []struct {
		impl Impl
		fail bool
	}{{model(t, r, Generic), false}, {wrong, true}} {
		rec := &recorder{T: t}
		rapid.Check(rec, newChecker(group{r, []Impl{test.impl}}).property)
		if rec.failed != test.fail {
			t.Errorf("%v: got failed = %t, want %t", test.impl, rec.failed, test.fail)
		}
	}
}

// TestDrawInBounds checks that no drawn or fixed value breaks a contract, and
// that draws reach both sides of the modulus where the bound allows it.
func TestDrawInBounds(t *testing.T) {
	for _, f := range spec.Fields() {
		v := newValues(f)
		wide := pow2(128 * f.Limbs)
		for _, bound := range []*big.Int{f.Bound(), f.R(), wide} {
			for _, x := range v.edges(bound) {
				if x.Sign() < 0 || x.Cmp(bound) >= 0 {
					t.Errorf("%s: edge %#x is not below %#x", f.Name, x, bound)
				}
			}
			above := 0
			rapid.Check(t, func(t *rapid.T) {
				s := rapidSource{t}
				x := v.draw(s, bound)
				y := v.related(s, x, bound)
				for _, z := range []*big.Int{x, y} {
					if z.Sign() < 0 || z.Cmp(bound) >= 0 {
						t.Errorf("%#x is not below %#x", z, bound)
					}
					if z.Cmp(f.Modulus) >= 0 {
						above++
					}
				}
			})
			if reachable := bound.Cmp(f.Modulus) > 0; reachable != (above > 0) {
				t.Errorf("%s, bound %#x: %d draws at or above the modulus", f.Name, bound, above)
			}
		}
		for _, x := range v.wideEdges(wide) {
			if x.Sign() < 0 || x.Cmp(wide) >= 0 {
				t.Errorf("%s: wide edge %#x is not below %#x", f.Name, x, wide)
			}
		}
	}
}

// table returns model implementations of everything that spec has for a field.
func table(t *testing.T, field string, arch string) []Impl {
	t.Helper()
	f, err := spec.Lookup(field)
	if err != nil {
		t.Fatal(err)
	}
	var all []Impl
	for _, r := range f.Routines() {
		for _, set := range sets(r, arch) {
			all = append(all, model(t, r, set))
		}
	}
	return all
}

func TestGroups(t *testing.T) {
	full := table(t, "p256", "amd64")
	if gs, err := groups(full, "amd64"); err != nil || len(gs) == 0 || gs[0].impls[0].Set != Generic {
		t.Errorf("a full table: got %d groups and error %v, want the generic one first", len(gs), err)
	}
	if _, err := groups(table(t, "p256", ""), ""); err != nil {
		t.Errorf("a full table of portable code: %v", err)
	}
	without := func(set string, kind spec.Kind) []Impl {
		var rest []Impl
		for _, i := range full {
			if i.Set != set || i.Kind != kind {
				rest = append(rest, i)
			}
		}
		return rest
	}
	extra := func(field string, kind spec.Kind, set string) []Impl {
		return append(table(t, "p256", "amd64"), Impl{Field: field, Kind: kind, Set: set, Call: full[0].Call})
	}
	for _, test := range []struct {
		name   string
		table  []Impl
		expect string
	}{
		{"no table", nil, "empty"},
		{"no portable code", without(Generic, spec.KindAdd), "no generic implementation of p256 Add"},
		{"no assembly", without(AMD64, spec.KindSwap), "no amd64 implementation of p256 Swap"},
		{"no ADX", without(ADX, spec.KindInvert), "no adx implementation of p256 Invert"},
		{"twice", append(without("", ""), full[3]), "twice"},
		{"unknown field", extra("p257", spec.KindAdd, Generic), "p257 Add (generic) is in the table"},
		{"unknown kind", extra("p256", "Divide", Generic), "p256 Divide (generic) is in the table"},
		{"a set that the routine does not have", extra("p256", spec.KindAdd, ADX), "p256 Add (adx) is in the table"},
		{"no function", append(without(AMD64, spec.KindAdd), Impl{Field: "p256", Kind: spec.KindAdd, Set: AMD64}), "no Call"},
	} {
		if _, err := groups(test.table, "amd64"); err == nil || !strings.Contains(err.Error(), test.expect) {
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.expect)
		}
	}
}

// TestRanAll checks that leaving out an implementation that the machine can
// run is an error, and that leaving out one that it cannot run is none.
func TestRanAll(t *testing.T) {
	r := lookup(t, "p256", spec.KindMultiply)
	adx := model(t, r, ADX)
	adx.Available = false
	impls := []Impl{model(t, r, Generic), model(t, r, AMD64), adx}
	c := newChecker(group{r, impls})
	if err := c.randomCases(1, 1); err != nil {
		t.Fatal(err)
	}
	if err := c.ranAll("amd64", With); err == nil || !strings.Contains(err.Error(), "adx implementation did not run") {
		t.Errorf("on a machine with ADX: got error %v", err)
	}
	for _, h := range []Host{Without, Unknown} {
		if err := c.ranAll("amd64", h); err != nil {
			t.Errorf("on a machine where ADX is %v: %v", h, err)
		}
	}
	c = newChecker(group{r, impls})
	if err := c.ranAll("amd64", Without); err == nil {
		t.Error("a checker that called nothing passed")
	}
}

func TestHostADX(t *testing.T) {
	const both = "processor\t: 0\nflags\t\t: fpu bmi1 bmi2 adx\nbugs\t\t:\n"
	for _, test := range []struct {
		cpuinfo, godebug string
		want             Host
	}{
		{both, "", With},
		{both, "gctrace=0,cpu.avx=off", With},
		{both, "cpu.adx=off", Without},
		{both, "x=1,cpu.bmi2=off", Without},
		{both, "cpu.all=off", Without},
		{"flags : fpu bmi1 adx\n", "", Without},
		{"flags : fpu bmi2\n", "", Without},
		{"flags : fpu bmi2 adxx\n", "", Without},
		{"model name : adx bmi2\n", "", Unknown},
	} {
		if got := hostADX(test.cpuinfo, test.godebug); got != test.want {
			t.Errorf("hostADX(%q, %q): got %v, want %v", test.cpuinfo, test.godebug, got, test.want)
		}
	}
}

func TestHostKaratsuba(t *testing.T) {
	core := func(implementer, part string) string {
		return "processor\t: 0\nCPU implementer\t: " + implementer + "\nCPU variant\t: 0x3\nCPU part\t: " + part + "\n\n"
	}
	for _, test := range []struct {
		cpuinfo, godebug, emulated string
		want                       Host
	}{
		{core("0x41", "0xd0c"), "", "", With},
		{core("0x41", "0xd08") + core("0x41", "0xd08"), "", "", With},
		{core("0x41", "0xd40"), "", "", Without},
		{core("0x61", "0xd0c"), "", "", Without},
		{core("0x41", "0xd08") + core("0x41", "0xd03"), "", "", Unknown},
		{core("0x41", "0xd0c"), "fieldproof.mul=schoolbook", "", Without},
		{core("0x41", "0xd0c"), "cpu.cpuid=off", "", Without},
		{core("0x41", "0xd40"), "x=1,fieldproof.mul=karatsuba", "", With},
		{"flags\t: fpu adx\n", "", "", Unknown},
		{"flags\t: fpu adx\n", "", "slow", With},
		{"flags\t: fpu adx\n", "", "fast", Without},
		{"flags\t: fpu adx\n", "fieldproof.mul=schoolbook", "slow", Without},
	} {
		if got := hostKaratsuba(test.cpuinfo, test.godebug, test.emulated); got != test.want {
			t.Errorf("hostKaratsuba(%q, %q, %q): got %v, want %v", test.cpuinfo, test.godebug, test.emulated, got, test.want)
		}
	}
}
