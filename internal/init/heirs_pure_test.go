package pid1

import (
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/config"
)

// TestLauncher: one that starts the daemon, of the same name, and ends, hands over.
func TestLauncher(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, agent)
	g.run(11, 10, nobody)
	g.run(12, 11, agent)
	g.run(13, 12, nobody)
	g.run(14, 10, nobody)
	g.pass(3 * time.Second)
	g.end(10)
	g.wantAlive(11, 12, 13, 14)
	g.wantLogged(1, "guard handed over")
	g.orphan(30, 14)
	g.pass(time.Minute)
	g.end(12)
	g.wantAlive()
}

// TestLauncherOfOther: to who bears the name of another entry nothing is handed over.
func TestLauncherOfOther(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, agent)
	g.run(11, 10, helper)
	g.run(12, 11, nobody)
	g.pass(3 * time.Second)
	g.end(10)
	g.wantAlive()
}

// TestLauncherToNearest: of several the nearest is the heir.
func TestLauncherToNearest(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, agent)
	g.run(11, 10, agent)
	g.run(12, 11, agent)
	g.run(20, 10, nobody)
	g.pass(3 * time.Second)
	g.end(10)
	g.end(11)
	g.wantAlive(12, 20)
	g.end(12)
	g.wantAlive()
}

// TestLauncherBelow: the heir has the outer guard that the launcher had.
func TestLauncherBelow(t *testing.T) {
	g := newGuardWorld(t)
	g.run(9, runner, helper)
	g.run(10, 9, agent)
	g.run(11, 10, agent)
	g.run(12, 11, nobody)
	g.pass(3 * time.Second)
	g.end(10)
	g.wantAlive(9, 11, 12)
	g.end(9)
	g.wantAlive()
}

// TestLauncherMarks: what bears the launcher's mark is the heir's.
func TestLauncherMarks(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.run(14, 10, nobody)
	g.run(11, 10, agent)
	g.pass(youngAge + time.Second)
	launchers := g.bears[10]
	g.die(10)
	g.look()
	g.orphan(30, 14)
	if g.bears[30] != launchers {
		t.Fatalf("it bears %x, not %x", g.bears[30], launchers)
	}
	g.pass(time.Minute)
	g.wantAlive(11, 14, 30)
	g.end(11)
	g.wantAlive()
}

// TestLauncherGroups: what tells by its session that it was the launcher's is the
// heir's by then.
func TestLauncherGroups(t *testing.T) {
	g := newGuardWorld(t)
	g.unmarked = true
	g.run(10, runner, agent)
	g.run(11, 10, agent)
	g.run(14, 10, nobody)
	g.run(15, 14, nobody)
	g.setsid(15, 14)
	g.pass(3 * time.Second)
	g.die(14)
	g.pass(time.Second)
	g.die(10)
	g.pass(3 * time.Second)
	g.orphan(30, 15)
	g.setsid(30, 14)
	g.pass(time.Minute)
	g.wantAlive(11, 15, 30)
	g.end(11)
	g.wantAlive()
}

// TestDaemonizes: forks twice and lives on in its grandchild; seen in between or not,
// in its own process group still, or not.
func TestDaemonizes(t *testing.T) {
	for _, unseen := range []bool{false, true} {
		for _, policy := range []config.Orphans{config.OrphansKeep, config.OrphansAbandoned, config.OrphansTerminate} {
			g := withGuards(newWorld(t, func(cfg *config.Config) {
				guardSettings(cfg)
				cfg.Orphans = policy
			}))
			g.settledAgent(10)
			g.run(20, 10, nobody)
			g.pass(time.Second)
			g.fork(11, 10)
			g.fork(12, 11)
			g.setsid(12, 11)
			if !unseen {
				g.look()
			}
			g.die(11)
			g.die(10)
			g.look()
			g.look()
			g.wantAlive(12, 20)
			g.pass(time.Minute)
			if policy == config.OrphansTerminate {
				// It is an orphan that nobody owns, and its end is that of what it owns.
				g.wantAlive()
				continue
			}
			g.wantAlive(12, 20)
			g.orphan(30, 20)
			g.pass(time.Second)
			g.die(12)
			g.pass(time.Minute)
			g.wantAlive()
		}
	}
}

// TestDaemonizesAlone: it had no child that was ever seen.
func TestDaemonizesAlone(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.fork(11, 10)
	g.setsid(11, 11)
	g.end(10)
	g.wantAlive(11)
	g.run(12, 11, nobody)
	g.orphan(30, 11)
	g.pass(time.Second)
	g.end(11)
	g.wantAlive()
}

// TestHeirOfHeir: an agent that replaces itself again and again keeps what its first
// one started.
func TestHeirOfHeir(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, agent)
	g.run(50, 10, nobody)
	for pid := 10; pid < 20; pid++ {
		g.fork(pid+1, pid)
		g.pass(3 * time.Second)
		g.die(pid)
		g.orphan(60+pid, 50)
		g.pass(3 * time.Second)
	}
	if n := len(g.alive()); n != 12 {
		t.Errorf("%d are alive: %v", n, g.alive())
	}
	g.end(20)
	g.wantAlive()
}

// TestHeirByMistake: a fork of the guard that had not executed its program yet when the
// guard ended takes over, and is none when it is asked again.
func TestHeirByMistake(t *testing.T) {
	for _, c := range []struct {
		outer   bool
		becomes int
	}{{false, nobody}, {true, nobody}, {false, helper}, {true, helper}} {
		g := newGuardWorld(t)
		parent := runner
		if c.outer {
			g.run(9, runner, helper)
			parent = 9
		}
		g.run(10, parent, agent)
		g.run(20, 10, nobody)
		g.pass(youngAge + time.Second)
		g.fork(11, 10)
		g.run(12, 11, nobody)
		g.look()
		g.die(10)
		g.look()
		g.wantLogged(1, "guard handed over")
		g.exec(11, c.becomes)
		g.pass(time.Minute)
		if c.outer {
			g.wantAlive(9)
		} else {
			g.wantAlive()
		}
	}
}

// TestHeirOfTwo: an inner and an outer guard end at once, and one that the inner one
// forked takes over from both.
func TestHeirOfTwo(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, agent)
	g.run(11, 10, nobody)
	g.run(12, 11, agent)
	g.run(13, 12, nobody)
	g.pass(3 * time.Second)
	g.fork(14, 12)
	g.die(12)
	g.end(10)
	g.wantAlive(11, 13, 14)
	g.end(14)
	g.wantAlive()
}

// TestHeirOfForgotten: a daemon that replaces itself twice between two looks, by forks
// that nobody has seen, takes over from the first one all the same.
func TestHeirOfForgotten(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, agent)
	g.run(20, 10, nobody)
	g.pass(3 * time.Second)
	g.fork(11, 10)
	g.pass(3 * time.Second)
	g.fork(12, 11)
	g.look()
	g.look()
	g.fork(13, 12)
	for pid := 10; pid <= 12; pid++ {
		g.die(pid)
	}
	g.pass(time.Minute)
	g.wantAlive(13, 20)
	g.end(13)
	g.wantAlive()
}

// TestHeirToBe: what a launcher has only just forked gets a little time to execute the
// daemon, and no more than that.
func TestHeirToBe(t *testing.T) {
	for _, becomes := range []bool{true, false} {
		g := newGuardWorld(t)
		g.settledAgent(10)
		g.run(20, 10, nobody)
		g.look()
		g.run(11, 10, nobody)
		g.die(10)
		g.look()
		g.look()
		g.wantAlive(11, 20)
		if due := g.ledger.due().Sub(g.now); due != execTime {
			t.Errorf("due in %v", due)
		}
		if becomes {
			g.exec(11, agent)
		}
		g.pass(execTime)
		if becomes {
			g.wantAlive(11, 20)
		} else {
			g.wantAlive()
		}
	}
}
