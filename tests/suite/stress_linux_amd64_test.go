package suite

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// spoiler returns a function that leaves 8 in the frame pointer. Go code cannot
// do that, and its callers restore theirs when they return.
func spoiler(t *testing.T) func() {
	t.Helper()
	code, err := syscall.Mmap(-1, 0, os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	copy(code, "\x48\xc7\xc5\x08\x00\x00\x00\xc3") // MOVQ $8, BP; RET
	if err := syscall.Mprotect(code, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		t.Fatal(err)
	}
	// A func value points to a word that holds the address of the code.
	closure := &struct{ entry unsafe.Pointer }{unsafe.Pointer(&code[0])}
	return *(*func())(unsafe.Pointer(&closure))
}

// stressFault is the environment variable that makes TestStress plant a fault:
// "pointer" or "result".
const stressFault = "FIELDPROOF_STRESS_FAULT"

// TestStress checks that Stress passes routines that are right, and forces
// collections of garbage while it runs them.
func TestStress(t *testing.T) {
	impls := table(t, "p256", architecture())
	spoil := spoiler(t)
	for i := range impls {
		right := impls[i].Call
		switch os.Getenv(stressFault) {
		case "pointer":
			// Another goroutine runs before the caller has its frame pointer
			// back: the tracer notes that with the stack.
			impls[i].Call = func(p []unsafe.Pointer, v []uint64) uint64 {
				r := right(p, v)
				spoil()
				runtime.Gosched()
				return r
			}
		case "result":
			impls[i].Call = func(p []unsafe.Pointer, v []uint64) uint64 { return 2 }
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Stress(t, impls, 200*time.Millisecond)
	runtime.ReadMemStats(&after)
	if after.NumForcedGC < before.NumForcedGC+2 {
		t.Errorf("got %d forced collections, want 2 or more", after.NumForcedGC-before.NumForcedGC)
	}
}

// TestStressFaults plants faults in a process of its own: routines that spoil
// the frame pointer make it crash, and routines that are wrong make it fail.
func TestStressFaults(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for fault, expect := range map[string]string{"pointer": "SIGSEGV", "result": "claim"} {
		cmd := exec.Command(exe, "-test.run=^TestStress$")
		cmd.Env = append(os.Environ(), stressFault+"="+fault)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), expect) {
			t.Errorf("%s: got error %v, want one with %q:\n%.2000s", fault, err, expect, out)
		}
	}
}
