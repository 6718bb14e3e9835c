// Mutate shows that the guards of the code are guarded: for each patch in
// patches/, which takes one guard out, it applies the patch to a copy of the
// tree and runs the test that the patch names. That test has to fail.
//
//	go run ./internal/mutate [NAME...]     from the root of the tree
//
// A patch begins with two lines of comment:
//
//	# test: ./internal/contain TestName
//	# why: what the guard keeps from happening
//
// It exits with 1 if a test passed without its guard, if a patch no longer
// applies, or if what it makes does not compile.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const folder = "internal/mutate/patches"

// A mutation is one patch.
type mutation struct {
	name, file     string
	pkg, test, why string
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.patch"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no patches in %s: run it from the root of the tree", folder)
	}
	survived := 0
	for _, file := range files {
		m, err := read(file)
		if err != nil {
			return err
		}
		if len(names) > 0 && !slices.Contains(names, m.name) {
			continue
		}
		begun := time.Now()
		verdict := "caught"
		if err := m.try(); err != nil {
			survived++
			verdict = "NOT CAUGHT: " + err.Error()
		}
		fmt.Printf("%-28s %-40s %5.1fs %s\n", m.name, m.test, time.Since(begun).Seconds(), verdict)
	}
	if survived > 0 {
		return fmt.Errorf("%d guards can be removed and no test notices", survived)
	}
	return nil
}

// read takes the two comments at the top of a patch.
func read(file string) (mutation, error) {
	m := mutation{file: file, name: strings.TrimSuffix(filepath.Base(file), ".patch")}
	text, err := os.ReadFile(file)
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "# test:"); ok {
			m.pkg, m.test, _ = strings.Cut(strings.TrimSpace(rest), " ")
		}
		if rest, ok := strings.CutPrefix(line, "# why:"); ok {
			m.why = strings.TrimSpace(rest)
		}
	}
	if m.pkg == "" || m.test == "" || m.why == "" {
		return m, fmt.Errorf("%s: want the lines `# test: PACKAGE TEST` and `# why: REASON` at the top", file)
	}
	return m, nil
}

// try returns nil if the test fails without the guard.
func (m mutation) try() error {
	dir, err := os.MkdirTemp("", "sbinit-mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := m.copyTree(dir); err != nil {
		return err
	}
	if out, err := command(dir, "go", "test", "-count=1", "-run", "^$", m.pkg); err != nil {
		return fmt.Errorf("the mutated code does not compile: %s", out)
	}
	out, err := command(dir, "go", "test", "-count=1", "-failfast", "-timeout", "5m", "-run", "^"+m.test+"$", m.pkg)
	switch {
	case err == nil && bytes.Contains(out, []byte("no tests to run")):
		return errors.New("there is no such test")
	case err == nil:
		return errors.New("the test passes")
	}
	return nil
}

// copyFiles copies what git tracks or would, as it is now, into folder $1.
const copyFiles = `git ls-files -z --cached --others --exclude-standard |
	xargs -0 sh -c 'to=$0; for file; do [ ! -e "$file" ] || cp --parents -t "$to" "$file" || exit; done' "$1"`

// copyTree makes a copy of the tree and applies the patch to it.
func (m mutation) copyTree(dir string) error {
	patch, err := filepath.Abs(m.file)
	if err != nil {
		return err
	}
	if out, err := command(".", "sh", "-c", copyFiles, "sh", dir); err != nil {
		return fmt.Errorf("copy the tree: %s", out)
	}
	if out, err := command(dir, "git", "apply", "--recount", patch); err != nil {
		return fmt.Errorf("the patch does not apply: %s", out)
	}
	return nil
}

// command runs a program without the variable that would make the tests use a
// binary built from other code.
func command(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "SBINIT_BINARY=") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	return cmd.CombinedOutput()
}
