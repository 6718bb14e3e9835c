package policy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestInstall: `make install` puts the program and its man page below DESTDIR and
// PREFIX, and `make uninstall` removes these alone. There is a program already, so that
// none is built.
func TestInstall(t *testing.T) {
	destination := t.TempDir()
	program := filepath.Join(t.TempDir(), "sbinit")
	if err := os.WriteFile(program, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	command := func(target string) {
		t.Helper()
		cmd := exec.Command("make", target, "GO=true", "BIN="+program, "DESTDIR="+destination, "PREFIX=/opt/x")
		cmd.Dir = root()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	command("install")
	page, err := os.ReadFile(filepath.Join(root(), "docs", "sbinit.8"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		mode    os.FileMode
		content []byte
	}{
		"sbin/sbinit":             {0o755, []byte("program")},
		"share/man/man8/sbinit.8": {0o644, page},
	} {
		file := filepath.Join(destination, "opt/x", name)
		info, err := os.Stat(file)
		if err != nil {
			t.Error(err)
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(content, want.content) || info.Mode().Perm() != want.mode {
			t.Errorf("%s: %v, mode %v, %d bytes", file, err, info.Mode(), len(content))
		}
	}
	other := filepath.Join(destination, "opt/x/sbin/other")
	if err := os.WriteFile(other, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	command("uninstall")
	var left []string
	err = filepath.WalkDir(destination, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			left = append(left, path)
		}
		return err
	})
	if err != nil || !slices.Equal(left, []string{other}) {
		t.Errorf("left are %q, %v", left, err)
	}
}
