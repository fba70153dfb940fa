package mutate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/arm64"
	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	"github.com/seed-6f9cd256/fieldproof/proofs/mutate"
)

// TestARM64 makes every mutant of a loop: each differs from the original in the
// instruction that it names, and jumps go on to where they went.
func TestARM64(t *testing.T) {
	x := func(r arm64.Reg) arm64.Operand { return arm64.Operand{Kind: arm64.RegKind, Reg: r} }
	imm := func(v uint64) arm64.Operand { return arm64.Operand{Kind: arm64.ImmKind, Imm: v} }
	list := []arm64.Inst{
		{Op: "MOVZ", Args: []arm64.Operand{x(0), imm(3)}},
		{Op: "ADDS", Args: []arm64.Operand{x(1), x(1), x(2)}}, // the loop begins
		{Op: "CSEL", Cond: arm64.NE, Args: []arm64.Operand{x(2), x(1), x(arm64.ZR)}},
		{Op: "SUB", Args: []arm64.Operand{x(0), x(0), imm(1)}},
		{Op: "CBNZ", Args: []arm64.Operand{x(0), {Kind: arm64.TargetKind, Target: 4}}},
		{Op: "STR", Args: []arm64.Operand{x(1), {Kind: arm64.MemKind, Reg: arm64.SP, Disp: 8}}},
		{Op: "RET"},
		{Op: "UDF"},
	}
	var code []byte
	for _, in := range list {
		in.Offset = len(code)
		b, err := encode.ARM64(in)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, b...)
	}
	mutants, err := mutate.AllARM64(code)
	if err != nil {
		t.Fatal(err)
	}
	kinds, texts := map[mutate.Kind]int{}, map[string]bool{}
	for _, m := range mutants {
		out, err := m.Apply(code)
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		insts, err := arm64.DecodeAll(out)
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		kinds[m.Kind]++
		texts[m.String()] = true
		offset, _ := m.Was.Span()
		dropped := 0
		if m.Kind == mutate.Drop {
			dropped = 1
		}
		if len(insts) != len(list)-dropped {
			t.Fatalf("%v: %d instructions", m, len(insts))
		}
		changed := 0
		for i, in := range insts {
			was := i
			if i >= offset/4 {
				was += dropped
			}
			if in.Op == "CBNZ" && m.Was.(arm64.Inst).Op != "CBNZ" {
				want := 4
				if dropped == 1 && offset < 4 {
					want = 0
				}
				if in.Args[1].Target != want {
					t.Errorf("%v: the jump goes to %#x, want %#x", m, in.Args[1].Target, want)
				}
			} else if fmt.Sprint(in.Op, in.Cond, in.Args) != fmt.Sprint(list[was].Op, list[was].Cond, list[was].Args) {
				changed++
				if was != offset/4 {
					t.Errorf("%v: changes %v too", m, in)
				}
			}
		}
		if changed != 1-dropped && m.Was.(arm64.Inst).Op != "CBNZ" {
			t.Errorf("%v: %d instructions are changed", m, changed)
		}
	}
	for _, k := range mutate.Kinds() {
		if (kinds[k] == 0) != (k == mutate.Chain) {
			t.Errorf("%d mutants of the kind %q", kinds[k], k)
		}
	}
	if kinds[mutate.Drop] != 6 {
		t.Errorf("%d instructions are dropped, want all but RET and the padding", kinds[mutate.Drop])
	}
	if !texts["carry taken in or not at offset 0x4: ADDS R2, R1, R1 -> ADCS R2, R1, R1"] {
		t.Errorf("no mutant with another carry among %d", len(texts))
	}
	if _, err := mutants[0].Apply(code[4:]); err == nil || !strings.Contains(err.Error(), "the code has no") {
		t.Errorf("other code: got error %v", err)
	}
	if _, err := mutate.AllARM64([]byte{1, 2, 3}); err == nil {
		t.Error("three bytes have mutants")
	}
}
