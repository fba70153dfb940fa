package foreign_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f9cd256/fieldproof/proofs/emulate"
	"github.com/seed-6f9cd256/fieldproof/proofs/foreign"
	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/mutate"
	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// assemble returns the object that gcc makes of a file of assembly.
func assemble(t testing.TB, source string) *bytes.Reader {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc, from Debian's package gcc")
	}
	object := filepath.Join(t.TempDir(), "it.o")
	if out, err := exec.Command("gcc", "-m64", "-c", "-x", "assembler", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatalf("gcc %s: %v\n%s", source, err, out)
	}
	data, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(data)
}

// routine returns the routine of that name in testdata, with its contract.
func routine(t testing.TB, name string) *prove.Target {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := foreign.ParseContract(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	code, err := foreign.ReadObject(assemble(t, filepath.Join("testdata", name+".s")), name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return &prove.Target{Name: name, Contract: c, Code: code, Conv: kernel.SystemV}
}

func names(t testing.TB) (list []string) {
	files, err := filepath.Glob("testdata/*.s")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no routines in testdata")
	}
	for _, f := range files {
		list = append(list, strings.TrimSuffix(filepath.Base(f), ".s"))
	}
	return list
}

// TestRoutines proves every routine in testdata, runs it on inputs, and shows
// mutants to the checker: each is refused, or no input tells it from the routine.
func TestRoutines(t *testing.T) {
	refused, equal := 0, 0
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			tt := routine(t, name)
			text, res := tt.Search()
			if res.Err != nil {
				t.Fatal(res.Err)
			}
			if c := tt.Counterexample(2000, 1); c != "" {
				t.Fatalf("it is proved, but: %s", c)
			}
			all, err := mutate.All(tt.Code)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range mutate.Sample(rand.New(rand.NewPCG(1, 2)), all, 40) {
				code, err := m.Apply(tt.Code)
				if err != nil {
					t.Fatal(err)
				}
				if err := accepts(tt, code, text); err != nil {
					refused++
					continue
				}
				v, err := mutate.Judge(code, tt.Contract, emulate.SystemV, 10_000, 3)
				if err != nil || !v.Equivalent() {
					t.Errorf("%v: accepted, but %v %v", m, err, v.Fault)
				}
				equal++
			}
		})
	}
	t.Logf("%d mutants refused, %d accepted that no input tells from the routine", refused, equal)
}

// accepts returns nil if the certificate, which was made for other code, proves the code.
func accepts(tt *prove.Target, code []byte, text string) error {
	r, err := kernel.NewRoutine(tt.Contract, tt.Conv, code)
	if err != nil {
		return err
	}
	was, err := kernel.NewRoutine(tt.Contract, tt.Conv, tt.Code)
	if err != nil {
		return err
	}
	ks, err := was.ParseText(tt.Name, text)
	if err != nil {
		return err
	}
	return r.Check(ks)
}

// TestABI plants breaches of the calling convention in code that is otherwise right.
func TestABI(t *testing.T) {
	const contract = `{"name": "copy", "parameters": [
		{"name": "z", "role": "out", "limbs": 1}, {"name": "x", "role": "in", "limbs": 1}], "claims": ["z == x"]}`
	c, err := foreign.ParseContract([]byte(contract))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, code, want string }{
		{"Good", "mov (%rsi), %rax; mov %rax, (%rdi); ret", ""},
		{"Saved", "push %rbx; push %r15; mov (%rsi), %rbx; mov %rbx, %r15; mov %r15, (%rdi); pop %r15; pop %rbx; ret", ""},
		{"RedZone", "mov %rbx, -128(%rsp); mov (%rsi), %rbx; mov %rbx, (%rdi); mov -128(%rsp), %rbx; ret", ""},
		{"RBX", "mov (%rsi), %rbx; mov %rbx, (%rdi); ret", "register 3"},
		{"R12", "mov (%rsi), %r12; mov %r12, (%rdi); ret", "register 12"},
		{"SwappedSaves", "push %rbx; push %r15; mov (%rsi), %rbx; mov %rbx, (%rdi); pop %rbx; pop %r15; ret", "register 3"},
		{"SP", "push %rax; mov (%rsi), %rax; mov %rax, (%rdi); ret", "register"},
		{"BelowRedZone", "mov %rbx, -136(%rsp); mov (%rsi), %rbx; mov %rbx, (%rdi); mov -136(%rsp), %rbx; ret", "below SP"},
		{"ReturnAddress", "mov (%rsi), %rax; mov %rax, (%rdi); mov %rax, (%rsp); ret", "may only be read"},
		{"WritesInput", "mov (%rsi), %rax; mov %rax, (%rdi); mov %rax, (%rsi); ret", "may only be read"},
		{"Beyond", "mov 8(%rsi), %rax; mov (%rsi), %rax; mov %rax, (%rdi); ret", "has 1 words"},
		{"Unaligned", "mov (%rsi), %rax; mov %rax, (%rdi); mov 4(%rsi), %rax; ret", "byte 4"},
		{"OtherRegister", "mov (%rdx), %rax; mov %rax, (%rdi); ret", "not known to hold an address"},
		{"Jump", "mov (%rsi), %rax; jmp 1f; 1: mov %rax, (%rdi); ret", "opcode eb"},
		{"Uninitialised", "mov %rax, (%rdi); ret", "does not follow"},
	} {
		source := filepath.Join(t.TempDir(), "it.s")
		if err := os.WriteFile(source, []byte(".globl copy\ncopy: "+tt.code+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		code, err := foreign.ReadObject(assemble(t, source), "copy")
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		_, res := (&prove.Target{Name: "copy", Contract: c, Code: code, Conv: kernel.SystemV}).Search()
		if tt.want == "" && res.Err != nil || tt.want != "" && (res.Err == nil || !strings.Contains(res.Err.Error(), tt.want)) {
			t.Errorf("%s: got error %v, want %q", tt.name, res.Err, tt.want)
		}
	}
}

// TestObject refuses objects and symbols from which no code can be taken.
func TestObject(t *testing.T) {
	const source = ".globl sized, unsized, refers, calls\n" +
		"sized: ret\nnop\n.size sized, 1\n.p2align 4\nunsized: xor %eax, %eax; ret\n.p2align 4\n" +
		"refers: mov constant(%rip), %rax; ret\n.size refers, .-refers\n" +
		"calls: call other; ret\n.data\nconstant: .quad 1\n"
	file := filepath.Join(t.TempDir(), "it.s")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	object := assemble(t, file)
	for _, tt := range []struct{ symbol, code, want string }{
		{"sized", "c3", ""},
		{"unsized", "31 c0 c3", ""},
		{"refers", "", "refers to another symbol at its offset 0x3"},
		{"calls", "", "refers to another symbol at its offset 0x1"},
		{"constant", "", `no function "constant"; there are: sized`},
		{"missing", "", `no function "missing"`},
		{"", "", `no function ""`},
	} {
		code, err := foreign.ReadObject(object, tt.symbol)
		if tt.want == "" {
			if err != nil || fmt.Sprintf("% x", code) != tt.code {
				t.Errorf("%s: got % x, %v, want %s", tt.symbol, code, err, tt.code)
			}
		} else if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want %q", tt.symbol, err, tt.want)
		}
	}
	whole := make([]byte, object.Size())
	if _, err := object.ReadAt(whole, 0); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 7 {
		if _, err := foreign.ReadObject(bytes.NewReader(whole[:n]), "sized"); err == nil {
			t.Errorf("the first %d of %d bytes are accepted", n, len(whole))
		}
	}
	if _, err := foreign.ReadObject(strings.NewReader("MZ"), "sized"); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("two bytes: got error %v", err)
	}
}
