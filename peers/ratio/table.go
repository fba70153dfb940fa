package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// confidence is that of the interval of a ratio.
const confidence = 0.95

// reference names math/big, which is in the table for scale: its time depends
// on the numbers, so it is the best peer only of operations without another.
const reference = "big"

// A table compares ours with the best peer, one row an operation.
type table struct {
	about []string // sentences on what was measured, where
	rows  []row
	alone []string // operations without a result of ours or of a peer
}

type row struct {
	name   string  // Field/Operation/mode, or Protocol/Operation
	ours   float64 // median, ns
	peer   string  // the peer with the lowest median, see reference
	best   float64 // its median, ns
	ratio  float64 // median over the rounds of ours / best peer
	lo, hi float64 // its interval, infinite where there are too few rounds
	big    float64 // median of math/big, ns; 0 if it has no result
}

// An operation holds the times of all implementations of one row.
type operation struct {
	name  string
	impls []string             // in the order of their first results
	ns    map[string][]float64 // by implementation, one a round
}

// newTable makes the table from the output of the benchmarks. It is an error
// if a result is malformed, if the implementations of an operation were timed
// in different numbers of rounds, or if nothing can be compared.
func newTable(out []byte) (*table, error) {
	ops, cpu, err := parse(out)
	if err != nil {
		return nil, err
	}
	t := &table{about: []string{"CPU: " + cpu + "."}}
	for _, op := range ops {
		if op.ns["ours"] == nil || len(op.impls) < 2 {
			t.alone = append(t.alone, op.name)
			continue
		}
		r, err := op.compare()
		if err != nil {
			return nil, err
		}
		t.rows = append(t.rows, r)
	}
	if len(t.rows) == 0 {
		return nil, errors.New("no benchmark was run for both impl=ours and a peer")
	}
	return t, nil
}

// parse reads the output of the benchmarks.
func parse(out []byte) (ops []*operation, cpu string, err error) {
	byName := make(map[string]*operation)
	reader := benchfmt.NewReader(bytes.NewReader(out), "output")
	for reader.Scan() {
		res, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			if err, ok := reader.Result().(error); ok {
				return nil, "", err
			}
			continue // metadata of a unit
		}
		_, line := res.Pos()
		name, impl, err := splitName(res.Name)
		if err != nil {
			return nil, "", fmt.Errorf("output:%d: %w", line, err)
		}
		seconds, ok := res.Value("sec/op")
		if !ok || !(seconds > 0) || math.IsInf(seconds, 0) {
			return nil, "", fmt.Errorf("output:%d: %s has no positive ns/op", line, res.Name)
		}
		op := byName[name]
		if op == nil {
			op = &operation{name: name, ns: make(map[string][]float64)}
			byName[name] = op
			ops = append(ops, op)
		}
		if op.ns[impl] == nil {
			op.impls = append(op.impls, impl)
		}
		op.ns[impl] = append(op.ns[impl], seconds*1e9)
		cpu = res.GetConfig("cpu")
	}
	if cpu == "" {
		cpu = "unknown"
	}
	return ops, cpu, reader.Err()
}

// splitName splits Field/Operation/mode/impl=name, which may end in -GOMAXPROCS.
// Operations of protocols have no mode.
func splitName(full benchfmt.Name) (name, impl string, err error) {
	base, parts := full.Parts()
	if len(parts) > 0 && bytes.HasPrefix(parts[len(parts)-1], []byte("-")) {
		parts = parts[:len(parts)-1]
	}
	if last := len(parts) - 1; last == 1 || last == 2 {
		if impl, ok := strings.CutPrefix(string(parts[last]), "/impl="); ok && impl != "" {
			return string(base) + string(bytes.Join(parts[:last], nil)), impl, nil
		}
	}
	return "", "", fmt.Errorf("benchmark %q, want Field/Operation/mode/impl=name or Protocol/Operation/impl=name", full)
}

// compare makes the row of the operation, which ours and a peer have.
func (op *operation) compare() (row, error) {
	ours := op.ns["ours"]
	r := row{name: op.name, ours: median(ours), best: math.Inf(1)}
	for _, impl := range op.impls {
		if n := len(op.ns[impl]); n != len(ours) {
			return row{}, fmt.Errorf("%s: %d results of %s, want %d as of ours", op.name, n, impl, len(ours))
		}
		m := median(op.ns[impl])
		switch {
		case impl == reference:
			r.big = m
		case impl != "ours" && m < r.best:
			r.peer, r.best = impl, m
		}
	}
	if r.peer == "" {
		r.peer, r.best = reference, r.big
	}
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / op.ns[r.peer][i]
	}
	s := summary(ratios)
	r.ratio, r.lo, r.hi = s.Center, s.Lo, s.Hi
	return r, nil
}

func median(v []float64) float64 { return summary(v).Center }

// summary is the median and its confidence interval, whatever the distribution.
func summary(v []float64) benchmath.Summary {
	s := benchmath.NewSample(slices.Clone(v), &benchmath.DefaultThresholds) // it sorts
	return benchmath.AssumeNothing.Summary(s, confidence)
}

// print writes the table, aligned for a terminal or as Markdown.
func (t *table) print(w io.Writer, markdown bool) error {
	header := []string{"operation", "ours, ns", "best peer", "ns", "ratio", "95 % interval", "math/big, ns"}
	var b strings.Builder
	for _, line := range t.about {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintln(&b)
	if markdown {
		fmt.Fprintf(&b, "| %s |\n|---|--:|---|--:|--:|:-:|--:|\n", strings.Join(header, " | "))
		for _, r := range t.rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(r.cells(), " | "))
		}
	} else {
		tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tw, strings.Join(header, "\t"))
		for _, r := range t.rows {
			fmt.Fprintln(tw, strings.Join(r.cells(), "\t"))
		}
		tw.Flush() // a strings.Builder does not fail
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r row) cells() []string {
	interval := "-"
	if !math.IsInf(r.lo, 0) && !math.IsInf(r.hi, 0) {
		interval = fmt.Sprintf("%.2f to %.2f", r.lo, r.hi)
	}
	big := "-"
	if r.big > 0 {
		big = formatNs(r.big)
	}
	return []string{r.name, formatNs(r.ours), r.peer, formatNs(r.best), fmt.Sprintf("%.2f", r.ratio), interval, big}
}

// formatNs keeps three significant digits, and whole nanoseconds from 100 on.
func formatNs(ns float64) string {
	switch {
	case ns < 10:
		return fmt.Sprintf("%.2f", ns)
	case ns < 100:
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
}
