package kernel_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// The locations of flags, as X86.v numbers them.
const (
	locCF  k.Loc = 40
	locOF  k.Loc = 41
	locRes k.Loc = 42
)

const (
	memoryAt   = 0x1000
	memorySize = 128
)

// edgeWords are values at which instructions have their limits.
var edgeWords = []uint64{0, 1, 2, ^uint64(0), ^uint64(1), 1 << 63, 1<<63 - 1, 1 << 31, 1<<31 - 1, 1 << 32, 1<<32 - 1, 0xffffffff_80000000, 0xff, 0x80}

// decoded are the shapes that the kernel's decoder takes, in at least one encoding.
var decoded = []string{
	"ADC 32 ri", "ADC 32 rr", "ADC 64 mi", "ADC 64 mr", "ADC 64 ri", "ADC 64 rm", "ADC 64 rr", "ADCX 64 rm", "ADCX 64 rr",
	"ADD 32 ri", "ADD 32 rr", "ADD 64 mi", "ADD 64 mr", "ADD 64 ri", "ADD 64 rm", "ADD 64 rr", "ADOX 64 rm", "ADOX 64 rr",
	"AND 32 ri", "AND 32 rr", "AND 64 mi", "AND 64 mr", "AND 64 ri", "AND 64 rm", "AND 64 rr",
	"BT 64 ri", "BTC 64 ri", "BTR 64 ri", "BTS 64 ri", "BZHI 64 rmr", "BZHI 64 rrr", "CLC 0 ", "CMC 0 ",
	"CMOVcc 32 rr", "CMOVcc 64 rm", "CMOVcc 64 rr", "CMP 32 ri", "CMP 32 rr", "CMP 64 mi", "CMP 64 mr", "CMP 64 ri", "CMP 64 rm", "CMP 64 rr",
	"DEC 32 r", "DEC 64 m", "DEC 64 r", "ENDBR64 0 ", "IMUL 32 rr", "IMUL 32 rri", "IMUL 64 rm", "IMUL 64 rmi", "IMUL 64 rr", "IMUL 64 rri",
	"INC 32 r", "INC 64 m", "INC 64 r", "LEA 32 rm", "LEA 64 rm", "MOV 32 ri", "MOV 32 rr",
	"MOV 64 mi", "MOV 64 mr", "MOV 64 ri", "MOV 64 rm", "MOV 64 rr", "MOVZX 32 rr", "MOVZX 64 rr", "MUL 32 r", "MUL 64 m", "MUL 64 r",
	"MULX 64 rrm", "MULX 64 rrr", "NEG 32 r", "NEG 64 r", "NOP 0 ", "NOT 32 r", "NOT 64 r",
	"OR 32 ri", "OR 32 rr", "OR 64 mi", "OR 64 mr", "OR 64 ri", "OR 64 rm", "OR 64 rr", "POP 64 r", "PUSH 64 r",
	"SAR 32 ri", "SAR 64 ri", "SBB 32 ri", "SBB 32 rr", "SBB 64 mi", "SBB 64 mr", "SBB 64 ri", "SBB 64 rm", "SBB 64 rr", "SETcc 8 r",
	"SHL 32 ri", "SHL 64 ri", "SHLD 64 rri", "SHR 32 ri", "SHR 64 ri", "SHRD 64 rri", "STC 0 ",
	"SUB 32 ri", "SUB 32 rr", "SUB 64 mi", "SUB 64 mr", "SUB 64 ri", "SUB 64 rm", "SUB 64 rr",
	"TEST 32 ri", "TEST 32 rr", "TEST 64 ri", "TEST 64 rr", "TEST 8 ri", "TEST 8 rr", "XCHG 32 rr", "XCHG 64 rr",
	"XOR 32 ri", "XOR 32 rr", "XOR 64 mi", "XOR 64 mr", "XOR 64 ri", "XOR 64 rm", "XOR 64 rr",
}

// TestDecodeStep runs what the kernel's decoder makes of every modelled
// instruction that it takes, and the meaning in package amd64, on random states,
// and compares registers, flags and memory.
func TestDecodeStep(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	states := 0
	var taken []string
	for _, shape := range encode.Shapes() {
		name := fmt.Sprintf("%s %d %s", shape.Op, shape.Bits, shape.Form)
		if shape.Op == "RET" || shape.Op == "JMP" || shape.Op == "Jcc" {
			continue
		}
		n := 0
		for range 60 {
			in := shape.Sample(rnd, 0)
			codes, err := encode.All(in)
			if err != nil {
				continue
			}
			for _, code := range codes {
				parts, err := k.Decode(append(slices.Clone(code), 0xc3))
				if err != nil {
					continue
				}
				mops := parts[0]
				n++
				got, err := amd64.DecodeAll(code)
				if err != nil || len(got) != 1 {
					t.Fatalf("% x is an instruction to the kernel, but not to package amd64: %v", code, err)
				}
				for range 20 {
					states++
					if err := compareStep(rnd, got[0], mops); err != nil {
						t.Fatalf("%v (% x): %v", got[0], code, err)
					}
				}
			}
		}
		if n > 0 {
			taken = append(taken, name)
		}
	}
	slices.Sort(taken)
	if !slices.Equal(taken, decoded) {
		t.Errorf("the decoder takes\n%q\nwant\n%q", strings.Join(taken, `", "`), strings.Join(decoded, `", "`))
	}
	t.Logf("%d states of %d forms", states, len(taken))
}

// TestDecodeStepNotices plants a fault in what the decoder returns.
func TestDecodeStepNotices(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, code := range [][]byte{{0x48, 0x01, 0xd8}, {0x11, 0xd8}, {0x0f, 0x92, 0xc0}, {0x48, 0x0f, 0xba, 0xf0, 5}, {0x48, 0x83, 0x28, 7}} {
		in, err := amd64.DecodeAll(code)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := k.Decode(append(code, 0xc3))
		if err != nil {
			t.Fatal(err)
		}
		mops := parts[0]
		for at := range len(mops) - 2 {
			bad := slices.Clone(mops)
			if bad[at].Kind == k.MopHavoc {
				continue
			}
			bad = slices.Delete(bad, at, at+1)
			noticed := false
			for range 200 {
				noticed = noticed || compareStep(rnd, in[0], bad) != nil
			}
			if !noticed {
				t.Errorf("%v without operation %d: nothing is noticed", in[0], at)
			}
		}
	}
}

// compareStep runs an instruction, and the operations that it is for the
// kernel, without those of the return behind it, from one random state.
func compareStep(rnd *rand.Rand, in amd64.Inst, mops []k.Mop) error {
	m := &emulate.Machine{}
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
	if in.Op == "PUSH" || in.Op == "POP" {
		m.Regs[amd64.SP] = emulate.Number(memoryAt + 8 + 8*uint64(rnd.IntN(memorySize/8-2)))
	}
	for _, o := range in.Args {
		if o.Kind == amd64.MemKind && o.Index == amd64.NoReg && in.Op != "LEA" {
			m.Regs[o.Base] = emulate.Number(memoryAt + uint64(rnd.IntN(memorySize-8)) - uint64(o.Disp))
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
	carry, overflow := emulate.Bit(rnd.IntN(2)), emulate.Bit(rnd.IntN(2))
	// a word that has the flags: 0, positive or negative
	res := []uint64{0, 1 + rnd.Uint64()>>2, 1<<63 + rnd.Uint64()>>2}[rnd.IntN(3)]
	m.Flags[amd64.CF], m.Flags[amd64.OF] = carry, overflow
	m.Flags[amd64.ZF], m.Flags[amd64.SF] = bit(res == 0), bit(res>>63 == 1)
	v[locCF], v[locOF], v[locRes] = big.NewInt(int64(carry)), big.NewInt(int64(overflow)), new(big.Int).SetUint64(res)

	if _, err := m.Step(in); err != nil {
		return err
	}
	for i := range mops[:len(mops)-2] {
		op := &mops[i]
		switch op.Kind {
		case k.MopOp:
			v.exec(&op.Instr)
		case k.MopLoad:
			at := address(v, op)
			v[op.D] = new(big.Int).SetUint64(binary.LittleEndian.Uint64(data[at:]))
		case k.MopStore:
			binary.LittleEndian.PutUint64(data[address(v, op):], v.get(op.A).Uint64())
		case k.MopHavoc:
			delete(v, op.D)
		}
	}
	for i, w := range m.Regs {
		if got := v[k.Loc(i+1)]; !got.IsUint64() || got.Uint64() != w.V {
			return fmt.Errorf("register %v is %#x, want %#x", amd64.Reg(i), got, w.V)
		}
	}
	flag := func(name string, got *big.Int, want emulate.Bit) error {
		if got != nil && (want == emulate.Undefined || got.Cmp(big.NewInt(int64(want))) != 0) {
			return fmt.Errorf("%s is %v, want %d", name, got, want)
		}
		return nil
	}
	var zf, sf *big.Int
	if r := v[locRes]; r != nil {
		zf = big.NewInt(int64(bit(r.Sign() == 0)))
		sf = new(big.Int).Rsh(r, 63)
	}
	for _, err := range []error{
		flag("CF", v[locCF], m.Flags[amd64.CF]), flag("OF", v[locOF], m.Flags[amd64.OF]),
		flag("ZF", zf, m.Flags[amd64.ZF]), flag("SF", sf, m.Flags[amd64.SF]),
	} {
		if err != nil {
			return err
		}
	}
	if !slices.Equal(data, mem.Data) {
		return fmt.Errorf("memory is % x, want % x", data, mem.Data)
	}
	return nil
}

func bit(b bool) emulate.Bit {
	if b {
		return 1
	}
	return 0
}

// address returns the offset in the memory of what an operation accesses.
func address(v values, op *k.Mop) uint64 {
	return v[op.Base].Uint64() + uint64(op.Disp) - memoryAt
}
