package testns

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// binaryEnv names a program to be tested in place of the one in this tree.
const binaryEnv = "SBINIT_BINARY"

// Build returns the path of the sbinit program, built by the Makefile once for all
// tests of a package.
func Build(t testing.TB) string {
	t.Helper()
	path, err := sbinit()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var sbinit = sync.OnceValues(func() (string, error) {
	dir, err := scratch()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "sbinit")
	if given := os.Getenv(binaryEnv); given != "" {
		return path, copyFile(path, given)
	}
	return path, run(exec.Command("make", "--silent", "-C", moduleRoot(), "build", "BIN="+path))
})

//go:embed tool/tool.c
var toolSource []byte

// Tool is the path of the C program of this package, built once for all tests of a
// package; its modes are described in tool/tool.c. It needs a C compiler.
func Tool(t testing.TB) string {
	t.Helper()
	path, err := tool()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var tool = sync.OnceValues(func() (string, error) {
	dir, err := scratch()
	if err != nil {
		return "", err
	}
	source, path := filepath.Join(dir, "tool.c"), filepath.Join(dir, "tool")
	if err := os.WriteFile(source, toolSource, 0o644); err != nil {
		return "", err
	}
	return path, run(exec.Command("cc", "-O1", "-Wall", "-Wextra", "-Werror", "-static", "-pthread", "-o", path, source))
})

func run(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

func moduleRoot() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}
