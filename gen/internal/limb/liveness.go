package limb

// Uses holds, for each word and flag, the indexes of the instructions that read
// it, in order.
type Uses struct {
	Word map[*Word][]int
	Flag map[*Flag][]int
}

// Uses returns where each value of the program is read.
func (p *Program) Uses() Uses {
	u := Uses{map[*Word][]int{}, map[*Flag][]int{}}
	for n, i := range p.Instrs {
		for _, w := range i.In {
			u.Word[w] = append(u.Word[w], n)
		}
		if i.Cond != nil {
			u.Flag[i.Cond] = append(u.Flag[i.Cond], n)
		}
	}
	return u
}

// DropDead removes instructions whose results nobody reads.
func (p *Program) DropDead() {
	u := p.Uses()
	live := make([]bool, len(p.Instrs))
	for n := len(p.Instrs) - 1; n >= 0; n-- {
		i := p.Instrs[n]
		switch i.Op {
		case Store, Return, Loop, EndLoop, Assign:
			live[n] = true
		}
		read := func(uses []int) {
			for _, at := range uses {
				live[n] = live[n] || live[at]
			}
		}
		for _, w := range i.Out {
			read(u.Word[w])
		}
		for _, f := range i.Flag {
			read(u.Flag[f])
		}
	}
	kept := p.Instrs[:0]
	for n, i := range p.Instrs {
		if live[n] {
			kept = append(kept, i)
		}
	}
	p.Instrs = kept
}
