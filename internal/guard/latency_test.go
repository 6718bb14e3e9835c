package guard_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/testns"
)

// BenchmarkLastDeath measures from the SIGKILL to the last death in a tree of fifty,
// graces 0. Each round is a guard of its own; p99 is to be under 100 ms.
func BenchmarkLastDeath(b *testing.B) {
	testns.RequireNS(b)
	for shape, program := range shapes(b) {
		for _, cause := range kills {
			b.Run(strings.ReplaceAll(shape+" "+cause.name, " ", "-"), func(b *testing.B) {
				const rounds = 200
				var took []time.Duration
				for range b.N * rounds {
					took = append(took, lastDeath(b, cause, program))
				}
				slices.Sort(took)
				milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
				b.ReportMetric(milliseconds(took[len(took)/2]), "p50-ms")
				b.ReportMetric(milliseconds(took[len(took)*99/100]), "p99-ms")
				b.ReportMetric(milliseconds(took[len(took)-1]), "max-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

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

// lastDeath is one round.
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

// TestLastDeath is the same with few rounds, and a limit for the slowest machine.
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
