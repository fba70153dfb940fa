package search

import (
	"fmt"
	"slices"

	k "github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// Batch finds where the batch at the head of an inversion's loop ends, and where
// it leaves its matrix: it sets Cut and T to the fewest instructions of the body
// that compute the words of a batch. Of several locations with the same word it
// takes the one that is read first afterwards.
func Batch(v *k.Inversion, l *k.Loop) error {
	body, offsets := l.Parts[1], l.Offsets[1]
	err := k.Try(func() {
		code, ins, outs := v.Batch()
		routine, batch := k.Pairs(ins)
		for i := range code {
			batch.Step(&code[i])
		}
		n, matrix := outs[len(outs)-1], outs[:len(outs)-1]
		written := []k.Loc{}
		for cut := range body {
			routine.Step(&body[cut])
			for _, l := range body[cut].Results() {
				if !slices.Contains(written, l) {
					written = append(written, l)
				}
			}
			within := cut+1 < len(body) && offsets[cut+1] == offsets[cut]
			if within || !routine.Equal(n[0], batch, n[1]) {
				continue
			}
			found := 0
			for j, o := range matrix {
				same := slices.DeleteFunc(slices.Clone(written), func(l k.Loc) bool { return !routine.Equal(l, batch, o[1]) })
				if len(same) == 0 {
					break
				}
				v.T[j/2][j%2] = firstRead(body[cut+1:], same)
				found++
			}
			if found == len(matrix) {
				v.Cut = cut + 1
				return
			}
		}
		k.Refuse("its end is reached")
	})
	if err != nil {
		return fmt.Errorf("no beginning of the loop's body computes a batch of %v divsteps: %w", v.Steps, err)
	}
	return nil
}

// firstRead returns the location that the code reads first, before it writes to
// it, or any if it reads none.
func firstRead(code []k.Instr, ls []k.Loc) k.Loc {
	ls = slices.Clone(ls)
	for i := range code {
		for _, l := range code[i].Reads() {
			if slices.Contains(ls, l) {
				return l
			}
		}
		for _, l := range code[i].Results() {
			if len(ls) > 1 {
				ls = slices.DeleteFunc(ls, func(m k.Loc) bool { return l == m })
			}
		}
	}
	return ls[0]
}
