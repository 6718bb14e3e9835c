package view

import "strings"

// A table is text in columns. Its last column is the one that may be long.
type table struct {
	right []bool // columns that are numbers
	rows  [][]string
}

// newTable names the columns; one whose name begins with a blank is aligned to the right.
func newTable(names ...string) *table {
	t := &table{}
	row := make([]string, len(names))
	for i, name := range names {
		row[i] = strings.TrimPrefix(name, " ")
		t.right = append(t.right, row[i] != name)
	}
	t.rows = append(t.rows, row)
	return t
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// text cuts lines to a terminal's width; 0 is none.
func (t *table) text(terminal int) string {
	widths := make([]int, len(t.right))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		line := t.line(row, widths)
		if terminal > 0 {
			line = fit(line, terminal)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func (t *table) line(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		blanks := strings.Repeat(" ", widths[i]-columns(cell))
		switch {
		case t.right[i]:
			b.WriteString(blanks + cell + "  ")
		case i == len(row)-1:
			b.WriteString(cell)
		default:
			b.WriteString(cell + blanks + "  ")
		}
	}
	return b.String()
}
