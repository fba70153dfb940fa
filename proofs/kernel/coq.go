package kernel

import (
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/seed-6f9cd256/fieldproof/spec"
)

// WriteCoq writes the theorem correct_NAME: that the routine is correct, and that its
// accesses to memory depend on pointers and SP only; and inhabited_NAME: that some
// state is as the contract wants it on entry. coqc checks the first by the
// certificates.
func (r *Routine) WriteCoq(w io.Writer, name string, ks []*Cert) error {
	if r.Values != nil {
		return fmt.Errorf("%s: there is no theorem about formulas", name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Definition code_%s : list Z := %s.\n", name, list(r.Code, func(c byte) string { return fmt.Sprint(c) }))
	fmt.Fprintf(&b, "Definition contract_%[1]s : routine := %[2]s.\n"+
		"Theorem inhabited_%[1]s : exists s, entry contract_%[1]s s.\n"+
		"Proof. apply check_entry_ok. vm_cast_no_check (eq_refl true). Qed.\n", name, r.coq())
	if r.HasLoop() {
		if err := Try(func() { r.coqInversion(&b, name, ks) }); err != nil {
			return err
		}
	} else {
		coqStraight(&b, name, ks)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func coqStraight(b *strings.Builder, name string, ks []*Cert) {
	own := ks[len(ks)-1] // that of disjoint pointers
	fmt.Fprintf(b, "Definition cert_%s : cert :=\n %s.\n", name, own.coq())
	fmt.Fprintf(b, "Definition certs_%s : list (option cert) := %s.\n", name, list(ks, func(k *Cert) string {
		if k == nil || k == own {
			return "None"
		}
		return "Some\n " + k.coq()
	}))
	fmt.Fprintf(b, "Theorem correct_%[1]s : routine_proved contract_%[1]s code_%[1]s.\n"+
		"Proof. apply (check_routine_proved _ _ cert_%[1]s certs_%[1]s). vm_cast_no_check (eq_refl true). Qed.\n", name)
}

// CoqHeader begins a file of theorems written by WriteCoq.
const CoqHeader = `Require Import ZArith List Poly Instr Claim Word Split Derive Goal Check Machine X86 A64 Routine Proof Entry Alias Sound Uniform.
Import ListNotations.
Open Scope Z_scope.
`

func list[T any](xs []T, f func(T) string) string {
	s := make([]string, len(xs))
	for i, x := range xs {
		s[i] = f(x)
	}
	return "[" + strings.Join(s, ";") + "]"
}

func coqZ(z *big.Int) string {
	if z.Sign() < 0 {
		return "(" + z.String() + ")"
	}
	return z.String()
}

func coqPos[T ~int | ~uint16](n T) string { return fmt.Sprintf("%d%%positive", n) }

func coqPoly(p Poly) string {
	return list(p.Monos(), func(m Mono) string {
		return "(" + list(m.Vars(), func(v Var) string { return coqPos(v) }) + "," + coqZ(p[m]) + ")"
	})
}

func coqTerms(ts []Term) string {
	return list(ts, func(t Term) string { return "(" + coqPos(t.Fact) + "," + coqZ(t.K) + ")" })
}

func coqComb(k Comb) string { return "(" + coqZ(k.Scale) + "," + coqTerms(k.Terms) + ")" }

func coqCombs(ks []Comb) string { return list(ks, coqComb) }

func (v RVar) coq() string {
	switch v.Kind {
	case 'b':
		return fmt.Sprintf("(Before %d)", v.Index)
	case 'a':
		return fmt.Sprintf("(After %d)", v.Index)
	}
	return "Result"
}

func (e *RExpr) coq() string {
	switch e.Op {
	case 'v':
		return "(EV " + e.Var.coq() + ")"
	case 'c':
		return "(EC " + coqZ(e.Const) + ")"
	}
	return "(" + map[byte]string{'+': "EAdd", '-': "ESub", '*': "EMul"}[e.Op] + " " + e.L.coq() + " " + e.R.coq() + ")"
}

func (c RClaim) coq() string {
	switch c.Kind {
	case ClaimCong:
		return fmt.Sprintf("CCong %s %s %s", c.L.coq(), c.R.coq(), coqZ(c.Mod))
	case ClaimRange:
		return fmt.Sprintf("CRange %s %s %s", c.Var.coq(), coqZ(c.Lo), coqZ(c.Hi))
	case ClaimEq:
		return fmt.Sprintf("CEq %s %s", c.L.coq(), c.R.coq())
	}
	if c.Kind == ClaimInv {
		return fmt.Sprintf("CInv %s %s %s %s", c.Var.coq(), c.Arg.coq(), coqZ(c.Factor), coqZ(c.Mod))
	}
	return fmt.Sprintf("CIs %s %s %s %s", c.Var.coq(), c.L.coq(), c.R.coq(), coqZ(c.Mod))
}

func (r *Routine) coq() string {
	params := list(r.Params, func(p Param) string {
		switch p.Role {
		case spec.In:
			return fmt.Sprintf("PIn %d %s", p.Words, coqZ(p.Max))
		case spec.Out:
			return fmt.Sprintf("POut %d", p.Words)
		case spec.InOut:
			return fmt.Sprintf("PInOut %d %s", p.Words, coqZ(p.Max))
		}
		return fmt.Sprintf("PVal %s", coqZ(p.Max))
	})
	return fmt.Sprintf("{| machine := %s; callconv := %s; params := %s; separate := %s; result := %v; frame := %d; rclaims := %s |}",
		strings.ToUpper(r.Conv.Arch()), map[Convention]string{ABI0: "ABI0", SystemV: "SystemV", GoARM64: "ABI0"}[r.Conv], params,
		list(r.Spec.Apart, func(a [2]int) string { return fmt.Sprintf("(%d,%d)", a[0]+1, a[1]+1) }), r.Result, r.Frame, list(r.Claims, RClaim.coq))
}

func (h Hint) coq() string {
	switch h.Kind {
	case HintComb:
		return "(HComb " + coqCombs(h.Combs) + ")"
	case HintSame:
		return "(HSame " + coqPos(h.Var) + ")"
	case HintLow:
		return "(HLow " + coqPos(h.Loc) + ")"
	case HintExact:
		return "HExact"
	case HintFunc:
		return fmt.Sprintf("(HFn %s %s %s %s)", coqPos(h.Loc), coqZ(h.E0), coqZ(h.E1), coqCombs(h.Combs))
	}
	return fmt.Sprintf("(HAlt %s %s)", coqPos(h.Var), coqCombs(h.Combs))
}

func (d *Derivation) coq() string {
	switch d.Kind {
	case DeriveLearn:
		return fmt.Sprintf("(DLearn %s %s %s)", coqPos(d.Key), coqPoly(d.Poly), coqCombs(d.Combs))
	case DeriveProd:
		return fmt.Sprintf("(DProd %s %s %s)", coqPos(d.Key), coqPos(d.I), coqPos(d.J))
	}
	return fmt.Sprintf("(DXor %s %s %s)", coqPos(d.Key), coqPos(d.Var), coqCombs(d.Combs))
}

func (g Goal) coq() string {
	switch g.Kind {
	case GoalEqs:
		return "GEqs " + coqTerms(g.Eqs)
	case GoalRange:
		return "GRange " + coqCombs(g.Combs)
	}
	return fmt.Sprintf("GNot %s %s %s %s %s %s", coqTerms(g.Eqs), coqPoly(g.Poly), coqCombs(g.Combs), coqPos(g.Key),
		list(g.Steps, (*Derivation).coq), coqComb(g.Comb))
}

func (k *Cert) coq() string {
	switch k.Kind {
	case NodeRun:
		return fmt.Sprintf("(KRun %d%%nat %s)", k.N, k.Next[0].coq())
	case NodeHint:
		return fmt.Sprintf("(KHint %s %s)", k.Hint.coq(), k.Next[0].coq())
	case NodeDerive:
		return fmt.Sprintf("(KDerive %s %s)", k.Derive.coq(), k.Next[0].coq())
	case NodeCase:
		return fmt.Sprintf("(KCase %s %s %s %s %s %s %s)", coqPos(k.Key), coqPoly(k.Poly), coqPos(k.Loc), coqPos(k.BitKey),
			coqCombs(k.Combs[0]), coqCombs(k.Combs[1]), k.Next[0].coq())
	case NodeFork:
		return fmt.Sprintf("(KFork %s %s\n %s\n %s)", coqPos(k.Loc), coqPos(k.Key), k.Next[0].coq(), k.Next[1].coq())
	case NodeAbsurd:
		return "(KAbsurd " + coqComb(k.Comb) + ")"
	}
	return "(KEnd " + list(k.Goals, Goal.coq) + ")"
}

// WriteTrace writes an example that says what the checker knows after each
// operation of a certificate, as this package sees it, for coqc to compare
// with Trace.v.
func (r *Routine) WriteTrace(w io.Writer, name string, pat Pattern, k *Cert) error {
	p, err := r.Program(pat)
	if err != nil {
		return err
	}
	var views []string
	err = Replay(p.Code, &p.Contract, k, func(pc int, i *Instr, s *State) {
		ls := i.Results()
		if i.Op == Mul { // Instr.v names the high word first
			ls = []Loc{i.D2, i.D}
		}
		for _, l := range ls {
			v := "None"
			if w := s.Regs[l]; w != nil {
				v = fmt.Sprintf("Some (%s,%s,%d%%N,%s,%s)", coqPoly(w.A), coqPoly(w.C), w.E, coqZ(w.Lo), coqZ(w.Hi))
			}
			views = append(views, v)
		}
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "Definition views_%[1]s : list view := [%[2]s].\n"+
		"Example trace_%[1]s : trace_routine %[3]s %[4]s %[5]s %[6]s = views_%[1]s.\n"+
		"Proof. vm_cast_no_check (eq_refl views_%[1]s). Qed.\n",
		name, strings.Join(views, ";\n "), r.coq(), list(r.Code, func(c byte) string { return fmt.Sprint(c) }),
		list(pat, func(n int) string { return fmt.Sprint(n) }), k.coq())
	return err
}
