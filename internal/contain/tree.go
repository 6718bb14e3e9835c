package contain

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
)

// stopRounds bounds the rounds of SIGSTOP in one pass: a tree that still grows
// after so many is killed as it stands, and again in the next pass.
const stopRounds = 8

// scanLimit bounds how many processes one pass signals, unless [Tree.Bound] says
// otherwise. Strangers do not count. Who is beyond gets its turn when others have gone.
const scanLimit = 4096

// A Tree is everybody below a child subreaper, this process. Whoever loses a
// parent in it becomes our child, so nobody leaves it while we live. They are
// found by walking /proc, the whole tree in each pass (killing only children
// takes one pass for each level of a chain), and signalled one by one, each
// identified: we share the namespace with strangers.
type Tree struct {
	self  int
	fs    *proc.FS // nil without /proc: then nobody can be told from a stranger
	fence *Fence
	snap  proc.Snapshot
	told  map[proc.ID]unix.Signal // the last signal that each has got
	last  int                     // how many were there in the last pass of SIGKILL
	bound int                     // how many one pass signals

	look      func(*proc.Snapshot) error // walks /proc
	childless func() bool                // wait says that we have no child
}

// NewTree returns the tree below this process.
func NewTree(self int, fs *proc.FS, fence *Fence) *Tree {
	t := &Tree{self: self, fs: fs, fence: fence, told: map[proc.ID]unix.Signal{}, bound: scanLimit, childless: childless}
	t.look = func(s *proc.Snapshot) error { return s.Take(fs) }
	return t
}

// Bound sets how many processes one pass signals.
func (t *Tree) Bound(n int) { t.bound = n }

// childless is asked in a way that reaps nobody.
func childless() bool {
	return unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil) == unix.ECHILD
}

// Tell makes one pass. If the tree has grown since the last pass of SIGKILL it
// is stopped first, so that it cannot outrun the walk.
func (t *Tree) Tell(sigs ...unix.Signal) Tally {
	if sigs[0] != unix.SIGKILL {
		_, tally := t.pass(sigs)
		return tally
	}
	if t.grows() {
		for range stopRounds {
			if n, _ := t.pass([]unix.Signal{unix.SIGSTOP}); n == 0 {
				break
			}
		}
	}
	n, tally := t.pass(sigs)
	tally.Signalled = n
	return tally
}

// grows says whether more are there than in the last pass of SIGKILL.
func (t *Tree) grows() bool {
	n := 0
	if t.walk() == nil {
		t.snap.Descendants(t.self, func(p *proc.Stat) {
			if p.Alive() {
				n++
			}
		})
	}
	grown := t.last > 0 && n >= t.last
	t.last = n
	return grown
}

// pass walks the tree and signals whoever has not had sigs[0] last, nor a SIGKILL; it
// returns how many got it. SIGKILL is sent again: where numbers are few, one may be
// another's within the same clock tick, who then looks like the one that had it.
func (t *Tree) pass(sigs []unix.Signal) (fresh int, tally Tally) {
	if err := t.walk(); err != nil {
		return 0, Tally{Unknown: 1}
	}
	t.fence.begin(t.self)
	visited := 0
	t.snap.Descendants(t.self, func(p *proc.Stat) {
		had := t.told[p.ID]
		if !p.Alive() || sigs[0] != unix.SIGKILL && (had == sigs[0] || had == unix.SIGKILL) {
			return
		}
		if visited++; visited > t.bound {
			tally.Excess++
			return
		}
		switch err := t.fence.SignalBelow(p.ID, sigs...); {
		case err == nil && had == sigs[0]:
		case err == nil:
			t.told[p.ID] = sigs[0]
			fresh++
		case errors.Is(err, ErrUnidentified):
			tally.Unknown++
		case !errors.Is(err, ErrGone):
			tally.Refused++
		}
	})
	tally.Signalled = fresh
	return fresh, tally
}

func (t *Tree) walk() error {
	if t.fs == nil {
		return unix.ENOENT
	}
	return t.look(&t.snap)
}

// Empty is proven by wait, which says that we have no child, and by two walks in
// a row that show nobody below us. Without /proc a subreaper has no way to find
// anybody, and there is nothing that it could wait for.
func (t *Tree) Empty() bool {
	if t.fs == nil {
		return true
	}
	if !t.childless() {
		return false
	}
	for range 2 {
		if !t.emptyWalk() {
			return false
		}
	}
	return true
}

func (t *Tree) emptyWalk() bool {
	if t.walk() != nil {
		return false
	}
	empty := true
	t.snap.Descendants(t.self, func(*proc.Stat) { empty = false })
	return empty
}

// Survivors names some of who is left.
func (t *Tree) Survivors() []proc.Stat {
	return survivors(t.fs, func(s *proc.Snapshot, fn func(*proc.Stat)) { s.Descendants(t.self, fn) })
}
