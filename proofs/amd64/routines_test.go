package amd64_test

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/lint"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// TestRoutines executes the assembly of the field packages on the concrete
// machine, from its bytes, and compares the results with the contracts. The
// contracts know nothing of instructions, so this is an independent check of
// the decoder and of Step together.
func TestRoutines(t *testing.T) {
	const module = "github.com/seed-6f9cd256/fieldproof/"
	pkgs, err := object.Load(".", module+"field25519", module+"fieldp256")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(6, 25519))
	for _, p := range pkgs {
		contracts := lint.Contracts(p.Name)
		if len(p.Routines) != len(contracts) {
			t.Errorf("%s has %d routines, want %d", p.Name, len(p.Routines), len(contracts))
		}
		for _, r := range p.Routines {
			code, err := amd64.DecodeAll(r.Code)
			if err != nil {
				t.Errorf("%s: %v", r.Name, err)
				continue
			}
			runs := 20
			if contracts[r.Name].Kind == spec.KindInvert {
				runs = 3 // of some ten thousand instructions each
			}
			for range runs {
				if err := execute(rng, contracts[r.Name], code); err != nil {
					t.Errorf("%s.%s: %v", p.Name, r.Name, err)
					break
				}
			}
		}
	}
}

// draw returns a number below bound, often near to 0, to bound or with limbs of
// equal bits.
func draw(rng *rand.Rand, bound *big.Int) *big.Int {
	v := new(big.Int)
	switch rng.IntN(4) {
	case 0:
		v.SetUint64(rng.Uint64N(4))
	case 1:
		v.Sub(bound, v.SetUint64(1+rng.Uint64N(4)))
	default:
		for range 8 {
			limb := []uint64{0, max64, rng.Uint64(), rng.Uint64()}[rng.IntN(4)]
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(limb))
		}
	}
	return v.Mod(v, bound)
}

// execute runs the code on random inputs, with buffers that are often the same
// one, and checks the contract.
func execute(rng *rand.Rand, contract *spec.Routine, code []amd64.Inst) error {
	const entry, frameSize, buffers = 1 << 20, 1 << 12, 1 << 30
	m := &concrete{mem: make(map[uint64]byte)}
	for i := range m.flags {
		m.flags[i] = undefined
	}
	for r := range m.regs {
		m.regs[r] = rng.Uint64()
	}
	m.regs[sp] = entry
	for a := uint64(entry - frameSize); a < entry+8*10; a++ {
		m.mem[a] = byte(rng.Uint32())
	}
	env := make(spec.Env)
	addr := make(map[string]uint64)
	var pointers []spec.Param
	for i, p := range contract.Params {
		slot := uint64(entry + 8 + 8*i)
		switch {
		case p.Role == spec.Value:
			env[p.Name] = draw(rng, p.Bound)
			m.Store(slot, 8, env[p.Name].Uint64())
		case p.Role == spec.Result:
			addr[p.Name] = slot
		default:
			at := uint64(buffers + 256*i)
			if j := rng.IntN(2 * (len(pointers) + 1)); j < len(pointers) && mayAlias(pointers[j], p) {
				at = addr[pointers[j].Name]
			} else {
				for k := range uint64(8 * p.Limbs) {
					m.mem[at+k] = byte(rng.Uint32())
				}
			}
			addr[p.Name] = at
			if p.Role != spec.Out {
				writeLimbs(m, at, p.Limbs, draw(rng, p.Bound))
			}
			pointers = append(pointers, p)
			m.Store(slot, 8, at)
		}
	}
	for _, p := range pointers {
		if p.Role != spec.Out {
			env[p.Name] = readLimbs(m, addr[p.Name], p.Limbs)
		}
	}
	if err := run(m, code); err != nil {
		return err
	}
	for _, p := range contract.Params {
		switch p.Role {
		case spec.Out, spec.Result:
			env[p.Name] = readLimbs(m, addr[p.Name], p.Limbs)
		case spec.InOut:
			env[spec.After(p.Name)] = readLimbs(m, addr[p.Name], p.Limbs)
		}
	}
	return contract.Check(env)
}

// mayAlias reports whether one buffer can hold what p and q both ask for.
func mayAlias(p, q spec.Param) bool {
	return p.Limbs == q.Limbs && (p.Role == spec.Out || q.Role == spec.Out || p.Bound.Cmp(q.Bound) == 0)
}

func writeLimbs(m *concrete, at uint64, limbs int, v *big.Int) {
	buf := v.FillBytes(make([]byte, 8*limbs))
	for i := range buf {
		m.mem[at+uint64(i)] = buf[len(buf)-1-i]
	}
}

func readLimbs(m *concrete, at uint64, limbs int) *big.Int {
	buf := make([]byte, 8*limbs)
	for i := range limbs {
		binary.BigEndian.PutUint64(buf[8*(limbs-1-i):], m.Load(at+uint64(8*i), 8))
	}
	return new(big.Int).SetBytes(buf)
}

// run executes the code until it returns.
func run(m *concrete, code []amd64.Inst) error {
	index := make(map[int]int)
	for i, in := range code {
		index[in.Offset] = i
	}
	for at := 0; ; {
		in := code[index[at]]
		exit, err := amd64.Step(m, in)
		if err != nil {
			return err
		}
		if m.err != nil {
			return m.err
		}
		at = in.Offset + in.Len
		if exit.Kind == amd64.Return {
			return nil
		}
		if exit.Kind == amd64.Jump || exit.Kind == amd64.Branch && m.use(exit.Cond) == 1 {
			at = exit.Target
		}
	}
}
