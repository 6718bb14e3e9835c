package main

import (
	"fmt"
	"math"
	"strings"
)

// table is in Markdown. A cell is the median, and in brackets the middle half where there
// was more than one round.
func table(figures []*figure) string {
	var out strings.Builder
	row := func(cells ...string) { fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | ")) }
	head := append(append([]string{"figure", "unit"}, columns...), "ratio", "aim", "")
	row(head...)
	out.WriteString("|---|---|" + strings.Repeat("--:|", len(head)-3) + "---|\n")
	for _, f := range figures {
		cells := []string{f.name, f.unit}
		for _, column := range columns {
			cells = append(cells, cell(f.values[column]))
		}
		row(append(cells, of(f), f.aim.String(), f.verdict())...)
	}
	return out.String()
}

// of is the cell of the ratio, with what it is to.
func of(f *figure) string {
	if r := f.ratio(); len(r) > 0 {
		return cell(r) + " of " + f.base
	}
	return ""
}

func (a aim) String() string {
	if a.limit == 0 {
		return ""
	}
	sign := "≤"
	if a.atLeast {
		sign = "≥"
	}
	if a.ratio {
		return fmt.Sprintf("%s %g times", sign, a.limit)
	}
	return fmt.Sprintf("%s %g", sign, a.limit)
}

func cell(s sample) string {
	switch len(s) {
	case 0:
		return ""
	case 1:
		return number(s[0])
	}
	return fmt.Sprintf("%s (%s–%s)", number(s.median()), number(s.percentile(25)), number(s.percentile(75)))
}

// number has three digits that count, at most two of them behind the point.
func number(value float64) string {
	switch size := math.Abs(value); {
	case size >= 99.95:
		return fmt.Sprintf("%.0f", value)
	case size >= 9.995:
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.2f", value)
}
