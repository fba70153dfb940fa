// Package ledger holds the list of what is claimed of every assembly routine.
//
// The list, ledger.txt, is kept by hand. It says nothing that is not shown
// again: a test finds out what the routines are now, what their certificates
// prove and what the lint finds, and fails on any difference, so that neither
// a claim nor a byte of code changes without somebody writing so.
package ledger

import (
	"crypto/sha256"
	_ "embed" // for ledger.txt
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-6f9cd256/fieldproof/proofs/prove"
)

// Text is the ledger as it was when the program was built.
//
//go:embed ledger.txt
var Text string

// A Claim says how far something is shown.
type Claim string

// The claims. Unknown is not one: it stands for a column that was not looked at.
const (
	Proved  Claim = "proved" // from the bytes, by a certificate
	Linted  Claim = "linted" // on the bytes, by proofs/lint
	Tested  Claim = "tested" // against the math/big model
	Coq     Claim = "coq"    // Coq accepts the certificate
	No      Claim = "no"     // there is no certificate for Coq to accept
	Unknown Claim = ""
)

// An Entry is what is claimed of one routine for one instruction set.
type Entry struct {
	Routine    string // the symbol, such as field25519.feAddAMD64
	Set        string // the instruction set, see Set
	Functional Claim  // keeps its contract: Proved or Tested
	Time       Claim  // constant time: Proved or Linted
	Memory     Claim  // accesses, stack and registers: Proved or Linted
	Kernel     Claim  // Coq or No
	Code       string // SHA-256 of the bytes, in hexadecimal
}

// columns are the claims of an entry, with their names and the values that each may have.
func (e *Entry) columns() []column {
	return []column{
		{"functional", &e.Functional, []Claim{Proved, Tested}},
		{"constant time", &e.Time, []Claim{Proved, Linted}},
		{"memory", &e.Memory, []Claim{Proved, Linted}},
		{"kernel", &e.Kernel, []Claim{Coq, No}},
	}
}

type column struct {
	name    string
	value   *Claim
	allowed []Claim
}

// sets are the instruction sets, by the ending of the names of their routines.
var sets = []struct{ suffix, name string }{
	{"AMD64", "amd64"},
	{"ADX", "amd64+bmi2+adx"},
	{"ARM64", "arm64"},
	{"Karatsuba", "arm64-karatsuba"},
}

// Set returns the instruction set of a routine, by its name.
func Set(routine string) (string, error) {
	for _, s := range sets {
		if strings.HasSuffix(routine, s.suffix) {
			return s.name, nil
		}
	}
	return "", fmt.Errorf("routine %s: its name does not end in that of a known instruction set", routine)
}

// Hash returns the hash of a routine's code. The routines have no relocations,
// so that their bytes are the same in every program.
func Hash(code []byte) string { return fmt.Sprintf("%x", sha256.Sum256(code)) }

// New returns what is shown of a routine by the result of checking its
// certificate. It is an error if a check failed.
func New(r prove.Result) (Entry, error) {
	set, err := Set(r.Name)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Routine: r.Name, Set: set, Functional: Tested, Time: Linted, Memory: Linted, Kernel: No, Code: Hash(r.Code)}
	if r.Covered() {
		e.Functional, e.Memory = Proved, Proved
		if r.InCoq() {
			e.Kernel = Unknown
		}
	}
	switch {
	case r.Err != nil:
		return e, fmt.Errorf("%s: %w", r.Name, r.Err)
	case len(r.Problems) > 0:
		return e, fmt.Errorf("%v", r.Problems[0])
	}
	return e, nil
}

// Parse reads the text of a ledger. Lines that begin with # are comments; the
// others have the seven fields of an Entry, in the order of routines.
func Parse(text string) ([]Entry, error) {
	var list []Entry
	for i, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		e, err := parseLine(line)
		if err == nil && len(list) > 0 && list[len(list)-1].Routine >= e.Routine {
			err = fmt.Errorf("%s follows %s, want the order of names", e.Routine, list[len(list)-1].Routine)
		}
		if err != nil {
			return nil, fmt.Errorf("ledger, line %d: %w", i+1, err)
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the ledger has no entries")
	}
	return list, nil
}

func parseLine(line string) (Entry, error) {
	f := strings.Fields(line)
	if len(f) != 7 {
		return Entry{}, fmt.Errorf("%d fields, want 7: routine, instruction set, functional, constant time, memory, kernel, code", len(f))
	}
	e := Entry{Routine: f[0], Set: f[1], Code: f[6]}
	if set, err := Set(e.Routine); err != nil {
		return e, err
	} else if set != e.Set {
		return e, fmt.Errorf("%s has the instruction set %q, want %q", e.Routine, e.Set, set)
	}
	for i, c := range e.columns() {
		*c.value = Claim(f[2+i])
		if !slices.Contains(c.allowed, *c.value) {
			return e, fmt.Errorf("%s: %s is %q, want one of %q", e.Routine, c.name, *c.value, c.allowed)
		}
	}
	if len(e.Code) != 2*sha256.Size || strings.Trim(e.Code, "0123456789abcdef") != "" {
		return e, fmt.Errorf("%s: code is %q, want a SHA-256 in lower-case hexadecimal", e.Routine, e.Code)
	}
	return e, nil
}

const header = `# What is claimed of every assembly routine, kept by hand; go test compares it
# with what is so, and fieldproof check -kernel compares the column kernel.
#
# functional     keeps its contract in spec/: proved from the bytes, or tested
# constant-time  no secret in a jump, an address or a variable-time instruction
# memory         accesses, stack and registers are those of its contract and of Go
# kernel         coq: Coq accepts the proof
# code           SHA-256 of the bytes, which have no relocations
#
`

// Format returns the text of a ledger.
func Format(list []Entry) string {
	var b strings.Builder
	b.WriteString(header)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "# routine\tset\tfunctional\tconstant-time\tmemory\tkernel\tcode")
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Routine, e.Set, e.Functional, e.Time, e.Memory, e.Kernel, e.Code)
	}
	w.Flush()
	return b.String()
}

// Compare returns the differences between the entries that are kept and those
// that were found now, one line each. It leaves out claims that are Unknown in now.
func Compare(kept, now []Entry) []string {
	var diffs []string
	found := map[string]*Entry{}
	for i := range now {
		found[now[i].Routine] = &now[i]
	}
	known := map[string]bool{}
	for _, k := range kept {
		known[k.Routine] = true
		n := found[k.Routine]
		if n == nil {
			diffs = append(diffs, fmt.Sprintf("%s: in the ledger, but there is no such routine", k.Routine))
			continue
		}
		if k.Code != n.Code {
			diffs = append(diffs, fmt.Sprintf("%s: the ledger has code sha256:%s, the program sha256:%s", k.Routine, k.Code, n.Code))
		}
		is := n.columns()
		for i, c := range k.columns() {
			if v := *is[i].value; v != Unknown && *c.value != v {
				diffs = append(diffs, fmt.Sprintf("%s: %s: the ledger says %s, but it is %s", k.Routine, c.name, *c.value, v))
			}
		}
	}
	for _, n := range now {
		if !known[n.Routine] {
			diffs = append(diffs, fmt.Sprintf("%s: not in the ledger", n.Routine))
		}
	}
	return diffs
}

// Merge fills in claims that are Unknown in now from the entries that are kept.
func Merge(kept, now []Entry) {
	for i := range now {
		for j := range kept {
			if kept[j].Routine != now[i].Routine {
				continue
			}
			was := kept[j].columns()
			for c, col := range now[i].columns() {
				if *col.value == Unknown {
					*col.value = *was[c].value
				}
			}
		}
		for _, col := range now[i].columns() {
			if *col.value == Unknown {
				*col.value = col.allowed[len(col.allowed)-1]
			}
		}
	}
}

// Only returns the entries of kept whose routines are in now.
func Only(kept, now []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(kept), func(k Entry) bool {
		return !slices.ContainsFunc(now, func(n Entry) bool { return n.Routine == k.Routine })
	})
}

// Rehash returns the text of a ledger with the hashes of the routines' code.
// It is an error if the ledger has other routines: which there are is for a
// person to write.
func Rehash(text string, ts []prove.Target) (string, error) {
	kept, err := Parse(text)
	if err != nil {
		return "", err
	}
	now := slices.Clone(kept)
	for i := range now {
		t := slices.IndexFunc(ts, func(t prove.Target) bool { return t.Name == now[i].Routine })
		if t < 0 {
			return "", fmt.Errorf("%s: in the ledger, but there is no such routine", now[i].Routine)
		}
		now[i].Code = Hash(ts[t].Code)
	}
	for _, t := range ts {
		if !slices.ContainsFunc(kept, func(k Entry) bool { return k.Routine == t.Name }) {
			return "", fmt.Errorf("%s: not in the ledger", t.Name)
		}
	}
	for i, k := range kept {
		text = strings.Replace(text, k.Code, "@"+now[i].Code, 1) // the mark keeps equal hashes apart
	}
	return strings.ReplaceAll(text, "@", ""), nil
}
