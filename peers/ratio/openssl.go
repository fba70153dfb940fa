package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// opensslOperations are the operations that `openssl speed` times too: the name
// of its algorithm, and where in its output the number of operations a second is:
// on the line that starts so, counted in fields from 0.
var opensslOperations = []struct {
	name, algorithm, line string
	field                 int
}{
	{"X25519/SharedSecret", "ecdhx25519", "+F5:22:253:", 3},
	{"Ed25519/Sign", "ed25519", "+F6:0:253:", 4},
	{"Ed25519/Verify", "ed25519", "+F6:0:253:", 5},
	{"P256/ECDH", "ecdhp256", "+F5:3:256:", 3},
	{"P256/Sign", "ecdsap256", "+F4:3:256:", 3},
	{"P256/Verify", "ecdsap256", "+F4:3:256:", 4},
}

// An openssl is the command.
type openssl struct {
	command string
	version string // as it says
}

// findOpenSSL returns nil if the command is not installed.
func findOpenSSL(ctx context.Context) (*openssl, error) {
	command, err := exec.LookPath("openssl")
	if err != nil {
		return nil, nil
	}
	out, err := exec.CommandContext(ctx, command, "version").Output()
	if err != nil {
		return nil, fmt.Errorf("openssl version: %w", err)
	}
	version, _, _ := strings.Cut(string(out), "  ")
	version, _, _ = strings.Cut(version, " (")
	return &openssl{command, strings.TrimSpace(version)}, nil
}

// round times those of the operations in the output of a round that OpenSSL has,
// for a second each, and returns the same in the format of the benchmarks.
func (o *openssl) round(ctx context.Context, out []byte) ([]byte, error) {
	timed := func(name string) bool { return bytes.Contains(out, []byte("Benchmark"+name+"/impl=ours")) }
	var algorithms []string
	for _, op := range opensslOperations {
		if timed(op.name) && !slices.Contains(algorithms, op.algorithm) {
			algorithms = append(algorithms, op.algorithm)
		}
	}
	if algorithms == nil {
		return nil, nil
	}
	// -elapsed: by the clock, as the benchmarks are. -mr: for machines to read.
	args := append([]string{"speed", "-elapsed", "-mr", "-seconds", "1"}, algorithms...)
	text, err := exec.CommandContext(ctx, o.command, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("openssl %s: %w", strings.Join(args, " "), err)
	}
	return benchmarkLines(text, timed)
}

// benchmarkLines reads what `openssl speed -mr` prints.
func benchmarkLines(text []byte, timed func(name string) bool) ([]byte, error) {
	var lines []byte
	for _, op := range opensslOperations {
		if !timed(op.name) {
			continue
		}
		found := false
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimSpace(line), ":")
			if !strings.HasPrefix(line, op.line) || op.field >= len(fields) {
				continue
			}
			rate, err := strconv.ParseFloat(fields[op.field], 64)
			if err != nil || !(rate > 0) {
				return nil, fmt.Errorf("openssl speed: got %q, want a number of operations a second in field %d", strings.TrimSpace(line), op.field)
			}
			lines = fmt.Appendf(lines, "Benchmark%s/impl=openssl 1 %.1f ns/op\n", op.name, 1e9/rate)
			found = true
		}
		if !found {
			return nil, fmt.Errorf("openssl speed: got no line %s for %s in\n%s", op.line, op.algorithm, text)
		}
	}
	return lines, nil
}
