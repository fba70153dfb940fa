package trace

import (
	"bufio"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var addresses = flag.Bool("addresses", false, "compare addresses of memory too, under valgrind, which takes minutes and must be installed")

// An event is the address of an instruction, or, with one of the marks or both, that
// of memory which the instruction before it reads or writes.
type event = uint64

const (
	reads  event = 1 << 63
	writes event = 1 << 62
)

// events does the operation under valgrind and returns the events of the second time,
// in order. Valgrind has no ADX, so the baseline assembly runs.
func (p *program) events(operation string, secret []byte) ([]event, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command("valgrind", "--tool=lackey", "--trace-mem=yes", "--log-fd=3", p.path, operation, hex.EncodeToString(secret))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	cmd.ExtraFiles = []*os.File{w}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err = cmd.Start()
	w.Close()
	if err != nil {
		return nil, err
	}
	list, err := p.parseEvents(r)
	io.Copy(io.Discard, r)
	if failed := cmd.Wait(); failed != nil {
		return nil, fmt.Errorf("%s: %v\n%s", operation, failed, &stderr)
	}
	return list, err
}

// parseEvents reads the log of valgrind.
func (p *program) parseEvents(log io.Reader) (list []event, err error) {
	starts, stops, entry, ours := 0, 0, 0, false
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		// "I  address,size" is an instruction, " L address,size" a load, " S" a
		// store and " M" both.
		kind, rest, ok := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		place, _, comma := strings.Cut(strings.TrimSpace(rest), ",")
		var mark event
		switch kind {
		case "I":
		case "L":
			mark = reads
		case "S":
			mark = writes
		case "M":
			mark = reads | writes
		default:
			continue
		}
		address, err := strconv.ParseUint(place, 16, 62)
		if err != nil || !ok || !comma {
			return nil, fmt.Errorf("got line %q", lines.Text())
		}
		if mark != 0 {
			if ours {
				list = append(list, address|mark)
			}
			continue
		}
		f := p.function(address)
		ours = counts(f.Name) && starts == 2
		switch {
		case address == f.Value && f.Name == startName:
			starts++
			ours = false
		case address == f.Value && f.Name == stopName:
			if stops++; stops == 2 {
				return list, nil
			}
		case ours:
			if address == f.Value {
				list = dropTurn(list, entry, f.Value, f.Value+f.Size)
				entry = len(list)
			}
			list = append(list, address)
		}
	}
	return nil, fmt.Errorf("got %d starts and %d stops, want 2 (%v)", starts, stops, lines.Err())
}

// dropTurn leaves out the end of the list, from the last entry of a function on, if
// that is a turn of the scheduler: see appendBlock. It is one of the function from
// first up to end if all its instructions are there, in ascending order.
func dropTurn(list []event, entry int, first, end uint64) []event {
	if entry >= len(list) || list[entry] != first {
		return list
	}
	last := first
	for _, e := range list[entry:] {
		if e&(reads|writes) != 0 {
			continue
		}
		if e < last || e >= end {
			return list
		}
		last = e
	}
	return list[:entry]
}

// compareEvents returns an error that says where two lists part.
func (p *program) compareEvents(a, b []event) error {
	instruction := event(0)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Errorf("event %d, after the instruction at %s, is %#x and %#x", i, p.place(instruction), a[i], b[i])
		}
		if a[i]&(reads|writes) == 0 {
			instruction = a[i]
		}
	}
	if len(a) != len(b) {
		return fmt.Errorf("there are %d and %d events", len(a), len(b))
	}
	return nil
}

// TestAddresses compares every instruction and every address of memory for two
// secrets. Of the operations it has the one that reads tables by secret digits, in
// key generation, signing and the public keys of X25519.
func TestAddresses(t *testing.T) {
	if !*addresses {
		t.Skip("without the flag -addresses")
	}
	p := build(t)
	for _, operation := range []tracedOperation{
		{"x25519.ScalarBaseMult", 100000, chosenSecrets, true},
		{"planted address", 1, chosenSecrets, true},
	} {
		t.Run(operation.name, func(t *testing.T) {
			var first []event
			for i, secret := range operation.secrets(2) {
				list, err := p.events(operation.name, secret)
				if err != nil {
					t.Fatal(err)
				}
				if len(list) < operation.least {
					t.Fatalf("got %d events, want %d or more", len(list), operation.least)
				}
				if i == 0 {
					first = list
					t.Logf("%d events", len(list))
					continue
				}
				err = p.compareEvents(first, list)
				if planted := operation.name == "planted address"; (err != nil) != planted {
					t.Errorf("secret %x: got difference %v, want one = %t", secret, err, planted)
				}
			}
		})
	}
}

// TestParseEvents checks what counts, and that a turn of the scheduler is left out.
func TestParseEvents(t *testing.T) {
	p := fakeProgram()
	const start, stop = "I  200,1\n", "I  210,1\n"
	for _, test := range []struct {
		log  string
		want []event
	}{
		{start + stop + "I  100,2\n" + start + "I  104,2\n L 500,8\nI  410,2\n S 508,8\nI  106,2\n S 510,8\n M 518,8\n" + stop + "I  100,2\n",
			[]event{0x104, 0x500 | reads, 0x106, 0x510 | writes, 0x518 | reads | writes}},
		{"==1== Lackey\n" + start + stop + start + "I  104,2\n S 500,8\nI  100,2\n L 508,8\nI  1f0,2\n S 510,8\nI  410,2\n S 518,8\nI  1f8,2\nI  100,2\n L 508,8\nI  102,2\n" + stop,
			[]event{0x104, 0x500 | writes, 0x100, 0x508 | reads, 0x102}},
		{start + stop, nil},
		{start + stop + start + "I  10x,2\n" + stop, nil},
		{start + stop + start + " L 100\n" + stop, nil},
	} {
		got, err := p.parseEvents(strings.NewReader(test.log))
		if !slices.Equal(got, test.want) || (err == nil) != (test.want != nil) {
			t.Errorf("%q: got %#x, error %v; want %#x", test.log, got, err, test.want)
		}
	}
	a := []event{0x104, 0x500 | reads, 0x106}
	for _, test := range []struct {
		b    []event
		want string
	}{
		{[]event{0x104, 0x500 | reads, 0x106}, "<nil>"},
		{[]event{0x104, 0x508 | reads, 0x106}, "event 1, after the instruction at main.f+0x4, is 0x8000000000000500 and 0x8000000000000508"},
		{[]event{0x104, 0x500 | reads}, "there are 3 and 2 events"},
	} {
		if err := p.compareEvents(a, test.b); fmt.Sprint(err) != test.want {
			t.Errorf("%#x: got %v, want %s", test.b, err, test.want)
		}
	}
}
