package prove

import (
	"errors"
	"slices"

	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
	"github.com/seed-6f9cd256/fieldproof/proofs/search"
)

// searchInversion looks for certificates of an inversion, one for each pattern.
func searchInversion(r *kernel.Routine, ks []*kernel.Cert) error {
	if r.Spec.Field == nil {
		return errors.New("the routine has a loop, and its contract names no field in which it could invert")
	}
	pats := r.Patterns()
	v := kernel.NewInversion(r.Spec.Field)
	for i, pat := range slices.Backward(pats) { // disjoint pointers first
		l, err := r.Loop(pat)
		if err == nil && i == len(pats)-1 {
			err = search.Batch(v, l)
		}
		if err != nil {
			return failure(r, pat, nil, err)
		}
		ps, err := v.Segments(r, pat)
		if err != nil {
			return failure(r, pat, nil, err)
		}
		ks[i] = &kernel.Cert{Kind: kernel.NodeInversion, Inversion: v}
		for j, p := range ps {
			var found []*kernel.Cert
			for _, k := range ks[i+1:] {
				found = append(found, k.Parts[j])
			}
			if ks[i].Parts[j] = reuse(p, found); ks[i].Parts[j] != nil {
				continue
			}
			if ks[i].Parts[j], err = search.Prove(p); err != nil {
				f := failure(r, pat, p, err)
				f.Part = kernel.Parts[j]
				return f
			}
		}
	}
	return nil
}
