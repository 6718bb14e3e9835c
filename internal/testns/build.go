package testns

import (
	"embed"
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
func Build(t testing.TB) string { return built(t, sbinit) }

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

//go:embed tool
var sources embed.FS

// Tool is the path of the C program of this package, built once for all tests of a
// package; its modes are described in tool/tool.c. It needs a C compiler.
func Tool(t testing.TB) string { return built(t, tool) }

// Hostile is the path of a second C program, of modes that do not want to be ended;
// tool/hostile.c describes them.
func Hostile(t testing.TB) string { return built(t, hostile) }

// Storm is the path of a third one, of load for an init, and of main programs that tell
// how it bore it; tool/storm.c describes them.
func Storm(t testing.TB) string { return built(t, storm) }

var tool, hostile, storm = compiled("tool"), compiled("hostile"), compiled("storm")

func built(t testing.TB, program func() (string, error)) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// compiled builds the C program of that name when it is asked for, once.
func compiled(name string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		dir, err := scratch()
		if err != nil {
			return "", err
		}
		text, err := sources.ReadFile("tool/" + name + ".c")
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path+".c", text, 0o644); err != nil {
			return "", err
		}
		return path, run(exec.Command("cc", "-O1", "-Wall", "-Wextra", "-Werror", "-static", "-pthread", "-o", path, path+".c"))
	})
}

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
