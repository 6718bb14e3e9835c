package pid1

import (
	"slices"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/config"
)

// TestEvidence: whose an orphan of unseen line is, by each kind of evidence and by none.
// The guard has been one for a while, and lives or has ended when the orphan comes.
func TestEvidence(t *testing.T) {
	for _, c := range []struct {
		name     string
		leave    func(g *guardWorld)
		unmarked bool
		owned    bool
		outlives bool // the evidence tells also when the guard has ended meanwhile
	}{
		{"mark", func(g *guardWorld) { g.orphan(30, 11) }, false, true, true},
		{"session", func(g *guardWorld) { g.orphan(30, 11); g.setsid(30, 11) }, true, true, true},
		{"session of the guard", func(g *guardWorld) { g.orphan(30, 11); g.setsid(30, 10) }, true, true, true},
		{"group", func(g *guardWorld) { g.orphan(30, 11); g.setgroup(30, 11) }, true, true, true},
		{"environment", func(g *guardWorld) { g.orphan(30, 11); g.alike[30] = 10 }, true, true, false},
		{"none", func(g *guardWorld) { g.orphan(30, 11) }, true, false, false},
		{"main's session", func(g *guardWorld) { g.orphan(30, 11); g.setsid(30, mainPID) }, true, false, false},
	} {
		for _, meanwhile := range []bool{false, true} {
			g := newGuardWorld(t)
			g.unmarked = c.unmarked
			g.run(10, runner, agent)
			g.run(11, 10, nobody)
			g.pass(youngAge)
			c.leave(g)
			want := c.owned
			if meanwhile {
				g.die(11)
				g.die(10)
				want = c.owned && c.outlives
			} else {
				g.pass(time.Minute)
				if len(g.alive()) != 3 {
					t.Errorf("%s: ended while its guard lives", c.name)
				}
				g.die(10)
			}
			g.pass(time.Minute)
			if gone := len(g.alive()) == 0; gone != want {
				t.Errorf("%s, guard ended meanwhile %v: left %v, want it ended: %v", c.name, meanwhile, g.alive(), want)
			}
		}
	}
}

// setgroup puts a process into the group of another.
func (w *world) setgroup(pid, group int) {
	p := w.procs[pid]
	p.PGID = group
	w.procs[pid] = p
}

// TestEvidenceYoungerGuard: neither its number nor its environment says anything about
// who was there before it.
func TestEvidenceYoungerGuard(t *testing.T) {
	g := newGuardWorld(t)
	g.unmarked = true
	g.orphan(30, runner)
	g.setsid(30, 10)
	g.alike[30] = 10
	g.now = g.now.Add(time.Second)
	g.run(10, runner, agent)
	g.pass(2 * time.Second)
	g.end(10)
	g.wantAlive(30)
	if n := len(g.ledger.orphans); n != 1 || g.ledger.orphans[30].stage != keptForGood {
		t.Errorf("%d orphans, %+v", n, g.ledger.orphans[30])
	}
}

// TestEvidenceGroupBeforeSession: the group's leader was below the inner guard.
func TestEvidenceGroupBeforeSession(t *testing.T) {
	g := newGuardWorld(t)
	g.unmarked = true
	g.run(10, runner, agent)
	g.run(11, 10, helper)
	g.run(12, 11, nobody)
	g.setsid(12, 10)
	g.setgroup(12, 12)
	g.pass(youngAge)
	g.orphan(30, 12)
	g.setsid(30, 10)
	g.setgroup(30, 12)
	g.pass(time.Second)
	g.end(11)
	g.wantAlive(10)
}

// TestEvidenceGroupNumberAgain: another process leads the group by now, who was seen
// below somebody else.
func TestEvidenceGroupNumberAgain(t *testing.T) {
	g := newGuardWorld(t)
	g.unmarked = true
	g.run(10, runner, agent)
	g.run(11, 10, nobody)
	g.pass(youngAge)
	g.die(11)
	g.now = g.now.Add(time.Second)
	g.run(11, runner, nobody)
	g.look()
	g.orphan(30, 11)
	g.setsid(30, 11)
	g.pass(time.Second)
	g.end(10)
	g.wantAlive(11, 30)
}

// TestEvidenceBeforeTheGuardIsKnown: the orphan came before its guard was found to be
// one.
func TestEvidenceBeforeTheGuardIsKnown(t *testing.T) {
	g := newGuardWorld(t)
	g.unmarked = true
	g.run(10, runner, nobody)
	g.run(11, 10, nobody)
	g.orphan(30, 11)
	g.setsid(30, 11)
	g.pass(time.Second)
	g.exec(10, agent)
	g.pass(3 * time.Second)
	g.end(10)
	g.wantAlive()
}

// TestEvidenceOfItself: a guard that is an orphan of unseen line does not own itself.
func TestEvidenceOfItself(t *testing.T) {
	g := newGuardWorld(t)
	g.orphan(30, runner)
	g.exec(30, agent)
	g.alike[30] = 30
	g.run(31, 30, nobody)
	g.pass(2 * time.Second)
	g.run(40, runner, helper) // has all be placed again
	g.pass(time.Minute)
	g.wantAlive(30, 31, 40)
	if o := g.ledger.orphans[30]; o.stage != keptForGood {
		t.Errorf("it is in stage %d", o.stage)
	}
	g.end(30)
	g.wantAlive(40)
}

// TestEvidenceLater: the inspector was too busy to be asked about the environment.
func TestEvidenceLater(t *testing.T) {
	g := newGuardWorld(t)
	g.unmarked = true
	g.settledAgent(10)
	g.orphan(30, 10)
	g.alike[30] = 10
	g.busy = true
	g.pass(5 * time.Second)
	g.busy = false
	g.pass(5 * time.Second)
	g.end(10)
	g.wantAlive()
}

// TestLateOrphan: of a guard that has been forgotten since all that was seen of it had
// ended.
func TestLateOrphan(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.run(11, 10, nobody)
	g.run(12, 11, nobody)
	g.pass(time.Second)
	g.orphan(30, 12)
	hidden := g.procs[30]
	hidden.PPID = 0 // below somebody outside, as in another namespace
	g.procs[30] = hidden
	g.end(10)
	g.wantAlive(30)
	if n := len(g.ledger.kin.all); n != 3 { // main, runner, 30
		t.Fatalf("it knows %d", n)
	}
	hidden.PPID = self
	g.procs[30] = hidden
	g.pass(time.Second)
	g.wantAlive()
	g.wantLogged(2, "guarded daemon has ended")
}

// TestLateOrphans of one guard: each is ended, whether its ending goes on or not.
func TestLateOrphans(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.run(11, 10, nobody)
	g.stubborn[11] = true
	g.look()
	g.die(10)
	g.look()
	g.pass(time.Second)
	g.orphan(30, 11)
	g.stubborn[30] = true
	g.pass(time.Second)
	if !slices.Contains(g.sent, "30 [terminated continued]") {
		t.Errorf("sent %q", g.sent)
	}
	g.die(11)
	g.orphan(31, 30)
	g.pass(time.Minute)
	g.wantAlive()
}

// TestLateOrphansGetNoNewTime: the time for handlers is that of the guard's end. Each
// generation of a line that forks and exits would have it anew otherwise.
func TestLateOrphansGetNoNewTime(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.run(11, 10, nobody)
	g.stubborn[11] = true
	g.look()
	g.die(10)
	g.look()
	for pid := 12; pid < 30; pid++ {
		g.orphan(pid, pid-1) // not seen before its parent's end is
		next := g.procs[pid]
		delete(g.procs, pid)
		g.die(pid - 1)
		g.look()
		g.procs[pid], g.stubborn[pid] = next, true
		g.pass(500 * time.Millisecond)
		if !slices.Contains(g.alive(), pid) {
			return
		}
	}
	t.Error("it goes on")
}

// TestNestedGuardOrphaned: it bears a mark of its own, and goes to the outer guard by
// the one that it bore before.
func TestNestedGuardOrphaned(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.orphan(20, 10)
	g.exec(20, helper)
	g.run(21, 20, nobody)
	g.pass(3 * time.Second)
	g.wantAlive(10, 20, 21)
	g.end(10)
	g.wantAlive()
}

// TestNestedGuardLeft: one that no guard is above is left to SBINIT_ORPHANS with what
// it owns, and its own orphans are its own.
func TestNestedGuardLeft(t *testing.T) {
	g := newGuardWorld(t)
	g.orphan(20, runner)
	g.exec(20, helper)
	g.run(21, 20, nobody)
	g.pass(3 * time.Second)
	g.orphan(22, 21)
	g.pass(time.Minute)
	g.wantAlive(20, 21, 22)
	g.end(20)
	g.wantAlive()
}

// TestMarkBeforeSession: an orphan in a session that an ending goes on in is that of
// the guard whose mark it bears.
func TestMarkBeforeSession(t *testing.T) {
	g := withGuards(newWorld(t, func(cfg *config.Config) {
		guardSettings(cfg)
		cfg.Orphans = config.OrphansTerminate
	}))
	g.run(20, runner, nobody)
	g.run(21, 20, nobody) // leads a session
	g.run(22, 21, nobody)
	g.run(30, 22, agent)
	g.setsid(30, 21)
	g.stubborn[21] = true
	keep := g.verdict
	g.verdict = func(q inquiry) *verdict {
		v := keep(q)
		if q.subject.PID == 30 {
			v.keep = "SBINIT_ORPHAN_KEEP"
		}
		return v
	}
	g.pass(3 * time.Second)
	g.die(22) // 30 is an orphan, and kept
	g.pass(youngAge + time.Second)
	g.die(20) // 21 is one as well, and ended
	g.look()
	g.pass(graceful + time.Millisecond)
	g.wantSent("21 [terminated continued]")
	g.orphan(40, 30)
	g.setsid(40, 21)
	g.pass(time.Minute)
	g.wantAlive(30, 40)
}

// TestNotMarked: that nobody can be marked is said once.
func TestNotMarked(t *testing.T) {
	g := newGuardWorld(t)
	g.unmarked = true
	g.settledAgent(10)
	g.run(11, 10, nobody)
	g.pass(time.Minute)
	g.wantLogged(1, "cannot be marked")
	g.wantLogged(1, "info: guarded processes cannot be marked")
}

// TestMarks: what is started below a guard bears its mark, what a nested guard starts
// that one's, what nobody owns none; each is marked once.
func TestMarks(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, agent)
	g.run(11, 10, nobody)
	g.run(12, 11, helper)
	g.run(13, 12, nobody)
	g.run(20, runner, nobody)
	g.pass(time.Minute)
	outer, inner := g.bears[10], g.bears[12]
	if outer == 0 || inner == 0 || outer == inner || g.bears[11] != outer || g.bears[13] != inner {
		t.Errorf("they bear %v", g.bears)
	}
	if g.bears[20] != 0 || g.bears[runner] != 0 || g.bears[mainPID] != 0 {
		t.Errorf("strangers bear %v", g.bears)
	}
	for pid := 10; pid <= 13; pid++ {
		if n := g.asksAbout(aboutMark, pid); n != 1 {
			t.Errorf("%d was marked %d times", pid, n)
		}
	}
}

// TestEvidenceOfSeenLine: of a process that was seen below somebody else nothing tells
// otherwise.
func TestEvidenceOfSeenLine(t *testing.T) {
	g := newGuardWorld(t)
	g.unmarked = true
	g.settledAgent(10)
	g.run(40, runner, nobody)
	g.run(41, 40, nobody)
	g.alike[41] = 10
	g.look()
	g.die(40)
	g.pass(time.Second)
	g.end(10)
	g.wantAlive(41)
}

// TestKeptOnce: who is kept and then asked once more whose it is, since a guard was found,
// is counted and logged once.
func TestKeptOnce(t *testing.T) {
	for _, policy := range []config.Orphans{config.OrphansAbandoned, config.OrphansReport} {
		g := withGuards(newWorld(t, func(cfg *config.Config) {
			guardSettings(cfg)
			cfg.Orphans, cfg.OrphanGrace = policy, time.Second
		}))
		keep := "SBINIT_KEEP=1"
		if policy == config.OrphansReport {
			keep = ""
		}
		g.verdict = func(q inquiry) *verdict {
			v := g.inspect(q)
			v.keep = keep
			return v
		}
		g.unmarked = true
		g.settledAgent(10)
		g.orphan(30, runner)
		g.pass(2 * time.Second)
		g.run(20, runner, helper)
		g.pass(4 * time.Second)
		if g.counts.kept != 1 {
			t.Errorf("%v: one orphan is kept %d times", policy, g.counts.kept)
		}
	}
}
