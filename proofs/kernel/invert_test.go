package kernel_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/coq"
	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/search"
)

// inversions are the inversions that are proved, with the cut behind the batch
// and the registers in which it leaves the matrix.
var inversions = map[string]k.Inversion{
	"field25519.feInvertADX":   {Cut: 2356, T: [2][2]k.Loc{{13, 11}, {9, 12}}},
	"field25519.feInvertAMD64": {Cut: 2412, T: [2][2]k.Loc{{13, 11}, {9, 12}}},
}

// inversion returns a routine, its shape, and certificates of its segments.
func inversion(t *testing.T, name string) (*k.Routine, *k.Inversion, [][3]*k.Cert) {
	t.Helper()
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range all {
		if tt.Name != name {
			continue
		}
		r := routine(t, tt)
		v := k.NewInversion(tt.Contract.Field)
		v.Cut, v.T = inversions[name].Cut, inversions[name].T
		var ks [][3]*k.Cert
		for _, pat := range r.Patterns() {
			ps, err := v.Segments(r, pat)
			if err != nil {
				t.Fatal(err)
			}
			var three [3]*k.Cert
			for i, p := range ps {
				if len(ks) > 0 && k.Replay(p.Code, &p.Contract, ks[0][i], nil) == nil {
					three[i] = ks[0][i]
					continue
				}
				if three[i], err = search.Prove(p); err != nil {
					t.Fatalf("%s, segment %d: %v", name, i, err)
				}
				if err := k.Replay(p.Code, &p.Contract, three[i], nil); err != nil {
					t.Fatalf("%s, segment %d: %v", name, i, err)
				}
			}
			ks = append(ks, three)
		}
		return r, v, ks
	}
	t.Fatalf("no routine %s", name)
	return nil, nil, nil
}

// TestInvertSegments finds and replays certificates of the segments, and plants
// faults in the code of each.
func TestInvertSegments(t *testing.T) {
	r, v, ks := inversion(t, "field25519.feInvertADX")
	ps, err := v.Segments(r, r.Patterns()[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range ps {
		refused := 0
		for at := range p.Code {
			was := p.Code[at]
			switch was.Op {
			case k.Adc:
				p.Code[at].Op = k.Sbb
			case k.Shr, k.Shl:
				p.Code[at].N ^= 1
			default:
				continue
			}
			if k.Replay(p.Code, &p.Contract, ks[0][i], nil) != nil {
				refused++
			}
			p.Code[at] = was
		}
		if refused < 5 {
			t.Errorf("segment %d: %d faults are refused", i, refused)
		}
	}
}

// TestCoqInvert lets Coq check the theorem that inversions are correct, and
// refuse it for changed bytes and a false contract.
func TestCoqInvert(t *testing.T) {
	theorem := func(r *k.Routine, v *k.Inversion, ks [][3]*k.Cert) string {
		var b strings.Builder
		b.WriteString(k.CoqHeader + k.InvertHeader)
		if err := r.WriteCoqInvert(&b, "it", v, ks); err != nil {
			t.Fatal(err)
		}
		return b.String() + "Print Assumptions correct_it.\n"
	}
	for name := range inversions {
		r, v, ks := inversion(t, name)
		out, err := compile(t, "Invert_"+name[len("field25519."):]+".v", theorem(r, v, ks))
		if err != nil || !coq.Closed(out, 1) {
			t.Fatalf("%s: the proof is not accepted: %v\n%s", name, err, out)
		}
	}
	for name, change := range map[string]func(r *k.Routine, v *k.Inversion){
		"Batch": func(r *k.Routine, v *k.Inversion) {
			// LEAQ -1(BX), BX, a part of a divstep
			r.Code = bytes.Replace(r.Code, []byte{0x48, 0x8d, 0x5b, 0xff}, []byte{0x48, 0x8d, 0x5b, 0xfe}, 1)
		},
		"Rounds": func(r *k.Routine, v *k.Inversion) { v.Steps = []int{20, 20, 20} },
		"Claim":  func(r *k.Routine, v *k.Inversion) { r.Claims[1].Hi = r.Claims[0].Factor },
	} {
		r, v, ks := inversion(t, "field25519.feInvertADX")
		change(r, v)
		if out, err := compile(t, "Invert"+name+".v", theorem(r, v, ks)); err == nil {
			t.Errorf("%s: a false theorem is accepted:\n%s", name, out)
		}
	}
}
