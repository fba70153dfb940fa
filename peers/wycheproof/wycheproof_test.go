package wycheproof

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// small is a file of three tests in two groups.
const small = `{"numberOfTests": 3, "testGroups": [
	{"key": "0102", "tests": [
		{"tcId": 1, "comment": "c", "flags": ["F"], "result": "valid", "msg": "aA"},
		{"tcId": 2, "comment": "", "flags": [], "result": "invalid", "msg": ""}]},
	{"key": "03", "tests": [
		{"tcId": 3, "comment": "", "flags": [], "result": "acceptable", "msg": "ff"}]}]}`

type smallGroup struct{ Key Hex }
type smallTest struct{ Msg Hex }

func each(text string, check func(smallGroup, smallTest, Case) error) (int, error) {
	return Each(fstest.MapFS{"small.json": {Data: []byte(text)}}, "small.json", check)
}

func TestEach(t *testing.T) {
	var got []string
	n, err := each(small, func(g smallGroup, v smallTest, c Case) error {
		got = append(got, fmt.Sprintf("%x %x %d %s %s %v", g.Key, v.Msg, c.ID, c.Result, c.Comment, c.Flags))
		return nil
	})
	want := []string{"0102 aa 1 valid c [F]", "0102  2 invalid  []", "03 ff 3 acceptable  []"}
	if n != 3 || err != nil || !slices.Equal(got, want) {
		t.Errorf("got %d tests, %q, error %v, want 3 tests, %q", n, got, err, want)
	}
}

// TestEachFaults checks that a test that fails is reported, and so is a file
// that is not what it should be.
func TestEachFaults(t *testing.T) {
	fails := func(id int) func(smallGroup, smallTest, Case) error {
		return func(_ smallGroup, _ smallTest, c Case) error {
			if c.ID == id {
				return errors.New("planted")
			}
			return nil
		}
	}
	for _, test := range []struct {
		old, new string
		fail     int
		expect   string
	}{
		{"", "", 2, "small.json: test 2, invalid (, []): planted"},
		{"", "", 3, "test 3, acceptable"},
		{`"numberOfTests": 3`, `"numberOfTests": 4`, 0, "got 3 tests, want the 4"},
		{`"numberOfTests": 3`, `"numberOfTests": 2`, 0, "got 3 tests, want the 2"},
		{`"valid"`, `"vaild"`, 0, `test 1: got result "vaild"`},
		{`"aA"`, `"aAb"`, 0, "test 1: encoding/hex: odd length"},
		{`"0102"`, `"01x2"`, 0, "group 0: encoding/hex: invalid byte"},
		{`"testGroups"`, `"groups"`, 0, "got 0 tests"},
		{`{"numberOfTests"`, `numberOfTests"`, 0, "small.json: invalid character"},
	} {
		if _, err := each(strings.Replace(small, test.old, test.new, 1), fails(test.fail)); err == nil || !strings.Contains(err.Error(), test.expect) {
			t.Errorf("with %q for %q: got error %v, want one with %q", test.new, test.old, err, test.expect)
		}
	}
	if _, err := Each(fstest.MapFS{}, "none.json", fails(0)); err == nil {
		t.Error("a file that is not there: got no error")
	}
}

// TestRun checks that the real files are found.
func TestRun(t *testing.T) {
	n := 0
	Run(t, "ecdh_secp256r1_test.json", func(g struct{ Curve string }, v struct{ Public, Private, Shared Hex }, c Case) error {
		n++
		if g.Curve != "secp256r1" || v.Private == nil || c.Result == Valid && (v.Public == nil || v.Shared == nil) {
			return errors.New("not what was expected")
		}
		return nil
	})
	if n < 100 {
		t.Errorf("got %d tests, want hundreds", n)
	}
}
