//go:build !purego

package flags

import (
	"debug/elf"
	"debug/gosym"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed-6f9cd256/fieldproof/field25519"
	"github.com/seed-6f9cd256/fieldproof/fieldp256"
	"github.com/seed-6f9cd256/fieldproof/spec"
	"github.com/seed-6f9cd256/fieldproof/tests/suite"
)

// The linker keeps the routines only if something may call them. Where methods
// are looked up by number, it keeps all methods of these types.
var linked = []any{new(field25519.Element), new(field25519.Scalar), new(fieldp256.Element), new(fieldp256.Scalar)}

// addresses returns the entries of all functions of this program that are in
// the module, by name. The address of an assembly function in Go is that of a
// wrapper where there is one, and that changes the flags; the table of the
// runtime has both.
func addresses(t *testing.T) map[string][]uintptr {
	t.Helper()
	for _, v := range linked {
		for i := range reflect.TypeOf(v).NumMethod() {
			if m := reflect.ValueOf(v).Method(i); !m.IsValid() {
				t.Fatalf("%T has no method %d", v, i)
			}
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Type != elf.ET_EXEC {
		t.Skip("the addresses in the file are not those in memory: it is position-independent")
	}
	data, err := f.Section(".gopclntab").Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, f.Section(".text").Addr))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]uintptr)
	for _, fn := range table.Funcs {
		if _, name, ok := strings.Cut(fn.Name, "fieldproof/"); ok {
			all[name] = append(all[name], uintptr(fn.Entry))
		}
	}
	return all
}

// wrapper reports whether the code at pc is Go's wrapper of an assembly
// function and not the function: the wrapper is not in the assembly file.
func wrapper(pc uintptr) bool {
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	return !strings.HasSuffix(file, ".s")
}

// entry returns the address of the assembly function called name.
func entry(t *testing.T, all map[string][]uintptr, name string) uintptr {
	t.Helper()
	for _, pc := range all[name] {
		if !wrapper(pc) {
			return pc
		}
	}
	t.Fatalf("no assembly function %s in the program", name)
	return 0
}

// TestFlagsAreSet checks that a routine does see the flags. Called in the usual
// way, it may see any.
func TestFlagsAreSet(t *testing.T) {
	onEntry()
	args := new([6]uintptr)
	callWithFlags(entry(t, addresses(t), "tests/flags.onEntry"), args)
	if args[0] != 1 || args[1] != 1 {
		t.Errorf("got carry %d and overflow %d on entry, want 1 and 1", args[0], args[1])
	}
}

// The first instruction of a chain took the overflow flag from code before the
// routine. Every routine is called with the carry and the overflow flag set.
func TestReport_guanzhi_GmSSL_858(t *testing.T) {
	all := addresses(t)
	sets := map[string]string{suite.AMD64: "AMD64"}
	if suite.HostADX() == suite.With {
		sets[suite.ADX] = "ADX"
	}
	for _, f := range spec.Fields() {
		for _, r := range f.Routines() {
			for set, suffix := range sets {
				if set == suite.ADX && !r.Multiplies() {
					continue
				}
				name := f.Package + "." + r.Name() + suffix
				call := withFlags(r, entry(t, all, name))
				suite.Calls(t, []suite.Impl{{Field: f.Name, Kind: r.Kind, Set: set, Available: true, Call: call}}, 500)
			}
		}
	}
}

// withFlags returns a call of the routine at pc with flags set.
func withFlags(r *spec.Routine, pc uintptr) func(p []unsafe.Pointer, v []uint64) uint64 {
	return func(p []unsafe.Pointer, v []uint64) uint64 {
		args := new([6]uintptr)
		i, result := 0, -1
		for _, q := range r.Params {
			switch {
			case q.Role.Pointer():
				args[i], p = uintptr(p[0]), p[1:]
			case q.Role == spec.Value:
				args[i], v = uintptr(v[0]), v[1:]
			default:
				result = i
			}
			i++
		}
		callWithFlags(pc, args)
		if result < 0 {
			return 0
		}
		return uint64(args[result])
	}
}
