package pid1_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/sbinit/sbinit/internal/testns"
)

// endsAll has a main program that has started another one. The end of the first is
// the end of all: as PID 1 of the namespace, as a subreaper of those below it, among
// strangers who live on. There is nobody to be named.
func endsAll(t *testing.T, o testns.Options, grace string, argv ...string) {
	t.Helper()
	o.Env = testns.Environ("SBINIT_EXIT_GRACE=" + grace)
	mute := testns.As(t, "main", testns.Tool(t))
	all := append([]string{testns.Build(t), "--", "sh", "-c", `"$@" & exec "$0" mute`, mute}, argv...)
	if o.NotPID1 {
		all = testns.Yard(t, all...)
	}
	c := testns.Start(t, o, all...)
	ready(t, c)
	c.Kill(c.One("main"), unix.SIGKILL)
	if o.NotPID1 {
		c.WaitFor(t, "the status", func() bool { return strings.Contains(c.Stdout(), "status 137\n") })
		if left := c.InYard(); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		c.StrangersUnharmed(t)
	} else {
		ends(t, c, 137)
	}
	if c.Stderr() != "" {
		t.Errorf("said: %s", c.Stderr())
	}
}

// TestEndHostilePrograms: programs that resist end with the main program.
func TestEndHostilePrograms(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for _, program := range testns.HostilePrograms(t) {
			t.Run(program.Name, func(t *testing.T) { endsAll(t, o, "0", program.Argv...) })
		}
	})
}

// TestEndFewNumbers: the number of who has ended is another's soon.
func TestEndFewNumbers(t *testing.T) {
	testns.RequirePidMax(t)
	tool, hostile := testns.Tool(t), testns.Hostile(t)
	eachRole(t, func(t *testing.T, o testns.Options) {
		o.PidMax = 400
		for name, argv := range map[string][]string{
			"comets":     {tool, "comets", "8", "20000"},
			"respawner":  {tool, "respawn", "100000"},
			"watchdogs":  {tool, "watchdogs", "100000"},
			"continuers": {hostile, "conts", "40"},
			"tree":       {hostile, "tree", strings.Repeat("(f(r)(sd(ir)))", 5)},
		} {
			t.Run(name, func(t *testing.T) { endsAll(t, o, "0", argv...) })
		}
	})
}

// TestEndRandomTrees: whatever the main program has started. The seed is printed when
// one fails, and is the argument of -rapid.seed.
func TestEndRandomTrees(t *testing.T) {
	t.Parallel()
	testns.RequireRoot(t)
	testns.RandomTrees(t, 100)
	hostile := testns.Hostile(t)
	tree := 0
	rapid.Check(t, func(r *rapid.T) {
		spec := testns.RandomTree(r)
		grace := rapid.SampledFrom([]string{"0", "0", "20ms"}).Draw(r, "grace")
		o := testns.Options{
			NotPID1:  rapid.Bool().Draw(r, "subreaper"),
			AsNobody: rapid.Bool().Draw(r, "nobody"),
		}
		tree++
		if !t.Run(fmt.Sprint(tree), func(t *testing.T) { endsAll(t, o, grace, hostile, "tree", spec) }) {
			r.Fatalf("%s, %+v", spec, o)
		}
	})
}
