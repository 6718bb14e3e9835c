package pid1

import (
	"testing"
	"time"
)

// TestGuardNamesReadAgain: on ticks while it is young, when it first has children, and
// when it is orphaned; not else.
func TestGuardNamesReadAgain(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, nobody)
	g.pass(time.Minute)
	young := g.asksAbout(aboutNames, 10)
	if young < 5 || young > 7 {
		t.Errorf("asked %d times while it was young", young)
	}
	g.run(11, 10, nobody)
	g.pass(0)
	if n := g.asksAbout(aboutNames, 10); n != young+1 {
		t.Errorf("asked %d times when it first had a child", n-young)
	}
	g.run(12, 10, nobody)
	g.pass(time.Minute)
	before := g.asksAbout(aboutNames, 12)
	g.end(10)
	if n := g.asksAbout(aboutNames, 12); n != before+1 {
		t.Errorf("asked %d times when it was orphaned", n-before)
	}
}

// TestGuardYoung: each tick wants a look as long as somebody is to be asked.
func TestGuardYoung(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, nobody)
	g.look()
	if !g.ledger.asks(g.now.Add(youngAge-1)) || g.ledger.asks(g.now.Add(youngAge)) {
		t.Error("not until it is of age")
	}
	if w := newWorld(t, nil); w.ledger.asks(w.now) {
		t.Error("without SBINIT_GUARD")
	}
}

// TestGuardBecomes: a process that executes the guard's program later owns what it
// started before as well.
func TestGuardBecomes(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, nobody)
	g.run(11, 10, nobody)
	g.look()
	g.pass(2 * time.Second)
	g.exec(10, agent)
	g.pass(2 * time.Second)
	g.end(10)
	g.wantAlive()
}

// TestGuardExecElse: who executes another program is no guard any more. Its orphans
// are the outer guard's, or nobody's.
func TestGuardExecElse(t *testing.T) {
	for _, outer := range []bool{false, true} {
		g := newGuardWorld(t)
		parent := runner
		if outer {
			g.run(9, runner, helper)
			parent = 9
		}
		g.run(10, parent, agent)
		g.run(11, 10, nobody)
		g.pass(time.Second)
		g.orphan(12, 11) // has the mark of 10
		g.pass(time.Second)
		g.exec(10, nobody)
		g.pass(2 * time.Second)
		g.orphan(13, 11)
		g.look()
		g.die(10)
		g.pass(time.Minute)
		if outer {
			g.wantAlive(9, 11, 12, 13)
			g.die(9)
			g.pass(time.Minute)
			g.wantAlive()
			continue
		}
		g.wantAlive(11, 12, 13)
		if o := g.ledger.orphans[12]; o.stage != keptForGood {
			t.Errorf("the orphan is in stage %d", o.stage)
		}
	}
}

// TestGuardForkBeforeExec: a fork of a guard that had not executed its program yet
// when it was asked, and has ended before it was asked again, was no guard: what it
// started is that of the guard that forked it.
func TestGuardForkBeforeExec(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.fork(11, 10)
	g.look()
	g.look() // it is taken for a guard
	if k := g.ledger.kin.all[g.procs[11].ID]; k.entry != agent {
		t.Fatalf("its entry is %d", k.entry)
	}
	g.exec(11, nobody)
	g.run(12, 11, nobody)
	g.orphan(13, 11)
	g.end(11)
	g.wantAlive(10, 12, 13)
	g.end(10)
	g.wantAlive()
}

// TestGuardForkThatStays: one that was asked again, and still bears the name, is a
// guard of its own.
func TestGuardForkThatStays(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.fork(11, 10)
	g.run(12, 11, nobody)
	g.pass(3 * time.Second)
	g.end(11)
	g.wantAlive(10)
}

// TestGuardFoundLate: who executes the guard's program when it is of age is asked again
// as well, so its end is not taken for that of a fork.
func TestGuardFoundLate(t *testing.T) {
	g := newGuardWorld(t)
	g.settledAgent(10)
	g.run(11, 10, nobody)
	g.pass(youngAge + time.Second)
	g.exec(11, agent)
	g.run(12, 11, nobody)
	g.pass(3 * time.Second)
	g.end(11)
	g.wantAlive(10)
}

// TestGuardExecElseGroups: nor is a session then its own, whose leader was below it.
func TestGuardExecElseGroups(t *testing.T) {
	g := newGuardWorld(t)
	g.unmarked = true
	g.run(10, runner, agent)
	g.run(11, 10, nobody)
	g.run(12, 11, nobody)
	g.setsid(12, 11)
	g.pass(time.Second)
	g.die(11)
	g.pass(time.Second)
	g.exec(10, nobody)
	g.pass(2 * time.Second)
	g.orphan(13, 12)
	g.setsid(13, 11)
	g.pass(time.Second)
	g.wantLogged(0, "orphan attributed")
}

// TestGuardAskedLater: an inspector that was behind when a process first had a child is
// asked again.
func TestGuardAskedLater(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, nobody)
	g.pass(youngAge + time.Second)
	g.exec(10, agent)
	g.busy = true
	g.run(11, 10, nobody)
	g.pass(2 * time.Second)
	g.busy = false
	g.pass(time.Second)
	if k := g.ledger.kin.all[g.procs[10].ID]; k.entry != agent {
		t.Errorf("its entry is %d", k.entry)
	}
}
