package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// stubFlags finds the linker flags of the entry stub, wherever they are written: from
// -E to the last setting. Comment marks, quotes, concatenation and line ends do not count.
var stubFlags = regexp.MustCompile(`-E \S+internal/inherit\.entry -checklinkname=0 -X [\w.]+=\S+`)

// noise is what Go, Make and comments put between flags.
var noise = regexp.MustCompile("(?:[\"'\\\\\\s]|//|\\+\\s)+")

func flagsIn(text string) []string {
	return stubFlags.FindAllString(noise.ReplaceAllString(text, " "), -1)
}

// TestLinkerFlags: the Makefile's are those that the package they are for documents,
// and that its tests build with.
func TestLinkerFlags(t *testing.T) {
	read := func(name string) []string {
		content, err := os.ReadFile(filepath.Join(root(), name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(content), "$(STUB)", module+"internal/inherit.entry")
		return flagsIn(text)
	}
	want := read("Makefile")
	if len(want) != 1 {
		t.Fatalf("the Makefile has %q", want)
	}
	for _, name := range []string{"internal/inherit/doc.go", "internal/inherit/probe_test.go"} {
		got := read(name)
		if len(got) != 1 || got[0] != want[0] {
			t.Errorf("%s has %q, the Makefile %q", name, got, want)
		}
	}
}

func TestFlagsIn(t *testing.T) {
	const want = "-E a/internal/inherit.entry -checklinkname=0 -X runtime.x=y=1"
	for _, text := range []string{
		want,
		"LDFLAGS := -s -w -E a/internal/inherit.entry -checklinkname=0 \\\n           -X runtime.x=y=1\n",
		"\"-s -w -E a/internal/inherit.entry -checklinkname=0 \" +\n\t\t\"-X runtime.x=y=1\"\n",
		"//\tgo build -ldflags '-E a/internal/inherit.entry \\\n//\t\t-checklinkname=0 -X runtime.x=y=1'\n",
	} {
		if got := flagsIn(text); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := flagsIn(strings.ReplaceAll(want, "=0", "=1")); got != nil {
		t.Errorf("%q", got)
	}
}
