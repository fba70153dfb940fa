package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	voied25519 "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"pgregory.net/rapid"

	"github.com/seed-6f9cd256/fieldproof/curves/ed25519"
	"github.com/seed-6f9cd256/fieldproof/curves/x25519"
	"github.com/seed-6f9cd256/fieldproof/peers/wycheproof"
)

// TestWycheproofX25519 runs all tests. Those whose secret is 0, which an
// implementation may refuse, must be refused.
func TestWycheproofX25519(t *testing.T) {
	valid, zero := 0, 0
	type test struct{ Public, Private, Shared wycheproof.Hex }
	wycheproof.Run(t, "x25519_test.json", func(_ struct{}, v test, c wycheproof.Case) error {
		got, err := x25519.X25519(v.Private, v.Public)
		if bytes.Equal(v.Shared, make([]byte, 32)) {
			zero++
			if err == nil {
				return fmt.Errorf("got %x, want an error, as the secret is 0", got)
			}
			return nil
		}
		valid++
		if err != nil || !bytes.Equal(got, v.Shared) {
			return fmt.Errorf("got %x, error %v; want %x", got, err, v.Shared)
		}
		return nil
	})
	if valid < 400 || zero == 0 {
		t.Errorf("got %d secrets and %d that are 0, want hundreds and some", valid, zero)
	}
}

// signature is what an Ed25519 verification is about.
type signature struct{ public, message, sig []byte }

// TestWycheproofEd25519 runs all tests, under both rules, each alone and all of
// them in one batch. One of them, with x = 0 and the sign bit in R, is invalid but
// what ZIP 215 wants accepted.
func TestWycheproofEd25519(t *testing.T) {
	for _, r := range []ed25519.Rule{ed25519.Cofactorless, ed25519.ZIP215} {
		valid, exceptions := 0, 0
		batch := ed25519.NewBatchVerifier(r)
		var single []bool
		type group struct {
			PublicKey struct{ Pk wycheproof.Hex }
		}
		type test struct{ Msg, Sig wycheproof.Hex }
		wycheproof.Run(t, "ed25519_test.json", func(g group, v test, c wycheproof.Case) error {
			got := r.Verify(ed25519.PublicKey(g.PublicKey.Pk), v.Msg, v.Sig)
			batch.Add(ed25519.PublicKey(g.PublicKey.Pk), v.Msg, v.Sig)
			single = append(single, got)
			if c.Result == wycheproof.Valid {
				valid++
			}
			if r == ed25519.ZIP215 && got && slices.Equal(c.Flags, []string{"InvalidEncoding"}) {
				exceptions++
				return nil
			}
			if got != (c.Result == wycheproof.Valid) {
				return fmt.Errorf("rule %d: got %t", r, got)
			}
			return nil
		})
		if valid < 50 || exceptions != int(r) {
			t.Errorf("rule %d: got %d valid signatures and %d exceptions, want dozens and %d", r, valid, exceptions, r)
		}
		if all, each := batch.Verify(nil); all || !slices.Equal(each, single) {
			t.Errorf("rule %d: the batch says %v, single verifications %v", r, each, single)
		}
	}
}

// The vectors of edge cases of Ed25519: a module that is a program, of which the
// data are wanted, so that no package can import it.
const (
	edgeModule = "filippo.io/mostly-harmless/ed25519vectors@v0.0.0-20210322192420-30a2d7243a94"
	edgeSum    = "h1:oHn3iEYQCHVcHLEqtzCSizBZcnOSFk61oo8tKsbNrqI="
)

// edgeVectors returns the vectors, and for each whether it is valid under either
// rule. Every vector satisfies the equation with the cofactor. Without it, those
// with a residue of low order do not, and an R that is not canonical is refused.
func edgeVectors(t *testing.T) (list []signature, valid map[ed25519.Rule][]bool) {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", edgeModule).Output()
	if err != nil {
		t.Fatalf("go mod download: %v\n%s", err, out)
	}
	var module struct{ Dir, Sum string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	if module.Sum != edgeSum {
		t.Fatalf("%s: got hash %s, want %s", edgeModule, module.Sum, edgeSum)
	}
	text, err := os.ReadFile(filepath.Join(module.Dir, "ed25519vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		A, R, S wycheproof.Hex
		M       string
		Flags   []string
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	valid = make(map[ed25519.Rule][]bool)
	for _, v := range vectors {
		list = append(list, signature{v.A, []byte(v.M), slices.Concat(v.R, v.S)})
		valid[ed25519.ZIP215] = append(valid[ed25519.ZIP215], true)
		valid[ed25519.Cofactorless] = append(valid[ed25519.Cofactorless],
			!slices.Contains(v.Flags, "LowOrderResidue") && !slices.Contains(v.Flags, "NonCanonicalR"))
	}
	return list, valid
}

// The verdict on every vector, alone and at the first, the middle and the last
// place of a batch.
func TestReport_dalek_cryptography_ed25519_dalek_115(t *testing.T) {
	list, valid := edgeVectors(t)
	if len(list) < 100 {
		t.Fatalf("got %d vectors, want hundreds", len(list))
	}
	public, private, err := ed25519.GenerateKey(bytes.NewReader(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	honest := signature{public, nil, ed25519.Sign(private, nil)}
	for r, want := range valid {
		accepted := 0
		for i, v := range list {
			if want[i] {
				accepted++
			}
			if got := r.Verify(v.public, v.message, v.sig); got != want[i] {
				t.Errorf("rule %d, vector %d: got %t, want %t", r, i, got, want[i])
			}
			for at := range 3 {
				batch := ed25519.NewBatchVerifier(r)
				expect := slices.Insert([]bool{true, true}, at, want[i])
				for _, s := range slices.Insert([]signature{honest, honest}, at, v) {
					batch.Add(s.public, s.message, s.sig)
				}
				if all, each := batch.Verify(nil); all != want[i] || !slices.Equal(each, expect) {
					t.Errorf("rule %d, vector %d at place %d: got %t, %v; want %v", r, i, at, all, each, expect)
				}
			}
		}
		batch := ed25519.NewBatchVerifier(r)
		for _, v := range list {
			batch.Add(v.public, v.message, v.sig)
		}
		if all, each := batch.Verify(nil); all != (accepted == len(list)) || !slices.Equal(each, want) {
			t.Errorf("rule %d: all in one batch: other verdicts than one by one", r)
		}
		t.Logf("rule %d: %d of %d vectors are valid", r, accepted, len(list))
	}
}

// TestRulesAgainstVoi compares both rules with those of the same meaning in
// curve25519-voi, on the vectors of edge cases with parts that are exchanged and bits
// that are changed.
func TestRulesAgainstVoi(t *testing.T) {
	list, _ := edgeVectors(t)
	peers := map[ed25519.Rule]*voied25519.VerifyOptions{
		ed25519.Cofactorless: voied25519.VerifyOptionsStdLib,
		ed25519.ZIP215:       voied25519.VerifyOptionsZIP_215,
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(list).Draw(t, "vector")
		public, message, sig := slices.Clone(v.public), v.message, slices.Clone(v.sig)
		other := rapid.SampledFrom(list).Draw(t, "other vector")
		switch rapid.IntRange(0, 5).Draw(t, "change") {
		case 0:
			copy(public, other.public)
		case 1:
			copy(sig[:32], other.sig[:32])
		case 2:
			copy(sig[32:], other.sig[32:])
		case 3:
			message = other.message
		case 4:
			part := rapid.SampledFrom([][]byte{public, sig}).Draw(t, "part")
			bit := rapid.IntRange(0, 8*len(part)-1).Draw(t, "bit")
			part[bit/8] ^= 1 << (bit % 8)
		}
		for r, options := range peers {
			want := voied25519.VerifyWithOptions(public, message, sig, &voied25519.Options{Verify: options})
			if got := r.Verify(public, message, sig); got != want {
				t.Errorf("rule %d: A = %x, M = %x, signature %x: got %t, want %t", r, public, message, sig, got, want)
			}
		}
	})
}
