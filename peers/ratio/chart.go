package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// barColor is that of the bars, as SVG writes it and as a color.
const barHex = "#3B6EA5"

var barColor = color.RGBA{0x3b, 0x6e, 0xa5, 0xff}

// writeChart writes a bar chart of the ratios to a file, which it replaces only
// when the chart is complete.
func (t *table) writeChart(file string) error {
	svg, err := t.chart()
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	temporary := file + ".tmp"
	if err := os.WriteFile(temporary, svg, 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, file)
}

// chart draws the ratios: one horizontal bar an operation, the first on top, with
// its interval, and a line at 1, where the best peer is.
func (t *table) chart() ([]byte, error) {
	const row = 16 // points
	plot.DefaultFont.Variant = "Sans"
	p := plot.New()
	p.Title.Text = "time, as a multiple of the fastest peer's"
	p.X.Min = 0

	// The lowest place is the first.
	rows := slices.Clone(t.rows)
	slices.Reverse(rows)
	values, labels := make(plotter.Values, len(rows)), make([]string, len(rows))
	var intervals bounds
	for i, r := range rows {
		values[i] = r.ratio
		labels[i] = fmt.Sprintf("%s (%s) %.2f", r.name, r.peer, r.ratio)
		if !math.IsInf(r.lo, 0) && !math.IsInf(r.hi, 0) {
			intervals.add(r.ratio, float64(i), r.ratio-r.lo, r.hi-r.ratio)
		}
	}
	bars, err := plotter.NewBarChart(values, row*0.6)
	if err != nil {
		return nil, err
	}
	bars.Horizontal = true
	bars.Color = barColor
	bars.LineStyle.Width = 0
	p.Add(bars)
	if len(intervals.XYs) > 0 {
		whiskers, err := plotter.NewXErrorBars(&intervals)
		if err != nil {
			return nil, err
		}
		p.Add(whiskers)
	}
	one, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.5}, {X: 1, Y: float64(len(rows)) - 0.5}})
	if err != nil {
		return nil, err
	}
	one.Dashes = []vg.Length{4, 3}
	p.Add(one)
	p.NominalY(labels...)
	p.Y.Padding = 40 // viewers without the font take a wider one
	p.Y.Min, p.Y.Max = -0.5, float64(len(rows))-0.5
	p.X.Min, p.X.Max = 0, max(1.1, p.X.Max)

	canvas := vgsvg.New(720, vg.Length(row*len(rows)+60))
	p.Draw(draw.New(canvas))
	var b bytes.Buffer
	_, err = canvas.WriteTo(&b)
	return b.Bytes(), err
}

// bounds are points with an interval in X.
type bounds struct {
	plotter.XYs
	plotter.XErrors
}

func (b *bounds) add(x, y, below, above float64) {
	b.XYs = append(b.XYs, plotter.XY{X: x, Y: y})
	b.XErrors = append(b.XErrors, struct{ Low, High float64 }{below, above})
}
