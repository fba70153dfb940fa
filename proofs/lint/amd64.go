package lint

import (
	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// savedBP is the offset, from SP on entry, at which the assembler saves BP when there
// is a frame.
const savedBP = -8

var amd64Arch = &arch{
	sp:    int(amd64.SP),
	kept:  []int{int(amd64.BP)},
	align: 8,
	atSP:  "the return address",

	reg:     func(r int) string { return amd64.Reg(r).String() },
	decode:  func(code []byte) ([]machine.Inst, error) { return decoded(amd64.DecodeAll(code)) },
	allow:   func(in machine.Inst) error { return amd64.Allow(in.(amd64.Inst)) },
	padding: func(in machine.Inst) bool { return in.(amd64.Inst).Op == "NOP" },
	movesSP: func(in machine.Inst) bool {
		switch in.(amd64.Inst).Op {
		case "ADD", "SUB", "LEA", "PUSH", "POP":
			return true
		}
		return false
	},
	step: func(a *analysis, in machine.Inst) (machine.Exit[bit], error) {
		return amd64.Step(view[amd64.Reg, amd64.Flag]{a}, in.(amd64.Inst))
	},

	rules: func(a *analysis, in machine.Inst) { amd64Rules(a, in.(amd64.Inst)) },
	writes: func(a *analysis, r int, v value) {
		const bp = int(amd64.BP)
		if r == bp && !v.isOnEntry(bp) && !a.s.mem[cell{stack, savedBP}].isOnEntry(bp) {
			a.report(Register, "writes BP before it is saved just below the return address, as in a routine with a frame")
		}
	},
	stores:   func(*analysis, value, value) bool { return false },
	restored: func(a *analysis, r int) bool { return a.s.regs[r].isOnEntry(r) },
}

func amd64Rules(a *analysis, in amd64.Inst) {
	for _, o := range in.Args {
		switch {
		case o.Kind == amd64.RegKind && o.Reg == amd64.R14,
			o.Kind == amd64.MemKind && (o.Base == amd64.R14 || o.Index == amd64.R14):
			a.report(Register, "uses R14, which holds the current goroutine (g)")
		case o.Kind == amd64.OtherKind && (o.Other == "X15" || o.Other == "Y15" || o.Other == "Z15"):
			a.report(Register, "uses X15, which Go keeps zero")
		}
	}
	if (in.Op == "PUSH" || in.Op == "POP") && (len(in.Args) != 1 || in.Args[0].Reg != amd64.BP) {
		a.report(Stack, "pushes or pops something other than BP")
	}
}
