package x25519

import (
	"bytes"
	"crypto/ecdh"
	"encoding/hex"
	"errors"
	"flag"
	"io"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var million = flag.Bool("million", false, "do the 1,000,000 iterations of RFC 7748, which take minutes")

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// littleEndian returns v in 32 bytes.
func littleEndian(v *big.Int) []byte {
	b := v.FillBytes(make([]byte, 32))
	slices.Reverse(b)
	return b
}

// TestVectors has the vectors of RFC 7748, sections 5.2 and 6.1.
func TestVectors(t *testing.T) {
	for _, test := range []struct{ scalar, point, want string }{
		{"a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
			"e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
			"c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"},
		{"4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
			"e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
			"95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"},
		{"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
			"de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
			"4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"},
		{"5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
			"8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
			"4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"},
	} {
		got, err := X25519(unhex(t, test.scalar), unhex(t, test.point))
		if err != nil || !bytes.Equal(got, unhex(t, test.want)) {
			t.Errorf("X25519(%s, %s): got %x, error %v; want %s", test.scalar, test.point, got, err, test.want)
		}
	}
	for _, test := range []struct{ scalar, want string }{
		{"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
			"8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"},
		{"5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
			"de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"},
	} {
		got, err := ScalarBaseMult(unhex(t, test.scalar))
		if err != nil || !bytes.Equal(got, unhex(t, test.want)) {
			t.Errorf("ScalarBaseMult(%s): got %x, error %v; want %s", test.scalar, got, err, test.want)
		}
	}
}

// TestIterated is the iterated test of RFC 7748, section 5.2.
func TestIterated(t *testing.T) {
	want := map[int]string{
		1:       "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
		1000:    "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
		1000000: "7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424",
	}
	n := 1000
	if *million {
		n = 1000000
	}
	k, u := slices.Clone(Basepoint), slices.Clone(Basepoint)
	for i := 1; i <= n; i++ {
		r, err := X25519(k, u)
		if err != nil {
			t.Fatal(err)
		}
		k, u = r, k
		if w, ok := want[i]; ok && hex.EncodeToString(k) != w {
			t.Fatalf("after %d iterations: got %x, want %s", i, k, w)
		}
		if i%100000 == 0 {
			t.Logf("%d iterations", i)
		}
	}
}

// lowOrder returns the encodings of all coordinates of points, of the curve and
// of its twist, whose order divides 8, the highest bit clear and set. Source: D.
// J. Bernstein, https://cr.yp.to/ecdh.html#validate.
func lowOrder(t *testing.T) (list [][]byte) {
	p := new(big.Int).Lsh(big.NewInt(1), 255)
	p.Sub(p, big.NewInt(19))
	for _, s := range []string{
		"0",
		"1",
		"325606250916557431795983626356110631294008115727848805560023387167927233504",
		"39382357235489614581723060781553021112529911719440698176882885853963445705823",
		"57896044618658097711785492504343953926634992332820282019728792003956564819948", // p - 1
	} {
		v, ok := new(big.Int).SetString(s, 10)
		if !ok {
			t.Fatal(s)
		}
		for ; v.BitLen() < 256; v.Add(v, p) { // below 2^255, that is: 2·p is not
			low := littleEndian(v)
			high := slices.Clone(low)
			high[31] |= 128
			list = append(list, low, high)
		}
	}
	return list
}

// TestLowOrder checks that every point of low order is refused, whatever the
// scalar.
func TestLowOrder(t *testing.T) {
	points := lowOrder(t)
	for _, point := range points {
		for _, fill := range []byte{0, 1, 0x55, 0xff} {
			got, err := X25519(bytes.Repeat([]byte{fill}, 32), point)
			if got != nil || err == nil || !strings.Contains(err.Error(), "low") {
				t.Errorf("point %x: got %x, error %v; want an error", point, got, err)
			}
			key, err := ecdh.X25519().NewPrivateKey(bytes.Repeat([]byte{fill}, 32))
			if err != nil {
				t.Fatal(err)
			}
			public, err := ecdh.X25519().NewPublicKey(point)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := key.ECDH(public); err == nil {
				t.Errorf("point %x: crypto/ecdh accepts it", point)
			}
		}
	}
	if len(points) != 14 { // 0, p, 1, p+1, p-1 and two more
		t.Errorf("got %d points, want 14", len(points))
	}
}

// TestAgainstECDH compares everything with crypto/ecdh.
func TestAgainstECDH(t *testing.T) {
	bytes32 := func(t *rapid.T, name string) []byte {
		if rapid.IntRange(0, 3).Draw(t, name+" is an edge") == 0 {
			b := bytes.Repeat([]byte{rapid.SampledFrom([]byte{0, 255}).Draw(t, name+", fill")}, 32)
			for _, i := range []int{0, 31} {
				b[i] = rapid.Byte().Draw(t, name)
			}
			return b
		}
		return rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		scalar, point := bytes32(t, "scalar"), bytes32(t, "point")
		wasScalar, wasPoint := slices.Clone(scalar), slices.Clone(point)
		key, err := ecdh.X25519().NewPrivateKey(scalar)
		if err != nil {
			t.Fatal(err)
		}
		public, err := ecdh.X25519().NewPublicKey(point)
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := key.ECDH(public)
		got, err := X25519(scalar, point)
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Errorf("X25519(%x, %x): got %x, error %v; want %x, error %v", scalar, point, got, err, want, wantErr)
		}
		want = key.PublicKey().Bytes()
		if got, err := ScalarBaseMult(scalar); err != nil || !bytes.Equal(got, want) {
			t.Errorf("ScalarBaseMult(%x): got %x, error %v; want %x", scalar, got, err, want)
		}
		if got, err := X25519(scalar, Basepoint); err != nil || !bytes.Equal(got, want) {
			t.Errorf("X25519(%x, Basepoint): got %x, error %v; want %x", scalar, got, err, want)
		}
		if !bytes.Equal(scalar, wasScalar) || !bytes.Equal(point, wasPoint) {
			t.Error("an argument was written to")
		}
	})
}

// TestBasepoint checks that the base point with the highest bit, and as p + 9,
// gives what the base point gives: the ladder and the table agree.
func TestBasepoint(t *testing.T) {
	scalar := bytes.Repeat([]byte{0xa7}, 32)
	want, err := ScalarBaseMult(scalar)
	if err != nil {
		t.Fatal(err)
	}
	high := slices.Clone(Basepoint)
	high[31] |= 128
	above := bytes.Repeat([]byte{0xff}, 32)
	above[0], above[31] = 0xed+9, 0x7f
	for _, point := range [][]byte{Basepoint, high, above} {
		if got, err := X25519(scalar, point); err != nil || !bytes.Equal(got, want) {
			t.Errorf("point %x: got %x, error %v; want %x", point, got, err, want)
		}
	}
}

func TestGenerateKey(t *testing.T) {
	seed := bytes.Repeat([]byte{3, 5}, 16)
	private, public, err := GenerateKey(bytes.NewReader(seed))
	if err != nil || !bytes.Equal(private, seed) {
		t.Fatalf("got private key %x, error %v; want what was read", private, err)
	}
	key, err := ecdh.X25519().NewPrivateKey(seed)
	if err != nil {
		t.Fatal(err)
	}
	if want := key.PublicKey().Bytes(); !bytes.Equal(public, want) {
		t.Errorf("got public key %x, want %x", public, want)
	}
	for _, n := range []int{0, 31} {
		private, public, err := GenerateKey(bytes.NewReader(seed[:n]))
		if private != nil || public != nil || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("with %d bytes: got %x, %x, error %v; want an error about the end", n, private, public, err)
		}
	}
	a, _, err := GenerateKey(nil)
	b, _, err2 := GenerateKey(nil)
	if err != nil || err2 != nil || len(a) != ScalarSize || bytes.Equal(a, b) {
		t.Errorf("got %d bytes, errors %v, %v; want two different keys", len(a), err, err2)
	}
}

// FuzzX25519 compares it with crypto/ecdh, lengths included.
func FuzzX25519(f *testing.F) {
	f.Add(make([]byte, 32), make([]byte, 32))
	f.Add(bytes.Repeat([]byte{255}, 32), slices.Clone(Basepoint))
	f.Add(make([]byte, 31), make([]byte, 33))
	f.Fuzz(func(t *testing.T, scalar, point []byte) {
		got, err := X25519(scalar, point)
		key, err1 := ecdh.X25519().NewPrivateKey(scalar)
		public, err2 := ecdh.X25519().NewPublicKey(point)
		if err1 != nil || err2 != nil {
			if err == nil {
				t.Errorf("X25519(%x, %x): got no error", scalar, point)
			}
			return
		}
		want, wantErr := key.ECDH(public)
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Errorf("X25519(%x, %x): got %x, error %v; want %x, error %v", scalar, point, got, err, want, wantErr)
		}
	})
}
