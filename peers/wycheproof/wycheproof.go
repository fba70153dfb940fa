// Package wycheproof runs functions on the test vectors of Project Wycheproof,
// github.com/C2SP/wycheproof, which the module of that name carries with it.
//
// A file of vectors has groups, and a group has tests that share a key or other
// parameters. What these hold differs from file to file, and the caller says
// what it wants to read: a struct for the group and one for the test, whose
// fields encoding/json finds by their names.
package wycheproof

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/c2sp/wycheproof"
)

// Hex is a byte string that is written in hexadecimal.
type Hex []byte

// UnmarshalText reads an even number of hexadecimal digits.
func (h *Hex) UnmarshalText(text []byte) error {
	b, err := hex.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	*h = b
	return nil
}

// A Case is what every test has.
type Case struct {
	ID      int      `json:"tcId"`
	Comment string   `json:"comment"`
	Flags   []string `json:"flags"`
	Result  Result   `json:"result"`
}

// A Result is what a right implementation makes of a test.
type Result string

const (
	Valid      Result = "valid"
	Invalid    Result = "invalid"
	Acceptable Result = "acceptable" // valid, though an implementation may refuse it
)

// Run calls check for every test of the file, logs their number, and reports
// the tests for which check returns an error.
func Run[Group, Test any](t *testing.T, name string, check func(g Group, v Test, c Case) error) {
	t.Helper()
	n, err := Each(wycheproof.TestVectors, name, check)
	if err != nil {
		t.Error(err)
	}
	t.Logf("%s: %d tests", name, n)
}

// Each calls check for every test of the file name in files, and returns how
// many there are, and the errors. It is an error if there are none, or another
// number than the file says, and if a test has no known result.
func Each[Group, Test any](files fs.FS, name string, check func(g Group, v Test, c Case) error) (n int, err error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return 0, err
	}
	var file struct {
		Count  int               `json:"numberOfTests"`
		Groups []json.RawMessage `json:"testGroups"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	var faults []error
	for i, group := range file.Groups {
		var g Group
		var list struct {
			Tests []json.RawMessage `json:"tests"`
		}
		if err := errors.Join(json.Unmarshal(group, &g), json.Unmarshal(group, &list)); err != nil {
			return n, fmt.Errorf("%s: group %d: %w", name, i, err)
		}
		for _, test := range list.Tests {
			var v Test
			var c Case
			if err := errors.Join(json.Unmarshal(test, &v), json.Unmarshal(test, &c)); err != nil {
				return n, fmt.Errorf("%s: group %d: test %d: %w", name, i, c.ID, err)
			}
			switch c.Result {
			case Valid, Invalid, Acceptable:
			default:
				return n, fmt.Errorf("%s: test %d: got result %q, want valid, invalid or acceptable", name, c.ID, c.Result)
			}
			n++
			if err := check(g, v, c); err != nil {
				faults = append(faults, fmt.Errorf("%s: test %d, %s (%s, %v): %w", name, c.ID, c.Result, c.Comment, c.Flags, err))
			}
		}
	}
	if n != file.Count || n == 0 {
		faults = append(faults, fmt.Errorf("%s: got %d tests, want the %d that the file says, and at least one", name, n, file.Count))
	}
	return n, errors.Join(faults...)
}
