package policy

import (
	"slices"
	"strings"
	"testing"
)

// lines are a block's commands, with continuation lines joined and without comments.
func (b block) lines() (lines []string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(b.text, "\\\n", " "), "\n") {
		line, _, _ = strings.Cut(" "+line, " #")
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// commands takes a line apart as a shell does, quotes included.
func commands(line string) (list [][]string) {
	var words []string
	word, quote, begun := "", rune(0), false
	for _, r := range line + ";" {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && strings.ContainsRune(" ;|&", r):
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
			if r != ' ' && len(words) > 0 {
				list, words = append(list, words), nil
			}
		default:
			word, begun = word+string(r), true
		}
	}
	return list
}

func TestBlocks(t *testing.T) {
	d := read("a.md", "prose\n```sh engine\none \\\n  two # comment\n# all comment\n\nthree#no\n```\nmore\n")
	if len(d.blocks) != 1 || d.blocks[0].info != engine || d.blocks[0].line != 2 || d.prose != "prose\nmore\n\n" {
		t.Fatalf("%+v", d)
	}
	if got := d.blocks[0].lines(); !slices.Equal(got, []string{"one    two", "three#no"}) {
		t.Errorf("%q", got)
	}
	want := [][]string{{"a", "b; c", "de", ""}, {"f"}, {"g"}}
	if got := commands(`a 'b; c' "d"e '' && f | g`); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q", got)
	}
}
