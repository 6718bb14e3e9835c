package guard_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/testns"
)

// A round is a part of a test, with clean-ups of its own.
type round struct {
	testing.TB
	cleanups []func()
}

func (r *round) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *round) end() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
}

// lastDeath measures from the SIGKILL to the last death in a tree of fifty, graces 0.
func lastDeath(tb testing.TB, c cause, program []string) time.Duration {
	tb.Helper()
	t := &round{TB: tb}
	defer t.end()
	g := host{o: testns.Options{NotPID1: true}}.guard(t, atOnce, append([]string{"--"}, agentd(t, program)...)...)
	g.WaitFor(t, "ready", func() bool { return strings.Contains(g.Stdout(), "ready") })
	victim := c.to(g)
	w := watch(t, g.below())
	begin := time.Now()
	g.Kill(victim, c.signal)
	return w.last(t).Sub(begin)
}

// TestLastDeath has few rounds, and a limit for the slowest machine. `make bench` has the
// figures.
func TestLastDeath(t *testing.T) {
	testns.RequireNS(t)
	const rounds, limit = 5, 2 * time.Second
	for shape, program := range shapes(t) {
		for _, cause := range kills {
			var all time.Duration
			for range rounds {
				took := lastDeath(t, cause, program)
				if all += took; took > limit {
					t.Errorf("%s, %s: %v", shape, cause.name, took)
				}
			}
			t.Logf("%s, %s: %v on average", shape, cause.name, all/rounds)
		}
	}
}
