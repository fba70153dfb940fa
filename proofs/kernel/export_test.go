package kernel

// A Place is what a location holds that holds no plain word: an address, a
// value that the routine must preserve, or nothing that is known.
type Place struct {
	Unknown bool
	Saved   Loc // the register whose value on entry it is, or 0
	Buffer  int
	Offset  int64
}

// Places returns what locations hold after each instruction, by its offset,
// where that is no plain word.
func (r *Routine) Places(pat Pattern) map[int]map[Loc]Place {
	t, _ := r.entry(pat)
	places := map[int]map[Loc]Place{}
	for i := range r.Mops[0] {
		m := &r.Mops[0][i]
		t.translate(m)
		now := map[Loc]Place{}
		for l, g := range t.tags {
			p := Place{Unknown: g.junk, Buffer: g.buffer, Offset: g.offset}
			if g.buffer < 0 {
				p.Saved = Loc(-1 - g.buffer)
				p.Unknown = p.Saved == 0 // the return address
			}
			now[l] = p
		}
		places[m.Offset] = now
	}
	return places
}
