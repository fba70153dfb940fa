package lint

import (
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// belowSP is the offset, from SP, of the word that the frame pointer points to. The
// assembler saves the caller's there, for those who walk the stack; nothing reads it
// back.
const belowSP = -8

var arm64Arch = &arch{
	sp:    int(arm64.SP),
	kept:  []int{int(arm64.FP), int(arm64.LR)},
	align: 16,
	atSP:  "the caller's place for a return address",

	reg:     func(r int) string { return arm64.Reg(r).String() },
	decode:  func(code []byte) ([]machine.Inst, error) { return decoded(arm64.DecodeAll(code)) },
	allow:   func(in machine.Inst) error { return arm64.Allow(in.(arm64.Inst)) },
	padding: func(in machine.Inst) bool { return in.(arm64.Inst).Op == "UDF" },
	movesSP: func(in machine.Inst) bool {
		switch in.(arm64.Inst).Op {
		case "ADD", "SUB", "STR":
			return true
		}
		return false
	},
	step: func(a *analysis, in machine.Inst) (machine.Exit[bit], error) {
		return arm64.Step(view[arm64.Reg, arm64.Flag]{a}, in.(arm64.Inst))
	},

	rules:    func(a *analysis, in machine.Inst) { arm64Rules(a, in.(arm64.Inst)) },
	writes:   arm64Writes,
	stores:   arm64Stores,
	restored: arm64Restored,
}

// reserved are the registers that are not to be used, and why.
var reserved = map[arm64.Reg]string{
	18: "which belongs to the platform",
	27: "which the assembler uses for itself",
	28: "which holds the current goroutine (g)",
}

func arm64Rules(a *analysis, in arm64.Inst) {
	for _, o := range in.Args {
		switch o.Kind {
		case arm64.RegKind, arm64.WordKind, arm64.MemKind, arm64.PreKind:
			if why := reserved[o.Reg]; why != "" {
				a.report(Register, "uses %v, %s", o.Reg, why)
			}
		}
	}
}

// arm64Writes keeps the return address where it is, and the frame pointer just below
// SP, or where it was for the caller.
func arm64Writes(a *analysis, r int, v value) {
	switch arm64.Reg(r) {
	case arm64.LR:
		if !v.isOnEntry(r) {
			a.report(Register, "writes X30, which holds the return address")
		}
	case arm64.FP:
		frame := v.shape == pointer && v.obj == stack && v.known && (int64(v.v) == a.sp()+belowSP || int64(v.v) == belowSP)
		if !v.isOnEntry(r) && !frame {
			a.report(Register, "writes something to X29 that is not the address of the word below SP")
		}
	}
}

// arm64Stores lets the frame pointer be saved below SP, where it counts as not
// written, and nothing but the return address at SP.
func arm64Stores(a *analysis, addr, v value) bool {
	if addr.shape != pointer || addr.obj != stack || !addr.known {
		return false
	}
	switch sp := a.sp(); int64(addr.v) {
	case sp + belowSP:
		return v.isOnEntry(int(arm64.FP))
	case sp:
		if sp < 0 && !v.isOnEntry(int(arm64.LR)) {
			a.report(Stack, "stores something other than the return address at 0(SP)")
		}
	}
	return false
}

// arm64Restored takes for the caller's frame pointer also the address of the word
// below SP, which is what Go's code has there when it calls: the assembler ends a
// frame in this way.
func arm64Restored(a *analysis, r int) bool {
	v := a.s.regs[r]
	return v.isOnEntry(r) || r == int(arm64.FP) && v == at(stack, belowSP)
}
