package pid1

import (
	"errors"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/proc"
)

// TestPolicies: what becomes of an orphan under each policy and by each verdict.
func TestPolicies(t *testing.T) {
	const (
		ended     = "ended"
		kept      = "orphan kept"
		reported  = "orphan would be terminated"
		tolerated = "tolerated"
	)
	unreadable := verdict{err: errors.New("unreadable")}
	keep := verdict{name: "tmux", keep: "SBINIT_ORPHAN_KEEP", abandoned: true}
	for _, c := range []struct {
		policy config.Orphans
		v      verdict
		want   string
	}{
		{config.OrphansAbandoned, lost, ended},
		{config.OrphansAbandoned, healthy, tolerated},
		{config.OrphansAbandoned, unreadable, tolerated},
		{config.OrphansAbandoned, keep, kept},
		{config.OrphansTerminate, lost, ended},
		{config.OrphansTerminate, healthy, ended},
		{config.OrphansTerminate, unreadable, ended},
		{config.OrphansTerminate, keep, kept},
		{config.OrphansReport, lost, reported},
		{config.OrphansReport, healthy, reported},
		{config.OrphansReport, keep, kept},
	} {
		w := newWorld(t, func(cfg *config.Config) { cfg.Orphans = c.policy })
		w.daemonDies()
		w.pass(graceful)
		w.verdict = nil
		w.answer(func(q inquiry) verdict { return *always(c.v)(q) })
		w.pass(10 * time.Second)
		if gone := len(w.alive()) == 0; gone != (c.want == ended) {
			t.Errorf("%v, %+v: left %v, want it %s", c.policy, c.v, w.alive(), c.want)
		}
		for _, text := range []string{kept, reported} {
			count := 0
			if text == c.want {
				count = 1
			}
			w.wantLogged(count, text)
		}
		if again := len(w.asked) > 0; again != (c.want == tolerated) {
			t.Errorf("%v, %+v: asked again: %v", c.policy, c.v, again)
		}
		if c.want == ended && (w.counts.terminated != 1 || w.counts.adopted != 1) {
			t.Errorf("%v, %+v: %+v", c.policy, c.v, w.counts)
		}
	}
}

// TestKeepPolicy: nobody is even looked into.
func TestKeepPolicy(t *testing.T) {
	w := newWorld(t, func(cfg *config.Config) { cfg.Orphans = config.OrphansKeep })
	w.daemonDies()
	w.pass(time.Minute)
	w.wantAlive(11)
	if len(w.asked) != 0 || w.counts.adopted != 1 {
		t.Errorf("asked %v, %+v", w.asked, w.counts)
	}
}

func TestGrace(t *testing.T) {
	w := newWorld(t, nil)
	w.start(20, 11)
	w.daemonDies()
	w.pass(graceful - 1)
	if len(w.asked) != 0 {
		t.Fatalf("asked before the grace was over: %v", w.asked)
	}
	w.pass(1)
	if len(w.asked) != 1 || w.asked[0].subject.PID != 11 || len(w.asked[0].others) != 1 || w.asked[0].others[0].PID != 20 {
		t.Errorf("asked %+v", w.asked)
	}
	w.pass(time.Hour)
	if len(w.asked) != 1 {
		t.Errorf("asked %d times before an answer came", len(w.asked))
	}
}

func TestNoGrace(t *testing.T) {
	w := newWorld(t, func(cfg *config.Config) { cfg.OrphanGrace, cfg.KillGrace = 0, 0 })
	w.verdict = always(lost)
	w.daemonDies()
	w.pass(0)
	w.wantAlive()
	w.wantSent("11 [killed]")
}

// TestNotAdopted: our own child, zombies and children of others are no orphans.
func TestNotAdopted(t *testing.T) {
	w := newWorld(t, nil)
	w.start(30, 0) // docker exec brings it
	w.start(31, self)
	zombie := w.procs[31]
	zombie.State = 'Z'
	w.procs[31] = zombie
	w.pass(time.Minute)
	if w.counts.adopted != 0 || len(w.asked) != 0 {
		t.Errorf("%+v, asked %v", w.counts, w.asked)
	}
	zombie.Threads = 2 // its leader has ended, and it has not
	w.procs[31] = zombie
	w.look()
	if w.counts.adopted != 1 {
		t.Errorf("a zombie leader: %+v", w.counts)
	}
}

func TestOrphanLeavesByItself(t *testing.T) {
	w := newWorld(t, nil)
	w.daemonDies()
	w.pass(graceful - 1)
	w.die(11)
	w.pass(time.Minute)
	if len(w.asked) != 0 || w.counts.terminated != 0 || len(w.ledger.orphans) != 0 {
		t.Errorf("asked %v, %+v, orphans %v", w.asked, w.counts, w.ledger.orphans)
	}
	if due := w.ledger.due(); !due.IsZero() {
		t.Errorf("something is due at %v", due)
	}
}

// TestNumberOfAnOrphanAgain: another process with the number gets a grace of its
// own, and a verdict on the first does not reach it.
func TestNumberOfAnOrphanAgain(t *testing.T) {
	w := newWorld(t, nil)
	w.daemonDies()
	w.pass(graceful)
	old := w.asked
	w.asked = nil
	w.die(11)
	w.start(11, self)
	w.look()
	w.asked = old
	w.answer(func(q inquiry) verdict { return *always(lost)(q) })
	w.wantSent()
	w.wantAlive(11)
	w.pass(graceful - 1)
	if len(w.asked) != 0 {
		t.Error("asked before its own grace was over")
	}
	w.pass(1)
	if len(w.asked) != 1 || w.counts.adopted != 2 {
		t.Errorf("asked %v, %+v", w.asked, w.counts)
	}
}

// TestNumberAgainUnseen: the same, when no exit was seen in between.
func TestNumberAgainUnseen(t *testing.T) {
	w := newWorld(t, nil)
	w.daemonDies()
	w.pass(graceful - 1)
	p := w.procs[11]
	p.Start += 5
	w.procs[11] = p
	w.pass(2)
	if len(w.asked) != 0 {
		t.Errorf("asked about %+v", w.asked)
	}
}

func TestVerdictTooLate(t *testing.T) {
	w := newWorld(t, nil)
	w.daemonDies()
	w.pass(graceful)
	w.die(11)
	w.answer(func(q inquiry) verdict { return *always(lost)(q) })
	w.answer(func(q inquiry) verdict { return *always(verdict{gone: true})(q) })
	if w.counts.terminated != 0 {
		t.Errorf("%+v", w.counts)
	}
}

func TestVerdictGone(t *testing.T) {
	w := newWorld(t, nil)
	w.verdict = always(verdict{gone: true, abandoned: true})
	w.daemonDies()
	w.pass(graceful)
	w.wantSent()
}

// TestToleratedThenAbandoned: the peer of an orphan may die later; then it gets the
// grace that the others had, once.
func TestToleratedThenAbandoned(t *testing.T) {
	w := newWorld(t, nil)
	w.verdict = always(healthy)
	w.daemonDies()
	w.pass(time.Minute)
	if n := len(w.asked); n < 50 || n > 60 {
		t.Errorf("asked %d times in a minute of ticks", n)
	}
	w.verdict = always(lost)
	w.pass(time.Second)
	w.wantSent()
	w.pass(graceful - time.Second)
	w.wantSent()
	w.pass(time.Second)
	w.wantSent("11 [terminated continued]")
	w.wantAlive()
}

// TestAbandonedInBetween: who is in order at the end of its second grace has not
// used it up.
func TestAbandonedInBetween(t *testing.T) {
	w := newWorld(t, nil)
	w.verdict = always(healthy)
	w.daemonDies()
	w.pass(time.Minute)
	w.verdict = always(lost)
	w.pass(time.Second)
	w.verdict = always(healthy)
	w.pass(time.Minute)
	w.verdict = always(lost)
	w.pass(graceful - time.Second)
	w.wantSent()
	w.pass(2 * time.Second)
	w.wantAlive()
}

func TestToleratedThenAbandonedWithoutGrace(t *testing.T) {
	w := newWorld(t, func(cfg *config.Config) { cfg.OrphanGrace = 0 })
	w.verdict = always(healthy)
	w.daemonDies()
	w.pass(10 * time.Second)
	w.verdict = always(lost)
	w.pass(time.Second)
	w.wantAlive()
}

// TestBusyInspector: it is asked again, and the delay gives no second grace.
func TestBusyInspector(t *testing.T) {
	w := newWorld(t, nil)
	w.busy = true
	w.verdict = always(lost)
	w.daemonDies()
	w.pass(graceful + 3*time.Second)
	w.wantAlive(11)
	w.busy = false
	w.pass(time.Second)
	w.wantAlive()
}

// TestStalledInspector: that nobody is judged is said once.
func TestStalledInspector(t *testing.T) {
	w := newWorld(t, nil)
	w.daemonDies()
	w.pass(graceful + stallLimit)
	w.wantLogged(0, "cannot be inspected")
	w.pass(time.Minute)
	w.wantLogged(1, "cannot be inspected")
}

// TestUnreadable is said once, whoever comes later.
func TestUnreadable(t *testing.T) {
	w := newWorld(t, nil)
	w.verdict = always(verdict{err: errors.New("permission denied")})
	w.daemonDies()
	w.start(40, self)
	w.pass(time.Minute)
	w.wantAlive(11, 40)
	w.wantLogged(1, "descriptors cannot be read")
}

// TestManyOrphans: each has its own clock, and due is the first of them.
func TestManyOrphans(t *testing.T) {
	w := newWorld(t, nil)
	w.verdict = always(lost)
	for i := range 50 {
		w.start(100+i, self)
		w.look()
		if due := w.ledger.due(); due.After(w.now.Add(graceful)) || due.Before(w.now) {
			t.Fatalf("due in %v", due.Sub(w.now))
		}
		w.pass(200 * time.Millisecond)
	}
	if left := w.alive(); len(left) != 24 || left[0] != 126 {
		t.Errorf("left %v", left)
	}
	w.pass(graceful)
	w.wantAlive()
	if len(w.ledger.seen) != len(w.procs) {
		t.Errorf("remembers %v", w.ledger.seen)
	}
	if w.counts.adopted != 50 || w.counts.terminated != 50 || w.counts.killed != 0 {
		t.Errorf("%+v", w.counts)
	}
}

// TestHint: what is ended is logged once, with what would have kept it.
func TestHint(t *testing.T) {
	w := newWorld(t, nil)
	w.verdict = always(lost)
	w.daemonDies()
	w.pass(graceful)
	w.wantLogged(1, "orphan terminated")
	w.wantLogged(1, "SBINIT_ORPHAN_KEEP=+acp")
	w.wantLogged(1, "warn: orphan terminated")
}

func TestSubtreeIDs(t *testing.T) {
	w := newWorld(t, nil)
	w.start(11, self)
	w.start(12, 11)
	w.start(13, 12)
	w.start(14, self)
	got := subtreeIDs(w.snapshot(), w.procs[11].ID)
	if len(got) != 2 || got[0].PID != 12 || got[1].PID != 13 {
		t.Errorf("%v", got)
	}
	if got := subtreeIDs(w.snapshot(), proc.ID{PID: 99}); got != nil {
		t.Errorf("%v", got)
	}
}
