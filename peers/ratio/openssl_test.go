package main

import (
	"context"
	"os/exec"
	"strings"
	"testing"
)

// recordedSpeed is what openssl 3.0.19 printed.
const recordedSpeed = `+F4:3:256:8977.000000:3518.000000
+F5:3:256:4737.623762:0.000211
+F5:22:253:7060.000000:0.000142
+F6:0:253:Ed25519:5763.366337:1810.000000
`

func TestBenchmarkLines(t *testing.T) {
	all := func(string) bool { return true }
	got, err := benchmarkLines([]byte(recordedSpeed), all)
	if err != nil {
		t.Fatal(err)
	}
	// 10^9 divided by the rates, by hand.
	want := `BenchmarkX25519/SharedSecret/impl=openssl 1 141643.1 ns/op
BenchmarkEd25519/Sign/impl=openssl 1 173509.7 ns/op
BenchmarkEd25519/Verify/impl=openssl 1 552486.2 ns/op
BenchmarkP256/ECDH/impl=openssl 1 211076.3 ns/op
BenchmarkP256/Sign/impl=openssl 1 111395.8 ns/op
BenchmarkP256/Verify/impl=openssl 1 284252.4 ns/op
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, err := benchmarkLines([]byte(recordedSpeed), func(name string) bool { return name == "P256/Sign" }); err != nil || strings.Count(string(got), "\n") != 1 {
		t.Errorf("one operation: got %q, %v", got, err)
	}
	for _, bad := range []string{
		"",
		strings.Replace(recordedSpeed, "+F6", "+F7", 1),
		strings.Replace(recordedSpeed, "8977.000000", "many", 1),
		strings.Replace(recordedSpeed, "8977.000000", "0.0", 1),
		strings.Replace(recordedSpeed, "8977.000000", "NaN", 1),
		strings.Replace(recordedSpeed, ":5763.366337:1810.000000", "", 1),
	} {
		if got, err := benchmarkLines([]byte(bad), all); err == nil {
			t.Errorf("got %q, want an error for\n%s", got, bad)
		}
	}
}

// TestOpenSSL runs the command where it is installed.
func TestOpenSSL(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip(err)
	}
	o, err := findOpenSSL(t.Context())
	if err != nil || !strings.HasPrefix(o.version, "OpenSSL ") {
		t.Fatalf("got %+v, %v, want a version", o, err)
	}
	if got, err := o.round(t.Context(), []byte("BenchmarkF/Op/impl=ours-2 1 1 ns/op\n")); got != nil || err != nil {
		t.Errorf("nothing that OpenSSL has: got %q, %v", got, err)
	}
	got, err := o.round(t.Context(), []byte("BenchmarkP256/ECDH/impl=ours-2 1 1 ns/op\n"))
	if err != nil || !strings.HasPrefix(string(got), "BenchmarkP256/ECDH/impl=openssl 1 ") || !strings.HasSuffix(string(got), " ns/op\n") {
		t.Errorf("got %q, %v", got, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.round(cancelled, []byte("BenchmarkP256/ECDH/impl=ours-2 1 1 ns/op\n")); err == nil {
		t.Error("interrupted: got no error")
	}
}
