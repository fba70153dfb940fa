package kernel

import (
	"maps"
	"slices"
)

// A Loop is a routine with a loop under one pattern, as operations on
// locations; see Loop.v.
type Loop struct {
	Parts   [3][]Instr // before, in and after the loop
	Offsets [3][]int   // of the instructions that the operations are parts of
}

// Loop translates a routine with a loop.
func (r *Routine) Loop(pat Pattern) (l *Loop, err error) {
	err = Try(func() { l = r.loop(pat) })
	return l, err
}

func (r *Routine) loop(pat Pattern) *Loop {
	l := &Loop{}
	t, ends := r.entry(pat)
	part := func(i int) {
		t.out = nil
		l.Offsets[i] = t.all(r.Mops[i])
		l.Parts[i] = t.out
	}
	part(0)
	before := maps.Clone(t.tags)
	part(1)
	head := meet(before, t.tags)
	if !head.under(before) {
		Refuse("before the loop, less is known than at its head")
	}
	t.tags = maps.Clone(head)
	part(1)
	if !head.under(t.tags) {
		Refuse("after a round, less is known than before it")
	}
	if _, tagged := t.tags[locRes]; tagged {
		Refuse("the condition of the loop is undefined")
	}
	part(2)
	t.returns(ends, r.low(t, pat))
	return l
}

type tags map[Loc]tag

// meet returns what two states have in common.
func meet(a, b tags) tags {
	m := tags{}
	for _, l := range slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b))) {
		g, inA := a[l]
		h, inB := b[l]
		if !inA || !inB || g != h {
			g = tag{junk: true}
		}
		m[l] = g
	}
	return m
}

// under reports whether what e says holds of a state that b describes.
func (e tags) under(b tags) bool {
	for l, g := range b {
		if h, ok := e[l]; !ok || !h.junk && h != g {
			return false
		}
	}
	for l, g := range e {
		if h, ok := b[l]; !g.junk && (!ok || h != g) {
			return false
		}
	}
	return true
}
