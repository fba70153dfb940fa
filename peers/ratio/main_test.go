package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestBadFlags(t *testing.T) {
	for _, test := range []struct {
		args string
		want string
	}{
		{"-count 0", "-count is 0, want at least 1"},
		{"-count -2", "-count is -2, want at least 1"},
		{"-count many", `invalid value "many" for flag -count`},
		{"-bench (", `-bench is "(", want a regular expression`},
		{"-bench=", `-bench is "", want a regular expression`},
		{"-benchtime soon", `-benchtime is "soon", want a positive duration`},
		{"-benchtime 0s", `-benchtime is "0s", want a positive duration`},
		{"-benchtime -1s", `-benchtime is "-1s", want a positive duration`},
		{"-benchtime 0x", `-benchtime is "0x", want a positive duration`},
		{"-benchtime x", `-benchtime is "x", want a positive duration`},
		{"-purego=perhaps", `invalid boolean value "perhaps" for -purego`},
		{"-openssl=perhaps", `invalid boolean value "perhaps" for -openssl`},
		{"-peers", "flag provided but not defined: -peers"},
		{"Multiply", `got argument "Multiply", want flags only`},
	} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), strings.Fields(test.args), &stdout, &stderr)
		if code != 2 || stdout.Len() != 0 || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: got exit code %d, output %q and error %q, want 2, nothing and %q", test.args, code, &stdout, &stderr, test.want)
		}
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"-help"}, &stdout, &stderr); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	for _, want := range []string{"usage: go run ./peers/ratio", "-benchtime", "-bench", "-count", "-markdown", "-purego", "-svg", "-openssl"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("help lacks %q:\n%s", want, &stderr)
		}
	}
}

// TestRun runs the real benchmarks, for a moment.
func TestRun(t *testing.T) {
	var stdout, stderr bytes.Buffer
	args := strings.Fields("-markdown -count 2 -benchtime 1x -bench (Field25519|ScalarP256)/^Add$")
	if code := run(t.Context(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d, want 0; %s", code, &stderr)
	}
	for _, want := range []string{
		"CPU: ", "2 rounds of 1x", "filippo: filippo.io/edwards25519 v",
		"\n| Field25519/Add/chained | ", "\n| Field25519/Add/independent | ",
		"\n| ScalarP256/Add/chained | ", "\n| ScalarP256/Add/independent | ",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, &stdout)
		}
	}
	if want := "round 2 of 2 done, "; !strings.Contains(stderr.String(), want) {
		t.Errorf("progress lacks %q:\n%s", want, &stderr)
	}
}

// TestRunFails checks what the benchmarks can do wrong: match nothing, and be
// interrupted.
func TestRunFails(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		args []string
		want string
	}{
		{"no match", t.Context(), []string{"-bench", "NoSuchField"}, `-bench "NoSuchField" matches no benchmark`},
		{"one implementation", t.Context(), []string{"-bench", "Field25519/^Add$//impl=ours", "-count", "1", "-benchtime", "1x"}, "no benchmark was run for both"},
		{"interrupted", cancelled, nil, "context canceled"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(test.ctx, test.args, &stdout, &stderr)
		if code != 1 || stdout.Len() != 0 || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: got exit code %d, output %q and error %q, want 1, nothing and %q", test.name, code, &stdout, &stderr, test.want)
		}
	}
}
