package pid1

import (
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/proc"
)

// TestGuardEnds: all that it started goes by the ladder, what lost its parent before
// included; what the runner started stays.
func TestGuardEnds(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.run(11, 10, nobody)
	g.run(12, 11, nobody)
	g.run(13, 12, nobody)
	g.run(20, runner, nobody)
	g.stubborn[13] = true
	g.look()
	g.end(11)
	g.wantAlive(10, 12, 13, 20)
	g.die(10)
	g.look()
	g.pass(graceful - time.Millisecond)
	g.wantSent("12 [terminated continued]", "13 [terminated continued]")
	g.wantAlive(13, 20)
	g.pass(time.Second)
	g.wantAlive(20)
	g.wantSent("12 [terminated continued]", "13 [terminated continued]", "13 [killed]")
	g.wantLogged(1, "guarded daemon has ended")
}

// TestGuardNumberAgain: the number of a guard that has ended is another's, whose
// children are not the guard's.
func TestGuardNumberAgain(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.run(11, 10, nobody)
	g.stubborn[11] = true
	g.look()
	g.die(10)
	g.now = g.now.Add(time.Second)
	g.run(10, runner, nobody)
	g.run(12, 10, nobody)
	g.pass(time.Minute)
	g.wantAlive(10, 12)
}

// TestGuardYoungerParent: the number of the parent was given out anew during the walk.
func TestGuardYoungerParent(t *testing.T) {
	g := newGuardWorld(t)
	g.start(11, runner)
	older := g.procs[11]
	g.now = g.now.Add(time.Minute)
	g.run(10, runner, agent)
	older.PPID = 10
	g.procs[11] = older
	g.pass(time.Minute)
	if k := g.ledger.kin.all[older.ID]; k.parent != (proc.ID{}) {
		t.Errorf("its parent is %v", k.parent)
	}
	older.PPID = runner
	g.procs[11] = older
	g.end(10)
	g.wantAlive(11)
}

// TestGuardForgets: memory does not grow with those who have ended, guards among them.
func TestGuardForgets(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, agent)
	for i := range 10_000 {
		g.now = g.now.Add(10 * time.Millisecond)
		g.die(1000 + i - 500)
		g.run(1000+i, 10, i%3-1)
		if i%50 == 0 {
			g.look()
			g.asked = nil
		}
	}
	g.look()
	g.look()
	kin := g.ledger.kin
	if n := len(g.procs); len(kin.all) > 2*n || len(kin.led) > 2*n || len(g.ledger.marks.of) > marksKept {
		t.Errorf("of %d processes it knows %d, %d leaders, %d marks", n, len(kin.all), len(kin.led), len(g.ledger.marks.of))
	}
	for pid := range g.procs {
		if pid >= 1000 {
			g.die(pid)
		}
	}
	g.pass(time.Minute)
	if len(kin.all) != 3 || len(g.ledger.orphans) != 0 { // main, runner, agent
		t.Errorf("it knows %d, orphans %v", len(kin.all), g.ledger.orphans)
	}
}

// TestGuardForgetsMarks: only those of guards that nobody is known to descend from.
func TestGuardForgetsMarks(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	first := g.ledger.kin.all[g.procs[10].ID]
	for i := range marksKept {
		g.ledger.marks.give(&kin{ID: proc.ID{PID: 100000 + i}}, g.ledger.kin)
	}
	if n := len(g.ledger.marks.of); n > 2 || g.ledger.marks.of[first.mark] != first {
		t.Errorf("%d marks are left, its own %v", n, g.ledger.marks.of[first.mark])
	}
}

// TestGuardNearest owns; the outer one lives on.
func TestGuardNearest(t *testing.T) {
	for _, inner := range []int{agent, helper} {
		g := newGuardWorld(t)
		g.settledAgent(10)
		g.run(11, 10, nobody)
		g.run(12, 11, inner)
		g.run(13, 12, nobody)
		g.run(14, 11, nobody)
		g.pass(3 * time.Second)
		g.die(12)
		g.pass(time.Minute)
		g.wantAlive(10, 11, 14)
	}
}

// TestGuardNested: guards of other entries end with the outer one, and so does what
// they own.
func TestGuardNested(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.run(11, 10, helper)
	g.run(12, 11, nobody)
	g.pass(3 * time.Second)
	g.orphan(13, 12)
	g.look()
	g.end(10)
	g.wantAlive()
}

// TestGuardsOfOneName do not touch each other's.
func TestGuardsOfOneName(t *testing.T) {
	g := newGuardWorld(t)
	for pid := 10; pid <= 30; pid += 10 {
		g.run(pid, runner, agent)
		g.run(pid+1, pid, nobody)
		g.run(pid+2, pid+1, nobody)
	}
	g.pass(3 * time.Second)
	for pid := 10; pid <= 30; pid += 10 {
		g.orphan(pid+3, pid+1)
		g.die(pid + 1)
	}
	g.pass(3 * time.Second)
	g.end(20)
	g.wantAlive(10, 12, 13, 30, 32, 33)
	g.end(10)
	g.wantAlive(30, 32, 33)
}

// TestGuardKeeps: what is exempt from SBINIT_ORPHANS is not exempt from its guard.
func TestGuardKeeps(t *testing.T) {
	g := withGuards(newWorld(t, func(cfg *config.Config) {
		guardSettings(cfg)
		cfg.Orphans = config.OrphansTerminate
	}))
	g.verdict = func(q inquiry) *verdict {
		v := g.inspect(q)
		v.keep = "SBINIT_KEEP=1"
		return v
	}
	g.settledAgent(10)
	g.run(11, 10, nobody)
	g.run(12, 11, nobody)
	g.run(20, runner, nobody)
	g.run(21, 20, nobody)
	g.look()
	g.die(11)
	g.end(20)
	g.wantAlive(10, 12, 21)
	g.end(10)
	g.wantAlive(21)
}

// TestGuardExecJob: what docker exec brings is nobody's, and so is what it leaves.
func TestGuardExecJob(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.run(30, 0, nobody)
	g.run(31, 30, nobody)
	g.look()
	g.die(30)
	g.orphan(32, 31)
	g.look()
	g.end(10)
	g.wantAlive(31, 32)
}

// TestGuardRefused: an inspector that is behind is asked again.
func TestGuardRefused(t *testing.T) {
	g := newGuardWorld(t)
	g.busy = true
	g.run(10, runner, agent)
	g.run(11, 10, nobody)
	g.pass(3 * time.Second)
	g.busy = false
	g.pass(3 * time.Second)
	g.busy = true
	g.die(10)
	g.pass(3 * time.Second)
	g.wantAlive(11)
	g.busy = false
	g.pass(time.Minute)
	g.wantAlive()
}
