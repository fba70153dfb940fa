package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bar is a path of the chart.
type bar struct {
	D     string `xml:"d,attr"`
	Style string `xml:"style,attr"`
}

// TestChart reads the chart: there is a bar for each row, in order, as long as the
// ratio says, and a label.
func TestChart(t *testing.T) {
	table := &table{rows: []row{
		{name: "A/One", peer: "std", ratio: 0.25, lo: 0.2, hi: 0.3},
		{name: "B/Two", peer: "openssl", ratio: 1.5, lo: math.Inf(-1), hi: math.Inf(1)},
		{name: "C/Three", peer: "circl", ratio: 0.75, lo: 0.7, hi: 0.8},
	}}
	svg, err := table.chart()
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"A/One (std) 0.25", "B/Two (openssl) 1.50", "C/Three (circl) 0.75"} {
		if !strings.Contains(string(svg), label) {
			t.Errorf("no label %q", label)
		}
	}
	var lengths []float64
	decoder := xml.NewDecoder(strings.NewReader(string(svg)))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "path" {
			continue
		}
		var b bar
		if err := decoder.DecodeElement(&b, &start); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.Style, "fill:"+barHex) {
			lengths = append(lengths, width(t, b.D))
		}
	}
	if len(lengths) != 3 {
		t.Fatalf("got %d bars, want 3:\n%s", len(lengths), svg)
	}
	// From the bottom: the last row first.
	for i, want := range []float64{3, 6, 1} {
		if got := lengths[i] / lengths[2]; math.Abs(got-want) > 0.02 {
			t.Errorf("bar %d is %.2f times the first row's, want %g", i, got, want)
		}
	}
}

// width is how far a path extends from left to right.
func width(t *testing.T, path string) float64 {
	var lo, hi = math.Inf(1), math.Inf(-1)
	for _, point := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("MLZ", r) }) {
		var x, y float64
		if _, err := fmt.Sscanf(point, "%g,%g", &x, &y); err != nil {
			t.Fatalf("path %q: %v", path, err)
		}
		lo, hi = min(lo, x), max(hi, x)
	}
	return hi - lo
}

// TestWriteChart: the file is replaced as a whole, or not.
func TestWriteChart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ratio.svg")
	table := &table{rows: []row{{name: "A/One", peer: "std", ratio: 0.5}}}
	if err := table.writeChart(file); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(before), "<svg") {
		t.Fatalf("got %.40q, %v", before, err)
	}
	table.rows[0].ratio = math.NaN()
	if err := table.writeChart(file); err == nil {
		t.Error("a ratio that is no number: got no error")
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file changed: %v", err)
	}
	if err := table.writeChart(filepath.Join(t.TempDir(), "none", "ratio.svg")); err == nil {
		t.Error("no such folder: got no error")
	}
}
