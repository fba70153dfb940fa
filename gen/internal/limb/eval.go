package limb

import (
	"fmt"
	"math/bits"
)

// Eval runs the program. mem holds the words of each parameter by name, and is
// changed in place; two parameters may share a slice. It returns the result of
// the routine, if it has one. Tests use it to try algorithms on moduli for
// which nothing is generated.
func (p *Program) Eval(mem map[string][]uint64) (result uint64, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", p.Routine.Name(), r)
		}
	}()
	e := evaluator{p: p, mem: map[*Buf][]uint64{}, params: mem, word: map[*Word]uint64{}, flag: map[*Flag]uint64{}}
	for _, f := range p.Frames {
		e.mem[f] = make([]uint64, f.Limbs)
	}
	e.run(0, len(p.Instrs))
	return e.result, nil
}

type evaluator struct {
	p      *Program
	mem    map[*Buf][]uint64
	params map[string][]uint64
	word   map[*Word]uint64
	flag   map[*Flag]uint64
	result uint64
}

func (e *evaluator) cell(c Cell) *uint64 {
	m, ok := e.mem[c.Buf]
	if !ok {
		m = e.params[c.Buf.Name]
	}
	return &m[c.Index]
}

func (e *evaluator) read(w *Word) uint64 {
	if w.IsConst {
		return w.K
	}
	v, ok := e.word[w]
	if !ok {
		panic(fmt.Sprintf("word %d is read before it is set", w.ID))
	}
	return v
}

// run executes the instructions from index from up to, not including, to.
func (e *evaluator) run(from, to int) {
	for n := from; n < to; n++ {
		i := e.p.Instrs[n]
		if i.Op != Loop {
			e.step(i)
			continue
		}
		end, depth := n, 0
		for ; ; end++ {
			switch e.p.Instrs[end].Op {
			case Loop:
				depth++
			case EndLoop:
				depth--
			}
			if depth == 0 {
				break
			}
		}
		for range i.Imm {
			e.run(n+1, end)
		}
		n = end
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (e *evaluator) step(i *Instr) {
	in := make([]uint64, len(i.In))
	for n, w := range i.In {
		in[n] = e.read(w)
	}
	var f uint64
	if i.Cond != nil {
		var ok bool
		if f, ok = e.flag[i.Cond]; !ok {
			panic(fmt.Sprintf("flag %d is read before it is set", i.Cond.ID))
		}
	}
	var out [2]uint64
	var flags [2]uint64
	switch i.Op {
	case Load:
		out[0] = *e.cell(i.Cell)
	case Store:
		*e.cell(i.Cell) = in[0]
	case Add:
		out[0], flags[0] = bits.Add64(in[0], in[1], f)
	case Sub:
		out[0], flags[0] = bits.Sub64(in[0], in[1], f)
	case Mul:
		out[0], out[1] = bits.Mul64(in[0], in[1])
	case MulLo:
		out[0] = in[0] * in[1]
	case And:
		out[0] = in[0] & in[1]
	case Or:
		out[0] = in[0] | in[1]
	case Xor:
		out[0] = in[0] ^ in[1]
	case Shl:
		out[0] = in[0] << i.Imm
	case Shr:
		out[0] = in[0] >> i.Imm
	case Sar:
		out[0] = uint64(int64(in[0]) >> i.Imm)
	case ShrD:
		out[0] = in[1]>>i.Imm | in[0]<<(64-i.Imm)
	case Halve:
		out[0], flags[0] = uint64(int64(in[0])>>1), in[0]&1
	case Sum:
		out[0] = in[0] + in[1] + uint64(int64(i.Imm))
	case Bit:
		flags[0] = in[0] >> i.Imm & 1
	case Neg:
		flags[0] = in[0] >> 63
	case NonZ:
		flags[0] = bit(in[0] != 0)
	case BitIf:
		if in[1] > 1 {
			panic(fmt.Sprintf("BitIf with %#x, want a bit", in[1]))
		}
		flags[0] = in[0] & in[1]
	case Select:
		out[0] = in[1]
		if f == 1 {
			out[0] = in[0]
		}
	case Mask:
		out[0] = -f
	case Return:
		e.result = in[0]
	case Assign:
		for n, w := range i.Out {
			e.word[w] = in[n]
		}
		return
	}
	for n, w := range i.Out {
		e.word[w] = out[n]
	}
	for n, g := range i.Flag {
		e.flag[g] = flags[n]
	}
}
