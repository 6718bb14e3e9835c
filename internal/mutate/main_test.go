package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPatches: each patch applies to the code as it is, and names a test that exists.
// Whether the test fails then is for `make mutate`, which takes minutes.
func TestPatches(t *testing.T) {
	t.Chdir("../..")
	files, err := filepath.Glob(filepath.Join(folder, "*.patch"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d patches, %v", len(files), err)
	}
	for _, file := range files {
		m, err := read(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if out, err := command(".", "git", "apply", "--check", "--recount", m.file); err != nil {
			t.Errorf("%s does not apply: %s", m.file, out)
		}
		if !hasTest(t, m) {
			t.Errorf("%s: there is no %s in %s", m.file, m.test, m.pkg)
		}
	}
}

func hasTest(t *testing.T, m mutation) bool {
	t.Helper()
	name, _, _ := strings.Cut(m.test, "/")
	name = strings.TrimSuffix(name, "$")
	files, err := filepath.Glob(filepath.Join(m.pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("func "+name+"(")) {
			return true
		}
	}
	return false
}
