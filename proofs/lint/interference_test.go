package lint

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// What the analysis claims of a routine is a statement about executions, and so
// it can be tested by executing: two runs with the same public values and
// different secrets must go the same way and agree, at every instruction, on
// every register, flag and cell that the analysis calls public; and what it
// calls known or defined must be so in both.

// errDiffer wraps what is wrong with the claims of the analysis, as opposed to
// errors of the emulator, which a routine may deserve.
var errDiffer = errors.New("the analysis is wrong")

func differ(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDiffer, fmt.Sprintf(format, args...))
}

// noninterference follows two runs of an analyzed routine without problems, one
// with each input, in step with the analysis, and returns the number of
// instructions. The inputs differ in secrets only.
func noninterference(a *analysis, p *emulate.Program, in [2]emulate.Input) (int, error) {
	var runs [2]*emulate.Run
	for i := range runs {
		var err error
		if runs[i], err = p.Start(in[i]); err != nil {
			return 0, err
		}
	}
	objects, err := a.objects(runs[0])
	if err != nil {
		return 0, err
	}
	a.s = a.frame.entry(a.arch)
	for taken := 0; ; taken++ {
		inst := runs[0].Inst()
		offset, length := inst.Span()
		if other, _ := runs[1].Inst().Span(); other != offset {
			return taken, differ("one run goes to offset %#x and the other to %#x", offset, other)
		}
		if err := a.compare(runs, objects); err != nil {
			return taken, fmt.Errorf("before offset %#x, %v: %w", offset, inst, err)
		}
		a.in = inst
		exit, err := a.arch.step(a, inst)
		if err != nil {
			return taken, err
		}
		for _, r := range runs {
			if err := r.Step(); err != nil {
				return taken, differ("no problem was found, and the emulator says: %v", err)
			}
		}
		if runs[0].Done() {
			return taken + 1, nil
		}
		next, _ := runs[0].Inst().Span()
		if exit.Kind != machine.Branch {
			continue
		}
		if c := exit.Cond; c.known {
			if want := next == exit.Target; c.v != want && exit.Target != offset+length {
				return taken, differ("offset %#x: %v is known to be %t and is %t", offset, inst, c.v, want)
			}
			continue
		}
		// From here on the analysis has gone both ways, and merged what it knew.
		s, ok := a.states[next]
		if !ok {
			return taken, differ("offset %#x was never reached", next)
		}
		a.s = s.clone()
	}
}

// objects returns the address of each object of the analysis.
func (a *analysis) objects(r *emulate.Run) ([]uint64, error) {
	sp := r.Regs[a.arch.sp].V
	list := []uint64{sp}
	for i, v := range a.frame.args {
		if v.shape != pointer {
			continue
		}
		addr, ok := limbAt(r, sp+firstArg+8*uint64(i))
		if !ok {
			return nil, fmt.Errorf("argument %d is not there", i)
		}
		list = append(list, addr)
	}
	return list, nil
}

// limbAt returns the eight bytes at an address; ok is false where they are not
// defined.
func limbAt(r *emulate.Run, addr uint64) (v uint64, ok bool) {
	w := wordAt(r, addr)
	return w.V, w.Undef == 0
}

// wordAt returns the eight bytes at an address, undefined where there is no
// memory.
func wordAt(r *emulate.Run, addr uint64) emulate.Word {
	for _, g := range r.Mem.Regions {
		at := addr - g.Addr
		if at >= uint64(len(g.Data)) {
			continue
		}
		var w emulate.Word
		for i := range uint64(8) {
			w.V |= uint64(g.Data[at+i]) << (8 * i)
			w.Undef |= uint64(g.Undef[at+i]) << (8 * i)
		}
		return w
	}
	return emulate.Poison()
}

// compare checks the claims of the current state against two runs.
func (a *analysis) compare(runs [2]*emulate.Run, objects []uint64) error {
	for r := range runs[0].Regs {
		if err := a.s.regs[r].compare(objects, runs[0].Regs[r], runs[1].Regs[r]); err != nil {
			return fmt.Errorf("%v: %w", a.arch.reg(r), err)
		}
	}
	for c, v := range a.s.mem {
		addr := objects[c.obj] + uint64(c.offset)
		if err := v.compare(objects, wordAt(runs[0], addr), wordAt(runs[1], addr)); err != nil {
			return fmt.Errorf("offset %d of %s: %w", c.offset, a.name(c.obj), err)
		}
	}
	for f := range runs[0].Flags {
		b := a.s.flags[f]
		got := [2]emulate.Bit{runs[0].Flags[f], runs[1].Flags[f]}
		switch {
		case b.undefined:
		case got[0] == emulate.Undefined || got[1] == emulate.Undefined:
			return differ("flag %d counts as defined", f)
		case !b.secret && got[0] != got[1]:
			return differ("flag %d counts as public, and is %d and %d", f, got[0], got[1])
		case b.known && (got[0] == 1) != b.v:
			return differ("flag %d is known to be %t, and is %d", f, b.v, got[0])
		}
	}
	return nil
}

// compare checks what is claimed of a word against what it is in two runs.
func (v value) compare(objects []uint64, w0, w1 emulate.Word) error {
	if v.defined == 0 {
		return nil
	}
	m := mask(int(v.defined))
	known := v.v
	if v.shape == pointer {
		known += objects[v.obj]
	}
	switch {
	case w0.Undef&m != 0 || w1.Undef&m != 0:
		return differ("%d bits count as defined, and the bits %#x are not", v.defined, (w0.Undef|w1.Undef)&m)
	case !v.secret && (w0.V^w1.V)&m != 0:
		return differ("counts as public, and is %#x and %#x", w0.V&m, w1.V&m)
	case v.known && v.secret:
		return differ("counts as known and as secret")
	case v.known && w0.V != known:
		return differ("is known to be %#x, and is %#x", known, w0.V)
	}
	return nil
}

// twoInputs draws two inputs of a routine from next that agree in what is
// public.
func twoInputs(r *spec.Routine, next func() emulate.Input) [2]emulate.Input {
	first, second := next(), next()
	second.Alias = first.Alias
	for i, q := range r.Params {
		if !q.Secret {
			second.Limbs[i] = first.Limbs[i]
		}
	}
	return [2]emulate.Input{first, second}
}

// TestNoninterferenceRoutines runs the assembly of the field packages.
func TestNoninterferenceRoutines(t *testing.T) {
	const module = "github.com/seed-6f9cd256/fieldproof/"
	var paths []string
	for _, p := range spec.Packages() {
		paths = append(paths, module+p)
	}
	for arch, seed := range map[string]uint64{"amd64": 2, "arm64": 4} {
		t.Run(arch, func(t *testing.T) { noninterferenceRoutines(t, arch, seed, paths) })
	}
}

func noninterferenceRoutines(t *testing.T, arch string, seed uint64, paths []string) {
	abi, err := emulate.GoABI(arch)
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := object.LoadArch(arch, ".", paths...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		contracts := ContractsArch(arch, p.Name)
		for _, r := range p.Routines {
			name, c := p.Name+"."+r.Name, contracts[r.Name]
			if c == nil && Known(arch, r) != "" {
				continue
			}
			prog, err := emulate.NewProgram(r.Code, c, abi)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			pairs := 10
			if c.Kind == spec.KindInvert {
				pairs = 1 // of some ten thousand instructions
			}
			a := analyze(arch, name, r.Code, c)
			if len(a.result.Problems) > 0 {
				t.Error(a.result.Problems)
				continue
			}
			inputs := emulate.NewInputs(c, seed)
			for range pairs {
				if _, err := noninterference(a, prog, twoInputs(c, inputs.Next)); err != nil {
					t.Errorf("%s: %v", name, err)
					break
				}
			}
		}
	}
}

// TestNoninterferenceRandom runs random programs. They are made so that about
// everything the analysis can follow occurs in them, and what it refuses is
// left out.
func TestNoninterferenceRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	steps, whole := 0, 0
	for n := range 3000 {
		c := randomContracts[n%len(randomContracts)]
		a, err := randomRoutine(rng, c)
		if err != nil {
			t.Fatal(err)
		}
		if a == nil {
			continue
		}
		whole++
		for range 2 {
			taken, err := noninterference(a.analysis, a.program, twoInputs(c, func() emulate.Input { return randomInput(rng, c) }))
			steps += taken
			if err != nil {
				t.Fatalf("program %d: %v\n%s", n, err, a.listing())
			}
		}
	}
	t.Logf("%d programs, %d instructions", whole, steps)
	if whole < 1500 || steps < 50_000 {
		t.Errorf("%d programs and %d instructions are left, want 1500 and 50000", whole, steps)
	}
}

// TestNoninterferenceRejects plants wrong claims.
func TestNoninterferenceRejects(t *testing.T) {
	words := func(x, y uint64) [2]emulate.Word { return [2]emulate.Word{emulate.Number(x), emulate.Number(y)} }
	objects := []uint64{0x1000, 0x2000}
	for _, tt := range []struct {
		name  string
		v     value
		words [2]emulate.Word
		wrong bool
	}{
		{"public and equal", unknown(false), words(5, 5), false},
		{"public and different", unknown(false), words(5, 6), true},
		{"public in the low byte, and different above", value{defined: 8}, words(0x105, 0x205), false},
		{"public in the low byte, and different there", value{defined: 8}, words(0x105, 0x106), true},
		{"secret and different", unknown(true), words(5, 6), false},
		{"undefined and different", value{}, words(5, 6), false},
		{"known", constant(5), words(5, 5), false},
		{"another number", constant(4), words(5, 5), true},
		{"known and secret", value{known: true, secret: true, defined: 64, v: 5}, words(5, 5), true},
		{"address", at(1, 8), words(0x2008, 0x2008), false},
		{"another address", at(1, 8), words(0x1008, 0x1008), true},
		{"not defined", unknown(true), [2]emulate.Word{emulate.Number(1), {V: 1, Undef: 0x100}}, true},
	} {
		err := tt.v.compare(objects, tt.words[0], tt.words[1])
		if wrong := errors.Is(err, errDiffer); wrong != tt.wrong {
			t.Errorf("%s: got error %v, want one: %t", tt.name, err, tt.wrong)
		}
	}
}

// TestNoninterferenceFlags plants wrong claims about a flag.
func TestNoninterferenceFlags(t *testing.T) {
	for _, tt := range []struct {
		b     bit
		flags [2]emulate.Bit
		wrong bool
	}{
		{bit{undefined: true}, [2]emulate.Bit{0, 1}, false},
		{bit{secret: true}, [2]emulate.Bit{0, 1}, false},
		{bit{secret: true}, [2]emulate.Bit{0, emulate.Undefined}, true},
		{bit{}, [2]emulate.Bit{1, 1}, false},
		{bit{}, [2]emulate.Bit{0, 1}, true},
		{bit{known: true, v: true}, [2]emulate.Bit{1, 1}, false},
		{bit{known: true, v: true}, [2]emulate.Bit{0, 0}, true},
	} {
		a := &analysis{s: &state{}}
		runs := [2]*emulate.Run{{Flags: make([]emulate.Bit, amd64.NumFlags)}, {Flags: make([]emulate.Bit, amd64.NumFlags)}}
		for f := range a.s.flags {
			a.s.flags[f].undefined = true
		}
		a.s.flags[amd64.ZF] = tt.b
		for i, r := range runs {
			r.Flags[amd64.ZF] = tt.flags[i]
		}
		if err := a.compare(runs, []uint64{0}); errors.Is(err, errDiffer) != tt.wrong {
			t.Errorf("%+v and %v: got error %v, want one: %t", tt.b, tt.flags, err, tt.wrong)
		}
	}
}

// randomInput draws limbs, half of them small, and an aliasing.
func randomInput(rng *rand.Rand, r *spec.Routine) emulate.Input {
	in := emulate.Input{Limbs: make([][]uint64, len(r.Params)), Alias: make([]int, len(r.Params))}
	for i, q := range r.Params {
		in.Alias[i] = i
		if j := slices.IndexFunc(r.Params[:i], func(p spec.Param) bool {
			return p.Role.Pointer() && q.Role.Pointer() && p.Limbs == q.Limbs
		}); j >= 0 && rng.IntN(4) == 0 {
			in.Alias[i] = j
		}
		if q.Role == spec.Out || q.Role == spec.Result {
			continue
		}
		for range q.Limbs {
			v := rng.Uint64()
			if rng.IntN(2) == 0 {
				v %= 4
			}
			in.Limbs[i] = append(in.Limbs[i], v)
		}
	}
	return in
}
