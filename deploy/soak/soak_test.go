//go:build soak

package soak

import (
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/testns"
)

var (
	span = flag.Duration("for", time.Minute, "how long all goes on; what has begun then is waited for")
	seed = flag.Uint64("seed", 0, "of the random order; 0: another one each time")
)

func TestMain(m *testing.M) { testns.Main(m) }

// An actor does one random thing, and waits until that has had its consequences.
type actor struct {
	name string
	act  func(w *world, r *rand.Rand)
}

// actors go on side by side. Each has few processes at a time, so that all together have
// about sixty.
var actors = []actor{
	{"session", openSession}, {"session", openSession}, {"session", openSession},
	{"agent", endAgent}, {"agent", endAgent},
	{"pair", endPair},
	{"leak", leak},
	{"resident", reside},
	{"nuisance", annoy}, {"nuisance", annoy},
	{"signals", sendSignals},
	{"status", watchStatus},
}

// TestSoak compares PID 1 at the end with what it was after a first part: by then it has
// all the threads and buffers that it needs.
func TestSoak(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("again: -for %v -seed %d", *span, *seed)
	w := newWorld(t)
	w.carryOn(*seed, *span/4)
	before := w.settled()
	w.carryOn(*seed+1, *span-*span/4)
	after := w.settledLike(before)
	w.checkUpkeep(before, after)
	w.checkCounts()
	w.checkOrphans()
	w.checkLog()
	t.Logf("before %+v, after %+v; %d processes at once; done: %v", before, after, w.peak, w.done)
	w.finish()
}

// carryOn has all actors act for so long. Waiting in vain ends an actor, and with it all.
func (w *world) carryOn(seed uint64, long time.Duration) {
	w.t.Helper()
	deadline := time.Now().Add(long)
	var all sync.WaitGroup
	for i, a := range actors {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() {
			for time.Now().Before(deadline) && !w.t.Failed() {
				a.act(w, r)
			}
		})
	}
	all.Wait()
	if w.t.Failed() {
		w.t.FailNow()
	}
}
