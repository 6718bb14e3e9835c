//go:build e2e

package examples

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }

var harnesses = map[string][]string{
	"python": {"python3", "terminal.py"},
	"node":   {"node", "terminal.mjs"},
}

// session is a main program that runs a harness, says how it ended, and waits.
const session = `"$@"; echo "status $?"; read line`

// run runs a harness in a container of sbinit's, and returns that when the harness has ended.
func run(t *testing.T, harness []string, throughSocket bool, command ...string) *testns.Container {
	t.Helper()
	sbinit := testns.Build(t)
	script, err := filepath.Abs(harness[1])
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(testns.Dir(t), "sock")
	env := []string{"SBINIT_SOCKET=" + socket, "PATH=" + filepath.Dir(sbinit) + ":/usr/local/bin:/usr/bin:/bin"}
	if throughSocket {
		env = append(env, "SOCKET="+socket)
	}
	argv := append([]string{sbinit, "--", "/bin/sh", "-c", session, "session", "env", harness[0], script}, command...)
	c := testns.Start(t, testns.Options{Env: testns.Environ(env...), Stdin: testns.Pipe}, argv...)
	c.WaitFor(t, "the harness", func() bool { return strings.Contains(c.Stdout(), "status ") })
	return c
}

// each runs a test with either harness on either way.
func each(t *testing.T, test func(t *testing.T, harness []string, throughSocket bool)) {
	for name, harness := range harnesses {
		testns.RequireProgram(t, harness[0])
		for way, throughSocket := range map[string]bool{"process": false, "socket": true} {
			t.Run(name+"/"+way, func(t *testing.T) { test(t, harness, throughSocket) })
		}
	}
}

func expect(t *testing.T, c *testns.Container, stdout string, stderr ...string) {
	t.Helper()
	if got := c.Stdout(); got != stdout {
		t.Fatalf("stdout %q, want %q; stderr %q", got, stdout, c.Stderr())
	}
	for _, want := range stderr {
		c.WaitFor(t, "stderr with "+want, func() bool { return strings.Contains(strings.ReplaceAll(c.Stderr(), `": `, `":`), want) })
	}
}

func TestExamples(t *testing.T) {
	each(t, func(t *testing.T, harness []string, throughSocket bool) {
		c := run(t, harness, throughSocket, "sh", "-c", "setsid sleep 600 & tty -s && echo hello; exit 3")
		expect(t, c, "hello\r\nstatus 3\n", `"reason":"exited"`, `"contained":true`, `"reaped":2`)
		if left := c.Find("sleep"); len(left) != 0 {
			t.Errorf("the session left %v", left)
		}
	})
}

func TestExamplesRefused(t *testing.T) {
	each(t, func(t *testing.T, harness []string, throughSocket bool) {
		c := run(t, harness, throughSocket, "no-such-program")
		expect(t, c, "status 1\n", "error: not_found", `"contained":true`)
	})
}

// Whoever kills the worker leaves a session without a report.
func TestExamplesNotContained(t *testing.T) {
	each(t, func(t *testing.T, harness []string, throughSocket bool) {
		c := run(t, harness, throughSocket, "sh", "-c", "kill -KILL $PPID; sleep 600")
		expect(t, c, "status 125\n", "not contained")
	})
}
