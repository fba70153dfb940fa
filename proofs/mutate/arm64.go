package mutate

import (
	"fmt"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
)

// swapsARM64 are operations that differ in the carry that they take in.
var swapsARM64 = map[string]string{
	"ADD": "ADC", "ADC": "ADD", "ADDS": "ADCS", "ADCS": "ADDS",
	"SUB": "SBC", "SBC": "SUB", "SUBS": "SBCS", "SBCS": "SUBS",
}

// AllARM64 returns every mutant of an arm64 routine's code, in the order of its
// instructions.
func AllARM64(code []byte) ([]Mutant, error) {
	insts, err := arm64.DecodeAll(code)
	if err != nil {
		return nil, err
	}
	var list []Mutant
	for _, in := range insts {
		if in.Op == "UDF" || in.Op == "RET" {
			continue
		}
		list = append(list, Mutant{Kind: Drop, Was: in})
		add := func(kind Kind, change func(in *arm64.Inst)) {
			now := in
			now.Args = slices.Clone(in.Args)
			change(&now)
			if _, err := encode.ARM64(now); err == nil { // else there is no such instruction
				list = append(list, Mutant{kind, in, now})
			}
		}
		if op, ok := swapsARM64[in.Op]; ok && in.Form() == "rrr" {
			add(Carry, func(now *arm64.Inst) { now.Op = op })
		}
		switch in.Op {
		case "CSEL", "CSINC", "CSINV", "CSNEG":
			add(Condition, func(now *arm64.Inst) { now.Cond ^= 1 })
		}
		for i, a := range in.Args {
			switch a.Kind {
			case arm64.ImmKind:
				step := uint64(1)
				if in.Form() == "rri" {
					step <<= a.Shift
				}
				add(Constant, func(now *arm64.Inst) { now.Args[i].Imm += step })
				add(Constant, func(now *arm64.Inst) { now.Args[i].Imm -= step })
			case arm64.MemKind, arm64.PreKind:
				add(Offset, func(now *arm64.Inst) { now.Args[i].Disp += 8 })
				add(Offset, func(now *arm64.Inst) { now.Args[i].Disp -= 8 })
			}
			if a.Kind == arm64.ImmKind || a.Kind == arm64.TargetKind {
				continue
			}
			for r := range arm64.ZR + 1 {
				if r != a.Reg {
					add(Register, func(now *arm64.Inst) { now.Args[i].Reg = r })
				}
			}
		}
	}
	return list, nil
}

// applyARM64 is Apply for arm64, where every instruction has one length.
func (m Mutant) applyARM64(code []byte, was arm64.Inst) ([]byte, error) {
	insts, err := arm64.DecodeAll(code)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(insts, func(in arm64.Inst) bool { return in.Offset == was.Offset && in.String() == was.String() })
	if i < 0 {
		return nil, fmt.Errorf("the code has no %v at offset %#x", was, was.Offset)
	}
	if m.now != nil {
		b, err := encode.ARM64(m.now.(arm64.Inst))
		return slices.Replace(slices.Clone(code), was.Offset, was.Offset+arm64.Length, b...), err
	}
	var out []byte
	for _, in := range slices.Delete(insts, i, i+1) {
		move := func(offset int) int { // where an instruction is that was at the offset
			if offset > was.Offset {
				return offset - arm64.Length
			}
			return offset
		}
		for k, a := range in.Args {
			if a.Kind == arm64.TargetKind {
				in.Args[k].Target = move(a.Target)
			}
		}
		in.Offset = len(out)
		b, err := encode.ARM64(in)
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	return out, nil
}
