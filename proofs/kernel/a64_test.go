package kernel_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

const ret64 = "\xc0\x03\x5f\xd6" // RET X30

// formsARM64 calls f with the operation and the operands of every modelled form.
func formsARM64(f func(op, form string)) {
	for _, r := range arm64.AllowList() {
		for _, form := range strings.Split(r.Forms, " ") {
			f(r.Op, form)
		}
	}
}

// TestDecodeStepARM64 runs what the kernel's decoder makes of every modelled
// instruction, and the meaning in package arm64, on random states, and compares
// registers, flags and memory.
func TestDecodeStepARM64(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	states := 0
	var left []string
	formsARM64(func(op, form string) {
		taken := 0
		for range 150 {
			in := encode.SampleARM64(rnd, op, form)
			code, err := encode.ARM64(in)
			if err != nil {
				t.Fatal(err)
			}
			ops, err := k.DecodeARM64(append(code, ret64...))
			if err != nil {
				continue
			}
			taken++
			for range 12 {
				states++
				if err := compareStepARM64(rnd, in, ops); err != nil {
					t.Fatalf("%s %s, % x: %v", op, form, code, err)
				}
			}
		}
		if taken == 0 {
			left = append(left, op+" "+form)
		}
	})
	slices.Sort(left)
	if want := []string{"CBNZ rt", "RET ", "UDF "}; !slices.Equal(left, want) {
		t.Errorf("the decoder refuses %q altogether, want %q", left, want)
	}
	t.Logf("%d states", states)
}

// TestDecodeARM64Refuses decodes routines with random words. What the kernel
// accepts must be an instruction to package arm64.
func TestDecodeARM64Refuses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	accepted, refused := 0, 0
	var words []uint32
	formsARM64(func(op, form string) {
		for range 40 {
			code, err := encode.ARM64(encode.SampleARM64(rnd, op, form))
			if err != nil {
				t.Fatal(err)
			}
			w := binary.LittleEndian.Uint32(code)
			for range 40 {
				words = append(words, w^1<<rnd.IntN(32), w^1<<rnd.IntN(32)^1<<rnd.IntN(32))
			}
		}
	})
	for range 100000 {
		words = append(words, rnd.Uint32())
	}
	for _, w := range words {
		code := binary.LittleEndian.AppendUint32(nil, w)
		if _, err := k.DecodeARM64(append(code, ret64...)); err != nil || string(code) == ret64 {
			refused++
			continue
		}
		accepted++
		if _, err := arm64.Decode(code, 0); err != nil {
			t.Fatalf("%08x is an instruction to the kernel: %v", w, err)
		}
	}
	t.Logf("%d words accepted, %d refused", accepted, refused)
	if accepted < 10000 || refused < 100000 {
		t.Errorf("too few for a test")
	}
	for _, bad := range []string{"", ret64[:3], "\x00\x00\x00\x00", ret64 + ret64, ret64 + "\x00\x00\x00\x01", "\xe0\x03\x1f\xaa"} {
		if _, err := k.DecodeARM64([]byte(bad)); err == nil {
			t.Errorf("% x is accepted", bad)
		}
	}
	if ops, err := k.DecodeARM64([]byte(ret64 + "\x00\x00\x00\x00")); err != nil || len(ops) != 1 {
		t.Errorf("a return with padding: got %d operations, %v", len(ops), err)
	}
}

// TestDecodeNearARM64 flips bits of the instructions of our routines. What the kernel
// still reads must be that to package arm64, with the same effect on random states.
func TestDecodeNearARM64(t *testing.T) {
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	near := map[uint32]bool{}
	for _, tt := range all {
		if tt.Conv != k.GoARM64 {
			continue
		}
		for c := range slices.Chunk(tt.Code, 4) {
			w := binary.LittleEndian.Uint32(c)
			near[w] = true
			for b := range 32 {
				near[w^1<<b] = true
			}
		}
	}
	rnd := rand.New(rand.NewPCG(19, 20))
	compared, refused := 0, 0
	for n, w := range slices.Sorted(maps.Keys(near)) {
		code := binary.LittleEndian.AppendUint32(nil, w)
		if n%47 != 0 || string(code) == ret64 { // all of them take two minutes
			continue
		}
		ops, err := k.DecodeARM64(append(code, ret64...))
		if err != nil {
			refused++
			continue
		}
		compared++
		in, err := arm64.Decode(code, 0)
		for i := 0; i < 4 && err == nil; i++ {
			err = compareStepARM64(rnd, in, ops)
		}
		if err != nil {
			t.Errorf("%08x, which the kernel reads: %v", w, err)
		}
	}
	t.Logf("%d words compared, %d refused", compared, refused)
	if compared < 2000 || refused < 2000 {
		t.Errorf("too few for a test")
	}
}

// TestDecodeStepARM64Notices plants faults in what the decoder returns.
func TestDecodeStepARM64Notices(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	planted := 0
	formsARM64(func(op, form string) {
		for range 4 {
			in := encode.SampleARM64(rnd, op, form)
			if slices.ContainsFunc(in.Args, func(a arm64.Operand) bool { return a.Reg == arm64.ZR }) {
				continue
			}
			code, err := encode.ARM64(in)
			if err != nil {
				t.Fatal(err)
			}
			ops, err := k.DecodeARM64(append(code, ret64...))
			if err != nil {
				continue
			}
			for i := range ops[:len(ops)-1] {
				planted++
				noticed := false
				for range 300 {
					noticed = noticed || compareStepARM64(rnd, in, slices.Delete(slices.Clone(ops), i, i+1)) != nil
				}
				if !noticed && !idle(in) {
					t.Errorf("%s %s (% x) without operation %d, %+v: nothing is noticed", op, form, code, i, ops[i])
				}
			}
		}
	})
	if planted < 150 {
		t.Errorf("%d faults planted: too few for a test", planted)
	}
}

// idle reports whether an instruction may leave its result as it was.
func idle(in arm64.Inst) bool {
	switch in.Op {
	case "ADD", "SUB", "LSR", "ASR", "EXTR":
		return in.Args[len(in.Args)-1].Kind == arm64.ImmKind && in.Args[len(in.Args)-1].Imm == 0
	case "CSEL":
		return in.Args[0].Reg == in.Args[1].Reg || in.Args[0].Reg == in.Args[2].Reg
	case "AND", "ORR":
		return in.Args[0].Reg == in.Args[1].Reg && in.Args[0].Reg == in.Args[2].Reg
	}
	return false
}

// compareStepARM64 runs an instruction, and the operations that it is for the
// kernel, without that of the return behind it, from one random state.
func compareStepARM64(rnd *rand.Rand, in arm64.Inst, ops []k.Mop) error {
	m := &emulate.ARM64{}
	mem := emulate.Defined("memory", memoryAt, memorySize, true)
	m.Mem.Regions = []*emulate.Region{mem}
	v := values{}
	pick := func() uint64 {
		if rnd.IntN(2) == 0 {
			return edgeWords[rnd.IntN(len(edgeWords))]
		}
		return rnd.Uint64()
	}
	for i := range m.Regs {
		m.Regs[i] = emulate.Number(pick())
	}
	for _, o := range in.Args {
		if o.Kind == arm64.MemKind || o.Kind == arm64.PreKind {
			m.Regs[o.Reg] = emulate.Number(memoryAt + uint64(rnd.IntN(memorySize-16)) - uint64(o.Disp))
		}
	}
	for i := range m.Regs {
		v[k.Loc(i+1)] = new(big.Int).SetUint64(m.Regs[i].V)
	}
	for l := k.Loc(90); l < 94; l++ { // what no instruction may read before it is written
		v[l] = new(big.Int).SetUint64(rnd.Uint64())
	}
	for i := range memorySize / 8 {
		mem.SetLimb(8*i, pick())
	}
	data := slices.Clone(mem.Data)
	carry := emulate.Bit(rnd.IntN(2))
	res := []uint64{0, 1 + rnd.Uint64()>>2, 1<<63 + rnd.Uint64()>>2}[rnd.IntN(3)]
	m.Flags[arm64.C], m.Flags[arm64.V] = carry, emulate.Bit(rnd.IntN(2))
	m.Flags[arm64.Z], m.Flags[arm64.N] = bit(res == 0), bit(res>>63 == 1)
	v[locCF], v[locRes] = big.NewInt(int64(carry)), new(big.Int).SetUint64(res)

	if _, err := m.Step(in); err != nil {
		return err
	}
	for i := range ops[:len(ops)-1] {
		op := &ops[i]
		switch op.Kind {
		case k.MopOp:
			v.exec(&op.Instr)
		case k.MopLoad:
			at := address(v, op)
			if at > memorySize-8 {
				return fmt.Errorf("reads at %#x of the memory", at)
			}
			v[op.D] = new(big.Int).SetUint64(binary.LittleEndian.Uint64(data[at:]))
		case k.MopStore:
			at := address(v, op)
			if at > memorySize-8 {
				return fmt.Errorf("writes at %#x of the memory", at)
			}
			binary.LittleEndian.PutUint64(data[at:], v.get(op.A).Uint64())
		case k.MopHavoc:
			delete(v, op.D)
		}
	}
	for i, w := range m.Regs {
		if got := v[k.Loc(i+1)]; !got.IsUint64() || got.Uint64() != w.V {
			return fmt.Errorf("register %v is %#x, want %#x", arm64.Reg(i), got, w.V)
		}
	}
	c, r := v[locCF], v[locRes]
	got := [3]emulate.Bit{emulate.Bit(c.Int64()), bit(r.Sign() == 0), bit(r.Bit(63) == 1)}
	if want := [3]emulate.Bit{m.Flags[arm64.C], m.Flags[arm64.Z], m.Flags[arm64.N]}; got != want || !c.IsInt64() {
		return fmt.Errorf("C, Z, N are %v, want %v", got, want)
	}
	if !slices.Equal(data, mem.Data) {
		return fmt.Errorf("memory is % x, want % x", data, mem.Data)
	}
	return nil
}
