package pid1_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// An agent is a script that a test has do something: it runs each line which it is
// told. Its file has the name of an entry of SBINIT_GUARD.
type agent string

// newAgent makes one. It is told by a FIFO, so that it starts nothing to wait.
func newAgent(t *testing.T, name string) agent {
	t.Helper()
	path := filepath.Join(testns.Dir(t), name)
	if err := unix.Mkfifo(path+".told", 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path+".told", 0o666); err != nil {
		t.Fatal(err)
	}
	// Open for both, the FIFO has no end, and nothing that was told is lost.
	text := fmt.Sprintf("#!/bin/sh\nexec 3<>%s.told\nwhile read -r line <&3; do eval \"$line\"; done\n", path)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return agent(path)
}

// tell has the agent run a line, when it has run those before.
func (a agent) tell(t *testing.T, c *testns.Container, format string, args ...any) {
	t.Helper()
	fd := -1
	c.WaitFor(t, "the agent to listen", func() bool {
		var err error
		fd, err = unix.Open(string(a)+".told", unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		return err == nil // ENXIO: it does not read (fifo(7))
	})
	defer unix.Close(fd)
	if _, err := unix.Write(fd, fmt.Appendf(nil, format+"\n", args...)); err != nil {
		t.Fatal(err)
	}
}

// process waits for the agent to be there.
func (a agent) process(c *testns.Container) testns.Process { return c.One(string(a)) }

// marked waits until the agent bears a mark of its own, and returns it.
func (a agent) marked(t *testing.T, c *testns.Container) string {
	t.Helper()
	p := a.process(c)
	said(t, c, fmt.Sprintf(`guard found.*"pid": %d,`, p.PID))
	c.WaitFor(t, "the agent's mark", func() bool { return markOf(t, p) != "" })
	return markOf(t, p)
}

// kill ends the agent alone.
func (a agent) kill(t *testing.T, c *testns.Container) {
	t.Helper()
	c.Kill(a.process(c), unix.SIGKILL)
}

var fileLocks = regexp.MustCompile(`(?m)^Max file locks +(\d+) `)

// markOf is the mark that a process bears; empty for none.
func markOf(t *testing.T, p testns.Process) string {
	t.Helper()
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", p.HostPID))
	if err != nil {
		t.Fatal(err)
	}
	if found := fileLocks.FindSubmatch(limits); found != nil {
		return string(found[1])
	}
	return ""
}

// guarded are settings by which orphans that no guard owns are kept. Of two values of
// a variable the first one counts.
func guarded(env ...string) []string {
	return append(env, with("SBINIT_GUARD=agent,helper", "SBINIT_ORPHANS=keep", "SBINIT_LOG_LEVEL=debug")...)
}

// startAgents has a main program that starts these commands, and a stranger, and then
// becomes the recorder.
func startAgents(t *testing.T, o testns.Options, env []string, commands ...string) *testns.Container {
	t.Helper()
	var s strings.Builder
	for _, command := range append(commands, named(t, "stranger")) {
		fmt.Fprintf(&s, "%s </dev/null >/dev/null 2>&1 &\n", command)
	}
	c := sbinit(t, o, env, script("%sexec %s record", s.String(), testns.Tool(t))...)
	ready(t, c)
	c.One("stranger")
	return c
}

// named is a command that does nothing under that name.
func named(t *testing.T, name string) string { return testns.As(t, name, testns.Tool(t)) + " mute" }

// deaf is the same, and ignores SIGTERM.
func deaf(t *testing.T, name string) string { return testns.As(t, name, testns.Tool(t)) + " ignore 15" }

// unseen runs a command as a daemon in a session of its own: most often forked and
// orphaned between two looks, and nothing but a mark or its environment says by whom.
func unseen(t *testing.T, command string) string { return testns.Tool(t) + " daemon " + command }

// nobodyElse sees that the others are as they were, and ends the container.
func nobodyElse(t *testing.T, c *testns.Container, names ...string) {
	t.Helper()
	healthy(t, c)
	for _, name := range append(names, "stranger") {
		if len(c.Find(name)) != 1 {
			t.Errorf("%s was ended:\n%s", name, c.Dump())
		}
	}
	finish(t, c)
}
