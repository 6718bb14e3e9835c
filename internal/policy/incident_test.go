package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A table is one of Markdown: its first row names the columns.
type table [][]string

// tables are those of a text.
func tables(text string) (all []table) {
	var open table
	for line := range strings.SplitSeq(text+"\n", "\n") {
		if !strings.HasPrefix(line, "|") {
			if open != nil {
				all = append(all, open)
			}
			open = nil
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		if !strings.HasPrefix(cells[0], "--") {
			open = append(open, cells)
		}
	}
	return all
}

// without lists the rows of a table that the other does not have, by the columns of the
// first.
func (t table) without(other table) (missing []string) {
	var columns []int
	for _, name := range t[0] {
		columns = append(columns, slices.Index(other[0], name))
	}
	for _, row := range t[1:] {
		same := func(theirs []string) bool {
			for i, column := range columns {
				if column < 0 || column >= len(theirs) || theirs[column] != row[i] {
					return false
				}
			}
			return true
		}
		if !slices.ContainsFunc(other[1:], same) {
			missing = append(missing, strings.Join(row, " | "))
		}
	}
	return missing
}

// TestIncident: README shows rows that were measured, as the incident's own document
// has them.
func TestIncident(t *testing.T) {
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(root(), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	_, shown, opened := strings.Cut(read("README.md"), "<!-- incident -->\n")
	shown, _, closed := strings.Cut(shown, "<!-- /incident -->")
	rows, measured := tables(shown), tables(read("deploy/incident/README.md"))
	if !opened || !closed || len(rows) != 1 || len(rows[0]) < 3 || len(measured) == 0 {
		t.Fatalf("README.md has no table of the incident, or deploy/incident/README.md none at all: %q, %d", rows, len(measured))
	}
	for _, row := range rows[0].without(measured[0]) {
		t.Errorf("README.md: not in deploy/incident/README.md: %s", row)
	}
}

func TestIncidentViolated(t *testing.T) {
	measured := tables("text\n| init | a | b |\n|------|---|---|\n| x | 1 | 2 |\n| y | 3 | 4 |\n\n| other |\n|--|\n")
	if len(measured) != 2 || len(measured[0]) != 3 {
		t.Fatalf("%q", measured)
	}
	for text, missing := range map[string]int{
		"| b | init |\n|---|---|\n| 4 | y |": 0,
		"| b | init |\n|---|---|\n| 4 | x |": 1,
		"| init | c |\n|---|---|\n| x | 2 |": 1,
	} {
		if got := tables(text)[0].without(measured[0]); len(got) != missing {
			t.Errorf("%s: %q", text, got)
		}
	}
}
