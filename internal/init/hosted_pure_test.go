package pid1

import (
	"slices"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/proc"
)

// hosting is a world where orphans are kept, there are no guards, and a session has up to
// ten seconds to be ended in.
func hosting(t *testing.T) *world {
	w := newWorld(t, func(c *config.Config) {
		c.Orphans, c.KillGrace, c.Terminal.Cleanup = config.OrphansKeep, graceful, 10*time.Second
	})
	w.workers = map[int]bool{}
	return w
}

// host starts a worker, as the container does.
func (w *world) host(pid int) session {
	w.ledger.knowKin()
	mark := w.ledger.marks.next()
	w.workers[pid] = true
	id := w.start(pid, self)
	w.bears[pid] = mark
	stat := w.procs[pid]
	w.ledger.hosts(&stat, mark, w.now)
	return session{worker: id, mark: mark}
}

// workerDies is the end of a worker that is noticed.
func (w *world) workerDies(pid int) {
	w.die(pid)
	delete(w.workers, pid)
}

// TestHostedEnds: what a worker leaves is ended, first politely; other sessions, orphans and
// what main has started are not.
func TestHostedEnds(t *testing.T) {
	w := hosting(t)
	w.daemonDies() // 11 is an orphan that is kept
	w.host(20)
	w.start(21, 20)
	w.start(22, 21)
	w.setsid(22, 22)
	w.host(30)
	w.start(31, 30)
	w.look()
	w.stubborn[22] = true
	w.workerDies(20)
	w.look()
	w.wantAlive(11, 22, 30, 31)
	w.pass(1900 * time.Millisecond)
	w.wantAlive(11, 22, 30, 31)
	w.pass(200 * time.Millisecond)
	w.wantAlive(11, 30, 31)
	if len(w.asked) != 0 {
		t.Errorf("asked %v: nothing has to be asked for", w.asked)
	}
	w.wantLogged(1, "terminal session's worker has gone")
}

// TestHostedUnseen: nobody of a session was ever looked at before its worker had died and
// was forgotten. The mark tells, and there is one end for all.
func TestHostedUnseen(t *testing.T) {
	w := hosting(t)
	w.host(20)
	w.start(21, 20)
	w.start(22, 21)
	w.start(23, 21)
	w.die(21)
	w.workerDies(20)
	w.start(40, 2) // a stranger
	w.look()
	w.pass(time.Second)
	w.wantAlive(40)
	if w.counts.terminated != 1 {
		t.Errorf("%d endings", w.counts.terminated)
	}
}

// TestHostedLate: somebody turns up when all that was known of the session has ended.
func TestHostedLate(t *testing.T) {
	w := hosting(t)
	s := w.host(20)
	w.look()
	w.workerDies(20)
	for range 3 {
		w.look()
		w.pass(time.Second)
	}
	if w.ledger.kin.all[s.worker] != nil {
		t.Fatal("the worker is remembered although nobody is left")
	}
	w.start(50, self)
	w.bears[50] = s.mark
	w.look()
	w.pass(time.Second)
	w.wantAlive()
}

// TestHostedSealed: who has changed its mark is ended only if a session was lost, whose it
// can be, and also if it was met before that was known.
func TestHostedSealed(t *testing.T) {
	for _, lost := range []bool{true, false} {
		w := hosting(t)
		s := w.host(20)
		w.seals = map[int]bool{21: true, 22: true}
		w.start(21, 20)
		w.start(22, 20)
		w.bears[21], w.bears[22] = 7, 0
		w.workerDies(20)
		w.look()
		if lost {
			w.ledger.loses(s, w.now)
		}
		w.look()
		w.pass(time.Second)
		if lost {
			w.wantAlive()
		} else {
			w.wantAlive(21, 22)
		}
	}
}

// TestHostedGroup: without a mark the session that a program leads tells.
func TestHostedGroup(t *testing.T) {
	w := hosting(t)
	w.host(20)
	w.start(21, 20)
	w.setsid(21, 21)
	w.look()
	w.start(22, 21)
	w.setsid(22, 21)
	w.bears[22] = 0
	w.die(21)
	w.workerDies(20)
	w.look()
	w.pass(time.Second)
	w.wantAlive()
}

// TestHostedOver: of a session that has ended by itself nothing is kept in mind.
func TestHostedOver(t *testing.T) {
	w := hosting(t)
	for range 100 {
		s := w.host(20)
		w.start(21, 20)
		w.look()
		w.die(21)
		w.workerDies(20)
		w.ledger.unhost(s)
		w.now = w.now.Add(time.Second) // or the next has the same start time
		w.look()
	}
	if n := len(w.ledger.marks.of); n != 0 {
		t.Errorf("%d marks are kept", n)
	}
	if n := len(w.ledger.kin.all); n != 2 {
		t.Errorf("%d kin are kept, of main and the runner", n)
	}
	if w.counts.terminated != 0 {
		t.Errorf("%d endings", w.counts.terminated)
	}
}

// TestHostedUnnamed: a worker is no guard whatever it is called, and is not asked; and it is
// no candidate for an orphan whose guard is looked for by environment.
func TestHostedUnnamed(t *testing.T) {
	w := newWorld(t, func(c *config.Config) { c.Guard = []string{"sbinit*"} })
	w.workers = map[int]bool{}
	s := w.host(20)
	w.start(21, 20)
	for range 8 {
		w.look()
		w.pass(time.Second)
	}
	w.start(60, runner)
	w.bears[60] = 0
	w.die(60)
	w.start(61, self)
	w.bears[61] = 0
	w.look()
	for _, q := range w.asked {
		if slices.Contains(q.others, s.worker) || q.subject == s.worker {
			t.Errorf("asked about the worker: %+v", q)
		}
	}
	if len(w.asked) == 0 {
		t.Error("nobody was asked about")
	}
}

// TestHostedBesideGuard: a guard in a session owns what it has started; when the session
// goes, so does the guard.
func TestHostedBesideGuard(t *testing.T) {
	w := newWorld(t, func(c *config.Config) {
		c.Guard, c.Terminal.Cleanup = []string{"agent"}, 10*time.Second
	})
	w.workers = map[int]bool{}
	w.host(20)
	w.start(21, 20)
	agent := w.start(22, 21)
	w.start(23, 22)
	w.look()
	w.answer(func(q inquiry) verdict {
		v := verdict{kind: q.kind, subject: q.subject, entries: map[proc.ID]int{}}
		for _, id := range q.others {
			v.entries[id] = map[bool]int{true: 0, false: -1}[id == agent]
		}
		return v
	})
	if owner := w.ledger.kin.owner(w.procs[23].ID); owner == nil || owner.ID != agent {
		t.Fatalf("owner is %+v", owner)
	}
	if owner := w.ledger.kin.owner(agent); owner == nil || owner.PID != 20 {
		t.Fatalf("owner of the guard is %+v", owner)
	}
	w.workerDies(20)
	w.look()
	w.pass(time.Second)
	w.wantAlive()
}
