package field25519_test

import (
	"bytes"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/field25519"
)

// What broke elsewhere, seen through the API. tests/reports_test.go has the
// list of reports and says where each is tested.

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// littleEndian returns 32 bytes with the given start, the others being fill.
func littleEndian(fill byte, start ...byte) []byte {
	b := bytes.Repeat([]byte{fill}, 32)
	copy(b, start)
	return b
}

// A ladder with the values that showed the lost carry (Wycheproof's).
func TestReport_openssl_openssl_6687(t *testing.T) {
	field25519.EachPath(t, func(t *testing.T) {
		got := x25519(
			fromHex("288796bc5aff4b81a37501757bc0753a3c21964790d38699308debc17a6eaf8d"),
			fromHex("f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"))
		if want := fromHex("b4e0dd76da7b071728b61f856771aa356e57eda78a5b1655cc3820fb5f854c5c"); got != want {
			t.Errorf("got %x, want %x", got, want)
		}
	})
}

// The top bit of u counts for nothing, and u may be q or more.
func TestReport_golang_go_30095(t *testing.T) {
	field25519.EachPath(t, func(t *testing.T) {
		for _, test := range []struct{ k, u, want string }{
			{"668fb9f76ad971c81ac900071a1560bce2ca00cac7e67af99348913761434014",
				"db5f32b7f841e7a1a00968effded12735fc47a3eb13b579aacadeae80939a7dd",
				"090d85e599ea8e2beeb61304d37be10ec5c905f9927d32f42a9a0afb3e0b4074"},
			{"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
				hex.EncodeToString(littleEndian(0xff)),
				"359668d79a67267a57ffef8f0f4a9882a7c0e3122cb1999c5626346383f9f811"},
			{"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
				hex.EncodeToString(littleEndian(0, 0x12)),
				"359668d79a67267a57ffef8f0f4a9882a7c0e3122cb1999c5626346383f9f811"},
		} {
			if got := x25519(fromHex(test.k), fromHex(test.u)); got != fromHex(test.want) {
				t.Errorf("x25519(%s, %s): got %x, want %s", test.k, test.u, got, test.want)
			}
		}
		if x25519(fromHex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"), [32]byte(littleEndian(0, 0x25))) ==
			fromHex("359668d79a67267a57ffef8f0f4a9882a7c0e3122cb1999c5626346383f9f811") {
			t.Error("u = 37 gives what u = 18 gives")
		}
		// q to 2^255-1, with the top bit clear and set, are 0 to 18.
		for i := range byte(19) {
			for _, top := range []byte{0x7f, 0xff} {
				x := littleEndian(0xff, 0xed+i)
				x[31] = top
				e, err := new(field25519.Element).SetBytes(x)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := e.Bytes(), littleEndian(0, i); !bytes.Equal(got, want) {
					t.Errorf("SetBytes(%x): got %x, want %x", x, got, want)
				}
				if _, err := new(field25519.Element).SetCanonicalBytes(x); err == nil {
					t.Errorf("SetCanonicalBytes(%x): got no error", x)
				}
			}
		}
	})
}

// The result takes the place of an argument that is still needed.
func TestReport_FiloSottile_edwards25519_19(t *testing.T) {
	small := func(i byte) *field25519.Element {
		e, err := new(field25519.Element).SetBytes(littleEndian(0, i))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	field25519.EachPath(t, func(t *testing.T) {
		// 2 is not a square, 4 is.
		for _, test := range []struct {
			u, v byte
			was  int
		}{{4, 1, 1}, {1, 4, 1}, {2, 1, 0}, {1, 2, 0}, {8, 2, 1}, {0, 7, 1}, {7, 0, 0}, {0, 0, 1}} {
			want, was := new(field25519.Element).SqrtRatio(small(test.u), small(test.v))
			if was != test.was || want.IsNegative() != 0 {
				t.Errorf("SqrtRatio(%d, %d): got %x, %d; want an even root and %d", test.u, test.v, want.Bytes(), was, test.was)
			}
			u, v := small(test.u), small(test.v)
			if r, w := u.SqrtRatio(u, v); r.Equal(want) != 1 || w != was {
				t.Errorf("u.SqrtRatio(u, v) for %d, %d: got %x, %d; want %x, %d", test.u, test.v, r.Bytes(), w, want.Bytes(), was)
			}
			u = small(test.u)
			if r, w := v.SqrtRatio(u, v); r.Equal(want) != 1 || w != was {
				t.Errorf("v.SqrtRatio(u, v) for %d, %d: got %x, %d; want %x, %d", test.u, test.v, r.Bytes(), w, want.Bytes(), was)
			}
		}
		for i := range byte(5) {
			a := small(i)
			minus := new(field25519.Element).Negate(a)
			want := a
			if a.IsNegative() == 1 {
				want = new(field25519.Element).Set(minus)
			}
			if got := minus.Absolute(minus); got.Equal(want) != 1 {
				t.Errorf("Absolute(-%d) in place: got %x, want %x", i, got.Bytes(), want.Bytes())
			}
		}
		// 5·7 + 11 with the sum where the addend was, and where a factor was.
		scalar := func(i byte) *field25519.Scalar {
			s, err := new(field25519.Scalar).SetBytes(littleEndian(0, i))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		x, y, z := scalar(5), scalar(7), scalar(11)
		if got := z.MultiplyAdd(x, y, z); got.Equal(scalar(46)) != 1 {
			t.Errorf("z.MultiplyAdd(x, y, z): got %x, want 46", got.Bytes())
		}
		z = scalar(11)
		if got := x.MultiplyAdd(x, y, z); got.Equal(scalar(46)) != 1 {
			t.Errorf("x.MultiplyAdd(x, y, z): got %x, want 46", got.Bytes())
		}
		// A variable that was never set is 0, and equals 0 only.
		var zero field25519.Element
		if zero.Equal(small(1)) != 0 || zero.Equal(small(0)) != 1 {
			t.Error("the zero value is not the number 0")
		}
	})
}

// One zero does not spoil a batch of inversions, and the inverse of 0 is 0.
func TestReport_dalek_cryptography_curve25519_dalek_270(t *testing.T) {
	field25519.EachPath(t, func(t *testing.T) {
		batch := make([]field25519.Element, 3)
		for i, v := range []byte{3, 0, 5} {
			if _, err := batch[i].SetBytes(littleEndian(0, v)); err != nil {
				t.Fatal(err)
			}
		}
		field25519.InvertBatch(batch)
		// 1/3, 0 and 1/5.
		for i, want := range [][]byte{
			unhex(t, "4955555555555555555555555555555555555555555555555555555555555555"),
			littleEndian(0),
			unhex(t, "9699999999999999999999999999999999999999999999999999999999999919"),
		} {
			if got := batch[i].Bytes(); !bytes.Equal(got, want) {
				t.Errorf("element %d: got %x, want %x", i, got, want)
			}
		}
		var zero field25519.Element
		if zero.Invert(&zero).IsZero() != 1 {
			t.Error("1/0 is not 0")
		}
	})
}

// 48 bytes of ones, reduced.
func TestReport_FiloSottile_edwards25519_17(t *testing.T) {
	field25519.EachPath(t, func(t *testing.T) {
		wide := bytes.Repeat([]byte{0xff}, 48)
		e, err := new(field25519.Element).SetWideBytes(wide)
		if err != nil {
			t.Fatal(err)
		}
		want := littleEndian(0, bytes.Repeat([]byte{0xff}, 16)...)
		want[16] = 0x25
		if !bytes.Equal(e.Bytes(), want) {
			t.Errorf("Element: got %x, want %x", e.Bytes(), want)
		}
		s, err := new(field25519.Scalar).SetWideBytes(wide)
		if err != nil {
			t.Fatal(err)
		}
		want = unhex(t, "02106215d086329a7ed9ce5a30a2c131b64a7f435e4fdd9539822129a02a6270")
		slices.Reverse(want)
		if !bytes.Equal(s.Bytes(), want) {
			t.Errorf("Scalar: got %x, want %x", s.Bytes(), want)
		}
	})
}
