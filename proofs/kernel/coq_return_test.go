package kernel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// TestCoqReturn puts instructions before the return of a routine, and asks both
// checkers whether SP, the return address and the registers that are preserved
// are as they must be, and addresses those of buffers.
func TestCoqReturn(t *testing.T) {
	for _, tt := range []struct {
		name, ret string
		last      []string
		want      []bool
	}{
		{"field25519.feAddAMD64", "\xc3", []string{
			"\x31\xc0",             // XORL AX, AX
			"\x31\xed",             // XORL BP, BP
			"\x45\x31\xf6",         // XORL R14, R14
			"\x4c\x89\xf5",         // MOVQ R14, BP
			"\x48\x83\xec\x08",     // SUBQ $8, SP
			"\x31\xc0\x48\x8b\x00", // XORL AX, AX; MOVQ (AX), AX
		}, []bool{true, false, false, false, false, false}},
		{"field25519.feAddARM64", ret64, []string{
			"\x09\x00\x80\xd2",                 // MOVD $0, R9
			"\xfd\x23\x00\xd1",                 // SUB $8, RSP, R29
			"\x12\x00\x80\xd2",                 // MOVD $0, R18
			"\x1c\x00\x80\xd2",                 // MOVD $0, R28
			"\x1d\x00\x80\xd2",                 // MOVD $0, R29
			"\xfd\x43\x00\xd1",                 // SUB $16, RSP, R29
			"\xf2\x03\x1c\xaa",                 // MOVD R28, R18
			"\x1e\x00\x80\xd2",                 // MOVD $0, R30
			"\xff\x43\x00\xd1",                 // SUB $16, RSP, RSP
			"\x09\x00\x80\xd2\x29\x01\x40\xf9", // MOVD $0, R9; MOVD (R9), R9
		}, []bool{true, true, false, false, false, false, false, false, false, false}},
	} {
		target := target(t, tt.name)
		r := routine(t, target)
		var b strings.Builder
		if err := r.WriteCoq(&b, "it", certificates(t, target, r)); err != nil {
			t.Fatal(err)
		}
		defs, _, _ := strings.Cut(b.String(), "Definition cert_it")
		at := strings.LastIndex(string(target.Code), tt.ret)
		var codes []string
		for i, last := range tt.last {
			code := slices.Concat(target.Code[:at], []byte(last), target.Code[at:])
			codes = append(codes, list(code, func(c byte) string { return fmt.Sprint(c) }))
			m, err := k.NewRoutine(target.Contract, target.Conv, code)
			if err != nil {
				t.Fatal(err)
			}
			pats := m.Patterns()
			if _, err := m.Program(pats[len(pats)-1]); (err == nil) != tt.want[i] {
				t.Errorf("%s, with % x before the return: got error %v, want none: %v", tt.name, last, err, tt.want[i])
			}
		}
		if out, err := compile(t, "Return.v", k.CoqHeader+"Require Import Sim.\n"+defs+`
Definition returned (code : list Z) : bool :=
  let pat := indices contract_it in
  match decodes (machine contract_it) code with
  | Some (Straight p) =>
    match trs (lay contract_it pat) (mkenv (tags contract_it pat)) p with
    | Some (_, e) => returns contract_it pat e
    | None => false end
  | _ => false end.
Example same : map returned `+list(codes, func(s string) string { return s })+" = "+
			list(tt.want, func(b bool) string { return fmt.Sprint(b) })+".\nProof. vm_compute. reflexivity. Qed.\n"); err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, out)
		}
	}
}
