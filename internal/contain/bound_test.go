package contain

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
)

// TestBound: one pass signals so many and counts the rest, which have their turn in the
// next ones. Strangers do not count.
func TestBound(t *testing.T) {
	s := newStage()
	for pid := 11; pid <= 15; pid++ {
		s.procs[pid] = process(pid, 10, 1)
	}
	for pid := 20; pid <= 29; pid++ {
		s.procs[pid] = process(pid, 1, 1)
	}
	tree := NewTree(10, &proc.FS{}, newFence(s, true))
	tree.Bound(2)
	tree.look = func(snap *proc.Snapshot) error {
		snap.Procs = snap.Procs[:0]
		for _, p := range s.procs {
			snap.Procs = append(snap.Procs, p)
		}
		snap.Index()
		return nil
	}
	for pass, want := range []Tally{{Signalled: 2, Excess: 3}, {Signalled: 2, Excess: 1}, {Signalled: 1}, {}} {
		if got := tree.Tell(unix.SIGTERM); got != want {
			t.Errorf("pass %d: %+v, want %+v", pass, got, want)
		}
	}
}
