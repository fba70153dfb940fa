package object_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/object"
)

// program links a small Go program with one assembly routine for a system.
func program(t testing.TB, system string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.com/small\n\ngo 1.26\n",
		"main.go":      "package main\n\nfunc nine() int\n\nfunc main() { println(nine()) }\n",
		"nine_amd64.s": "TEXT ·nine(SB), 4, $0-8\n\tMOVQ $9, AX\n\tMOVQ AX, 8(SP)\n\tRET\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", append(append([]string{"build", "-o", "small"}, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return filepath.Join(dir, "small")
}

// TestOpen compares functions with their encoding by hand, and with what go
// tool nm says of them.
func TestOpen(t *testing.T) {
	const nine = "\x48\xc7\xc0\x09\x00\x00\x00\x48\x89\x44\x24\x08\xc3"
	for _, tt := range []struct{ system, format string }{{"linux", "ELF"}, {"darwin", "Mach-O"}, {"windows", "PE"}} {
		name := program(t, tt.system)
		b, err := object.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if b.Format != tt.format || b.Arch != "amd64" || b.Info.Main.Path != "example.com/small" {
			t.Errorf("%s: got the format %s, architecture %s, module %s", tt.system, b.Format, b.Arch, b.Info.Main.Path)
		}
		fs, err := b.Functions(func(name string) bool { return strings.HasPrefix(name, "main.") })
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("go", "tool", "nm", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		var base uint64
		if tt.system == "windows" {
			base = 0x140000000 // go tool nm adds the address of the image
		}
		seen := false
		for _, f := range fs {
			want := fmt.Sprintf("%x T %s", f.Addr+base, f.Name)
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: go tool nm does not print %q", tt.system, want)
			}
			if f.Name == "main.nine" {
				seen = true
				if got := string(f.Code); got != nine && got != "\xb8\x09\x00\x00\x00"+nine[7:] {
					t.Errorf("%s: main.nine is % x, want % x", tt.system, got, nine)
				}
			}
		}
		if !seen || len(fs) < 2 {
			t.Errorf("%s: got the functions %v, want main.main and main.nine once", tt.system, fs)
		}
	}
}

// TestOpenDamaged opens programs of which bytes are changed or missing, and
// reads their functions: whatever comes of that, it is no panic.
func TestOpenDamaged(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		data, err := os.ReadFile(program(t, system, "-ldflags=-w"))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		refused := 0
		const tries = 200
		for i := range tries {
			bad := append([]byte(nil), data...)
			what := "cut to " + strconv.Itoa(len(bad))
			if i%4 == 0 {
				bad = bad[:rng.IntN(len(bad))]
			} else {
				what = "bytes changed:"
				for range 1 + rng.IntN(4) {
					at := rng.IntN(len(bad))
					if rng.IntN(4) > 0 {
						at = rng.IntN(2048) // the headers
					}
					bad[at] ^= byte(1 << rng.IntN(8))
					what += " " + strconv.Itoa(at)
				}
			}
			if err := tryAll(bad); err != nil {
				refused++
				if strings.TrimSpace(err.Error()) == "" {
					t.Errorf("%s, %s: an error that says nothing", system, what)
				}
			}
		}
		if refused < tries/8 {
			t.Errorf("%s: %d of %d damaged files are refused", system, refused, tries)
		}
	}
}

// tryAll opens a program and reads all of its functions.
func tryAll(data []byte) error {
	b, err := object.Parse(data)
	if err != nil {
		return err
	}
	_, err = b.Functions(func(string) bool { return true })
	return err
}

func FuzzOpen(f *testing.F) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		data, err := os.ReadFile(program(f, system, "-ldflags=-w"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:4096])
	}
	f.Fuzz(func(t *testing.T, data []byte) { _ = tryAll(data) })
}
