package peers

import (
	"errors"
	"strings"
	"testing"

	"filippo.io/edwards25519/field"
)

// TestPairingRejects pairs the peer with itself, and plants in one side each
// kind of fault that ours could have.
func TestPairingRejects(t *testing.T) {
	type E = field.Element
	right := side[E]{
		set:   func(z *E, b []byte) error { _, err := z.SetBytes(b); return err },
		bytes: (*E).Bytes,
	}
	minusOne := new(E).Negate(new(E).One())
	for _, test := range []struct {
		name string
		ours side[E]
		op   pairedOp[E, E]
		want string // in the error, or none
	}{
		{"none", right, binary("Add", (*E).Add, (*E).Add), ""},
		{"wrong for one value of one operand", right, binary("Add",
			func(z, x, y *E) *E {
				if x.Equal(minusOne) == 1 {
					return z.Add(y, y)
				}
				return z.Add(x, y)
			}, (*E).Add), "for ours"},
		{"writes its result before it reads its second operand", right, binary("Add",
			func(z, x, y *E) *E { return z.Set(x).Add(z, y) }, (*E).Add), "Add r2, r1, r2"},
		{"changes an operand", right, binary("Add",
			func(z, x, y *E) *E { z.Add(x, y); y.Negate(y); return z }, (*E).Add), "for ours"},
		{"returns another pointer", right, binary("Add",
			func(z, x, y *E) *E { return new(E).Set(z.Add(x, y)) }, (*E).Add), "ours returns 0, the peer 1"},
		{"wrong answer", right, comparing("Equal",
			func(z, x *E) int { return 0 }, (*E).Equal), "ours returns 0, the peer 1"},
		{"refuses an encoding", side[E]{bytes: right.bytes,
			set: func(z *E, b []byte) error {
				if b[31]&0x80 != 0 {
					return errors.New("bit 255 is set")
				}
				return right.set(z, b)
			}}, binary("Add", (*E).Add, (*E).Add), "ours returns error bit 255 is set, the peer <nil>"},
		{"reads bit 255", side[E]{bytes: right.bytes,
			set: func(z *E, b []byte) error {
				_, err := z.SetWideBytes(pad(b))
				return err
			}}, binary("Add", (*E).Add, (*E).Add), "load "},
	} {
		err := pairing[E, E]{
			modulus: modulus("p25519"),
			encode:  littleEndian,
			ours:    test.ours,
			peer:    right,
			ops:     []pairedOp[E, E]{test.op},
		}.checkEdges()
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
	}
}
