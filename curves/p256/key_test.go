package p256

import (
	"bytes"
	"crypto/ecdh"
	"crypto/elliptic"
	"encoding/hex"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The order of the group and the prime.
var (
	n     = elliptic.P256().Params().N
	prime = elliptic.P256().Params().P
)

func fromHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// bytesOf returns v as 32 bytes.
func bytesOf(v *big.Int) []byte { return v.FillBytes(make([]byte, 32)) }

func mustPrivate(b []byte) *PrivateKey {
	k, err := NewPrivateKey(b)
	if err != nil {
		panic(err)
	}
	return k
}

func mustPublic(b []byte) *PublicKey {
	k, err := NewPublicKey(b)
	if err != nil {
		panic(err)
	}
	return k
}

// keys draws private keys: numbers from 1 to n - 1.
func keys() *rapid.Generator[[]byte] {
	uniform := rapid.Custom(func(t *rapid.T) []byte {
		v := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 40, 40).Draw(t, "bytes"))
		v.Mod(v, new(big.Int).Sub(n, big.NewInt(1)))
		return bytesOf(v.Add(v, big.NewInt(1)))
	})
	small := rapid.Map(rapid.Int64Range(1, 100), func(v int64) []byte { return bytesOf(big.NewInt(v)) })
	large := rapid.Map(rapid.Int64Range(1, 100), func(v int64) []byte { return bytesOf(new(big.Int).Sub(n, big.NewInt(v))) })
	return rapid.OneOf(uniform, small, large)
}

// TestKeys compares keys and shared secrets with those of crypto/ecdh.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := keys().Draw(t, "a"), keys().Draw(t, "b")
		stdA, err := ecdh.P256().NewPrivateKey(a)
		if err != nil {
			t.Fatal(err)
		}
		stdB, err := ecdh.P256().NewPrivateKey(b)
		if err != nil {
			t.Fatal(err)
		}
		ourA, ourB := mustPrivate(a), mustPrivate(b)
		if !bytes.Equal(ourA.Bytes(), a) {
			t.Fatalf("private key: got %x, want %x", ourA.Bytes(), a)
		}
		if got, want := ourA.PublicKey().Bytes(), stdA.PublicKey().Bytes(); !bytes.Equal(got, want) {
			t.Fatalf("public key: got %x, want %x", got, want)
		}
		x, y := new(big.Int).SetBytes(stdA.PublicKey().Bytes()[1:33]), new(big.Int).SetBytes(stdA.PublicKey().Bytes()[33:])
		if got, want := ourA.PublicKey().BytesCompressed(), elliptic.MarshalCompressed(elliptic.P256(), x, y); !bytes.Equal(got, want) {
			t.Fatalf("compressed public key: got %x, want %x", got, want)
		}
		want, err := stdA.ECDH(stdB.PublicKey())
		if err != nil {
			t.Fatal(err)
		}
		for _, peer := range []*PublicKey{ourB.PublicKey(), mustPublic(ourB.PublicKey().Bytes()), mustPublic(ourB.PublicKey().BytesCompressed())} {
			if !peer.Equal(ourB.PublicKey()) {
				t.Fatal("a public key differs from what its encoding gives")
			}
			if got, err := ourA.ECDH(peer); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("shared secret: got %x, %v, want %x", got, err, want)
			}
		}
		if same := bytes.Equal(a, b); ourA.Equal(ourB) != same || ourA.PublicKey().Equal(ourB.PublicKey()) != same {
			t.Fatal("Equal differs from the equality of bytes")
		}
	})
}

func TestNewPrivateKey(t *testing.T) {
	for _, test := range []struct {
		key    []byte
		expect string
	}{
		{bytesOf(new(big.Int)), "expected a positive integer, got 0"},
		{bytesOf(n), "expected an integer below the order"},
		{bytesOf(new(big.Int).Add(n, big.NewInt(1))), "expected an integer below the order"},
		{bytes.Repeat([]byte{255}, 32), "expected an integer below the order"},
		{nil, "expected 32 bytes, got 0"},
		{make([]byte, 31), "expected 32 bytes, got 31"},
		{append(make([]byte, 32), 1), "expected 32 bytes, got 33"},
	} {
		k, err := NewPrivateKey(test.key)
		if k != nil || err == nil || !strings.Contains(err.Error(), test.expect) {
			t.Errorf("%x: got %v, %v, want an error with %q", test.key, k, err, test.expect)
		}
	}
	for _, v := range []*big.Int{big.NewInt(1), new(big.Int).Sub(n, big.NewInt(1))} {
		if _, err := NewPrivateKey(bytesOf(v)); err != nil {
			t.Errorf("%x: %v", v, err)
		}
	}
}

func TestNewPublicKey(t *testing.T) {
	good := mustPrivate(bytesOf(big.NewInt(5))).PublicKey()
	flip := func(b []byte, i int) []byte {
		b = bytes.Clone(b)
		b[i] ^= 1
		return b
	}
	with := func(first byte, coordinates ...*big.Int) []byte {
		b := []byte{first}
		for _, v := range coordinates {
			b = append(b, bytesOf(v)...)
		}
		return b
	}
	// A point with small coordinates, whose x + p and y + p have 32 bytes.
	small := big.NewInt(5)
	smallY := new(big.Int).SetBytes(mustPublic(with(2, small)).Bytes()[33:])
	for _, test := range []struct {
		key    []byte
		expect string
	}{
		{nil, "expected 65 or 33 bytes, got 0"},
		{[]byte{0}, "got infinity"},
		{[]byte{4}, "expected 65 or 33 bytes, got 1"},
		{make([]byte, 65), "expected 04 before 64 bytes, or 02 or 03 before 32, got 00 before 64"},
		{make([]byte, 33), "got 00 before 32"},
		{append([]byte{6}, good.Bytes()[1:]...), "got 06 before 64"},
		{append([]byte{7}, good.Bytes()[1:]...), "got 07 before 64"},
		{append([]byte{2}, good.Bytes()[1:]...), "got 02 before 64"},
		{append([]byte{4}, good.BytesCompressed()[1:]...), "got 04 before 32"},
		{flip(good.Bytes(), 10), "not on the curve"},
		{flip(good.Bytes(), 64), "not on the curve"},
		{with(4, new(big.Int), new(big.Int)), "not on the curve"},
		{with(4, prime, new(big.Int)), "at or above it"},
		{with(4, new(big.Int).Add(prime, small), smallY), "at or above it"},
		{with(2, new(big.Int).Add(prime, small)), "at or above it"},
		{with(2, prime), "at or above it"},
		{bytes.Repeat([]byte{4}, 66), "expected 65 or 33 bytes, got 66"},
	} {
		k, err := NewPublicKey(test.key)
		if k != nil || err == nil || !strings.Contains(err.Error(), test.expect) {
			t.Errorf("%x: got %v, %v, want an error with %q", test.key, k, err, test.expect)
		}
	}
}

// Coordinates at or above the prime were accepted elsewhere.
func TestReport_golang_go_20482(t *testing.T) {
	y := fromHex("82ed21a62abbdc157a5172ea851be904ffb5814bdd53e498fb810c32065323c0")
	x := new(big.Int).Lsh(big.NewInt(1), 96)
	if _, err := NewPublicKey(append(append([]byte{4}, bytesOf(x)...), y...)); err != nil {
		t.Errorf("x = 2^96: %v", err)
	}
	x.Add(x, prime)
	if _, err := NewPublicKey(append(append([]byte{4}, bytesOf(x)...), y...)); err == nil {
		t.Error("x = p + 2^96: got no error")
	}
}

// A valid point crashed a decoder elsewhere; and x = 5, 7, 9, 10, 11 have no point.
func TestReport_kazu_yamamoto_crypton_78(t *testing.T) {
	x := bytesOf(new(big.Int).Lsh(big.NewInt(1), 96))
	even := fromHex("82ed21a62abbdc157a5172ea851be904ffb5814bdd53e498fb810c32065323c0")
	k := mustPublic(append([]byte{2}, x...))
	if !bytes.Equal(k.Bytes()[33:], even) {
		t.Errorf("got y = %x, want %x", k.Bytes()[33:], even)
	}
	std, err := ecdh.P256().NewPublicKey(k.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []int64{1, 2, 3, 1000} {
		stdKey, err := ecdh.P256().NewPrivateKey(bytesOf(big.NewInt(d)))
		if err != nil {
			t.Fatal(err)
		}
		want, err := stdKey.ECDH(std)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := mustPrivate(bytesOf(big.NewInt(d))).ECDH(k); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d: got %x, %v, want %x", d, got, err, want)
		}
	}
	for v := int64(0); v < 300; v++ {
		b := append([]byte{3}, bytesOf(big.NewInt(v))...)
		_, y := elliptic.UnmarshalCompressed(elliptic.P256(), b)
		if _, err := NewPublicKey(b); (err == nil) != (y != nil) {
			t.Errorf("x = %d: got error %v, want success to be %t", v, err, y != nil)
		}
	}
}

// Bytes of a wrong length made functions panic elsewhere.
func TestReport_golang_go_60411(t *testing.T) {
	key := mustPrivate(bytesOf(big.NewInt(7)))
	for length := range 200 {
		for _, fill := range []byte{0, 1, 2, 3, 4, 0x30, 0x7f, 0xff} {
			b := bytes.Repeat([]byte{fill}, length)
			if k, err := NewPrivateKey(b); (err == nil) != (length == 32 && fill < 0xff && fill > 0) || (err == nil) != (k != nil) {
				t.Errorf("NewPrivateKey of %d times %x: %v", length, fill, err)
			}
			if k, err := NewPublicKey(b); (err == nil) != (k != nil) || err == nil && length != 33 {
				t.Errorf("NewPublicKey of %d times %x: %v", length, fill, err)
			}
			if sig, err := FromASN1(b); err == nil || sig != nil {
				t.Errorf("FromASN1 of %d times %x: got %x, want an error", length, fill, sig)
			}
			if _, err := ToASN1(b); (err == nil) != (length == 64 && fill > 0 && fill < 0xff) {
				t.Errorf("ToASN1 of %d times %x: %v", length, fill, err)
			}
			if VerifyASN1(key.PublicKey(), b, b) || Verify(key.PublicKey(), b, b) {
				t.Errorf("%d times %x is its own signature", length, fill)
			}
			if _, err := Sign(nil, key, b); (err == nil) != (length > 0) {
				t.Errorf("Sign of %d times %x: %v", length, fill, err)
			}
		}
	}
}

func TestGenerateKey(t *testing.T) {
	good := bytesOf(big.NewInt(9))
	refused := append(append(bytesOf(n), make([]byte, 32)...), bytes.Repeat([]byte{255}, 32)...)
	k, err := GenerateKey(bytes.NewReader(append(refused, good...)))
	if err != nil || !bytes.Equal(k.Bytes(), good) {
		t.Errorf("got %v, %v, want the first key in range", k, err)
	}
	if _, err := GenerateKey(bytes.NewReader(good[:31])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("31 bytes: got error %v, want %v", err, io.ErrUnexpectedEOF)
	}
	if _, err := GenerateKey(bytes.NewReader(make([]byte, 1<<12))); err == nil || !strings.Contains(err.Error(), "16 values in a row") {
		t.Errorf("zeros: got error %v, want one that gives up", err)
	}
	a, errA := GenerateKey(nil)
	b, errB := GenerateKey(nil)
	if errA != nil || errB != nil || a.Equal(b) {
		t.Errorf("nil: got %v, %v, and equal keys: %t", errA, errB, a.Equal(b))
	}
}

// TestNoKey checks that nil and the zero value are refused everywhere.
func TestNoKey(t *testing.T) {
	good := mustPrivate(bytesOf(big.NewInt(3)))
	sig, err := Sign(nil, good, []byte{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []*PrivateKey{nil, {}} {
		if _, err := k.ECDH(good.PublicKey()); err == nil {
			t.Error("ECDH: got no error")
		}
		if _, err := Sign(nil, k, []byte{1}); err == nil {
			t.Error("Sign: got no error")
		}
		if _, err := k.Sign(nil, []byte{1}, nil); err == nil {
			t.Error("the method Sign: got no error")
		}
		if k.Bytes() != nil || k.Equal(k) || k.Equal(good) || good.Equal(k) {
			t.Error("got bytes, or equality")
		}
		if k.PublicKey().Bytes() != nil || k.Public().(*PublicKey).Bytes() != nil {
			t.Error("got a public key")
		}
	}
	for _, k := range []*PublicKey{nil, {}} {
		if _, err := good.ECDH(k); err == nil {
			t.Error("ECDH: got no error")
		}
		if Verify(k, []byte{1}, sig) {
			t.Error("Verify: got true")
		}
		if k.Bytes() != nil || k.BytesCompressed() != nil || k.Equal(k) || k.Equal(good.PublicKey()) || good.PublicKey().Equal(k) {
			t.Error("got bytes, or equality")
		}
	}
	if good.Equal(3) || good.PublicKey().Equal(good) {
		t.Error("equal to something else")
	}
}

func FuzzNewPublicKey(f *testing.F) {
	g := mustPrivate(bytesOf(big.NewInt(1))).PublicKey()
	f.Add(g.Bytes())
	f.Add(g.BytesCompressed())
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := NewPublicKey(b)
		var x *big.Int
		switch len(b) {
		case 65:
			x, _ = elliptic.Unmarshal(elliptic.P256(), b)
		case 33:
			x, _ = elliptic.UnmarshalCompressed(elliptic.P256(), b)
		}
		if (err == nil) != (x != nil) {
			t.Fatalf("%x: got error %v, want success to be %t", b, err, x != nil)
		}
		if err == nil && !bytes.Equal(k.Bytes(), b) && !bytes.Equal(k.BytesCompressed(), b) {
			t.Fatalf("%x: the key has the encodings %x and %x", b, k.Bytes(), k.BytesCompressed())
		}
	})
}

func FuzzNewPrivateKey(f *testing.F) {
	f.Add(bytesOf(big.NewInt(1)))
	f.Add(bytesOf(n))
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := NewPrivateKey(b)
		std, stdErr := ecdh.P256().NewPrivateKey(b)
		if (err == nil) != (stdErr == nil) {
			t.Fatalf("%x: got error %v, the standard library %v", b, err, stdErr)
		}
		if err == nil && !bytes.Equal(k.PublicKey().Bytes(), std.PublicKey().Bytes()) {
			t.Fatalf("%x: got %x, want %x", b, k.PublicKey().Bytes(), std.PublicKey().Bytes())
		}
	})
}

// TestPublicKeyIsACopy overwrites what PublicKey returns.
func TestPublicKeyIsACopy(t *testing.T) {
	k, err := GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := k.PublicKey().Bytes()
	*k.PublicKey() = PublicKey{}
	if got := k.PublicKey().Bytes(); !bytes.Equal(got, want) {
		t.Errorf("after a change of the public key that was returned: got %x, want %x", got, want)
	}
}
