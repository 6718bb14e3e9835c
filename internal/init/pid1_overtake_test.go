package pid1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/testns"
)

// late is by how much a storm may delay SIGTERM, in microseconds.
const late = 50_000

// TestStormDelaysNoStop: SIGTERM overtakes the exits that wait to be taken, and comes
// through a storm of them as to a process without an init. The time to that process is
// taken side by side, since a busy machine delays both: one in twenty may be late all the
// same, and three in four find that all exits have been taken meanwhile. None would
// overtake if they were taken before anything else.
func TestStormDelaysNoStop(t *testing.T) {
	t.Parallel()
	for _, storm := range []struct{ rounds, width int }{{100, 500}, {20, 5000}} {
		t.Run(fmt.Sprintf("%d at once", storm.width), func(t *testing.T) {
			begin := time.Now()
			c := inStorm(t, testns.Options{}, fmt.Sprintf("overtake %d %d", storm.rounds, storm.width), 3)
			for round := range storm.rounds {
				c.WaitFor(t, "a round", func() bool { return strings.Count(c.Stdout(), "stop ") > round })
			}
			took := time.Since(begin)
			exits := calm(t, c) + storm.rounds*storm.width
			r := readRaces(c.Stdout())
			t.Logf("%.0f exits/s, SIGTERM takes %s µs, without an init %s µs, and overtakes all but %s",
				float64(exits)/took.Seconds(), spread(r.stop), spread(r.bare), spread(r.behind))
			if len(r.stop) != storm.rounds || r.late > storm.rounds/20 {
				t.Errorf("%d of %d are late", r.late, len(r.stop))
			}
			if r.won < storm.rounds/4 {
				t.Errorf("%d of %d overtook the exits that waited", r.won, storm.rounds)
			}
		})
	}
}

// races are what `storm overtake` says.
type races struct {
	stop, bare []int // times in microseconds
	behind     []int // exits that were taken before the signal all the same
	late, won  int
}

func readRaces(output string) (r races) {
	for line := range strings.Lines(output) {
		var stop, bare, of, after int
		if n, _ := fmt.Sscanf(line, "stop %d bare %d of %d after %d", &stop, &bare, &of, &after); n != 4 {
			continue
		}
		r.stop, r.bare, r.behind = append(r.stop, stop), append(r.bare, bare), append(r.behind, of-after)
		if stop > bare+late {
			r.late++
		}
		if after > 0 {
			r.won++
		}
	}
	return r
}

// spread is the middle of some values, and their upper end.
func spread(values []int) string {
	if len(values) == 0 {
		return "nothing"
	}
	slices.Sort(values)
	last := len(values) - 1
	return fmt.Sprintf("p50 %d p99 %d max %d", values[last/2], values[last*99/100], values[last])
}
