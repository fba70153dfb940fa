package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/cpu"
)

const benchmarks = "github.com/seed-6f9cd256/fieldproof/peers"

// peerModules are the modules behind the names of the peers, in the order in
// which the table explains them.
var peerModules = []struct{ name, module string }{
	{"filippo", "filippo.io/edwards25519"},
	{"circl", "github.com/cloudflare/circl"},
	{"voi", "github.com/oasisprotocol/curve25519-voi"},
	{"gnark", "github.com/consensys/gnark-crypto"},
}

// measure runs the benchmarks. It returns their output, and lines about the
// circumstances that are not in it. Progress goes to stderr.
func measure(ctx context.Context, opt options, stderr io.Writer) (out []byte, info []string, err error) {
	dir, err := os.MkdirTemp("", "ratio")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)

	versions, err := peerVersions(ctx)
	if err != nil {
		return nil, nil, err
	}
	binary := filepath.Join(dir, "peers.test.exe") // Windows runs no other suffix
	build := []string{"test", "-c", "-o", binary}
	if opt.purego {
		build = append(build, "-tags", "purego")
	}
	fmt.Fprintln(stderr, "ratio: building the benchmarks")
	if _, err := goCommand(ctx, append(build, benchmarks)...); err != nil {
		return nil, nil, err
	}

	var peer *openssl
	if opt.openssl && !opt.purego {
		if peer, err = findOpenSSL(ctx); err != nil {
			return nil, nil, err
		}
		if peer != nil {
			versions += "; openssl: " + peer.version
		}
	}

	p := &progress{w: stderr, terminal: isTerminal(stderr), rounds: opt.count, start: time.Now()}
	var buf bytes.Buffer
	for range opt.count {
		p.startRound()
		cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench="+opt.bench,
			"-test.benchtime="+opt.benchtime, "-test.count=1", "-test.timeout=0")
		round := buf.Len()
		if err := runRound(cmd, &buf, p); err != nil {
			return nil, nil, err
		}
		if peer != nil {
			lines, err := peer.round(ctx, buf.Bytes()[round:])
			if err != nil {
				return nil, nil, err
			}
			buf.Write(lines)
		}
		if p.done == 0 {
			return nil, nil, fmt.Errorf("-bench %q matches no benchmark; names are like Field25519/Multiply/chained/impl=ours", opt.bench)
		}
		p.endRound()
	}
	return buf.Bytes(), []string{
		fmt.Sprintf("%s, %s, %d rounds of %s.", runtime.Version(), instructions(opt.purego), opt.count, opt.benchtime),
		"Peers: std: the standard library; " + versions + "; math/big is not constant time, and a peer only where there is no other.",
	}, nil
}

// runRound runs the benchmarks once, appends their output to buf and counts
// the results as they come.
func runRound(cmd *exec.Cmd, buf *bytes.Buffer, p *progress) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	round := buf.Len()
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		buf.Write(lines.Bytes())
		buf.WriteByte('\n')
		if strings.HasPrefix(lines.Text(), "Benchmark") && strings.HasSuffix(lines.Text(), "ns/op") {
			p.step()
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("the benchmarks failed: %v\n%s%s", err, buf.Bytes()[round:], stderr.Bytes())
	}
	return lines.Err()
}

// goCommand runs the go command and returns what it printed.
func goCommand(ctx context.Context, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return string(out), nil
}

// peerVersions says which module and version is behind each peer's name.
func peerVersions(ctx context.Context) (string, error) {
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}"}
	for _, p := range peerModules {
		args = append(args, p.module)
	}
	out, err := goCommand(ctx, args...)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(peerModules) {
		return "", fmt.Errorf("go list printed %d modules, want %d:\n%s", len(lines), len(peerModules), out)
	}
	for i, p := range peerModules {
		lines[i] = p.name + ": " + lines[i]
	}
	return strings.Join(lines, "; "), nil
}

// instructions says which code of ours is measured.
func instructions(purego bool) string {
	switch {
	case purego:
		return runtime.GOARCH + ", portable code (purego)"
	case runtime.GOARCH != "amd64":
		return runtime.GOARCH
	case cpu.X86.HasADX && cpu.X86.HasBMI2:
		return "amd64 with BMI2 and ADX"
	}
	return "amd64 without BMI2 and ADX"
}

// progress prints a line a round, and on a terminal keeps the line of the
// current round up to date.
type progress struct {
	w        io.Writer
	terminal bool
	rounds   int
	round    int
	done     int // results of this round
	total    int // results of a round, known after the first
	start    time.Time
}

// rewrite returns to the start of a terminal's line and clears it.
const rewrite = "\r\x1b[K"

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	return err == nil && fi.Mode()&os.ModeCharDevice != 0
}

func (p *progress) startRound() {
	p.round++
	p.done = 0
}

func (p *progress) step() {
	p.done++
	if !p.terminal {
		return
	}
	of := ""
	if p.total > 0 {
		of = fmt.Sprintf(" of %d", p.total)
	}
	fmt.Fprintf(p.w, "%sratio: round %d of %d, benchmark %d%s", rewrite, p.round, p.rounds, p.done, of)
}

func (p *progress) endRound() {
	p.total = p.done
	elapsed := time.Since(p.start)
	left := elapsed / time.Duration(p.round) * time.Duration(p.rounds-p.round)
	if p.terminal {
		fmt.Fprint(p.w, rewrite)
	}
	fmt.Fprintf(p.w, "ratio: round %d of %d done, %d benchmarks, about %v left\n", p.round, p.rounds, p.total, left.Round(time.Second))
}
