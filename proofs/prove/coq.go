package prove

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-6f9cd256/fieldproof/proofs/coq"
	"github.com/seed-6f9cd256/fieldproof/proofs/kernel"
)

// perRun is the number of routines that a run of coqc checks. To load the
// development, and to look for axioms, takes longer than most proofs.
const perRun = 8

// CoqCheck lets Coq check the certificates in dir: it must accept each theorem
// that the bytes are correct, and that the contract allows some state on entry,
// and say that they rest on no axiom. Results and
// done are as with Each.
func CoqCheck(ts []Target, dir string, dev *coq.Development, done func(Result)) []Result {
	out := make([]Result, len(ts))
	var covered []int
	for _, i := range bySize(ts) {
		if out[i].Target = ts[i]; ts[i].Covered() && ts[i].InCoq() {
			covered = append(covered, i)
		} else {
			done(out[i])
		}
	}
	runs := (len(covered) + perRun - 1) / perRun
	var mu sync.Mutex
	parallel(runs, func(run int) {
		var group []*Result
		for i := run; i < len(covered); i += runs { // neighbours are alike, and take as long
			group = append(group, &out[covered[i]])
		}
		coqRun(group, dir, dev)
		mu.Lock()
		defer mu.Unlock()
		for _, r := range group {
			done(*r)
		}
	})
	return out
}

// coqRun checks routines in one run of coqc or, if it fails, each in its own.
func coqRun(group []*Result, dir string, dev *coq.Development) {
	start := time.Now()
	var b strings.Builder
	b.WriteString(kernel.CoqHeader)
	var theorems []string
	for _, res := range group {
		r, ks, size, err := res.load(dir)
		res.Size, res.Patterns, res.Err = size, len(ks), err
		if err != nil {
			continue
		}
		id := strings.ReplaceAll(res.Name, ".", "_")
		if res.Err = r.WriteCoq(&b, id, ks); res.Err == nil {
			theorems = append(theorems, "correct_"+id, "inhabited_"+id)
		}
	}
	group = slices.DeleteFunc(slices.Clone(group), func(r *Result) bool { return r.Err != nil })
	if len(group) == 0 {
		return
	}
	fmt.Fprintf(&b, "Definition all := (%s).\nPrint Assumptions all.\n", strings.Join(theorems, ", "))
	out, err := dev.Compile("Theorems.v", b.String())
	if err == nil && !coq.Closed(out, 1) {
		err = fmt.Errorf("the theorem rests on more than the definitions:\n%s", out)
	}
	if err != nil && len(group) > 1 {
		for i := range group {
			coqRun(group[i:i+1], dir, dev)
		}
		return
	}
	for _, res := range group {
		res.Err, res.Time = err, time.Since(start)/time.Duration(len(group))
	}
}
