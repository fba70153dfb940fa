// Package mutate makes wrong versions of machine code, each by one change to
// one instruction, to see whether a checker notices them.
//
// A change is made to the bytes: the instruction is decoded, altered, encoded
// again and put in its place, and jumps across it are adjusted.
package mutate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/proofs/machine"
)

// A Kind is what a mutant changes.
type Kind string

// The kinds of change.
const (
	Drop      Kind = "dropped instruction"
	Carry     Kind = "carry taken in or not" // ADC and ADD, SBB and SUB
	Chain     Kind = "other carry chain"     // ADCX and ADOX
	Constant  Kind = "constant off by one"
	Register  Kind = "other register"
	Offset    Kind = "other offset" // of an access to memory, by one limb
	Condition Kind = "opposite condition"
)

// Kinds returns every kind of change.
func Kinds() []Kind { return []Kind{Drop, Carry, Chain, Constant, Register, Offset, Condition} }

// A Mutant is a change that is to be made to a routine.
type Mutant struct {
	Kind Kind
	Was  machine.Inst // of package amd64 or arm64
	now  machine.Inst // of the same; nil if dropped
}

func (m Mutant) String() string {
	offset, _ := m.Was.Span()
	s := fmt.Sprintf("%s at offset %#x: %v", m.Kind, offset, m.Was)
	switch now := m.now.(type) { // decoding has the text of an instruction
	case amd64.Inst:
		if code, err := encode.Inst(now); err == nil && now.Op != "Jcc" {
			if in, err := amd64.Decode(code, 0); err == nil {
				return s + " -> " + in.String()
			}
		}
		s += fmt.Sprintf(" -> %s %v", now.Op, now.Cond)
	case arm64.Inst:
		if code, err := encode.ARM64(now); err == nil {
			if in, err := arm64.Decode(code, 0); err == nil {
				return s + " -> " + in.String()
			}
		}
		s += " -> " + now.Op
	}
	return s
}

// swaps are operations that differ in the carry they take in, or in the flag
// that holds it.
var swaps = map[string]struct {
	op   string
	kind Kind
}{
	"ADD": {"ADC", Carry}, "ADC": {"ADD", Carry}, "SUB": {"SBB", Carry}, "SBB": {"SUB", Carry},
	"ADCX": {"ADOX", Chain}, "ADOX": {"ADCX", Chain},
}

// All returns every mutant of an amd64 routine's code, in the order of its
// instructions.
func All(code []byte) ([]Mutant, error) {
	insts, err := amd64.DecodeAll(code)
	if err != nil {
		return nil, err
	}
	var list []Mutant
	for _, in := range insts {
		if in.Op == "NOP" || in.Op == "RET" {
			continue
		}
		list = append(list, Mutant{Kind: Drop, Was: in})
		add := func(kind Kind, change func(in *amd64.Inst)) {
			now := in
			now.Args = slices.Clone(in.Args)
			change(&now)
			if _, err := encode.Inst(now); err == nil { // else there is no such instruction
				list = append(list, Mutant{kind, in, now})
			}
		}
		if s, ok := swaps[in.Op]; ok {
			add(s.kind, func(now *amd64.Inst) { now.Op = s.op })
		}
		if in.Op == "Jcc" || in.Op == "CMOVcc" || in.Op == "SETcc" {
			add(Condition, func(now *amd64.Inst) { now.Cond ^= 1 })
		}
		for i, a := range in.Args {
			switch a.Kind {
			case amd64.ImmKind:
				add(Constant, func(now *amd64.Inst) { now.Args[i].Imm++ })
				add(Constant, func(now *amd64.Inst) { now.Args[i].Imm-- })
			case amd64.RegKind:
				others(a.Reg, func(r amd64.Reg) { add(Register, func(now *amd64.Inst) { now.Args[i].Reg = r }) })
			case amd64.MemKind:
				add(Offset, func(now *amd64.Inst) { now.Args[i].Disp += 8 })
				add(Offset, func(now *amd64.Inst) { now.Args[i].Disp -= 8 })
				if a.Base != amd64.NoReg {
					others(a.Base, func(r amd64.Reg) { add(Register, func(now *amd64.Inst) { now.Args[i].Base = r }) })
				}
				if a.Index != amd64.NoReg {
					others(a.Index, func(r amd64.Reg) { add(Register, func(now *amd64.Inst) { now.Args[i].Index = r }) })
				}
			}
		}
	}
	return list, nil
}

func others(r amd64.Reg, f func(amd64.Reg)) {
	for o := range amd64.Reg(amd64.NumRegs) {
		if o != r {
			f(o)
		}
	}
}

// Sample returns n different mutants, or all where there are no more. Kinds
// take turns, since there are many more of some than of others.
func Sample(rng *rand.Rand, list []Mutant, n int) []Mutant {
	byKind := make(map[Kind][]Mutant)
	for _, m := range list {
		byKind[m.Kind] = append(byKind[m.Kind], m)
	}
	var picked []Mutant
	for len(picked) < min(n, len(list)) {
		for _, k := range Kinds() {
			rest := byKind[k]
			if len(rest) == 0 || len(picked) == n {
				continue
			}
			i := rng.IntN(len(rest))
			picked = append(picked, rest[i])
			byKind[k] = append(rest[:i:i], rest[i+1:]...)
		}
	}
	return picked
}
