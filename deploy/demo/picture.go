package main

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// column is the width of a contender's tree: three fit on a terminal of 80.
const column = 26

func intro(all []*container) string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.name
	}
	last := len(names) - 1
	return fmt.Sprintf(`A daemon dies. Who ends what it started?

%d containers side by side, with %s and %s as PID 1. In each,
a runner starts %d agent daemons. A daemon talks to its ACP child by pipes; the
child has a CLI, and ignores end of input, as real ones were seen to do. One
agent has put a dev server in the background, which is meant to stay.

`, len(all), strings.Join(names[:last], ", "), names[last], daemons)
}

func outcome(all []*container, under *container, killed time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "AFTER %.0f seconds\n\n", time.Since(killed).Seconds())
	b.WriteString(sideBySide(all))
	b.WriteString("\n")
	b.WriteString(table(all))
	if under.cleanAfter != 0 {
		fmt.Fprintf(&b, `
sbinit ended the abandoned children %.1f s after their daemons (SBINIT_ORPHAN_GRACE
is 5s), by what they are: their stdin and stdout lead to nobody. The dev server
reads /dev/null and writes to a file, so it stays. No setting was needed.
`, under.cleanAfter.Seconds())
	}
	if log := under.said(); len(log) > 0 {
		fmt.Fprintf(&b, "\nIts log says so, here is the first line of %d:\n\n  %s\n", len(log), log[0])
	}
	b.WriteString("\nThe same with the real programs: make incident\n")
	return b.String()
}

// sideBySide draws the trees of all contenders below their names.
func sideBySide(all []*container) string {
	var columns [][]string
	height := 0
	for _, c := range all {
		lines := append([]string{"  " + c.name, "  " + strings.Repeat("─", column-4)}, c.processes().tree(0, "")...)
		columns = append(columns, lines)
		height = max(height, len(lines))
	}
	var b strings.Builder
	for row := range height {
		line := ""
		for _, lines := range columns {
			cell := ""
			if row < len(lines) {
				cell = lines[row]
			}
			line += pad(cell, column)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// table is the figures of all contenders.
func table(all []*container) string {
	rows := []struct {
		what string
		cell func(c *container) string
	}{
		{"", func(c *container) string { return c.name }},
		{"ACP children left", func(c *container) string { return fmt.Sprint(c.leaked().count(roleChild)) }},
		{"processes left", func(c *container) string { return fmt.Sprint(len(c.leaked())) }},
		{"memory they hold", func(c *container) string { return fmt.Sprintf("%.0f MB", c.leaked().rss()) }},
		{"dev server", func(c *container) string {
			if c.processes().count(roleServer) == 1 {
				return "stays"
			}
			return "GONE"
		}},
	}
	var b strings.Builder
	for _, row := range rows {
		line := pad("  "+row.what, 22)
		for _, c := range all {
			cell := row.cell(c)
			line += strings.Repeat(" ", 12-utf8.RuneCountInString(cell)) + cell
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
