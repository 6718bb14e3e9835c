package config

import (
	"flag"
	"os"
	"strings"
	"testing"
)

// go test ./internal/config -run README -update rewrites README's tables.
var update = flag.Bool("update", false, "rewrite the generated parts of README.md")

const readme = "../../README.md"

// blocks are the generated parts of README. Each stands between the markers
// <!-- NAME --> and <!-- /NAME -->. The settings must be there, the others may.
var blocks = map[string]func() string{
	"settings": EnvMarkdown,
	"options":  OptionsMarkdown,
	"names":    NamesMarkdown,
	"views":    ViewsMarkdown,
}

func TestREADME(t *testing.T) {
	content, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	if !strings.Contains(text, "<!-- settings -->") {
		t.Fatalf("%s has no marker <!-- settings -->", readme)
	}
	for name, generate := range blocks {
		if !strings.Contains(text, "<!-- "+name+" -->") {
			continue
		}
		before, is, after := block(t, text, name)
		want := "\n" + generate()
		if is == want {
			continue
		}
		if !*update {
			t.Errorf("%s: the %s are not those of the program; run: go test ./internal/config -run README -update", readme, name)
			continue
		}
		text = before + want + after
	}
	if !*update || text == string(content) {
		return
	}
	if err := os.WriteFile(readme, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// block cuts a text at the markers of one name, which stay outside.
func block(t *testing.T, text, name string) (before, is, after string) {
	t.Helper()
	begin, end := "<!-- "+name+" -->", "<!-- /"+name+" -->"
	before, rest, _ := strings.Cut(text, begin)
	is, after, ok := strings.Cut(rest, end)
	if !ok || strings.Contains(after, begin) {
		t.Fatalf("%s: want one pair of %s and %s", readme, begin, end)
	}
	return before + begin, is, end + after
}
