package testns

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// selfPrefix marks an argument vector as one of ours: TEST-BINARY testns:NAME ARG...
const selfPrefix = "testns:"

var programs = map[string]func(args []string) int{}

// Register makes a function of the test binary a program that can be started as
// [Self] says. It is called from a package's init or a variable's initializer,
// since [Main] looks it up before any test runs.
func Register(name string, run func(args []string) int) {
	if programs[name] != nil {
		panic("testns: two programs are called " + name)
	}
	programs[name] = run
}

// Self is the argument vector of a registered program.
func Self(name string, args ...string) []string {
	return append([]string{executable(), selfPrefix + name}, args...)
}

// Main is the body of TestMain: it becomes the launcher or the registered program
// which the arguments ask for, or else runs the tests.
func Main(m *testing.M) {
	if name, ok := programName(os.Args); ok {
		os.Exit(runProgram(name, os.Args[2:]))
	}
	code := m.Run()
	os.RemoveAll(workDir.path)
	os.Exit(code)
}

func programName(argv []string) (string, bool) {
	if len(argv) < 2 {
		return "", false
	}
	return strings.CutPrefix(argv[1], selfPrefix)
}

func runProgram(name string, args []string) int {
	run := programs[name]
	if run == nil {
		fmt.Fprintf(os.Stderr, "testns: no program is called %q\n", name)
		return 125
	}
	return run(args)
}
