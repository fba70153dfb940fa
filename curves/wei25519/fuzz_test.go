package wei25519

import (
	"bytes"
	"crypto/ecdh"
	"math/big"
	"slices"
	"testing"
)

// encodesPoint reports whether b is the SEC 1 encoding of a point, by the model.
func encodesPoint(b []byte) bool {
	if len(b) != 33 && len(b) != 65 {
		return len(b) == 1 && b[0] == 0
	}
	x := new(big.Int).SetBytes(b[1:33])
	if x.Cmp(prime) >= 0 {
		return false
	}
	p := lift(x)
	if p == nil {
		return false
	}
	if len(b) == 33 {
		return b[0] == 2 || b[0] == 3 && p.y.Sign() != 0
	}
	y := new(big.Int).SetBytes(b[33:])
	return b[0] == 4 && (y.Cmp(p.y) == 0 || p.y.Sign() != 0 && y.Cmp(new(big.Int).Sub(prime, p.y)) == 0)
}

func FuzzSetBytes(f *testing.F) {
	f.Add(new(Point).Base().Bytes())
	f.Add(new(Point).Base().BytesCompressed())
	f.Add(torsion[4].bytes())
	f.Add([]byte{0})
	f.Add(append([]byte{3}, torsion[4].bytes()[1:33]...))
	f.Add(append([]byte{2}, big32(big.NewInt(2))...))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := new(Point).SetBytes(b)
		if want := encodesPoint(b); (err == nil) != want {
			t.Fatalf("%x: got error %v, want success to be %t", b, err, want)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(p.Bytes(), b) && !bytes.Equal(p.BytesCompressed(), b) {
			t.Fatalf("%x: the point has the encodings %x and %x", b, p.Bytes(), p.BytesCompressed())
		}
		if !encodesPoint(p.Bytes()) {
			t.Fatalf("%x: %x is not on the curve", b, p.Bytes())
		}
	})
}

func fromLittle(b []byte) *big.Int {
	reversed := bytes.Clone(b)
	slices.Reverse(reversed)
	return new(big.Int).SetBytes(reversed)
}

// onCurve25519 reports whether v² = u³ + Au² + u, for little-endian numbers below the
// prime.
func onCurve25519(u, v []byte) bool {
	a, b := fromLittle(u), fromLittle(v)
	if a.Cmp(prime) >= 0 || b.Cmp(prime) >= 0 {
		return false
	}
	right := new(big.Int).Add(a, montA)
	right.Mul(right, a).Add(right, big.NewInt(1)).Mul(right, a)
	return right.Sub(right, b.Mul(b, b)).Mod(right, prime).Sign() == 0
}

func FuzzSetMontgomery(f *testing.F) {
	u, v, err := new(Point).Base().Montgomery()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(u, v)
	f.Add(make([]byte, 32), make([]byte, 32))
	f.Add(u, u)
	f.Add(little32(prime), make([]byte, 32))
	f.Fuzz(func(t *testing.T, u, v []byte) {
		p, err := new(Point).SetMontgomery(u, v)
		if want := len(u) == 32 && len(v) == 32 && onCurve25519(u, v); (err == nil) != want {
			t.Fatalf("(%x, %x): got error %v, want success to be %t", u, v, err, want)
		}
		if err != nil {
			return
		}
		if gotU, gotV, err := p.Montgomery(); err != nil || !bytes.Equal(gotU, u) || !bytes.Equal(gotV, v) {
			t.Fatalf("(%x, %x): and back: (%x, %x), %v", u, v, gotU, gotV, err)
		}
	})
}

// FuzzX25519 compares with crypto/ecdh, on any bytes.
func FuzzX25519(f *testing.F) {
	nine := append([]byte{9}, make([]byte, 31)...)
	f.Add(nine, nine)
	f.Add(nine, make([]byte, 32))
	f.Add(nine, little32(prime))
	f.Add(nine, nine[1:])
	f.Fuzz(func(t *testing.T, scalar, u []byte) {
		var want []byte
		private, err := ecdh.X25519().NewPrivateKey(scalar)
		if err == nil {
			var public *ecdh.PublicKey
			if public, err = ecdh.X25519().NewPublicKey(u); err == nil {
				want, err = private.ECDH(public)
			}
		}
		got, gotErr := X25519(scalar, u)
		if (gotErr == nil) != (err == nil) || !bytes.Equal(got, want) {
			t.Fatalf("%x, %x: got %x, error %v; want %x, error %v", scalar, u, got, gotErr, want, err)
		}
	})
}

// FuzzCoordinates compares XFromU and UFromX with the model, on any bytes.
func FuzzCoordinates(f *testing.F) {
	third := new(big.Int).Mul(montA, new(big.Int).ModInverse(big.NewInt(3), prime))
	f.Add(make([]byte, 32))
	f.Add(bytes.Repeat([]byte{0xff}, 32))
	f.Add(big32(prime))
	f.Add(big32(new(big.Int).Sub(prime, big.NewInt(1))))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) {
		x, errX := XFromU(b)
		u, errU := UFromX(b)
		if len(b) != 32 {
			if errX == nil || errU == nil {
				t.Fatalf("%x: got no error", b)
			}
			return
		}
		number := new(big.Int).SetBytes(b)
		if want := number.Cmp(prime) < 0; (errU == nil) != want {
			t.Fatalf("UFromX(%x): got error %v, want success to be %t", b, errU, want)
		}
		if errU == nil {
			if want := number.Sub(number, third); !bytes.Equal(u, little32(want.Mod(want, prime))) {
				t.Fatalf("UFromX(%x): got %x, want %x, little-endian", b, u, want)
			}
		}
		number = fromLittle(b)
		number.SetBit(number, 255, 0)
		if want := number.Add(number, third); errX != nil || !bytes.Equal(x, big32(want.Mod(want, prime))) {
			t.Fatalf("XFromU(%x): got %x, error %v; want %x", b, x, errX, want)
		}
	})
}
