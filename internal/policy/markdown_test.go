package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document is a Markdown file of the repository.
type document struct {
	name   string // from the root
	prose  string // without what stands in fences
	blocks []block
}

// A block stands between fences.
type block struct {
	line int
	info string // behind the opening fence
	text string
}

// read takes a text apart.
func read(name, text string) document {
	d := document{name: name}
	var prose strings.Builder
	var open *block
	for i, line := range strings.Split(text, "\n") {
		info, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && open == nil:
			open = &block{line: i + 1, info: strings.TrimSpace(info)}
		case fence:
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		default:
			prose.WriteString(line + "\n")
		}
	}
	d.prose = prose.String()
	return d
}

// documents are all of them.
func documents(t *testing.T) (all []document) {
	t.Helper()
	for _, name := range tracked(t) {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root(), name))
		if os.IsNotExist(err) {
			continue // removed and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count("\n"+string(content), "\n```")%2 != 0 {
			t.Errorf("%s: a fence is not closed", name)
		}
		all = append(all, read(name, string(content)))
	}
	if len(all) < 5 {
		t.Fatalf("only %d documents", len(all))
	}
	return all
}
