package regs

import (
	"testing"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

// file returns a file of two registers in which words are read at the given
// positions, and the slots that it saves to.
func file(stored *limb.Word, reads map[*limb.Word][]int) (*File, *[]int) {
	f := New(2, 10)
	saved := new([]int)
	f.Stored = func(w *limb.Word) bool { return w == stored }
	f.Save = func(r, slot int) { *saved = append(*saved, r, slot) }
	for w, at := range reads {
		for _, n := range at {
			f.Use(w, n)
		}
	}
	return f, saved
}

// TestTake checks which word loses its register: the one that is read last,
// but sooner one that need not be saved.
func TestTake(t *testing.T) {
	a, b, c := new(limb.Word), new(limb.Word), new(limb.Word)
	reads := map[*limb.Word][]int{a: {1, 3}, b: {8}, c: {2}}
	for _, test := range []struct {
		stored, victim *limb.Word
		saves          int
	}{{nil, b, 1}, {a, a, 0}} {
		f, saved := file(test.stored, reads)
		f.Put(a, f.Take())
		f.Put(b, f.Take())
		f.End()
		r := f.Take()
		f.Put(c, r)
		if _, ok := f.In(test.victim); ok || len(*saved) != 2*test.saves {
			t.Errorf("stored %p: the victim is still in a register: %t; saved %v, want %d saves", test.stored, ok, *saved, test.saves)
		}
		if _, ok := f.Slot(test.victim); ok != (test.saves > 0) {
			t.Errorf("stored %p: in a slot: %t", test.stored, ok)
		}
		f.Pos = 9
		f.End()
		if _, ok := f.Slot(test.victim); ok {
			t.Error("a dead word keeps its slot")
		}
		if w := f.Forget(); w != nil {
			t.Errorf("word %p would be lost, though nothing is read any more", w)
		}
	}
}

// TestPinned checks that what the current instruction needs keeps its register.
func TestPinned(t *testing.T) {
	a, b := new(limb.Word), new(limb.Word)
	f, _ := file(nil, map[*limb.Word][]int{a: {0, 5}, b: {0, 5}})
	f.Put(a, f.Take())
	f.Put(b, f.Take())
	defer func() {
		if recover() == nil {
			t.Error("a pinned register was taken")
		}
	}()
	f.Take()
}

// TestForget checks that a word that would be lost is named.
func TestForget(t *testing.T) {
	a := new(limb.Word)
	f, _ := file(nil, map[*limb.Word][]int{a: {5}})
	f.Put(a, f.Take())
	f.End()
	if f.Forget() != a {
		t.Error("a word in a register was forgotten")
	}
	f.Take()
	f.Take()
	if f.Forget() != a {
		t.Error("a word in a slot was forgotten")
	}
}
