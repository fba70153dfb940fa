package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		status int
		want   []string
	}{
		{[]string{"fieldp256.feAddAMD64"}, exitOK, []string{"fieldp256.feAddAMD64, sha256:", "ensures z ≡ x + y (mod p)\n", "pointers: disjoint\n",
			"\n0x000d  ADDQ 0(R10), R8\n        R8 = w0d, CF = c0d in 0..1: x0 + y0;", "dropped: the carry is 0, by ", "\nclaims:\n", " z < p: by "}},
		{[]string{"-pointers", "x=z", "fieldp256.feAddAMD64"}, exitOK, []string{"with x=z it computes the same words as with disjoint pointers:\n", "pointers: disjoint\n", ": x0 + y0;"}},
		{[]string{"field25519.feInvertADX"}, exitOK, []string{"ensures z ≡ x⁻¹ (mod p)\n", "a part of the batch of 59 divsteps", "JNE 0x", "ends a round: the count is 10 at the start",
			"update: u' ≡ t00·u + t01·v - 2^59·(u + v) (mod 0x7fffff…ffffed[255 bits]): ", "z ≡ x⁻¹ (mod p): by the parts, and since 590 divsteps lead to g = 0\n"}},
		{[]string{"-pointers", "y=q", "fieldp256.feAddAMD64"}, exitUsage, []string{`-pointers is "y=q", want one of ["x=z y=z"`}},
		{[]string{"fieldp256.feFrobnicate"}, exitUsage, []string{`no routine "fieldp256.feFrobnicate"; the routines are fieldp256.feAddAMD64, `}},
		{[]string{}, exitUsage, []string{"want the name of one routine"}},
		{[]string{"-certs", "testdata", "fieldp256.feAddAMD64"}, exitUsage, []string{"fieldp256.feAddAMD64.cert: no such file"}},
		{[]string{"-h"}, exitOK, []string{"usage: fieldproof explain"}},
	} {
		var stdout, stderr bytes.Buffer
		status := run(append([]string{"explain"}, tt.args...), &stdout, &stderr)
		if status != tt.status {
			t.Errorf("fieldproof explain %s: status %d, want %d", tt.args, status, tt.status)
		}
		for _, want := range tt.want {
			if out := stdout.String() + stderr.String(); !strings.Contains(out, want) {
				t.Errorf("fieldproof explain %s printed\n%s\nwant %q", tt.args, out, want)
			}
		}
	}
}
