package policy

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// longest is how many lines a Go file may have. Most have 60 to 250: one noun each.
const longest = 400

// unfinished are marks of work put off. What is not done is not in the tree.
var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

// fault says what is wrong with a file; "" if nothing is.
func fault(name string, content []byte) string {
	if bytes.IndexByte(content, 0) >= 0 {
		return "" // no text
	}
	if lines := bytes.Count(content, []byte("\n")); strings.HasSuffix(name, ".go") && lines > longest {
		return fmt.Sprintf("has %d lines, %d are enough for one noun", lines, longest)
	}
	if mark := unfinished.Find(content); mark != nil {
		return fmt.Sprintf("says %s", mark)
	}
	return ""
}

// tracked lists the files of the repository, and those that are new and not ignored.
func tracked(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
}

func TestFiles(t *testing.T) {
	files := tracked(t)
	if len(files) < 50 {
		t.Fatalf("only %d files: %q", len(files), files)
	}
	for _, name := range files {
		content, err := os.ReadFile(filepath.Join(root(), name))
		if os.IsNotExist(err) || name == "internal/policy/files_test.go" {
			continue // removed and not committed yet; or this one, which names the marks
		}
		if err != nil {
			t.Fatal(err)
		}
		if f := fault(name, content); f != "" {
			t.Errorf("%s %s", name, f)
		}
	}
}

func TestFilesViolated(t *testing.T) {
	for _, c := range []struct {
		name, content string
		good          bool
	}{
		{"a.go", strings.Repeat("\n", longest), true},
		{"a.go", strings.Repeat("\n", longest+1), false},
		{"a.json", strings.Repeat("\n", longest+1), true},
		{"a.go", "// TODO: the rest\n", false},
		{"a.md", "FIXME\n", false},
		{"a.sh", "mktemp -t a.XXXXXX\n", true},
		{"a.sh", "# XXX later\n", false},
		{"a.png", "\x00 TODO", true},
	} {
		if f := fault(c.name, []byte(c.content)); (f == "") != c.good {
			t.Errorf("%s %.20q: %q", c.name, c.content, f)
		}
	}
}
