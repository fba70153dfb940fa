package x25519

import (
	"bytes"
	"fmt"
	"testing"
)

// What broke elsewhere. tests/reports_test.go has the list of reports and says
// where each is tested.

// A sum modulo 2^255-19 lost its second carry: a value of Project Wycheproof.
func TestReport_openssl_openssl_6699(t *testing.T) {
	got, err := X25519(
		unhex(t, "288796bc5aff4b81a37501757bc0753a3c21964790d38699308debc17a6eaf8d"),
		unhex(t, "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"))
	want := unhex(t, "b4e0dd76da7b071728b61f856771aa356e57eda78a5b1655cc3820fb5f854c5c")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, error %v; want %x", got, err, want)
	}
}

// The highest bit of the coordinate counts for nothing.
func TestReport_golang_go_20582(t *testing.T) {
	got, err := X25519(
		unhex(t, "668fb9f76ad971c81ac900071a1560bce2ca00cac7e67af99348913761434014"),
		unhex(t, "db5f32b7f841e7a1a00968effded12735fc47a3eb13b579aacadeae80939a7dd"))
	want := unhex(t, "090d85e599ea8e2beeb61304d37be10ec5c905f9927d32f42a9a0afb3e0b4074")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, error %v; want %x", got, err, want)
	}
}

// Bytes of a wrong length are an error, which says what came and what should.
func TestReport_golang_go_60411(t *testing.T) {
	for n := range 101 {
		for _, other := range []int{0, 31, 32, 33} {
			_, err := X25519(make([]byte, n), bytes.Repeat([]byte{2}, other))
			want := ""
			switch {
			case other != 32:
				want = fmt.Sprintf("x25519: bad point length: got %d bytes, want 32", other)
			case n != 32:
				want = fmt.Sprintf("x25519: bad scalar length: got %d bytes, want 32", n)
			}
			if got := fmt.Sprint(err); want != "" && got != want || want == "" && err != nil {
				t.Errorf("X25519 of %d and %d bytes: got error %q, want %q", n, other, got, want)
			}
		}
		if _, err := ScalarBaseMult(make([]byte, n)); (err == nil) != (n == 32) {
			t.Errorf("ScalarBaseMult of %d bytes: got error %v", n, err)
		}
		if _, err := X25519(make([]byte, n), Basepoint); (err == nil) != (n == 32) {
			t.Errorf("X25519 of %d bytes and the base point: got error %v", n, err)
		}
	}
	if _, err := X25519(nil, nil); err == nil {
		t.Error("X25519(nil, nil): got no error")
	}
	if _, err := ScalarBaseMult(nil); err == nil {
		t.Error("ScalarBaseMult(nil): got no error")
	}
}
