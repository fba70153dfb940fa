package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Markdown returns the status table of README: entries of one package and one
// instruction set that claim the same are one line.
func Markdown(list []Entry) string {
	type group struct {
		pkg, set                         string
		functional, time, memory, kernel Claim
	}
	var order []group
	members := map[group][]string{}
	all := map[[2]string]int{} // routines of a package and set
	for _, e := range list {
		pkg, name, _ := strings.Cut(e.Routine, ".")
		g := group{pkg, e.Set, e.Functional, e.Time, e.Memory, e.Kernel}
		if members[g] == nil {
			order = append(order, g)
		}
		members[g] = append(members[g], name)
		all[[2]string{pkg, e.Set}]++
	}
	slices.SortStableFunc(order, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.set, b.set), cmp.Compare(a.functional, b.functional))
	})
	var b strings.Builder
	b.WriteString("| package | instruction set | routines | functional | constant time | memory | Coq |\n|---|---|---|---|---|---|---|\n")
	for _, g := range order {
		names := members[g]
		which := fmt.Sprint(len(names))
		if n := len(names); n < all[[2]string{g.pkg, g.set}] && n <= 4 {
			which += ": " + strings.Join(names, ", ")
		}
		kernel := "no"
		if g.kernel == Coq {
			kernel = "**accepts the proof**"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", g.pkg, g.set, which, bold(g.functional), bold(g.time), bold(g.memory), kernel)
	}
	return b.String()
}

func bold(c Claim) string {
	if c == Proved {
		return "**proved**"
	}
	return string(c)
}

// The comments around the status table in README.
const (
	beginTable = "<!-- made by fieldproof ledger -readme; do not edit -->\n"
	endTable   = "<!-- end -->\n"
)

// Readme returns the text with the status table between its two comments replaced.
func Readme(text string, list []Entry) (string, error) {
	before, rest, ok := strings.Cut(text, beginTable)
	_, after, ok2 := strings.Cut(rest, endTable)
	if !ok || !ok2 {
		return "", fmt.Errorf("the text has no lines %q and %q", strings.TrimSpace(beginTable), strings.TrimSpace(endTable))
	}
	return before + beginTable + "\n" + Markdown(list) + "\n" + endTable + after, nil
}
