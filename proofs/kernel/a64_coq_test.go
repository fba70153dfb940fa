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

// TestDecodeCoqARM64 compares the decoders in Go and in Coq, operation by operation,
// on every modelled form, on the same words with one bit changed, which neither or
// both must refuse, and on one routine with a frame.
func TestDecodeCoqARM64(t *testing.T) {
	rnd := rand.New(rand.NewPCG(19, 20))
	var codes, want []string
	refused := 0
	add := func(code []byte) {
		codes = append(codes, list(code, func(b byte) string { return fmt.Sprint(b) }))
		ops, err := k.DecodeARM64(code)
		if err != nil {
			refused++
			want = append(want, "None")
			return
		}
		want = append(want, "Some (Straight "+list(ops, coqMop)+")")
	}
	formsARM64(func(op, form string) {
		for range 20 {
			code, err := encode.ARM64(encode.SampleARM64(rnd, op, form))
			if err != nil {
				t.Fatal(err)
			}
			bad := slices.Clone(code)
			bad[rnd.IntN(len(bad))] ^= byte(1 << rnd.IntN(8))
			add(append(code, ret64...))
			add(append(bad, ret64...))
		}
	})
	for _, code := range []string{"", ret64, ret64 + "\x00\x00\x00\x00", ret64 + ret64, ret64[:3], "\xe0\x03\x1f\xaa"} {
		add([]byte(code))
	}
	add(target(t, "field25519.scMultiplyARM64").Code)
	t.Logf("%d byte strings, of which both must refuse %d", len(codes), refused)
	text := k.CoqHeader + "Definition codes : list (list Z) := [" + strings.Join(codes, ";\n") + "].\n" +
		"Definition want : list (option program) := [" + strings.Join(want, ";\n") + "].\n" +
		"Example same : map decode64 codes = want.\nProof. vm_cast_no_check (eq_refl want). Qed.\n"
	if out, err := compile(t, "DecodersARM64.v", text); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
