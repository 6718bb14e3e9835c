package contain

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
)

// walks is what a tree sees in one walk after the other; nil is a walk that fails.
type walks [][]proc.Stat

// treeOf is a tree below the process root.
func treeOf(t *testing.T, childless bool, w walks) *Tree {
	t.Helper()
	tree := NewTree(root, open(t), nil)
	tree.childless = func() bool { return childless }
	tree.look = func(s *proc.Snapshot) error {
		if len(w) == 0 {
			t.Fatal("more walks than expected")
		}
		s.Procs = append(s.Procs[:0], w[0]...)
		s.Index()
		failed := w[0] == nil
		if w = w[1:]; failed {
			return unix.EMFILE
		}
		return nil
	}
	t.Cleanup(func() {
		if len(w) > 0 {
			t.Errorf("%d walks were not taken", len(w))
		}
	})
	return tree
}

// TestProof: nobody is left if wait knows no child, and two walks in a row show
// nobody. Strangers, in or out of a process that has gone, are none of ours.
func TestProof(t *testing.T) {
	strangers := []proc.Stat{process(1, 0, 1), process(root, 1, 10), process(7, 1, 70), process(8, 7, 80), process(9, 6, 90)}
	someone := append(strangers[:5:5], process(200, root, 20))
	deep := append(someone[:6:6], process(300, 200, 30))
	dead := append(strangers[:5:5], proc.Stat{ID: proc.ID{PID: 200, Start: 20}, PPID: root, State: 'Z', Threads: 1})
	for name, one := range map[string]struct {
		childless bool
		walks     walks
		empty     bool
	}{
		"nobody":                     {true, walks{strangers, strangers}, true},
		"a child":                    {false, walks{}, false},
		"someone in the first walk":  {true, walks{someone}, false},
		"someone in the second walk": {true, walks{strangers, someone}, false},
		"someone further down":       {true, walks{strangers, deep}, false},
		"someone dead":               {true, walks{dead}, false},
		"the first walk fails":       {true, walks{nil}, false},
		"the second walk fails":      {true, walks{strangers, nil}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if empty := treeOf(t, one.childless, one.walks).Empty(); empty != one.empty {
				t.Errorf("empty: %v", empty)
			}
		})
	}
}

// TestProofAgain: a ladder that was wrong about the first look is not done.
func TestProofAgain(t *testing.T) {
	nobody := []proc.Stat{process(root, 1, 10)}
	tree := treeOf(t, true, walks{nobody, append(nobody[:1:1], process(200, root, 20)), nobody, nobody})
	if tree.Empty() {
		t.Error("empty at the first look")
	}
	if !tree.Empty() {
		t.Error("not empty at the second look")
	}
}

// TestPassWithoutWalk: who cannot be seen is not signalled, and is counted.
func TestPassWithoutWalk(t *testing.T) {
	tree := treeOf(t, true, walks{nil, nil})
	if tally := tree.Tell(unix.SIGKILL); tally.Signalled != 0 || tally.Unknown == 0 {
		t.Errorf("%+v", tally)
	}
}

// stagedTree is a tree whose processes are those of a stage, which does what the
// kernel would.
func stagedTree(t *testing.T, s *stage) *Tree {
	t.Helper()
	tree := NewTree(root, open(t), newFence(s, true))
	tree.look = func(snap *proc.Snapshot) error {
		snap.Procs = snap.Procs[:0]
		for _, p := range s.procs {
			snap.Procs = append(snap.Procs, p)
		}
		snap.Index()
		return nil
	}
	return tree
}

func (s *stage) count(word string) (n int) {
	for _, l := range s.log {
		if l == word {
			n++
		}
	}
	return n
}

// TestPassTakesTheWholeTree: all generations in one pass, not only children; a zombie
// with living threads too, but not one without, and no stranger.
func TestPassTakesTheWholeTree(t *testing.T) {
	leader, dead := process(202, 201, 22), process(203, 202, 23)
	leader.State, leader.Threads = 'Z', 2
	dead.State = 'Z'
	s := newStage(process(1, 0, 1), process(root, 1, 10), process(200, root, 20), process(201, 200, 21), leader, dead,
		process(204, 202, 24), process(7, 1, 70))
	if tally := stagedTree(t, s).Tell(unix.SIGKILL); tally.Signalled != 4 || s.count(unix.SIGKILL.String()) != 4 {
		t.Errorf("%+v, %v", tally, s.log)
	}
}

// TestPassTellsOnce: SIGTERM goes once to each, so that no handler is interrupted by
// it again; who comes later gets it too. SIGKILL follows.
func TestPassTellsOnce(t *testing.T) {
	s := newStage(process(root, 1, 10), process(200, root, 20))
	tree := stagedTree(t, s)
	tree.Tell(unix.SIGTERM, unix.SIGCONT)
	tree.Tell(unix.SIGTERM, unix.SIGCONT)
	s.procs[201] = process(201, 200, 21)
	tree.Tell(unix.SIGTERM, unix.SIGCONT)
	if n, m := s.count(unix.SIGTERM.String()), s.count(unix.SIGCONT.String()); n != 2 || m != 2 {
		t.Errorf("%d SIGTERM, %d SIGCONT to two processes", n, m)
	}
	tree.Tell(unix.SIGKILL)
	if n := s.count(unix.SIGKILL.String()); n != 2 {
		t.Errorf("%d SIGKILL to two processes", n)
	}
}

// TestPassKillsAgain: a number that is given out again within one clock tick makes
// another process look like the one that was killed.
func TestPassKillsAgain(t *testing.T) {
	s := newStage(process(root, 1, 10), process(200, root, 20))
	tree := stagedTree(t, s)
	for range 3 {
		tree.Tell(unix.SIGKILL)
	}
	if n := s.count(unix.SIGKILL.String()); n != 3 {
		t.Errorf("%d SIGKILL in three passes", n)
	}
}

// TestPassStopsWhatGrows: a tree that does not become smaller is stopped before it is
// killed, until nobody new is found.
func TestPassStopsWhatGrows(t *testing.T) {
	s := newStage(process(root, 1, 10), process(200, root, 20))
	tree := stagedTree(t, s)
	tree.Tell(unix.SIGKILL)
	if n := s.count(unix.SIGSTOP.String()); n != 0 {
		t.Errorf("%d SIGSTOP in the first pass", n)
	}
	next := 300
	s.onOpen = func() {
		if next < 305 { // it forks while it is stopped, so far
			s.procs[next] = process(next, root, uint64(next))
			next++
		}
	}
	delete(s.procs, 200)
	s.procs[299] = process(299, root, 299)
	tree.Tell(unix.SIGKILL)
	if n, m := s.count(unix.SIGSTOP.String()), s.count(unix.SIGKILL.String()); n != 6 || m != 1+6 {
		t.Errorf("%d SIGSTOP, %d SIGKILL", n, m)
	}
}

// TestPassSparesStrangers: a walk is not one moment. Here 200 was ours, has ended, and
// its number went to a stranger while the walk went on, which has seen 200 as it was and
// a child of the other.
func TestPassSparesStrangers(t *testing.T) {
	seen := []proc.Stat{process(root, 1, 10), process(200, root, 20), process(201, 200, 25), process(202, root, 22)}
	s := newStage(process(root, 1, 10), process(200, 1, 24), process(201, 200, 25), process(202, root, 22))
	tree := stagedTree(t, s)
	tree.look = func(snap *proc.Snapshot) error {
		snap.Procs = append(snap.Procs[:0], seen...)
		snap.Index()
		return nil
	}
	if tally := tree.Tell(unix.SIGKILL); tally.Signalled != 1 || tally.Unknown != 1 || s.count(unix.SIGKILL.String()) != 1 {
		t.Errorf("%+v, %v", tally, s.log)
	}
}
