package amd64_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/amd64"
	"github.com/seed-6f9cd256/fieldproof/proofs/object"
	"github.com/seed-6f9cd256/fieldproof/spec"
)

// admits reports whether the rule alone admits the instruction.
func admits(r amd64.Rule, in amd64.Inst) bool {
	width := ""
	if r.Bits != "" && len(in.Args) > 0 {
		width = fmt.Sprint(in.Args[0].Bits)
	}
	return r.Op == in.Op && (r.Bits == "" || slices.Contains(strings.Fields(r.Bits), width)) &&
		slices.Contains(strings.Split(r.Forms, " "), in.Form())
}

// unused returns what is wrong with the rules as a description of the
// instructions in use: each rule admits one of them, or says why it is there.
func unused(rules []amd64.Rule, insts []amd64.Inst) (problems []string) {
	for _, r := range rules {
		used := slices.ContainsFunc(insts, func(in amd64.Inst) bool { return admits(r, in) })
		switch name := fmt.Sprintf("%s of %q bits with operands %q", r.Op, r.Bits, r.Forms); {
		case used && r.Unused != "":
			problems = append(problems, name+" is said to be in no routine and is in one")
		case !used && r.Unused == "":
			problems = append(problems, name+" is on the allow-list, in no routine, and there is no explanation")
		}
	}
	return problems
}

// TestAllowListIsUsed compares the allow-list with the assembly of the field
// packages.
func TestAllowListIsUsed(t *testing.T) {
	var paths []string
	for _, p := range spec.Packages() {
		paths = append(paths, "github.com/seed-6f9cd256/fieldproof/"+p)
	}
	pkgs, err := object.Load(".", paths...)
	if err != nil {
		t.Fatal(err)
	}
	var all []amd64.Inst
	for _, p := range pkgs {
		for _, r := range p.Routines {
			insts, err := amd64.DecodeAll(r.Code)
			if err != nil {
				t.Fatalf("%s.%s: %v", p.Name, r.Name, err)
			}
			all = append(all, insts...)
		}
	}
	for _, problem := range unused(amd64.AllowList(), all) {
		t.Error(problem)
	}
	t.Logf("%d instructions", len(all))
}

// TestUnused plants rules that no instruction, or an instruction, needs.
func TestUnused(t *testing.T) {
	insts := []amd64.Inst{
		{Op: "ADD", Args: []amd64.Operand{reg(cx, 64), reg(si, 64)}},
		{Op: "RET"},
	}
	rules := []amd64.Rule{
		{Op: "ADD", Bits: "64", Forms: "rr rm"},
		{Op: "ADD", Bits: "32", Forms: "rr"},
		{Op: "ADD", Bits: "64", Forms: "ri"},
		{Op: "DIV", Bits: "64", Forms: "r", Unused: "a reason"},
		{Op: "RET", Unused: "a reason"},
		{Op: "NOP"},
	}
	want := []string{
		`ADD of "32" bits with operands "rr" is on the allow-list, in no routine, and there is no explanation`,
		`ADD of "64" bits with operands "ri" is on the allow-list, in no routine, and there is no explanation`,
		`RET of "" bits with operands "" is said to be in no routine and is in one`,
		`NOP of "" bits with operands "" is on the allow-list, in no routine, and there is no explanation`,
	}
	if got := unused(rules, insts); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAllowListIntel pins what the documentation of AllowList says of Intel's
// list: which entries are not on the copy of it.
func TestAllowListIntel(t *testing.T) {
	var not []string
	for _, r := range amd64.AllowList() {
		if !r.Intel {
			not = append(not, r.Op)
		}
	}
	if want := []string{"BZHI", "SHRD", "NOP", "JMP", "Jcc", "RET"}; !slices.Equal(not, want) {
		t.Errorf("not on the copy of Intel's list are %q, want %q", not, want)
	}
}
