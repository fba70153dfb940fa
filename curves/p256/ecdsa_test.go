package p256

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var _ crypto.Signer = (*PrivateKey)(nil)

// The key of RFC 6979, appendix A.2.5.
var rfc6979Key = fromHex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")

func digestOf(h crypto.Hash, message string) []byte {
	w := h.New()
	w.Write([]byte(message))
	return w.Sum(nil)
}

func TestRFC6979(t *testing.T) {
	key := mustPrivate(rfc6979Key)
	wantPublic := "04" +
		"60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6" +
		"7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
	if got := hex.EncodeToString(key.PublicKey().Bytes()); got != wantPublic {
		t.Errorf("public key: got %s, want %s", got, wantPublic)
	}
	for _, test := range []struct {
		hash          crypto.Hash
		message, r, s string
	}{
		{crypto.SHA1, "sample", "61340c88c3aaebeb4f6d667f672ca9759a6ccaa9fa8811313039ee4a35471d32", "6d7f147dac089441bb2e2fe8f7a3fa264b9c475098fdcf6e00d7c996e1b8b7eb"},
		{crypto.SHA224, "sample", "53b2fff5d1752b2c689df257c04c40a587fababb3f6fc2702f1343af7ca9aa3f", "b9afb64fdc03dc1a131c7d2386d11e349f070aa432a4acc918bea988bf75c74c"},
		{crypto.SHA256, "sample", "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716", "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"},
		{crypto.SHA384, "sample", "0eafea039b20e9b42309fb1d89e213057cbf973dc0cfc8f129edddc800ef7719", "4861f0491e6998b9455193e34e7b0d284ddd7149a74b95b9261f13abde940954"},
		{crypto.SHA512, "sample", "8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f00", "2362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe"},
		{crypto.SHA1, "test", "0cbcc86fd6abd1d99e703e1ec50069ee5c0b4ba4b9ac60e409e8ec5910d81a89", "01b9d7b73dfaa60d5651ec4591a0136f87653e0fd780c3b1bc872ffdeae479b1"},
		{crypto.SHA224, "test", "c37edb6f0ae79d47c3c27e962fa269bb4f441770357e114ee511f662ec34a692", "c820053a05791e521fcaad6042d40aea1d6b1a540138558f47d0719800e18f2d"},
		{crypto.SHA256, "test", "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367", "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"},
		{crypto.SHA384, "test", "83910e8b48bb0c74244ebdf7f07a1c5413d61472bd941ef3920e623fbccebeb6", "8ddbec54cf8cd5874883841d712142a56a8d0f218f5003cb0296b6b509619f2c"},
		{crypto.SHA512, "test", "461d93f31b6540894788fd206c07cfa0cc35f46fa3c91816fff1040ad1581a04", "39af9f15de0db8d97e72719c74820d304ce5226e32dedae67519e840d1194e55"},
		// A message whose first candidate for the nonce is out of range, from
		// C2SP/CCTV.
		{crypto.SHA256, "wv[vnX", "efd9073b652e76da1b5a019c0e4a2e3fa529b035a6abb91ef67f0ed7a1f21234", "3db4706c9d9f4a4fe13bb5e08ef0fab53a57dbab2061c83a35fa411c68d2ba33"},
	} {
		digest, want := digestOf(test.hash, test.message), test.r+test.s
		raw, err := Sign(nil, key, digest)
		if err != nil || hex.EncodeToString(raw) != want {
			t.Errorf("%v, %q: got %x, %v, want %s", test.hash, test.message, raw, err, want)
		}
		der, err := SignASN1(nil, key, digest)
		if back, fromErr := FromASN1(der); err != nil || fromErr != nil || !bytes.Equal(back, raw) {
			t.Errorf("%v, %q: the DER is %x, %v, %v", test.hash, test.message, der, err, fromErr)
		}
		method, err := key.Sign(nil, digest, test.hash)
		if err != nil || !bytes.Equal(method, der) {
			t.Errorf("%v, %q: the method made %x, %v, want %x", test.hash, test.message, method, err, der)
		}
		if !Verify(key.PublicKey(), digest, raw) || !VerifyASN1(key.PublicKey(), digest, der) {
			t.Errorf("%v, %q: the signature is not valid", test.hash, test.message)
		}
	}
}

// stdKey returns the key for crypto/ecdsa.
func stdKey(t interface{ Fatal(...any) }, b []byte) *ecdsa.PrivateKey {
	k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), b)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestSignatures compares with crypto/ecdsa: deterministic signatures are the
// same, each accepts what the other makes, and neither a signature of something
// else.
func TestSignatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := keys().Draw(t, "key")
		ours, std := mustPrivate(b), stdKey(t, b)
		h := rapid.SampledFrom([]crypto.Hash{crypto.SHA1, crypto.SHA224, crypto.SHA256, crypto.SHA384, crypto.SHA512}).Draw(t, "hash")
		digest := rapid.OneOf(
			rapid.SliceOfN(rapid.Byte(), h.Size(), h.Size()),
			rapid.SampledFrom([][]byte{make([]byte, h.Size()), bytes.Repeat([]byte{255}, h.Size())}),
		).Draw(t, "digest")

		want, err := std.Sign(nil, digest, h)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ours.Sign(nil, digest, h); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("deterministic signature: got %x, %v, want %x", got, err, want)
		}
		source := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "random bytes")
		hedged, err := SignASN1(bytes.NewReader(source), ours, digest)
		if err != nil || bytes.Equal(hedged, want) {
			t.Fatalf("hedged signature: got %x, %v, want one that differs from %x", hedged, err, want)
		}
		again, err := SignASN1(bytes.NewReader(source), ours, digest)
		if err != nil || !bytes.Equal(hedged, again) {
			t.Fatalf("hedged signature, same random bytes: got %x, %v, want %x", again, err, hedged)
		}
		if !ecdsa.VerifyASN1(&std.PublicKey, digest, hedged) || !VerifyASN1(ours.PublicKey(), digest, hedged) {
			t.Fatalf("hedged signature %x is not valid", hedged)
		}
		raw, err := FromASN1(hedged)
		if err != nil || !Verify(ours.PublicKey(), digest, raw) {
			t.Fatalf("%x is not valid as %x, %v", hedged, raw, err)
		}

		// A change of any bit of the signature or of what counts of the digest
		// must be seen, by both; but s and n - s are both valid.
		bit := rapid.IntRange(0, 8*len(raw)-1).Draw(t, "bit")
		raw[bit/8] ^= 1 << (bit % 8)
		r, s := new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])
		if got, want := Verify(ours.PublicKey(), digest, raw), ecdsa.Verify(&std.PublicKey, digest, r, s); got || got != want {
			t.Fatalf("changed signature: got %t, the standard library says %t", got, want)
		}
		other := bytes.Clone(digest)
		other[rapid.IntRange(0, min(h.Size(), 32)-1).Draw(t, "byte")] ^= 1
		if got := VerifyASN1(ours.PublicKey(), other, hedged); got != ecdsa.VerifyASN1(&std.PublicKey, other, hedged) {
			t.Fatalf("changed digest: got %t, and not what the standard library says", got)
		}
	})
}

// TestNegatedSignature: (r, n - s) is valid too, a property of ECDSA that callers
// are told of.
func TestNegatedSignature(t *testing.T) {
	key := mustPrivate(rfc6979Key)
	raw, err := Sign(nil, key, []byte("digest"))
	if err != nil {
		t.Fatal(err)
	}
	s := new(big.Int).SetBytes(raw[32:])
	s.Sub(n, s).FillBytes(raw[32:])
	if !Verify(key.PublicKey(), []byte("digest"), raw) {
		t.Error("got false, want true")
	}
}

// A coordinate of the nonce's point was compared without reduction elsewhere: here
// it is p - 3, and r = p - 3 - n.
func TestReport_Legrandin_pycryptodome_922(t *testing.T) {
	key := mustPublic(fromHex("04" +
		"0ad99500288d466940031d72a9f5445a4d43784640855bf0a69874d2de5fe103" +
		"c5011e6ef2c42dcd50d5d3d29f99ae6eba2c80c9244f4c5422f0979ff0c3ba5e"))
	digest := sha256.Sum256(fromHex("313233343030"))
	r := fromHex("4319055358e8617b0c46353d039cdaab")
	sig := append(append(make([]byte, 16), r...), bytesOf(new(big.Int).Sub(n, big.NewInt(3)))...)
	if !Verify(key, digest[:], sig) {
		t.Error("got false, want true")
	}
	sig[31]++
	if Verify(key, digest[:], sig) {
		t.Error("r + 1: got true, want false")
	}
}

// An inversion modulo the order was wrong elsewhere for this s.
func TestReport_wolfSSL_wolfssl_10956(t *testing.T) {
	key := mustPublic(fromHex("04" +
		"c6a771527024227792170a6f8eee735bf32b7f98af669ead299802e32d7c3107" +
		"bc3b4b5e65ab887bbd343572b3e5619261fe3a073e2ffd78412f726867db589e"))
	digest := sha256.Sum256(fromHex("313233343030"))
	sig := fromHex("7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978" +
		"b6db6db6249249254924924924924924625bd7a09bec4ca81bcdd9f8fd6b63cc")
	if !Verify(key, digest[:], sig) {
		t.Error("got false, want true")
	}
}

func TestSignErrors(t *testing.T) {
	key := mustPrivate(rfc6979Key)
	digest := make([]byte, 32)
	if _, err := Sign(bytes.NewReader(digest[:31]), key, digest); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("31 random bytes: got error %v, want %v", err, io.ErrUnexpectedEOF)
	}
	for _, test := range []struct {
		hash   crypto.Hash
		digest []byte
		expect string
	}{
		{crypto.SHA256, digest[:31], "expected a digest of 32 bytes for SHA-256, got 31"},
		{crypto.SHA512, digest, "expected a digest of 64 bytes for SHA-512, got 32"},
		{crypto.RIPEMD160, digest[:20], "linked into the program"},
		{crypto.Hash(99), digest, "linked into the program"},
		{0, nil, "expected a digest, got 0 bytes"},
	} {
		if _, err := key.Sign(nil, test.digest, test.hash); err == nil || !strings.Contains(err.Error(), test.expect) {
			t.Errorf("%v, %d bytes: got error %v, want one with %q", test.hash, len(test.digest), err, test.expect)
		}
	}
	if Verify(key.PublicKey(), nil, make([]byte, 64)) {
		t.Error("an empty digest: got true")
	}
}

// TestNumber checks which bits of a digest count.
func TestNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digest := rapid.SliceOfN(rapid.Byte(), 0, 70).Draw(t, "digest")
		v := new(big.Int).SetBytes(digest)
		if excess := 8*len(digest) - 256; excess > 0 {
			v.Rsh(v, uint(excess))
		}
		if got, want := number(digest).Bytes(), bytesOf(v.Mod(v, n)); !bytes.Equal(got, want) {
			t.Fatalf("got %x, want %x", got, want)
		}
	})
}

// pair is what encoding/asn1 makes the DER of, and reads it into.
type pair struct{ R, S *big.Int }

func TestASN1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, s := keys().Draw(t, "r"), keys().Draw(t, "s")
		if rapid.Bool().Draw(t, "short") {
			zeros := rapid.IntRange(1, 31).Draw(t, "zeros") // at least one, so that s stays below n
			clear(s[:zeros])
			s[31] |= 1
		}
		want, err := asn1.Marshal(pair{new(big.Int).SetBytes(r), new(big.Int).SetBytes(s)})
		if err != nil {
			t.Fatal(err)
		}
		raw := append(r, s...)
		got, err := ToASN1(raw)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("got %x, %v, want %x", got, err, want)
		}
		back, err := FromASN1(got)
		if err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("and back: got %x, %v, want %x", back, err, raw)
		}
	})
}

func TestASN1Errors(t *testing.T) {
	big33 := "00" + hex.EncodeToString(bytesOf(n))
	for der, expect := range map[string]string{
		"":                                    "signature: expected a tag and a length, got 0 bytes",
		"30":                                  "signature: expected a tag and a length, got 1 bytes",
		"3106020101020101":                    "signature: expected the tag 30, got 31",
		"3007020101020101":                    "signature: expected a length of at most 6",
		"3005020101020101":                    "signature: expected nothing after the sequence, got 1 bytes",
		"308106020101020101":                  "got the byte 81",
		"3080020101020101" + "0000":           "got the byte 80",
		"300602010102010100":                  "expected nothing after the sequence, got 1 bytes",
		"3008020101020101" + "0500":           "expected two numbers, got 2 bytes more",
		"30050201010201":                      "s: expected a length of at most 0",
		"3003020101":                          "s: expected a tag and a length, got 0 bytes",
		"3006020101030101":                    "s: expected the tag 02, got 03",
		"30050200020101":                      "r: expected a positive number",
		"3006020181020101":                    "r: expected a positive number",
		"300702020001" + "020101":             "r: expected the shortest encoding",
		"3006020100020101":                    "expected two numbers from 1 to n - 1",
		"3006020101020100":                    "expected two numbers from 1 to n - 1",
		"30260221" + big33 + "020101":         "expected two numbers from 1 to n - 1",
		"30270222" + "01" + big33 + "020101":  "expected two numbers from 1 to n - 1",
		"302702220001" + big33[2:] + "020101": "r: expected the shortest encoding",
		"300802020080" + "02020080":           "",
	} {
		sig, err := FromASN1(fromHex(der))
		if expect == "" && err != nil || expect != "" && (sig != nil || err == nil || !strings.Contains(err.Error(), expect)) {
			t.Errorf("%s: got %x, %v, want an error with %q", der, sig, err, expect)
		}
	}
	for _, raw := range [][]byte{
		make([]byte, 64),
		append(bytesOf(n), bytesOf(big.NewInt(1))...),
		append(bytesOf(big.NewInt(1)), bytesOf(n)...),
		append(bytesOf(big.NewInt(1)), bytesOf(new(big.Int))...),
		make([]byte, 63),
	} {
		if sig, err := ToASN1(raw); sig != nil || err == nil {
			t.Errorf("%x: got %x, want an error", raw, sig)
		}
	}
}

// FuzzFromASN1 compares with encoding/asn1, which knows DER, but not the range.
func FuzzFromASN1(f *testing.F) {
	for _, s := range []string{"3006020101020101", "300802020080020101", "308106020101020101"} {
		f.Add(fromHex(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p pair
		rest, err := asn1.Unmarshal(b, &p)
		inRange := func(v *big.Int) bool { return v.Sign() > 0 && v.Cmp(n) < 0 }
		want := err == nil && len(rest) == 0 && inRange(p.R) && inRange(p.S)
		raw, err := FromASN1(b)
		if want {
			// encoding/asn1 passes over what follows in the sequence.
			again, marshalErr := asn1.Marshal(p)
			want = marshalErr == nil && bytes.Equal(again, b)
		}
		if (err == nil) != want {
			t.Fatalf("%x: got error %v, want success to be %t", b, err, want)
		}
		if err == nil && !bytes.Equal(raw, append(bytesOf(p.R), bytesOf(p.S)...)) {
			t.Fatalf("%x: got %x, want %x, %x", b, raw, p.R, p.S)
		}
	})
}

// FuzzToASN1: what is converted comes back.
func FuzzToASN1(f *testing.F) {
	f.Add(append(bytesOf(big.NewInt(1)), bytesOf(big.NewInt(128))...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		der, err := ToASN1(raw)
		if err != nil {
			return
		}
		if back, err := FromASN1(der); err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("%x: the DER is %x, and back it is %x, %v", raw, der, back, err)
		}
	})
}

// FuzzVerify compares with crypto/ecdsa on any bytes.
func FuzzVerify(f *testing.F) {
	key := mustPrivate(rfc6979Key)
	digest := digestOf(crypto.SHA256, "sample")
	sig, err := SignASN1(nil, key, digest)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(digest, sig)
	f.Fuzz(func(t *testing.T, digest, sig []byte) {
		std := stdKey(t, rfc6979Key)
		if got, want := VerifyASN1(key.PublicKey(), digest, sig), ecdsa.VerifyASN1(&std.PublicKey, digest, sig); got != want {
			t.Fatalf("digest %x, signature %x: got %t, want %t", digest, sig, got, want)
		}
	})
}

// FuzzVerifyRaw compares Verify with crypto/ecdsa on any bytes: of another length than
// 64 there is no signature.
func FuzzVerifyRaw(f *testing.F) {
	key := mustPrivate(rfc6979Key)
	digest := digestOf(crypto.SHA256, "sample")
	sig, err := Sign(nil, key, digest)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(digest, sig)
	f.Add(digest, sig[1:])
	f.Add(digest, append(bytesOf(n), sig[32:]...))
	f.Add(digest, append(sig[:32:32], make([]byte, 32)...))
	f.Fuzz(func(t *testing.T, digest, sig []byte) {
		std := stdKey(t, rfc6979Key)
		want := len(sig) == 64
		if want {
			r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
			want = ecdsa.Verify(&std.PublicKey, digest, r, s)
		}
		if got := Verify(key.PublicKey(), digest, sig); got != want {
			t.Fatalf("digest %x, signature %x: got %t, want %t", digest, sig, got, want)
		}
	})
}

// TestRandomBytes: each of the 32 random bytes changes the nonce.
func TestRandomBytes(t *testing.T) {
	key, err := NewPrivateKey(bytes.Repeat([]byte{7}, PrivateKeySize))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[[32]byte]int)
	for i := range 33 { // the last has no byte that differs
		var random [33]byte
		random[i] = 1
		sig, err := Sign(bytes.NewReader(random[:32]), key, make([]byte, 32))
		if err != nil {
			t.Fatal(err)
		}
		r := [32]byte(sig[:32])
		if j, ok := seen[r]; ok {
			t.Errorf("random bytes that differ in places %d and %d give one nonce", j, i)
		}
		seen[r] = i
	}
}
