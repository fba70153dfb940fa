// Command mca prints how many cycles llvm-mca expects products and squares to
// take on two arm64 cores, beside budgets: what the best hand-written code reaches
// in the same models.
//
//	go run ./peers/mca [-mca llvm-mca-22]
//
// from the root of the repository. Wanted is LLVM 22 (Debian: llvm-22): the models
// of older versions differ. A model knows nothing of caches and branches, and
// differences below 10 % mean nothing.
//
// Chained: a call reads what the call before it wrote, as llvm-mca has it with
// -noalias=false. Throughput: the calls do not depend on each other. Both include
// the loads of the arguments, and not the call.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "mca:", err)
		}
		os.Exit(1)
	}
}

// A row is one line of the table.
type row struct {
	core, pkg, routine string
	chained, through   float64 // budgets in cycles
}

var rows = []row{
	{"neoverse-v1", "field25519", "feMultiplyARM64", 45, 20},
	{"neoverse-v1", "field25519", "feSquareARM64", 39, 14},
	{"neoverse-v1", "fieldp256", "feMultiplyARM64", 37, 22},
	{"neoverse-v1", "fieldp256", "feSquareARM64", 34, 16},
	{"neoverse-n1", "field25519", "feMultiplyKaratsuba", 98, 71},
	{"neoverse-n1", "field25519", "feSquareKaratsuba", 79, 59},
	{"neoverse-n1", "fieldp256", "feMultiplyKaratsuba", 79, 75},
	{"neoverse-n1", "fieldp256", "feSquareKaratsuba", 58, 49},
}

func run(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("mca", flag.ContinueOnError)
	fs.SetOutput(stderr)
	mca := fs.String("mca", "llvm-mca-22", "the `command` to run")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if _, err := exec.LookPath(*mca); err != nil {
		return fmt.Errorf("-mca: expected a command: %w", err)
	}
	tmp, err := os.MkdirTemp("", "mca")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	routines := make(map[string][]string)
	for _, pkg := range []string{"field25519", "fieldp256"} {
		fmt.Fprintln(stderr, "building", pkg)
		listing, err := disassemble(pkg, filepath.Join(tmp, pkg))
		if err != nil {
			return err
		}
		for name, code := range parseListing(listing) {
			routines[pkg+"."+name] = code
		}
	}
	fmt.Fprintln(stdout, "| core | routine | instructions | chained | budget | throughput | budget |")
	fmt.Fprintln(stdout, "|---|---|--:|--:|--:|--:|--:|")
	for _, r := range rows {
		name := r.pkg + "." + r.routine
		code := routines[name]
		if code == nil {
			return fmt.Errorf("%s is not in the listing of the package", name)
		}
		var cycles [2]float64
		for i, independent := range []bool{false, true} {
			cmd := exec.Command(*mca, "-mtriple=aarch64", "-mcpu="+r.core, fmt.Sprintf("-noalias=%t", independent),
				"-iterations=200", "-resource-pressure=0", "-instruction-info=0")
			cmd.Stdin = strings.NewReader(strings.Join(code, "\n") + "\n")
			cmd.Stderr = stderr
			out, err := cmd.Output()
			if err == nil {
				cycles[i], err = parseCycles(string(out))
			}
			if err != nil {
				return fmt.Errorf("%s on %s: %w", name, r.core, err)
			}
		}
		fmt.Fprintf(stdout, "| %s | %s | %d | %.0f | %.0f | %.0f | %.0f |\n", r.core, name, len(code), cycles[0], r.chained, cycles[1], r.through)
	}
	return nil
}

// disassemble links the tests of a package, because that is where the whole
// assembly ends up, and returns the listing of its products.
func disassemble(pkg, binary string) (string, error) {
	for _, args := range [][]string{
		{"test", "-c", "-vet=off", "-o", binary, "./" + pkg},
		{"tool", "objdump", "-gnu", "-s", `\.fe(Multiply|Square)(ARM64|Karatsuba)\.abi0$`, binary},
	} {
		cmd := exec.Command("go", args...)
		if args[0] == "test" {
			cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
		}
		out, err := cmd.Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				err = fmt.Errorf("%w\n%s", err, exit.Stderr)
			}
			return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
		}
		if args[0] == "tool" {
			return string(out), nil
		}
	}
	panic("not reached")
}

var textLine = regexp.MustCompile(`^TEXT \S*\.(\w+)\.abi0\(SB\) \S+_arm64\.s$`)

// parseListing returns the instructions of each assembly function in a listing
// of go tool objdump -gnu, in the syntax that other assemblers read, without RET.
func parseListing(listing string) map[string][]string {
	all := make(map[string][]string)
	name := ""
	for line := range strings.Lines(listing) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "TEXT ") {
			name = ""
			if m := textLine.FindStringSubmatch(line); m != nil {
				name = m[1]
			}
			continue
		}
		if _, text, ok := strings.Cut(line, "// "); ok && name != "" {
			if text = strings.TrimSpace(text); text != "ret" {
				all[name] = append(all[name], text)
			}
		}
	}
	return all
}

// parseCycles returns the cycles of one iteration from what llvm-mca prints.
func parseCycles(out string) (float64, error) {
	values := make(map[string]float64)
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(line, ":")
		if v, err := strconv.ParseFloat(strings.TrimSpace(value), 64); ok && err == nil {
			values[key] = v
		}
	}
	n, total := values["Iterations"], values["Total Cycles"]
	if n <= 0 || total <= 0 {
		return 0, fmt.Errorf("expected Iterations and Total Cycles from llvm-mca, got %q", out)
	}
	return total / n, nil
}
