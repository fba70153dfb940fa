package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestRecorded reads a recorded run of six rounds. The medians, ratios and
// extreme ratios of a round were computed from the file with Python's
// statistics.median; with six rounds, the interval is from one extreme to the
// other.
func TestRecorded(t *testing.T) {
	out, err := os.ReadFile("testdata/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	table, err := newTable(out)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(table.about, "\n"), "CPU: Intel(R) Xeon(R) Processor."; got != want {
		t.Errorf("about: got %q, want %q", got, want)
	}
	want := []row{
		{name: "Field25519/Multiply/chained", ours: 27.635, peer: "circl", best: 20.435, ratio: 1.464209, lo: 0.814482, hi: 2.204745, big: 569.05},
		{name: "Field25519/Invert/chained", ours: 4414.5, peer: "filippo", best: 4008, ratio: 0.987183, lo: 0.471173, hi: 1.213525, big: 2877.5},
		{name: "ScalarP256/Multiply/chained", ours: 46.68, peer: "gnark", best: 42.685, ratio: 1.061877, lo: 0.971788, hi: 10.572070, big: 583.05},
		{name: "ScalarP256/Invert/chained", ours: 3880, peer: "gnark", best: 3730, ratio: 1.035077, lo: 0.976971, hi: 1.294052, big: 3071},
	}
	if len(table.rows) != len(want) || len(table.alone) != 0 {
		t.Fatalf("got %d rows and %q left out, want %d rows", len(table.rows), table.alone, len(want))
	}
	for i, w := range want {
		g := table.rows[i]
		if g.name != w.name || g.peer != w.peer || !near(g.ours, w.ours) || !near(g.best, w.best) || !near(g.ratio, w.ratio) || !near(g.lo, w.lo) || !near(g.hi, w.hi) || !near(g.big, w.big) {
			t.Errorf("got %+v\nwant %+v", g, w)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-4*math.Abs(b) }

// three rounds of one operation, in which the order of the rounds matters.
const three = `cpu: Made Up 9000
BenchmarkF/Op/chained/impl=ours-2 100 10.0 ns/op
BenchmarkF/Op/chained/impl=slow-2 100 500 ns/op
BenchmarkF/Op/chained/impl=fast-2 100 20.0 ns/op
BenchmarkF/Op/chained/impl=ours-2 100 30.0 ns/op
BenchmarkF/Op/chained/impl=slow-2 100 10.0 ns/op
BenchmarkF/Op/chained/impl=fast-2 100 60.0 ns/op
BenchmarkF/Op/chained/impl=ours-2 100 20.0 ns/op
BenchmarkF/Op/chained/impl=slow-2 100 300 ns/op
BenchmarkF/Op/chained/impl=fast-2 100 40.0 ns/op 16 B/op 1 allocs/op
BenchmarkF/Alone/chained/impl=ours 100 10.0 ns/op
BenchmarkG/Alone/chained/impl=fast 100 10.0 ns/op
PASS
`

func TestPrint(t *testing.T) {
	table, err := newTable([]byte(three))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(table.alone, " "), "F/Alone/chained G/Alone/chained"; got != want {
		t.Errorf("left out: got %q, want %q", got, want)
	}
	for _, test := range []struct {
		markdown bool
		want     string
	}{
		{false, `CPU: Made Up 9000.

operation     ours, ns  best peer  ns    ratio  95 % interval  math/big, ns
F/Op/chained  20.0      fast       40.0  0.50   -              -
`},
		{true, `CPU: Made Up 9000.

| operation | ours, ns | best peer | ns | ratio | 95 % interval | math/big, ns |
|---|--:|---|--:|--:|:-:|--:|
| F/Op/chained | 20.0 | fast | 40.0 | 0.50 | - | - |
`},
	} {
		var b strings.Builder
		if err := table.print(&b, test.markdown); err != nil {
			t.Fatal(err)
		}
		if b.String() != test.want {
			t.Errorf("markdown %v: got\n%s\nwant\n%s", test.markdown, b.String(), test.want)
		}
	}
}

// TestRatiosArePaired checks that ratios are taken within a round: here each
// round has the ratio 0.5, whatever its speed.
func TestRatiosArePaired(t *testing.T) {
	table, err := newTable([]byte(strings.Repeat(three, 3)))
	if err != nil {
		t.Fatal(err)
	}
	if r := table.rows[0]; !near(r.ratio, 0.5) || !near(r.lo, 0.5) || !near(r.hi, 0.5) {
		t.Errorf("got a ratio of %v in an interval of %v to %v, want 0.5 in 0.5 to 0.5", r.ratio, r.lo, r.hi)
	}
}

// TestReferenceIsLastResort checks that math/big, though faster here, is the
// best peer only where there is no other.
func TestReferenceIsLastResort(t *testing.T) {
	const line = "BenchmarkF/%s/chained/impl=%s 100 %s ns/op\n"
	table, err := newTable([]byte(fmt.Sprintf(strings.Repeat(line, 5),
		"Both", "ours", "10", "Both", "big", "20", "Both", "peer", "40",
		"One", "ours", "10", "One", "big", "20")))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []row{{peer: "peer", best: 40, big: 20}, {peer: "big", best: 20, big: 20}} {
		if got := table.rows[i]; got.peer != want.peer || got.best != want.best || got.big != want.big {
			t.Errorf("row %d: got %+v, want peer %s, best %v, big %v", i, got, want.peer, want.best, want.big)
		}
	}
}

func TestMalformed(t *testing.T) {
	const (
		ours = "BenchmarkF/Op/chained/impl=ours-2 100 10.0 ns/op\n"
		peer = "BenchmarkF/Op/chained/impl=peer-2 100 10.0 ns/op\n"
	)
	for _, test := range []struct{ name, out, want string }{
		{"empty", "", "no benchmark was run"},
		{"no results", "goos: linux\nPASS\n", "no benchmark was run"},
		{"ours only", ours + ours, "no benchmark was run"},
		{"peer only", peer, "no benchmark was run"},
		{"two peers", peer + strings.Replace(peer, "peer", "other", 1), "no benchmark was run"},
		{"a round cut short", ours + peer + ours, "F/Op/chained: 1 results of peer, want 2 as of ours"},
		{"a number that is none", ours + "BenchmarkF/Op/chained/impl=peer-2 100 ten ns/op\n", "output:2: parsing measurement"},
		{"no count", ours + "BenchmarkF/Op/chained/impl=peer-2 10.0 ns/op\n", "output:2: "},
		{"no value", ours + "BenchmarkF/Op/chained/impl=peer-2 100\n", "output:2: "},
		{"no time", ours + "BenchmarkF/Op/chained/impl=peer-2 100 16 B/op\n", "output:2: F/Op/chained/impl=peer-2 has no positive ns/op"},
		{"zero", ours + "BenchmarkF/Op/chained/impl=peer-2 100 0 ns/op\n", "no positive ns/op"},
		{"negative", ours + "BenchmarkF/Op/chained/impl=peer-2 100 -3 ns/op\n", "no positive ns/op"},
		{"not a number", ours + "BenchmarkF/Op/chained/impl=peer-2 100 NaN ns/op\n", "no positive ns/op"},
		{"infinite", ours + "BenchmarkF/Op/chained/impl=peer-2 100 +Inf ns/op\n", "no positive ns/op"},
		{"short name", "BenchmarkF/impl=ours-2 100 10.0 ns/op\n", "want Field/Operation/mode/impl=name"},
		{"long name", "BenchmarkF/Op/chained/impl=ours/x-2 100 10.0 ns/op\n", "want Field/Operation/mode/impl=name"},
		{"no impl", "BenchmarkF/Op/chained/ours-2 100 10.0 ns/op\n", "want Field/Operation/mode/impl=name"},
		{"empty impl", "BenchmarkF/Op/chained/impl=-2 100 10.0 ns/op\n", "want Field/Operation/mode/impl=name"},
	} {
		table, err := newTable([]byte(test.out))
		if err == nil {
			t.Errorf("%s: got the table %+v, want an error with %q", test.name, table, test.want)
		} else if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %q, want one with %q", test.name, err, test.want)
		}
	}
}

func TestFormatNs(t *testing.T) {
	for ns, want := range map[float64]string{0.004: "0.00", 3.14159: "3.14", 9.999: "10.00", 31.4159: "31.4", 314.159: "314", 31415.9: "31416"} {
		if got := formatNs(ns); got != want {
			t.Errorf("formatNs(%v) = %q, want %q", ns, got, want)
		}
	}
}

// TestProtocol: operations of protocols have no mode.
func TestProtocol(t *testing.T) {
	table, err := newTable([]byte("BenchmarkP/Op/impl=ours-2 100 10.0 ns/op\nBenchmarkP/Op/impl=std-2 100 40.0 ns/op\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(table.rows) != 1 || table.rows[0].name != "P/Op" || table.rows[0].peer != "std" || !near(table.rows[0].ratio, 0.25) {
		t.Errorf("got %+v, want P/Op with the ratio 0.25", table.rows)
	}
}
