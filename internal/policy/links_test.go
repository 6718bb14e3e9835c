package policy

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	code    = regexp.MustCompile("`[^`]*`")
	remote  = regexp.MustCompile(`^[a-z]+:`)
)

// links are where a document points to within the repository.
func (d document) links() (targets []string) {
	for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(d.prose, "code"), -1) {
		if !remote.MatchString(m[1]) {
			targets = append(targets, m[1])
		}
	}
	return targets
}

// anchors are what GitHub makes of headings: lower case, blanks are hyphens, of
// everything else letters, digits, hyphens and underscores stay; one that comes again
// is numbered.
func (d document) anchors() map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(d.prose, -1) {
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(m[1]))
		name := anchor
		for i := 1; all[name]; i++ {
			name = anchor + "-" + strconv.Itoa(i)
		}
		all[name] = true
	}
	return all
}

// broken says what is wrong with a link; "" if nothing is. Documents are by name.
func broken(from, target string, all map[string]document, exists func(string) bool) string {
	file, anchor, anchored := strings.Cut(target, "#")
	name := from
	if file != "" {
		name = path.Join(path.Dir(from), file)
	}
	if !exists(name) {
		return name + " does not exist"
	}
	if d, ok := all[name]; anchored && (!ok || !d.anchors()[anchor]) {
		return name + " has no heading for #" + anchor
	}
	return ""
}

func TestLinks(t *testing.T) {
	all := map[string]document{}
	for _, d := range documents(t) {
		all[d.name] = d
	}
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(root(), name))
		return err == nil && filepath.IsLocal(name)
	}
	links := 0
	for _, d := range all {
		for _, target := range d.links() {
			links++
			if fault := broken(d.name, target, all, exists); fault != "" {
				t.Errorf("%s links to %s: %s", d.name, target, fault)
			}
		}
	}
	if links < 10 {
		t.Errorf("only %d links found", links)
	}
}

func TestLinksViolated(t *testing.T) {
	a := read("docs/a.md", "# One thing, and `more`\n## Same\n## Same\n`[no](link.md)` [yes](b.md) [x](https://x.example/)\n```\n[no](c.md)\n# No\n```\n")
	all := map[string]document{a.name: a}
	exists := func(name string) bool { return name == "docs/a.md" || name == "LICENSE" }
	for target, good := range map[string]bool{
		"a.md": true, "../LICENSE": true, "#one-thing-and-more": true, "a.md#same-1": true,
		"b.md": false, "../../LICENSE": false, "#no": false, "#same-2": false, "../LICENSE#same": false,
	} {
		if fault := broken(a.name, target, all, exists); (fault == "") != good {
			t.Errorf("%s: %q", target, fault)
		}
	}
	if got := a.links(); len(got) != 1 || got[0] != "b.md" {
		t.Errorf("%q", got)
	}
}
