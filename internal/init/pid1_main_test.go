package pid1_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }

// quick are settings under which nobody has to wait long for an orphan's end.
var quick = []string{
	"SBINIT_ORPHAN_GRACE=200ms", "SBINIT_KILL_GRACE=500ms", "SBINIT_SCAN_INTERVAL=100ms",
}

// sbinit starts `sbinit -- ARGV...` with the given variables.
func sbinit(t *testing.T, o testns.Options, env []string, argv ...string) *testns.Container {
	t.Helper()
	return sbinitWith(t, o, env, nil, argv...)
}

// sbinitWith is the same with options.
func sbinitWith(t *testing.T, o testns.Options, env, options []string, argv ...string) *testns.Container {
	t.Helper()
	o.Env = testns.Environ(env...)
	all := append([]string{testns.Build(t)}, options...)
	return testns.Start(t, o, append(append(all, "--"), argv...)...)
}

// each runs a test with privilege and without, beside others: most of its time it
// waits.
func each(t *testing.T, run func(t *testing.T, o testns.Options)) {
	t.Helper()
	t.Parallel()
	testns.Each(t, run)
}

// eachRole runs a test as PID 1 and as a subreaper, with privilege and without.
func eachRole(t *testing.T, run func(t *testing.T, o testns.Options)) {
	t.Helper()
	each(t, func(t *testing.T, o testns.Options) {
		for _, role := range []string{"pid1", "subreaper"} {
			t.Run(role, func(t *testing.T) {
				o := o
				o.NotPID1 = role == "subreaper"
				run(t, o)
			})
		}
	})
}

// script is a shell as the main program.
func script(format string, args ...any) []string {
	return []string{"sh", "-c", fmt.Sprintf(format, args...)}
}

// ready waits until a program has printed that it is.
func ready(t *testing.T, c *testns.Container) {
	t.Helper()
	c.WaitFor(t, "ready", func() bool { return strings.Contains(c.Stdout(), "ready\n") })
}

// said waits for a line of the log.
func said(t *testing.T, c *testns.Container, pattern string) {
	t.Helper()
	line := regexp.MustCompile(pattern)
	c.WaitFor(t, "the log to match "+pattern, func() bool { return line.MatchString(c.Stderr()) })
}

// gone waits until no process runs the program called name any more.
func gone(t *testing.T, c *testns.Container, name string) {
	t.Helper()
	c.WaitFor(t, "the end of "+name, func() bool { return len(c.Find(name)) == 0 })
}

// ends waits for sbinit's end, by a status.
func ends(t *testing.T, c *testns.Container, code int) {
	t.Helper()
	if s := c.Wait(t); s != (testns.Status{Code: code}) {
		t.Errorf("ended with %v, want status %d\n%s", s, code, c.Dump())
	}
}

// healthy sees that sbinit still does its duty: it forwards a signal, one that others
// in the process group ignore by default, and reaps. The main program must be the
// recorder.
func healthy(t *testing.T, c *testns.Container) {
	t.Helper()
	before := strings.Count(c.Stdout(), "signal 28 ")
	c.Signal(unix.SIGWINCH)
	c.WaitFor(t, "SIGWINCH to be forwarded", func() bool { return strings.Count(c.Stdout(), "signal 28 ") == before+1 })
	for _, p := range c.Processes() {
		if !p.Alive() && p.PPID == 1 {
			c.WaitFor(t, "a zombie to be reaped", func() bool { return !has(c.Processes(), p) })
		}
	}
}

func has(all []testns.Process, one testns.Process) bool {
	for _, p := range all {
		if p.HostPID == one.HostPID && p.State == one.State {
			return true
		}
	}
	return false
}

// finish ends the recorder, and with it the container, properly.
func finish(t *testing.T, c *testns.Container) {
	t.Helper()
	c.Signal(64)
	ends(t, c, 0)
	for _, bad := range []string{"panic", "goroutine ", "fatal error", "runtime:"} {
		if strings.Contains(c.Stderr(), bad) {
			t.Errorf("sbinit crashed:\n%s", c.Stderr())
		}
	}
}
