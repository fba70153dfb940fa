// Command ratio runs the benchmarks of the parent package and prints, for each
// operation, how long ours takes, which peer is the fastest, how long that one
// takes, and the ratio of the two.
//
//	go run ./peers/ratio [flags]
//
// from the root of the repository. It builds the benchmarks once and runs them
// in many short rounds; each round times all implementations of an operation
// next to each other. Times are medians over the rounds. The ratio is the
// median of the quotients of the rounds, not the quotient of the medians: a
// slow phase of the machine hits both sides of a quotient. The interval covers
// it with a confidence of 95 %, and needs 6 rounds.
//
// Many short rounds are better than a few long ones where the machine has other
// work to do: more of them are left alone.
//
// The flag -bench selects by name as `go test -bench` does, also what is
// compared: ///impl=(ours|filippo) leaves the other peers out. With -purego, ours
// and the peers are built without assembly. With -markdown the table is one for
// README.md, and -svg writes a bar chart of the ratios to a file.
//
// Where the command openssl is installed, OpenSSL is a peer in the operations that
// `openssl speed` knows; it times each for a second in every round. -openssl=false
// leaves it out, and so does -purego.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	bench     string
	count     int
	benchtime string
	purego    bool
	markdown  bool
	svg       string
	openssl   bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command; it returns the exit code, 2 for bad flags.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opt, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "ratio:", err)
		return 2
	}
	out, info, err := measure(ctx, opt, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "ratio:", err)
		return 1
	}
	t, err := newTable(out)
	if err != nil {
		fmt.Fprintln(stderr, "ratio:", err)
		return 1
	}
	t.about = append(t.about, info...)
	for _, name := range t.alone {
		fmt.Fprintf(stderr, "ratio: %s left out: it was not timed for both ours and a peer\n", name)
	}
	if err := t.print(stdout, opt.markdown); err != nil {
		fmt.Fprintln(stderr, "ratio:", err)
		return 1
	}
	if opt.svg != "" {
		if err := t.writeChart(opt.svg); err != nil {
			fmt.Fprintln(stderr, "ratio:", err)
			return 1
		}
	}
	return 0
}

// parseFlags reads and checks the flags. It prints the usage for -help.
func parseFlags(args []string, stderr io.Writer) (options, error) {
	var opt options
	fs := flag.NewFlagSet("ratio", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&opt.bench, "bench", ".", "run the benchmarks that match `regexp`, as go test -bench does")
	fs.IntVar(&opt.count, "count", 40, "run `n` rounds")
	fs.StringVar(&opt.benchtime, "benchtime", "2ms", "time each benchmark for `d` in each round: a duration, or a number of steps such as 1000x")
	fs.BoolVar(&opt.purego, "purego", false, "compare portable code: build ours and the peers with the tag purego")
	fs.BoolVar(&opt.markdown, "markdown", false, "print a Markdown table")
	fs.StringVar(&opt.svg, "svg", "", "write a bar chart of the ratios to `file`")
	fs.BoolVar(&opt.openssl, "openssl", true, "time OpenSSL too, if the command openssl is installed")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fs.SetOutput(stderr)
			fmt.Fprintln(stderr, "usage: go run ./peers/ratio [flags]")
			fs.PrintDefaults()
		}
		return opt, err
	}
	if fs.NArg() > 0 {
		return opt, fmt.Errorf("got argument %q, want flags only", fs.Arg(0))
	}
	if _, err := regexp.Compile(opt.bench); err != nil || opt.bench == "" {
		return opt, fmt.Errorf("-bench is %q, want a regular expression", opt.bench)
	}
	if opt.count < 1 {
		return opt, fmt.Errorf("-count is %d, want at least 1", opt.count)
	}
	if !validBenchtime(opt.benchtime) {
		return opt, fmt.Errorf("-benchtime is %q, want a positive duration such as 2ms or a number of steps such as 1000x", opt.benchtime)
	}
	return opt, nil
}

func validBenchtime(s string) bool {
	if n, ok := strings.CutSuffix(s, "x"); ok {
		steps, err := strconv.Atoi(n)
		return err == nil && steps > 0
	}
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
}
