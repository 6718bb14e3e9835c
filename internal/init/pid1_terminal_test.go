package pid1_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// onTerminal has all three streams on one terminal.
func onTerminal(o testns.Options) testns.Options {
	o.Stdin, o.Stdout, o.Stderr = testns.Terminal, testns.Terminal, testns.Terminal
	return o
}

// dialogue types a line at a terminal, and waits until what comes back contains want.
func dialogue(t *testing.T, c *testns.Container, typed, want string) {
	t.Helper()
	before := len(c.Stdout())
	if _, err := c.Input().WriteString(typed); err != nil {
		t.Fatal(err)
	}
	c.WaitFor(t, fmt.Sprintf("%q after %q", want, typed), func() bool {
		return strings.Contains(c.Stdout()[before:], want)
	})
}

// prompts is an environment in which an answer cannot be mistaken for the echo of
// the question.
var prompts = []string{"PS1=> ", "TERM=dumb"}

// TestTerminalShell is `docker run -it IMAGE sh`: job control, ctrl-C, ctrl-Z, size.
func TestTerminalShell(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, onTerminal(o), prompts, "sh", "-i")
		c.WaitFor(t, "the prompt", func() bool { return strings.HasSuffix(c.Stdout(), "> ") })
		dialogue(t, c, "echo $((40+2))\n", "42\r\n")
		if strings.Contains(c.Stdout(), "job control") {
			t.Errorf("the shell complains: %q", c.Stdout())
		}

		dialogue(t, c, "sleep 1000\n", "\r\n")
		c.One("sleep")
		dialogue(t, c, "\x03", "> ")
		dialogue(t, c, "echo status $?\n", "status 130\r\n")

		dialogue(t, c, "sleep 1001\n", "\r\n")
		c.One("sleep")
		dialogue(t, c, "\x1a", "Stopped")
		if p := c.One("sleep"); p.State != 'T' {
			t.Errorf("after ctrl-Z: %v", p)
		}
		dialogue(t, c, "fg\n", "sleep 1001\r\n")
		c.WaitFor(t, "the job to go on", func() bool { return c.One("sleep").State == 'S' })
		dialogue(t, c, "\x03", "> ")

		if err := pty.Setsize(c.Input(), &pty.Winsize{Rows: 33, Cols: 123}); err != nil {
			t.Fatal(err)
		}
		dialogue(t, c, "stty size\n", "33 123\r\n")
		fmt.Fprint(c.Input(), "exit 5\n")
		ends(t, c, 5)
	})
}

// TestTerminalForeground: the main program is the foreground process group, so the
// kernel sends it ctrl-C and the new size itself, once.
func TestTerminalForeground(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, onTerminal(o), nil, testns.Tool(t), "record")
		c.WaitFor(t, "ready", func() bool { return strings.Contains(c.Stdout(), "ready") })
		dialogue(t, c, "\x03", "signal 2 code 128 value 0\r\n")
		dialogue(t, c, "\x1c", "signal 3 code 128 value 0\r\n")
		if err := pty.Setsize(c.Input(), &pty.Winsize{Rows: 20, Cols: 100}); err != nil {
			t.Fatal(err)
		}
		c.WaitFor(t, "SIGWINCH", func() bool { return strings.Contains(c.Stdout(), "signal 28 code 128 value 0\r\n") })
		c.Signal(unix.SIGUSR1)
		c.WaitFor(t, "SIGUSR1", func() bool { return strings.Contains(c.Stdout(), "signal 10 code 0 value 0\r\n") })
		if n := strings.Count(c.Stdout(), "signal "); n != 4 {
			t.Errorf("%d signals instead of 4:\n%s", n, c.Stdout())
		}
		finish(t, c)
	})
}

// TestTerminalStopAsPID1: nobody could continue what ctrl-Z has stopped. The shell
// starts nobody: one that is stopped between vfork and exec keeps its parent asleep.
func TestTerminalStopAsPID1(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, onTerminal(o), nil, script("trap 'echo usr' USR1; echo ready; while :; do read line; done")...)
		c.WaitFor(t, "ready", func() bool { return strings.Contains(c.Stdout(), "ready") })
		c.Input().WriteString("\x1a")
		c.Signal(unix.SIGUSR1)
		c.WaitFor(t, "the main program to go on", func() bool { return strings.Contains(c.Stdout(), "usr") })
	})
}

// TestTerminalStopBelowShell: a person's shell starts sbinit as a subreaper, stops it
// by ctrl-Z, and continues it.
func TestTerminalStopBelowShell(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o = onTerminal(o)
		o.NotPID1 = true
		o.Env = testns.Environ(prompts...)
		c := testns.Start(t, o, "sh", "-i")
		c.WaitFor(t, "the prompt", func() bool { return strings.HasSuffix(c.Stdout(), "> ") })
		dialogue(t, c, testns.Build(t)+" -- sleep 1000\n", "\r\n")
		c.One("sleep")
		c.WaitFor(t, "sleep in the foreground", func() bool { return foreground(t, c) == c.One("sleep").PGID })

		dialogue(t, c, "\x1a", "Stopped")
		if p := c.One("sleep"); p.State != 'T' {
			t.Errorf("after ctrl-Z: %v", p)
		}
		dialogue(t, c, "echo $((40+2))\n", "42\r\n")
		dialogue(t, c, "fg\n", "sleep 1000\r\n")
		c.WaitFor(t, "sleep in the foreground again", func() bool {
			return c.One("sleep").State == 'S' && foreground(t, c) == c.One("sleep").PGID
		})
		dialogue(t, c, "\x03", "> ")
		dialogue(t, c, "echo status $?\n", "status 130\r\n")
	})
}

// foreground is the terminal's foreground process group, by the namespace's number.
func foreground(t *testing.T, c *testns.Container) int {
	t.Helper()
	group, err := unix.IoctlGetInt(int(c.Input().Fd()), unix.TIOCGPGRP)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Processes() {
		if p.HostPID == group {
			return p.PID
		}
	}
	return 0
}

// TestTerminalLog: log lines come out of a terminal on which writing from the
// background raises SIGTTOU, and cost nothing.
func TestTerminalLog(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, onTerminal(o), []string{"SBINIT_LOG_LEVEL=debug"}, script("stty tostop; exec %s record", testns.Tool(t))...)
		c.WaitFor(t, "ready", func() bool { return strings.Contains(c.Stdout(), "ready") })
		for range 50 {
			c.Signal(unix.SIGUSR1)
			time.Sleep(time.Millisecond) // so that they do not become one
		}
		c.WaitFor(t, "the signals", func() bool { return strings.Count(c.Stdout(), "signal 10 ") >= 10 })
		c.WaitFor(t, "log lines", func() bool { return strings.Count(c.Stdout(), "forwarded") >= 10 })
		if strings.Contains(c.Stdout(), "signal 22 ") {
			t.Errorf("the main program got SIGTTOU:\n%s", c.Stdout())
		}
		if used := cpu(t, c.PID()); used > 500*time.Millisecond {
			t.Errorf("sbinit used %v of CPU time", used)
		}
		finish(t, c)
	})
}

// cpu is the time that a process has used (fields 14 and 15 of proc_pid_stat(5), in
// hundredths of a second).
func cpu(t *testing.T, pid int) time.Duration {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	var user, system int
	if _, err := fmt.Sscan(strings.Join(strings.Fields(rest)[11:13], " "), &user, &system); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
