// Package trace runs operations with different secrets under an emulator, and
// compares which instructions were executed. It is a check of whole operations,
// compiled Go code included, which the lint of assembly does not see. Under qemu it
// compares jumps; with a flag also, under valgrind, addresses of memory.
package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	secrets = flag.Int("secrets", 2, "the number of secrets for each operation")
	require = flag.Bool("require", false, "leave out no operation, and fail, instead of skipping, if qemu-x86_64 is not installed")
)

// A program is the command traced with its functions.
type program struct {
	path      string
	functions []elf.Symbol // by address
}

func build(t *testing.T) *program {
	t.Helper()
	if _, err := exec.LookPath("qemu-x86_64"); err != nil {
		if *require {
			t.Fatal(err)
		}
		t.Skip("qemu-x86_64 is not installed")
	}
	p := &program{path: filepath.Join(t.TempDir(), "traced")}
	cmd := exec.Command("go", "build", "-o", p.path, "./traced")
	// Without the random place of the heap, addresses are the same every time.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64", "GOEXPERIMENT=norandomizedheapbase64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	f, err := elf.Open(p.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			p.functions = append(p.functions, s)
		}
	}
	slices.SortFunc(p.functions, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	return p
}

const (
	startName = "main.start"
	stopName  = "main.stop"
)

// counts reports whether what a function executes is compared: all but the runtime
// and the parts of the standard library that know no secret.
func counts(name string) bool {
	return strings.Contains(name, "fieldproof/") || strings.HasPrefix(name, "main.") || strings.HasPrefix(name, "crypto/")
}

// function returns the function of an address, or one without a name.
func (p *program) function(address uint64) elf.Symbol {
	i, found := slices.BinarySearchFunc(p.functions, address, func(s elf.Symbol, a uint64) int { return cmp.Compare(s.Value, a) })
	if !found {
		i--
	}
	if i < 0 || address >= p.functions[i].Value+p.functions[i].Size {
		return elf.Symbol{}
	}
	return p.functions[i]
}

// place says where an address is.
func (p *program) place(address uint64) string {
	f := p.function(address)
	return fmt.Sprintf("%s+%#x", f.Name, address-f.Value)
}

// filter returns the addresses of the functions that are wanted, for the emulator.
func (p *program) filter() string {
	var ranges []string
	for i := 0; i < len(p.functions); i++ {
		wanted := func(i int) bool {
			return i < len(p.functions) && counts(p.functions[i].Name)
		}
		if !wanted(i) {
			continue
		}
		first := p.functions[i].Value
		for wanted(i + 1) {
			i++
		}
		ranges = append(ranges, fmt.Sprintf("0x%x..0x%x", first, p.functions[i].Value+p.functions[i].Size-1))
	}
	return strings.Join(ranges, ",")
}

// run does the operation under the emulator and returns the addresses of the basic
// blocks that were executed the second time, in order.
func (p *program) run(operation string, secret []byte) ([]uint64, error) {
	log := filepath.Join(filepath.Dir(p.path), fmt.Sprintf("%s-%x.log", operation, secret[:4]))
	defer os.Remove(log)
	// With one thread, no collection of garbage and no signals, the order of
	// execution is that of the program. cpu max has BMI2 and ADX.
	cmd := exec.Command("qemu-x86_64", "-cpu", "max", "-d", "exec,nochain", "-dfilter", p.filter(), "-D", log, p.path, operation, hex.EncodeToString(secret))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %v\n%s", operation, err, out)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	return p.parse(text)
}

// parse reads the log of the emulator.
func (p *program) parse(log []byte) (trace []uint64, err error) {
	starts, stops := 0, 0
	lines := bufio.NewScanner(bytes.NewReader(log))
	for lines.Scan() {
		// Trace 0: host address [code segment base/address/flags/flags] symbol
		fields := strings.Split(lines.Text(), "/")
		if !strings.HasPrefix(lines.Text(), "Trace") || len(fields) < 3 {
			continue
		}
		address, err := strconv.ParseUint(fields[1], 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		f := p.function(address)
		switch {
		case f.Name == startName:
			starts++
			trace = trace[:0]
		case f.Name == stopName:
			stops++
			if stops == 2 {
				return trace, nil
			}
		case counts(f.Name) && starts == 2:
			trace = appendBlock(trace, address, f)
		}
	}
	return nil, fmt.Errorf("got %d starts and %d stops, want 2 (%v)", starts, stops, lines.Err())
}

// appendBlock appends the address of a block of f, and leaves out what is not the
// program's: the scheduler wants its turn, whenever it does, and gets it at the
// entry of a function, which jumps to its end, calls the runtime, and comes back to
// its entry. These are three blocks, or more if they cross a page.
func appendBlock(trace []uint64, address uint64, f elf.Symbol) []uint64 {
	if address == f.Value {
		for n := 3; n <= 5 && n <= len(trace); n++ {
			turn := trace[len(trace)-n:]
			if turn[0] == address && slices.IsSorted(turn) && turn[n-1] < f.Value+f.Size {
				trace = trace[:len(trace)-n]
				break
			}
		}
	}
	return append(trace, address)
}

// attempts is how often two secrets may be run until they execute the same. What
// differs by chance is the runtime's, in functions that are compared: it fills a
// cache of type assertions now and then, by its own random numbers. What depends on
// the secrets differs every time.
const attempts = 4

// same returns an error that says where the traces of two secrets part, every time.
func (p *program) same(operation string, a, b []byte) (blocks int, err error) {
	return retry(func(secret []byte) ([]uint64, error) { return p.run(operation, secret) }, p.compare, a, b)
}

// retry runs a and b until compare finds their traces equal.
func retry(run func(secret []byte) ([]uint64, error), compare func(a, b []uint64) error, a, b []byte) (blocks int, err error) {
	for range attempts {
		var s, t []uint64
		if s, err = run(a); err != nil {
			return 0, err
		}
		if t, err = run(b); err != nil {
			return 0, err
		}
		if err = compare(s, t); err == nil {
			return len(s), nil
		}
	}
	return 0, err
}

// compare returns an error that says where two traces part.
func (p *program) compare(a, b []uint64) error {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Errorf("block %d is %s and %s", i, p.place(a[i]), p.place(b[i]))
		}
	}
	if len(a) != len(b) {
		return fmt.Errorf("%d and %d blocks were executed", len(a), len(b))
	}
	return nil
}

// A tracedOperation is one of the command traced, whose secrets must not show.
type tracedOperation struct {
	name    string
	least   int // blocks that it has at the very least
	secrets func(n int) [][]byte
	always  bool // without the flag -require too
}

var traced = []tracedOperation{
	{"x25519.ScalarBaseMult", 500, chosenSecrets, false},
	{"x25519.X25519", 255, chosenSecrets, true},
	{"ed25519.NewKeyFromSeed", 500, chosenSecrets, false},
	{"ed25519.Sign", 500, chosenSecrets, true},
	{"p256.ECDH", 1000, chosenScalars, false},
	{"p256.Sign", 500, chosenScalars, true},
	{"wei25519.X25519", 5000, chosenSecrets, false},
}

// TestTrace runs each operation with different secrets.
func TestTrace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the emulator is one of Linux")
	}
	p := build(t)
	for _, operation := range traced {
		t.Run(operation.name, func(t *testing.T) {
			if !*require && !operation.always {
				t.Skip("without the flag -require")
			}
			t.Parallel()
			list := operation.secrets(*secrets)
			for i, secret := range list[1:] {
				blocks, err := p.same(operation.name, list[0], secret)
				switch {
				case err != nil:
					t.Errorf("secret %x: %v", secret, err)
				case blocks < operation.least:
					t.Errorf("got %d blocks, want %d or more", blocks, operation.least)
				case i == 0:
					t.Logf("%d blocks", blocks)
				}
			}
		})
	}
	t.Run("p256.Verify", func(t *testing.T) {
		t.Parallel()
		scalars := chosenScalars(2)
		if _, err := p.same("p256.Verify", scalars[0], scalars[1]); err == nil {
			t.Error("verification executes the same for two digests, which it does not")
		}
	})
	t.Run("planted", func(t *testing.T) {
		t.Parallel()
		_, err := p.same("planted", make([]byte, 32), append([]byte{1}, make([]byte, 31)...))
		if err == nil || !strings.Contains(err.Error(), "main.") {
			t.Errorf("a jump that depends on the secret is not seen: got error %v", err)
		}
	})
}

// The time depended on the length of a nonce, and on zeros in the top word of its
// inverse, elsewhere.
func TestReport_openssl_openssl_26429(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the emulator is one of Linux")
	}
	p := build(t)
	list := chosenScalars(*secrets)
	for _, secret := range list[1:] {
		if _, err := p.same("p256.nonce", list[0], secret); err != nil {
			t.Errorf("nonce %x: %v", secret, err)
		}
	}
}

// TestRetry checks that a difference by chance is forgiven, one that stays is not,
// and an error of a run ends it.
func TestRetry(t *testing.T) {
	p := fakeProgram()
	a, b := []byte{0}, []byte{1}
	for _, test := range []struct {
		name   string
		run    func(n int, secret byte) ([]uint64, error)
		blocks int
		want   string
	}{
		{"equal", func(int, byte) ([]uint64, error) { return []uint64{1, 2}, nil }, 2, "<nil>"},
		{"chance", func(n int, _ byte) ([]uint64, error) { return []uint64{uint64(min(n, 2*attempts-2))}, nil }, 1, "<nil>"},
		{"leak", func(_ int, secret byte) ([]uint64, error) { return []uint64{0x100 + uint64(secret)}, nil }, 0, "block 0 is main.f+0x0 and main.f+0x1"},
		{"error", func(n int, _ byte) ([]uint64, error) { return nil, fmt.Errorf("run %d", n) }, 0, "run 0"},
	} {
		n := -1
		blocks, err := retry(func(secret []byte) ([]uint64, error) { n++; return test.run(n, secret[0]) }, p.compare, a, b)
		if blocks != test.blocks || fmt.Sprint(err) != test.want {
			t.Errorf("%s: got %d blocks, error %v; want %d, %s", test.name, blocks, err, test.blocks, test.want)
		}
	}
}

// fakeProgram has a function of its own, the marks, and one of the runtime.
func fakeProgram() *program {
	return &program{functions: []elf.Symbol{
		{Name: "main.f", Value: 0x100, Size: 0x100},
		{Name: startName, Value: 0x200, Size: 0x10},
		{Name: stopName, Value: 0x210, Size: 0x10},
		{Name: "runtime.g", Value: 0x400, Size: 0x100},
	}}
}

// TestParse checks that only what lies between the second pair of marks counts, and
// that a turn of the scheduler is left out.
func TestParse(t *testing.T) {
	p := fakeProgram()
	log := func(addresses ...uint64) []byte {
		var b bytes.Buffer
		for _, a := range addresses {
			fmt.Fprintf(&b, "Trace 0: 0x7f6a88000100 [0000000000000000/%016x/1040c0b3/00000200] symbol\n", a)
		}
		return b.Bytes()
	}
	for _, test := range []struct{ log, want []uint64 }{
		{[]uint64{0x100, 0x200, 0x101, 0x210, 0x102, 0x200, 0x103, 0x104, 0x410, 0x210, 0x105}, []uint64{0x103, 0x104}},
		// At 0x100 the scheduler, twice.
		{[]uint64{0x200, 0x210, 0x200, 0x103, 0x100, 0x1f0, 0x410, 0x1f8, 0x100, 0x1f0, 0x1f8, 0x100, 0x104, 0x210}, []uint64{0x103, 0x100, 0x104}},
		{[]uint64{0x200, 0x210, 0x200, 0x103, 0x100, 0x1f0, 0x1f4, 0x410, 0x1f8, 0x100, 0x104, 0x210}, []uint64{0x103, 0x100, 0x104}},
		// These are calls and a loop.
		{[]uint64{0x200, 0x210, 0x200, 0x100, 0x104, 0x100, 0x108, 0x100, 0x110, 0x104, 0x100, 0x210}, []uint64{0x100, 0x104, 0x100, 0x108, 0x100, 0x110, 0x104, 0x100}},
		{[]uint64{0x200, 0x210}, nil},
		{nil, nil},
	} {
		got, err := p.parse(log(test.log...))
		if !slices.Equal(got, test.want) || (err == nil) != (test.want != nil) {
			t.Errorf("%#x: got %#x, error %v; want %#x", test.log, got, err, test.want)
		}
	}
	for _, test := range []struct {
		a, b []uint64
		want string
	}{
		{[]uint64{1, 2}, []uint64{1, 2}, ""},
		{[]uint64{0x101, 0x102}, []uint64{0x101, 0x103}, "block 1 is main.f+0x2 and main.f+0x3"},
		{[]uint64{1}, []uint64{1, 2}, "1 and 2 blocks"},
	} {
		if err := p.compare(test.a, test.b); fmt.Sprint(err) != test.want && (test.want == "" && err != nil || !strings.Contains(fmt.Sprint(err), test.want)) {
			t.Errorf("compare(%#x, %#x): got %v, want %q", test.a, test.b, err, test.want)
		}
	}
}

// chosenSecrets returns n secrets: all bits clear, all bits set, and random ones.
func chosenSecrets(n int) (list [][]byte) {
	list = append(list, make([]byte, 32), bytes.Repeat([]byte{0xff}, 32))
	for i := range n {
		b := sha256.Sum256([]byte{byte(i)})
		list = append(list, b[:])
	}
	return list[:n]
}

// chosenScalars returns n numbers from 1 to the order of P-256, less 1.
func chosenScalars(n int) (list [][]byte) {
	for _, s := range []string{
		"0000000000000000000000000000000000000000000000000000000000000001",
		// The inverse of 3, so that its own inverse has zeros in its top words.
		"aaaaaaaa00000000aaaaaaaaaaaaaaaa7def51c91a0fbf034d26872ca84218e1",
		"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550",
		// 30·2^252 less the order, where multiplication of the base point would add
		// equal points in another order of its windows.
		"e0000000ffffffff00000000000000004319055258e8617b0c46353d039cdaaf",
		"0000000000000000000000000000000000000000000000010000000000000000",
		"0000000000000000000000000000000100000000000000000000000000000000",
	} {
		b, err := hex.DecodeString(s)
		if err != nil {
			panic(err)
		}
		list = append(list, b)
	}
	for i := range n {
		b := sha256.Sum256([]byte{byte(i)})
		b[0] &= 0x7f
		list = append(list, b[:])
	}
	return list[:n]
}
