package guard_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }

// atOnce leaves nobody time: what is to end is killed.
var atOnce = []string{"SBINIT_KILL_GRACE=0", "SBINIT_EXIT_GRACE=0"}

// eachHost runs a test with privilege and without, below a PID 1 that only reaps, and
// below sbinit as PID 1.
func eachHost(t *testing.T, run func(t *testing.T, h host)) {
	t.Helper()
	testns.Each(t, func(t *testing.T, o testns.Options) {
		t.Run("plain", func(t *testing.T) {
			o := o
			o.NotPID1 = true
			run(t, host{o: o})
		})
		t.Run("sbinit", func(t *testing.T) { run(t, host{o: o, sbinit: true}) })
	})
}

// A host is where a guard runs.
type host struct {
	o      testns.Options
	sbinit bool // PID 1 is sbinit, and the guard its main program
}

// guard runs `sbinit guard ARGS...` with the given variables.
func (h host) guard(t testing.TB, env []string, args ...string) *guarded {
	t.Helper()
	argv := append([]string{testns.Build(t), "guard"}, args...)
	if h.sbinit {
		argv = append([]string{testns.Build(t), "--"}, argv...)
	}
	o := h.o
	o.Env = testns.Environ(env...)
	return &guarded{testns.Start(t, o, argv...), h}
}

// A guarded is a namespace in which one guard runs.
type guarded struct {
	*testns.Container
	host host
}

// front is the guard's process that its caller knows.
func (g *guarded) front() testns.Process {
	if g.host.sbinit {
		return g.One("guard")
	}
	for _, p := range g.Processes() {
		if p.HostPID == g.PID() {
			return p
		}
	}
	return testns.Process{}
}

func (g *guarded) keeper() testns.Process { return g.One("sbinit-keeper") }

// ready waits until a program has printed that it is.
func (g *guarded) ready(t *testing.T) {
	t.Helper()
	g.WaitFor(t, "ready", func() bool { return strings.Contains(g.Stdout(), "ready") })
}

// said waits for a line of the log.
func (g *guarded) said(t *testing.T, pattern string) {
	t.Helper()
	line := regexp.MustCompile(pattern)
	g.WaitFor(t, "the log to match "+pattern, func() bool { return line.MatchString(g.Stderr()) })
}

// ends waits for the end of the program under test, which gives the guard's status.
func (g *guarded) ends(t *testing.T, code int) {
	t.Helper()
	if s := g.Wait(t); s != (testns.Status{Code: code}) {
		t.Errorf("ended with %v, want status %d\n%s", s, code, g.Dump())
	}
}

// script is a shell as the program.
func script(text string, args ...string) []string {
	return append([]string{"--", "sh", "-c", text, "sh"}, args...)
}
