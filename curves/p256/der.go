package p256

import (
	"errors"
	"fmt"

	"github.com/seed-6f9cd256/fieldproof/fieldp256"
)

// A signature is what ECDSA makes: two numbers from 1 to n - 1.
type signature struct{ r, s fieldp256.Scalar }

// setInteger sets z to the big-endian integer of at most 32 bytes, and reports
// whether it is one from 1 to n - 1.
func setInteger(z *fieldp256.Scalar, b []byte) bool {
	var full [32]byte
	if len(b) > len(full) {
		return false
	}
	copy(full[len(full)-len(b):], b)
	_, err := z.SetBytes(full[:])
	return err == nil && z.IsZero() == 0
}

// parseRaw reads r || s.
func parseRaw(b []byte) (*signature, error) {
	if len(b) != SignatureSize {
		return nil, fmt.Errorf("expected %d bytes, got %d", SignatureSize, len(b))
	}
	sig := new(signature)
	if !setInteger(&sig.r, b[:32]) || !setInteger(&sig.s, b[32:]) {
		return nil, errRange
	}
	return sig, nil
}

var errRange = errors.New("expected two numbers from 1 to n - 1, got one out of range")

// raw returns r || s.
func (sig *signature) raw() []byte {
	b := make([]byte, 0, SignatureSize)
	b = append(b, sig.r.Bytes()...)
	return append(b, sig.s.Bytes()...)
}

// Tags of DER, ITU-T X.690, section 8.
const (
	tagInteger  = 0x02
	tagSequence = 0x30
)

// parseDER reads a SEQUENCE of two INTEGERs in the one encoding that DER has for
// them (X.690, sections 8.3 and 10.1).
func parseDER(b []byte) (*signature, error) {
	body, rest, err := element(tagSequence, b)
	if err != nil {
		return nil, fmt.Errorf("signature: %w", err)
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("signature: expected nothing after the sequence, got %d bytes", len(rest))
	}
	sig := new(signature)
	for _, number := range []struct {
		name string
		z    *fieldp256.Scalar
	}{{"r", &sig.r}, {"s", &sig.s}} {
		var v []byte
		if v, body, err = element(tagInteger, body); err != nil {
			return nil, fmt.Errorf("%s: %w", number.name, err)
		}
		if len(v) == 0 || v[0]&0x80 != 0 {
			return nil, fmt.Errorf("%s: expected a positive number, got one that is empty or negative", number.name)
		}
		if v[0] == 0 && len(v) > 1 {
			if v[1]&0x80 == 0 {
				return nil, fmt.Errorf("%s: expected the shortest encoding, got one with a leading zero byte", number.name)
			}
			v = v[1:]
		}
		if !setInteger(number.z, v) {
			return nil, errRange
		}
	}
	if len(body) > 0 {
		return nil, fmt.Errorf("signature: expected two numbers, got %d bytes more", len(body))
	}
	return sig, nil
}

// element splits b after its first element, which must have the tag, and a length
// in one byte: nothing in a signature is longer than 127 bytes.
func element(tag byte, b []byte) (content, rest []byte, err error) {
	if len(b) < 2 {
		return nil, nil, fmt.Errorf("expected a tag and a length, got %d bytes", len(b))
	}
	if b[0] != tag {
		return nil, nil, fmt.Errorf("expected the tag %02x, got %02x", tag, b[0])
	}
	if n := int(b[1]); n > 127 || n > len(b)-2 {
		return nil, nil, fmt.Errorf("expected a length of at most %d and 127, got the byte %02x", len(b)-2, b[1])
	}
	end := 2 + int(b[1])
	return b[2:end], b[end:], nil
}

// der returns the DER of the signature.
func (sig *signature) der() []byte {
	b := make([]byte, 2, 72)
	b = appendInteger(b, sig.r.Bytes())
	b = appendInteger(b, sig.s.Bytes())
	b[0], b[1] = tagSequence, byte(len(b)-2)
	return b
}

// appendInteger appends a big-endian number that is not zero.
func appendInteger(b, v []byte) []byte {
	for v[0] == 0 {
		v = v[1:]
	}
	pad := v[0] >> 7
	b = append(b, tagInteger, byte(len(v))+pad)
	if pad == 1 {
		b = append(b, 0)
	}
	return append(b, v...)
}

// ToASN1 converts a signature of 64 bytes, r || s, to DER. It refuses one whose
// numbers are not from 1 to n - 1.
func ToASN1(sig []byte) ([]byte, error) {
	s, err := parseRaw(sig)
	if err != nil {
		return nil, fmt.Errorf("p256: ToASN1: %w", err)
	}
	return s.der(), nil
}

// FromASN1 converts a signature from DER to 64 bytes, r || s. It refuses
// everything but the one DER encoding of two numbers from 1 to n - 1.
func FromASN1(sig []byte) ([]byte, error) {
	s, err := parseDER(sig)
	if err != nil {
		return nil, fmt.Errorf("p256: FromASN1: %w", err)
	}
	return s.raw(), nil
}
