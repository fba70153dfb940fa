package lint

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// randomContracts are the contracts of random programs. All begin with two
// pointers and two words.
var randomContracts = []*spec.Routine{
	randomContract(spec.Param{Name: "z", Role: spec.Out, Limbs: 2, Secret: true}, spec.Param{Name: "x", Role: spec.In, Limbs: 2, Secret: true}),
	randomContract(spec.Param{Name: "z", Role: spec.InOut, Limbs: 2, Secret: true}, spec.Param{Name: "x", Role: spec.InOut, Limbs: 2}),
	randomContract(spec.Param{Name: "z", Role: spec.Out, Limbs: 2}, spec.Param{Name: "x", Role: spec.In, Limbs: 3}),
}

func randomContract(z, x spec.Param) *spec.Routine {
	return &spec.Routine{Field: spec.Fields()[0], Kind: "Random", Params: []spec.Param{z, x,
		{Name: "n", Role: spec.Value, Limbs: 1}, {Name: "k", Role: spec.Value, Limbs: 1, Secret: true},
		{Name: "r", Role: spec.Result, Limbs: 1, Secret: true}}}
}

// A randomProgram is a program that the lint accepts.
type randomProgram struct {
	analysis *analysis
	program  *emulate.Program
}

func (p *randomProgram) listing() string {
	var b strings.Builder
	for _, in := range p.program.Code {
		offset, _ := in.Span()
		fmt.Fprintf(&b, "%#x\t%v\n", offset, in)
	}
	return b.String()
}

const frameSize = 24

// randomRoutine draws a program: a frame, all registers set, some instructions
// of the allow-list, and the end of the frame. Instructions that the lint
// refuses are taken out until none is left. It returns nil where what is left
// does not return in order.
func randomRoutine(rng *rand.Rand, c *spec.Routine) (*randomProgram, error) {
	g := &drawing{rng: rng, contract: c, rules: amd64.AllowList()}
	head := g.prologue()
	body := g.body(10 + rng.IntN(30))
	tail := g.epilogue()
	for {
		list := append(append(append([]amd64.Inst(nil), head...), body...), tail...)
		code, offsets, err := assemble(list)
		if err != nil {
			return nil, err
		}
		a := analyze("amd64", "random", code, c)
		refused := make(map[int]bool)
		for _, p := range a.result.Problems {
			refused[p.Offset] = true
		}
		if len(refused) == 0 {
			p, err := emulate.NewProgram(code, c, emulate.Go)
			return &randomProgram{a, p}, err
		}
		left := body[:0:0]
		moved := make([]int, len(body)+1) // where an instruction of the body is in left
		for i, in := range body {
			moved[i] = len(left)
			if !refused[offsets[len(head)+i]] {
				left = append(left, in)
			}
		}
		moved[len(body)] = len(left)
		if len(left) == len(body) {
			return nil, nil
		}
		for i, in := range left {
			if t := in.Args; len(t) > 0 && t[0].Kind == amd64.TargetKind {
				left[i].Args = []amd64.Operand{{Kind: amd64.TargetKind, Target: len(head) + moved[t[0].Target-len(head)]}}
			}
		}
		body = left
	}
}

// assemble encodes instructions in which the targets of jumps are indexes, and
// returns the offset of each.
func assemble(list []amd64.Inst) (code []byte, offsets []int, err error) {
	for range 2 { // the first time for the offsets, which jumps do not change
		at := offsets
		code, offsets = nil, nil
		for _, in := range list {
			in.Offset = len(code)
			offsets = append(offsets, in.Offset)
			if a := in.Args; at != nil && len(a) > 0 && a[0].Kind == amd64.TargetKind {
				in.Args = []amd64.Operand{{Kind: amd64.TargetKind, Target: at[a[0].Target]}}
			}
			b, err := encode.Inst(in)
			if err != nil {
				return nil, nil, err
			}
			code = append(code, b...)
		}
	}
	return code, offsets, nil
}

// A drawing draws the instructions of one program.
type drawing struct {
	rng      *rand.Rand
	contract *spec.Routine
	rules    []amd64.Rule
	head     int // instructions before the body
}

// Places that the programs use: BP is free inside of the frame, and SI and DI
// hold the pointers, of which the last is written to rarely.
var general = []amd64.Reg{amd64.AX, amd64.CX, amd64.DX, amd64.BX, amd64.BP, amd64.R8, amd64.R9}

func register(r amd64.Reg, bits int) amd64.Operand {
	return amd64.Operand{Kind: amd64.RegKind, Reg: r, Bits: bits}
}

func cellOf(base amd64.Reg, disp int64, bits int) amd64.Operand {
	return amd64.Operand{Kind: amd64.MemKind, Bits: bits, Base: base, Index: amd64.NoReg, Scale: 1, Disp: disp}
}

func imm(v int64) amd64.Operand { return amd64.Operand{Kind: amd64.ImmKind, Imm: v} }

func inst(op string, args ...amd64.Operand) amd64.Inst { return amd64.Inst{Op: op, Args: args} }

// argument returns the slot of parameter i, from SP inside of the frame.
func argument(i int64) amd64.Operand { return cellOf(amd64.SP, frameSize+8+firstArg+8*i, 64) }

// prologue saves BP as the assembler does, takes the frame, and sets registers,
// cells and flags to pointers, public and secret words, and constants.
func (g *drawing) prologue() []amd64.Inst {
	list := []amd64.Inst{
		inst("PUSH", register(amd64.BP, 64)),
		inst("SUB", register(amd64.SP, 64), imm(frameSize)),
		inst("MOV", register(amd64.DI, 64), argument(0)),
		inst("MOV", register(amd64.SI, 64), argument(1)),
	}
	for i, r := range general {
		switch g.rng.IntN(4) {
		case 0:
			list = append(list, inst("MOV", register(r, 64), imm(g.rng.Int64N(4))))
		case 1:
			list = append(list, inst("MOV", register(r, 64), argument(2)),
				inst("LEA", register(r, 64), cellOf(r, int64(i), 0)))
		case 2:
			list = append(list, inst("MOV", register(r, 64), argument(2)))
		default:
			list = append(list, inst("MOV", register(r, 64), argument(3)))
		}
	}
	zero := register(amd64.R10, 64)
	list = append(list, inst("MOV", zero, imm(0)), inst("MOV", argument(4), zero))
	for i := range int64(2) {
		list = append(list, inst("MOV", cellOf(amd64.DI, 8*i, 64), zero))
	}
	for i := range int64(frameSize/8 - 1) { // the last one is written to later, or never
		list = append(list, inst("MOV", cellOf(amd64.SP, 8*i, 64), register(general[g.rng.IntN(len(general))], 64)))
	}
	list = append(list, inst("ADD", zero, register(general[g.rng.IntN(len(general))], 64)))
	g.head = len(list)
	return list
}

func (g *drawing) epilogue() []amd64.Inst {
	return []amd64.Inst{
		inst("ADD", register(amd64.SP, 64), imm(frameSize)),
		inst("POP", register(amd64.BP, 64)),
		inst("RET"),
	}
}

// body draws n instructions.
func (g *drawing) body(n int) []amd64.Inst {
	var list []amd64.Inst
	for len(list) < n {
		r := g.rules[g.rng.IntN(len(g.rules))]
		switch g.rng.IntN(16) {
		case 0, 1: // a jump forward, over what is drawn next
			in := inst("Jcc", amd64.Operand{Kind: amd64.TargetKind, Target: g.head + min(n, len(list)+2+g.rng.IntN(5))})
			in.Cond = amd64.Cond(g.rng.IntN(16))
			list = append(list, in)
			continue
		case 2: // a choice, often between two words of which nothing is known
			list = append(list, g.instruction(amd64.Rule{Op: "CMOVcc", Bits: "64", Forms: "rr"}))
			continue
		case 3: // SP moves, and loses what is below it
			if g.rng.IntN(4) == 0 && len(list)+2 <= n {
				list = append(list, inst("ADD", register(amd64.SP, 64), imm(8)), inst("SUB", register(amd64.SP, 64), imm(8)))
				continue
			}
		}
		switch r.Op {
		case "PUSH", "POP", "RET", "JMP", "Jcc":
		default:
			list = append(list, g.instruction(r))
		}
	}
	return list
}

// instruction draws operands for a rule.
func (g *drawing) instruction(r amd64.Rule) amd64.Inst {
	in := amd64.Inst{Op: r.Op, Cond: amd64.Cond(g.rng.IntN(16))}
	if !strings.HasSuffix(r.Op, "cc") {
		in.Cond = 0
	}
	pick := func(s string) string { l := strings.Fields(s); return l[g.rng.IntN(len(l))] }
	if r.Bits == "" {
		return in
	}
	bits := map[string]int{"8": 8, "32": 32, "64": 64}[pick(r.Bits)]
	for i, k := range pick(r.Forms) {
		switch amd64.Kind(k) {
		case amd64.RegKind:
			in.Args = append(in.Args, register(g.register(i > 0), bits))
		case amd64.ImmKind:
			in.Args = append(in.Args, imm([]int64{0, 1, 2, 7, 8, 31, -1, 63}[g.rng.IntN(8)]))
			if bits < 64 || strings.HasPrefix(r.Op, "SH") || r.Op == "SAR" { // narrow, or a count
				in.Args[i].Imm &= 31
			}
		case amd64.MemKind:
			in.Args = append(in.Args, g.memory(bits))
			if r.Op == "LEA" {
				in.Args[i].Bits = 0
			}
		}
	}
	return in
}

func (g *drawing) register(source bool) amd64.Reg {
	if source && g.rng.IntN(6) == 0 || g.rng.IntN(30) == 0 {
		return []amd64.Reg{amd64.SI, amd64.DI}[g.rng.IntN(2)]
	}
	return general[g.rng.IntN(len(general))]
}

// memory draws an operand in a buffer, the frame or the result, at times of
// half a limb, and now and then indexed.
func (g *drawing) memory(bits int) amd64.Operand {
	o := cellOf([]amd64.Reg{amd64.SI, amd64.DI, amd64.SP}[g.rng.IntN(3)], 8*g.rng.Int64N(3), bits)
	if o.Base == amd64.SP && g.rng.IntN(4) == 0 {
		o.Disp = argument(2 + g.rng.Int64N(3)).Disp
	}
	if bits < 64 {
		o.Disp += int64(bits/8) * g.rng.Int64N(int64(64/bits))
	}
	if o.Base != amd64.SP && g.rng.IntN(5) == 0 {
		o.Index, o.Scale = general[g.rng.IntN(len(general))], 8
	}
	return o
}
