package policy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNeeds: what a target of the Makefile needs is on the list, and its lack is said in
// one line, which names the command that mends it.
func TestNeeds(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root(), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	targets := regexp.MustCompile(`(?m)^([a-z0-9-]+): need-([a-z0-9-]+)`).FindAllStringSubmatch(string(makefile), -1)
	if len(targets) < 5 {
		t.Errorf("only %q need something", targets)
	}
	for _, m := range targets {
		target, needs := m[1], m[2]
		if target != needs {
			t.Errorf("%s looks for what %s needs", target, needs)
		}
		said, ok := lacks(needs)
		mends := `: run "make packages`
		if needs != "test" {
			mends += " FOR=" + needs
		}
		if ok || !strings.HasPrefix(said, "make "+needs+": ") || !strings.Contains(said, mends+`" as root (Debian: apt-get install `) || strings.Count(said, "\n") != 1 {
			t.Errorf("without anything, %s: %v, %q", needs, ok, said)
		}
	}
	if said, ok := lacks("no-such-target"); !ok || said != "" {
		t.Errorf("a target that needs nothing: %v, %q", ok, said)
	}
}

// lacks looks for what a target needs where no command can be found.
func lacks(target string) (said string, ok bool) {
	cmd := exec.Command("/bin/sh", filepath.Join(root(), "deploy", "packages.sh"), "need", target)
	cmd.Env = []string{"PATH=/nonexistent"}
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}
