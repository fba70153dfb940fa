// Package regs allocates registers to the words of a straight-line program: a
// word that is needed takes a free register, or that of the word whose next use
// is farthest away (Belady, IBM Systems Journal 5, 1966). Words that can be had
// again without saving are evicted first.
package regs

import (
	"math"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/gen/internal/limb"
)

// A File is the registers of a machine and what they hold.
type File struct {
	// Pos is the index of the current instruction.
	Pos int
	// Uses holds the indexes of the instructions that read a word, in order.
	Uses map[*limb.Word][]int
	// Stored reports whether a word that is in no slot can be had again.
	Stored func(w *limb.Word) bool
	// Save copies a register to a spill slot.
	Save func(r, slot int)

	length int // of the program
	holds  []*limb.Word
	pinned []bool
	in     map[*limb.Word]int
	slot   map[*limb.Word]int
	free   []int // slots for reuse, sorted
	slots  int
}

// New returns a file of n empty registers for a program of the given length.
func New(n, length int) *File {
	return &File{
		length: length, holds: make([]*limb.Word, n), pinned: make([]bool, n),
		in: map[*limb.Word]int{}, slot: map[*limb.Word]int{}, Uses: map[*limb.Word][]int{},
	}
}

// Use notes that instruction n reads w; n must not decrease.
func (f *File) Use(w *limb.Word, n int) {
	if u := f.Uses[w]; len(u) == 0 || u[len(u)-1] != n {
		f.Uses[w] = append(u, n)
	}
}

// Slots returns the number of spill slots in use so far.
func (f *File) Slots() int { return f.slots }

// Slot returns the spill slot of w, if it has one.
func (f *File) Slot(w *limb.Word) (slot int, ok bool) { slot, ok = f.slot[w]; return }

// In returns the register of w, if it is in one.
func (f *File) In(w *limb.Word) (r int, ok bool) { r, ok = f.in[w]; return }

// Pin keeps register r from being taken until the current instruction ends.
func (f *File) Pin(r int) { f.pinned[r] = true }

// NextUse returns the index of the first read of w at or after n.
func (f *File) NextUse(w *limb.Word, n int) int {
	u := f.Uses[w]
	if i, _ := slices.BinarySearch(u, n); i < len(u) {
		return u[i]
	}
	return math.MaxInt
}

// Dies reports whether nothing reads w after the current instruction.
func (f *File) Dies(w *limb.Word) bool { return f.NextUse(w, f.Pos+1) == math.MaxInt }

func (f *File) stored(w *limb.Word) bool {
	_, spilled := f.slot[w]
	return spilled || f.Stored(w)
}

// Empty returns a register that holds nothing, pinned, if there is one.
func (f *File) Empty() (r int, ok bool) {
	for r, w := range f.holds {
		if w == nil && !f.pinned[r] {
			f.pinned[r] = true
			return r, true
		}
	}
	return 0, false
}

// Take returns a register that holds nothing, pinned, evicting a word if it
// must.
func (f *File) Take() int {
	if r, ok := f.Empty(); ok {
		return r
	}
	victim, far := -1, -1
	for r, w := range f.holds {
		if f.pinned[r] {
			continue
		}
		n := f.NextUse(w, f.Pos)
		if f.stored(w) {
			n += f.length // rather than one that costs a store
		}
		if n > far {
			victim, far = r, n
		}
	}
	if victim < 0 {
		panic("no register left")
	}
	w := f.holds[victim]
	if !f.stored(w) {
		if len(f.free) == 0 {
			f.free, f.slots = append(f.free, f.slots), f.slots+1
		}
		s := f.free[0]
		f.free = f.free[1:]
		f.Save(victim, s)
		f.slot[w] = s
	}
	f.Drop(w)
	f.pinned[victim] = true
	return victim
}

// Put records that register r holds w, and pins it.
func (f *File) Put(w *limb.Word, r int) {
	f.Drop(w)
	if old := f.holds[r]; old != nil {
		f.Drop(old)
	}
	f.holds[r], f.in[w], f.pinned[r] = w, r, true
}

// Drop forgets that w is in a register.
func (f *File) Drop(w *limb.Word) {
	if r, ok := f.in[w]; ok {
		f.holds[r] = nil
		delete(f.in, w)
	}
}

// ReleaseDead frees the registers of words that nothing reads after the current
// instruction. They stay as they are until one is taken.
func (f *File) ReleaseDead() {
	for r, w := range f.holds {
		if w != nil && f.Dies(w) {
			f.Drop(w)
			f.pinned[r] = false
		}
	}
}

// End ends the current instruction: nothing is pinned, and the slots of dead
// words can be used again.
func (f *File) End() {
	f.ReleaseDead()
	clear(f.pinned)
	for w, s := range f.slot {
		if f.Dies(w) {
			delete(f.slot, w)
			f.free = append(f.free, s)
		}
	}
	slices.Sort(f.free) // output must not depend on the order of a map
}

// Forget empties the registers, as where a loop starts or ends. It returns a
// word that would be lost, or nil.
func (f *File) Forget() (lost *limb.Word) {
	for _, w := range f.holds {
		if w == nil {
			continue
		}
		if !f.Stored(w) {
			return w
		}
		f.Drop(w)
	}
	for _, w := range f.holds {
		if w != nil {
			return w
		}
	}
	for w := range f.slot {
		return w
	}
	return nil
}
