package kernel_test

import (
	"flag"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

var runs = flag.Int("runs", 2, "inputs on which a routine is followed, for each way in which its pointers may be equal")

// TestConcolic follows every certificate on edge and random inputs while the
// emulator executes the routine. After each operation it compares both forms and
// the range of each word with its value, and after each instruction the words in
// registers, flags and memory, and the addresses, with the emulator's.
func TestConcolic(t *testing.T) {
	followed, left, words, cells := 0, 0, 0, 0
	for i, tt := range straight(t) {
		r := routine(t, tt)
		ks := certificates(t, tt, r)
		inputs := emulate.NewInputs(tt.Contract, uint64(i))
		for n, pat := range r.Patterns() {
			if !shareable(r, pat) {
				left++
				continue
			}
			for range *runs {
				f, err := follow(r, pat, ks, n, input(t, inputs, pat), nil)
				if err != nil {
					t.Fatalf("%s, pointers %s: %v", tt.Name, r.Names(pat), err)
				}
				followed++
				words += f.words
				cells += f.cells
			}
		}
	}
	t.Logf("%d runs of %d routines; compared %d words of operations, and %d registers, flags and limbs with the emulator; %d ways for pointers of different lengths to be equal left out",
		followed, len(straight(t)), words, cells, left)
}

// TestConcolicNotices plants faults in what instructions are translated to. The
// certificate cannot tell; the emulator must.
func TestConcolicNotices(t *testing.T) {
	planted, emulated := 0, 0
	for _, name := range []string{"field25519.feIsZeroAMD64", "field25519.feMultiplyADX", "field25519.feReduceAMD64", "field25519.feSubtractAMD64",
		"fieldp256.feSelectAMD64", "fieldp256.feSwapAMD64", "fieldp256.scMultiplyAMD64",
		"field25519.feIsZeroARM64", "fieldp256.feSubtractARM64", "fieldp256.feSwapARM64", "fieldp256.scMultiplyARM64"} {
		tt := target(t, name)
		r := routine(t, tt)
		ks := certificates(t, tt, r)
		last := len(ks) - 1 // disjoint pointers
		pat := r.Patterns()[last]
		seen := map[k.Op]int{}
		code := program(t, r, pat).Code
		for pc := range code {
			i := code[pc]
			if !spoil(&i) || i.D >= 90 && i.D < 94 {
				continue
			}
			if seen[i.Op]++; seen[i.Op] > 4 {
				continue
			}
			planted++
			inputs := emulate.NewInputs(tt.Contract, 1)
			noticed := error(nil)
			for n := 0; n < 200 && noticed == nil; n++ {
				_, noticed = follow(r, pat, ks, last, input(t, inputs, pat), func(code []k.Instr) { code[pc] = i })
			}
			switch {
			case noticed == nil:
				t.Errorf("%s, operation %d as %+v: nothing is noticed", name, pc, i)
			case strings.Contains(noticed.Error(), "in the emulator"):
				emulated++
			}
		}
	}
	if planted < 130 || emulated < 110 {
		t.Errorf("%d faults planted, %d of them noticed by the emulator: want 130 and 110", planted, emulated)
	}
	t.Logf("%d faults planted, %d of them noticed by comparison with the emulator, the others by the kernel", planted, emulated)
}

// spoil makes another operation of the same kind, if it knows how.
func spoil(i *k.Instr) bool {
	switch i.Op {
	case k.Mov:
		if i.A.Loc != 0 || i.A.Imm.Sign() != 0 {
			return false
		}
		i.A.Imm = big.NewInt(1)
	case k.Mul:
		i.D, i.D2 = i.D2, i.D
	case k.Adc:
		i.Op = k.Sbb
	case k.Sbb:
		i.Op = k.Adc
	case k.Cmov:
		i.B, i.C = i.C, i.B
	case k.Shr, k.Shl:
		i.N = i.N%63 + 1
	case k.And:
		i.Op = k.Or
	case k.Or:
		i.Op = k.And
	case k.Xor:
		i.Op = k.Or
	default:
		return false
	}
	return true
}

// shareable reports whether the emulator has the pattern: it lets pointers be
// equal only to buffers of one size.
func shareable(r *k.Routine, pat k.Pattern) bool {
	for i, b := range pat {
		if r.Spec.Params[i].Limbs != r.Spec.Params[b-1].Limbs {
			return false
		}
	}
	return true
}

// input draws an input with these equal pointers.
func input(t *testing.T, inputs *emulate.Inputs, pat k.Pattern) emulate.Input {
	t.Helper()
	for range 10000 {
		in := inputs.Next()
		if slices.EqualFunc(in.Alias[:len(pat)], pat, func(i, b int) bool { return i == b-1 }) {
			return in
		}
	}
	t.Fatalf("no input has the pointers %v", pat)
	return emulate.Input{}
}

// A follower goes along a certificate with one run.
type follower struct {
	run     *emulate.Run // nil if there is no emulator to compare with
	arm     bool         // for arm64
	program *k.Program
	pat     k.Pattern
	words   int
	cells   int

	v       values // of the kernel's operations, executed on numbers
	vars    map[k.Var]*big.Int
	state   *k.State
	places  map[int]map[k.Loc]k.Place
	bases   map[int]uint64 // addresses of buffers
	saved   map[k.Loc]uint64
	stale   bool    // the certificate is the one for disjoint pointers
	written []k.Loc // since the last instruction
	seen    map[k.Loc]compared
	fault   error
}

// A compared word need not be compared again.
type compared struct {
	w *k.Word
	v uint64
}

// follow runs the routine on an input, and compares. A pattern without a
// certificate takes that for disjoint pointers, whose words must be the same.
func follow(r *k.Routine, pat k.Pattern, ks []*k.Cert, n int, in emulate.Input, change func([]k.Instr)) (*follower, error) {
	prog, err := emulate.NewProgram(r.Code, r.Spec, goABI(r))
	if err != nil {
		return nil, err
	}
	f := &follower{pat: pat, v: values{}, vars: map[k.Var]*big.Int{}, saved: map[k.Loc]uint64{}, seen: map[k.Loc]compared{}}
	if f.run, err = prog.Start(in); err != nil {
		return nil, err
	}
	own := pat
	if ks[n] == nil {
		f.stale, n = true, len(ks)-1
		own = r.Patterns()[n]
	}
	if f.program, err = r.Program(own); err != nil {
		return nil, err
	}
	if change != nil {
		change(f.program.Code)
	}
	f.places = r.Places(own)
	f.begin(r, own, in)
	if err := k.Try(func() { f.follow(ks[n]) }); err != nil {
		return nil, err
	}
	if f.fault != nil {
		return nil, f.fault
	}
	env, err := f.run.Results()
	if err != nil {
		return nil, err
	}
	return f, r.Spec.Check(env)
}

// begin takes the words and addresses on entry from the emulator.
func (f *follower) begin(r *k.Routine, own k.Pattern, in emulate.Input) {
	f.arm = r.Conv == k.GoARM64
	sp := f.run.Regs[amd64.SP].V
	if f.arm {
		sp = f.run.Regs[arm64.SP].V
	}
	f.bases = map[int]uint64{0: sp - 8*uint64(r.Frame)}
	for i, p := range r.Params {
		if p.Role.Pointer() {
			f.bases[own[i]], _ = f.limb(sp + 8*uint64(1+i))
		}
	}
	for i, w := range f.run.Regs {
		f.saved[k.Loc(i+1)] = w.V
	}
	f.state, _ = f.program.Entry()
	for i, x := range f.program.Inputs {
		z := new(big.Int)
		if b, n, ok := k.Unslot(x.Loc); ok {
			v, _ := f.limb(f.bases[b] + 8*uint64(n)) // 0 if it is undefined: nothing may read it
			z.SetUint64(v)
		}
		f.v[x.Loc], f.vars[k.Var(2*(i+1))] = z, z
	}
}

// limb reads memory of the emulator; ok is false if it is not defined.
func (f *follower) limb(addr uint64) (v uint64, ok bool) {
	for _, m := range f.run.Mem.Regions {
		if at := addr - m.Addr; at < uint64(len(m.Data)) {
			return m.Limb(int(at))
		}
	}
	return 0, false
}

func (f *follower) eval(p k.Poly) *big.Int {
	z := new(big.Int)
	for m, c := range p {
		t := new(big.Int).Set(c)
		for _, v := range m.Vars() {
			t.Mul(t, f.vars[v])
		}
		z.Add(z, t)
	}
	return z
}

// compare compares a symbolic word with a number.
func (f *follower) compare(what string, w *k.Word, z *big.Int) {
	switch {
	case f.eval(w.A).Cmp(z) != 0:
		f.fail("%s: the A-form is %v, the word %v", what, f.eval(w.A), z)
	case f.eval(w.C).Cmp(new(big.Int).Lsh(z, w.E)) != 0:
		f.fail("%s: the C-form is %v/2^%d, the word %v", what, f.eval(w.C), w.E, z)
	case w.Lo.Cmp(z) > 0 || w.Hi.Cmp(z) < 0:
		f.fail("%s: the range is from %v to %v, the word %v", what, w.Lo, w.Hi, z)
	}
}

func (f *follower) fail(format string, args ...any) {
	if f.fault == nil {
		f.fault = fmt.Errorf(format, args...)
	}
}

// follow goes along the certificate.
func (f *follower) follow(c *k.Cert) {
	s := f.state
	pc := len(f.program.Inputs) + 1
	first := pc
	step := func(h k.Hint) {
		i := &f.program.Code[pc-first]
		f.emulate(f.program.Offsets[pc-first])
		low, high := f.v.exec(i)
		f.vars[k.Var(2*pc)], f.vars[k.Var(2*pc+1)] = low, high
		s.Step(pc, i, h)
		f.written = append(f.written, i.Results()...)
		for _, l := range i.Results() {
			if w := s.Regs[l]; w != nil {
				f.words++
				f.compare(fmt.Sprintf("operation %d", pc-first), w, f.v[l])
			}
		}
		pc++
	}
	for f.fault == nil {
		next := c.Next[0]
		switch c.Kind {
		case k.NodeRun:
			for n := 0; n < c.N && f.fault == nil; n++ {
				step(k.Hint{})
			}
		case k.NodeHint:
			step(c.Hint)
		case k.NodeDerive:
			s.Ctx.Derive(c.Derive)
		case k.NodeCase:
			s.Ctx.LearnCase(c.Key, c.Poly, s.MustFunc(c.Loc).Bit, c.BitKey, c.Combs)
		case k.NodeFork:
			b := s.MustFunc(c.Loc).Bit
			bit := f.eval(b.A)
			s.Fork(c.Key, b, bit.Int64())
			next = c.Next[bit.Int64()]
		case k.NodeAbsurd:
			f.fail("operation %d: a run takes a path that is called absurd", pc-first)
		case k.NodeEnd:
			f.facts(pc, s)
			f.emulate(1 << 30)
			return
		}
		f.facts(pc, s)
		c = next
	}
}

// goABI is the ABI of Go code for the routine's architecture.
func goABI(r *k.Routine) emulate.ABI {
	if r.Conv == k.GoARM64 {
		return emulate.GoARM64
	}
	return emulate.Go
}

func offsetOf(in machine.Inst) int {
	offset, _ := in.Span()
	return offset
}

// facts compares the facts of a state with the run.
func (f *follower) facts(pc int, s *k.State) {
	for key, fact := range s.Ctx.Facts {
		if z := f.eval(fact.Poly); fact.Lo.Cmp(z) > 0 || fact.Hi.Cmp(z) < 0 {
			f.fail("before operation %d: fact %d is between %v and %v, its value %v", pc, key, fact.Lo, fact.Hi, z)
		}
	}
}

// emulate executes the instructions before the offset, and compares after each.
func (f *follower) emulate(offset int) {
	for f.run != nil && !f.run.Done() && offsetOf(f.run.Inst()) < offset && f.fault == nil {
		in := f.run.Inst()
		if err := f.run.Step(); err != nil {
			f.fail("the emulator: %v", err)
			return
		}
		if f.run.Done() {
			return // the return address is no number
		}
		f.registers(in)
		f.memory(in)
	}
}

// check compares what the kernel says of a location with the emulator's word.
func (f *follower) check(in machine.Inst, what string, l k.Loc, got emulate.Word) {
	if p, ok := f.places[offsetOf(in)][l]; ok {
		want, ok := f.saved[p.Saved]
		if !ok {
			want = f.bases[p.Buffer] + uint64(p.Offset)
		}
		if !p.Unknown && want != got.V {
			f.fail("after %#x, %v: %s is %#x, to the kernel the address %#x", offsetOf(in), in, what, got.V, want)
		}
		return
	}
	w := f.state.Regs[l]
	if w == nil || f.seen[l] == (compared{w, got.V}) {
		return
	}
	f.cells++
	if got.Undef != 0 {
		f.fail("after %#x, %v: %s is undefined, to the kernel %v", offsetOf(in), in, what, w.A)
		return
	}
	f.seen[l] = compared{w, got.V}
	f.compare(fmt.Sprintf("after %#x, %v, in the emulator: %s", offsetOf(in), in, what), w, new(big.Int).SetUint64(got.V))
}

// registers compares registers and flags.
func (f *follower) registers(in machine.Inst) {
	for i, w := range f.run.Regs {
		name := amd64.Reg(i).String()
		if f.arm {
			name = arm64.Reg(i).String()
		}
		f.check(in, name, k.Loc(i+1), w)
	}
	flag := func(name string, l k.Loc, b emulate.Bit) {
		w := emulate.Number(uint64(b))
		if b == emulate.Undefined {
			w = emulate.Poison()
		}
		f.check(in, name, l, w)
	}
	var zf, sf emulate.Bit // for which one word stands
	if f.arm {
		flag("C", locCF, f.run.Flags[arm64.C])
		zf, sf = f.run.Flags[arm64.Z], f.run.Flags[arm64.N]
	} else {
		flag("CF", locCF, f.run.Flags[amd64.CF])
		flag("OF", locOF, f.run.Flags[amd64.OF])
		zf, sf = f.run.Flags[amd64.ZF], f.run.Flags[amd64.SF]
	}
	w := f.state.Regs[locRes]
	if _, ok := f.places[offsetOf(in)][locRes]; ok || w == nil {
		return
	}
	f.cells++
	z := f.eval(w.A)
	if zf != bit(z.Sign() == 0) || sf != bit(z.Bit(63) == 1) {
		f.fail("after %#x, %v, in the emulator: zero and sign are %d, %d, to the kernel those of %#x", offsetOf(in), in, zf, sf, z)
	}
}

// memory compares the words of buffers and of the stack.
func (f *follower) memory(in machine.Inst) {
	locs := f.written
	if !f.stale { // else what is behind an equal pointer has changed
		locs = slices.Collect(maps.Keys(f.state.Regs))
	}
	f.written = nil
	for _, l := range locs {
		b, n, ok := k.Unslot(l)
		if !ok {
			continue
		}
		if v, ok := f.limb(f.bases[b] + 8*uint64(n)); ok {
			f.check(in, fmt.Sprintf("limb %d of buffer %d", n, b), l, emulate.Number(v))
		}
	}
}
