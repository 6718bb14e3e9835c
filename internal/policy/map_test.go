package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// place is a row of the map of the code in CONTRIBUTING.md.
var place = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .+ \\|$")

// unmapped lists the folders of files that are on the map neither themselves nor, below
// a folder's second level, by one above.
func unmapped(places, files []string) (missing []string) {
	for _, file := range files {
		parts := strings.Split(filepath.Dir(file), "/")
		if parts[0] != "cmd" && parts[0] != "internal" && parts[0] != "deploy" && parts[0] != "docs" {
			continue
		}
		folder := strings.Join(parts[:min(2, len(parts))], "/")
		if !slices.Contains(places, folder) && !slices.Contains(missing, folder) && folder != "deploy" {
			missing = append(missing, folder)
		}
	}
	return missing
}

// TestMap: the map of the code has each folder, and no other.
func TestMap(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root(), "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, m := range place.FindAllStringSubmatch(string(content), -1) {
		places = append(places, m[1])
		if _, err := os.Stat(filepath.Join(root(), m[1])); err != nil {
			t.Errorf("the map has a place that is not there: %v", err)
		}
	}
	for _, folder := range unmapped(places, tracked(t)) {
		t.Errorf("the map lacks %s", folder)
	}
}

func TestMapViolated(t *testing.T) {
	files := []string{"README.md", "cmd/x/main.go", "internal/a/a.go", "internal/a/b/b.go", "deploy/README.md", "deploy/y/run.sh"}
	if got := unmapped([]string{"internal/a", "cmd/x"}, files); !slices.Equal(got, []string{"deploy/y"}) {
		t.Errorf("%q", got)
	}
}
