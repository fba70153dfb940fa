package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/encode"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// TestDecodeCoq compares the decoders in Go and in Coq, operation by operation,
// on every modelled form in every encoding, and on the same bytes with one
// changed, which neither or both must refuse; and on the routines with a loop.
func TestDecodeCoq(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	var codes, want []string
	refused := 0
	add := func(code []byte) {
		code = append(slices.Clone(code), 0xc3)
		codes = append(codes, list(code, func(b byte) string { return fmt.Sprint(b) }))
		mops, err := k.Decode(code)
		if err != nil {
			refused++
			want = append(want, "None")
			return
		}
		want = append(want, "Some (Straight "+list(mops[0], coqMop)+")")
	}
	for _, shape := range encode.Shapes() {
		for range 3 {
			in := shape.Sample(rnd, 0)
			all, err := encode.All(in)
			if err != nil {
				continue
			}
			for _, code := range all {
				add(code)
				bad := slices.Clone(code)
				bad[rnd.IntN(len(bad))] ^= byte(1 << rnd.IntN(8))
				add(bad)
			}
		}
	}
	for _, tt := range targets(t) {
		if r := routine(t, tt); r.HasLoop() {
			codes = append(codes, list(r.Code, func(b byte) string { return fmt.Sprint(b) }))
			want = append(want, fmt.Sprintf("Some (Loop %s %s %s)", list(r.Mops[0], coqMop), list(r.Mops[1], coqMop), list(r.Mops[2], coqMop)))
		}
	}
	t.Logf("%d byte strings, of which both must refuse %d", len(codes), refused)
	text := k.CoqHeader + "Definition codes : list (list Z) := [" + strings.Join(codes, ";\n") + "].\n" +
		"Definition want : list (option program) := [" + strings.Join(want, ";\n") + "].\n" +
		"Example same : map decode codes = want.\nProof. vm_cast_no_check (eq_refl want). Qed.\n"
	if out, err := compile(t, "Decoders.v", text); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func list[T any](xs []T, f func(T) string) string {
	s := make([]string, len(xs))
	for i, x := range xs {
		s[i] = f(x)
	}
	return "[" + strings.Join(s, ";") + "]"
}

func coqLoc(l k.Loc) string { return fmt.Sprintf("%d%%positive", l) }

func coqSrc(x k.Src) string {
	if x.Loc != 0 {
		return "(L " + coqLoc(x.Loc) + ")"
	}
	return "(I " + x.Imm.String() + ")"
}

// coqMop prints an operation as a term of Machine.v.
func coqMop(m k.Mop) string {
	switch m.Kind {
	case k.MopLoad:
		return fmt.Sprintf("Load %s %s (%d)", coqLoc(m.D), coqLoc(m.Base), m.Disp)
	case k.MopStore:
		return fmt.Sprintf("Store %s (%d) %s", coqLoc(m.Base), m.Disp, coqSrc(m.A))
	case k.MopHavoc:
		return "Havoc " + coqLoc(m.D)
	}
	return "Op (" + coqInstr(m.Instr) + ")"
}

// coqInstr prints an operation as a term of Instr.v.
func coqInstr(m k.Instr) string {
	loc, src := coqLoc, coqSrc
	var s string
	switch m.Op {
	case k.Mov:
		s = fmt.Sprintf("Mov %s %s", loc(m.D), src(m.A))
	case k.Mul:
		s = fmt.Sprintf("Mul %s %s %s %s", loc(m.D2), loc(m.D), src(m.A), src(m.B))
	case k.Adc:
		s = fmt.Sprintf("Adc %s %s %s %s %s", loc(m.D), loc(m.D2), src(m.A), src(m.B), src(m.C))
	case k.Sbb:
		s = fmt.Sprintf("Sbb %s %s %s %s %s", loc(m.D), loc(m.D2), src(m.A), src(m.B), src(m.C))
	case k.Cmov:
		s = fmt.Sprintf("Cmov %s %s %s %s", loc(m.D), src(m.A), src(m.B), src(m.C))
	case k.And, k.Or, k.Xor:
		s = fmt.Sprintf("Logic %s %s %s %s", map[k.Op]string{k.And: "And", k.Or: "Or", k.Xor: "Xor"}[m.Op], loc(m.D), src(m.A), src(m.B))
	case k.Shr:
		s = fmt.Sprintf("Shr %s %s %d%%N", loc(m.D), src(m.A), m.N)
	case k.Shl:
		s = fmt.Sprintf("Shl %s %s %d%%N", loc(m.D), src(m.A), m.N)
	case k.IsZero:
		s = fmt.Sprintf("Isz %s %s", loc(m.D), src(m.A))
	case k.Bzhi:
		s = fmt.Sprintf("Bzhi %s %s %s", loc(m.D), src(m.A), src(m.B))
	}
	return s
}
