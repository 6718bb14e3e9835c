//go:build hostile

package guard_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestHostile: nobody is left of programs that resist, and no stranger is harmed.
func TestHostile(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		for _, program := range testns.HostilePrograms(t) {
			for _, cause := range kills {
				t.Run(program.Name+", "+cause.name, func(t *testing.T) {
					g := host{o: o}.inYard(t, atOnce, program.Argv...)
					g.ready(t)
					g.endsHostile(t, cause)
				})
			}
		}
	})
}

func (g *guarded) endsHostile(t *testing.T, cause cause) {
	t.Helper()
	begin := time.Now()
	g.now(cause)
	g.contained(t)
	if took := time.Since(begin); took > endLimit {
		t.Errorf("took %v", took)
	}
	if strings.Contains(g.Stderr(), "error") {
		t.Errorf("said: %s", g.Stderr())
	}
	t.Logf("%v", time.Since(begin))
}

// TestHostileInit: so it is at the end of sbinit's own main program. As PID 1 it has
// the whole namespace to end, as a subreaper those below it.
func TestHostileInit(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for _, program := range testns.HostilePrograms(t) {
			t.Run(program.Name+", PID 1", func(t *testing.T) {
				o := o
				o.Env = testns.Environ(atOnce...)
				g := &guarded{testns.Start(t, o, append([]string{testns.Build(t), "--"}, agentd(t, program.Argv)...)...), host{}}
				g.ready(t)
				g.initEnds(t)
			})
			t.Run(program.Name+", subreaper", func(t *testing.T) {
				o := o
				o.NotPID1 = true
				g := host{o: o}.yard(t, atOnce, append([]string{testns.Build(t), "--"}, agentd(t, program.Argv)...)...)
				g.ready(t)
				g.Kill(g.daemon(), unix.SIGKILL)
				g.contained(t)
				g.WaitFor(t, "the status", func() bool { return strings.Contains(g.Stdout(), "status 137\n") })
				if g.Stderr() != "" {
					t.Errorf("said: %s", g.Stderr())
				}
			})
		}
	})
}

// initEnds kills the main program of sbinit as PID 1, which then has nobody left to
// name.
func (g *guarded) initEnds(t *testing.T) {
	t.Helper()
	g.Kill(g.daemon(), unix.SIGKILL)
	g.ends(t, 137)
	if g.Stderr() != "" {
		t.Errorf("said: %s", g.Stderr())
	}
}
