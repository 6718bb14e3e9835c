package pid1

import (
	"errors"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/proc"
)

// Entries of SBINIT_GUARD in these tests.
const (
	agent = iota
	helper
	nobody = -1
)

// A guardWorld is a world whose processes have names, and whose inspector answers.
// Orphans without an owner are kept, so nobody is signalled for another reason.
type guardWorld struct {
	*world
	entry map[int]int // which guard's name a process bears; absent: none
	alike map[int]int // whose environment a process has a variable in common with
}

func newGuardWorld(t *testing.T) *guardWorld {
	t.Helper()
	return withGuards(newWorld(t, guardSettings))
}

func guardSettings(cfg *config.Config) {
	cfg.Guard = []string{agent: "agent", helper: "helper"}
	cfg.Orphans = config.OrphansKeep
}

func withGuards(w *world) *guardWorld {
	g := &guardWorld{world: w, entry: map[int]int{}, alike: map[int]int{}}
	w.verdict = g.inspect
	return g
}

func (g *guardWorld) inspect(q inquiry) *verdict {
	v := &verdict{kind: q.kind, subject: q.subject, name: "x"}
	switch q.kind {
	case aboutNames, aboutHeirs:
		v.entries = map[proc.ID]int{}
		for _, id := range q.others {
			if g.procs[id.PID].ID == id {
				v.entries[id] = g.name(id.PID)
			}
		}
	case aboutOwner:
		for _, id := range q.others {
			if owner, ok := g.alike[q.subject.PID]; ok && owner == id.PID {
				v.owner = id
			}
		}
	case aboutMark:
		if g.unmarked {
			v.err = errors.New("operation not permitted")
		}
	}
	return v
}

func (g *guardWorld) name(pid int) int {
	if entry, ok := g.entry[pid]; ok {
		return entry
	}
	return nobody
}

// fork starts a process by the name, and in the session, of its parent.
func (g *guardWorld) fork(pid, parent int) {
	delete(g.entry, pid)
	if entry, ok := g.entry[parent]; ok {
		g.entry[pid] = entry
	}
	session := g.procs[parent].SID
	g.start(pid, parent)
	if parent > runner {
		g.setsid(pid, session)
	}
}

// exec gives a process another name.
func (g *guardWorld) exec(pid, entry int) { g.entry[pid] = entry }

// run starts a process with a name of its own, in a session of its own, so that
// sessions tell nothing.
func (g *guardWorld) run(pid, parent, entry int) {
	g.fork(pid, parent)
	g.exec(pid, entry)
	g.setsid(pid, pid)
}

// orphan starts a process and lets its parent, which nobody has seen, end.
func (g *guardWorld) orphan(pid, grandparent int) {
	const between = 9999
	g.run(between, grandparent, nobody)
	g.run(pid, between, nobody)
	g.die(between)
}

// settledAgent is an agent that has been one for a while.
func (g *guardWorld) settledAgent(pid int) {
	g.run(pid, runner, agent)
	g.pass(youngAge + time.Second)
}

// asksAbout counts the inquiries of a kind about one process.
func (g *guardWorld) asksAbout(kind inquiryKind, pid int) (n int) {
	for _, q := range g.asked {
		for _, id := range q.others {
			if q.kind == kind && id.PID == pid {
				n++
			}
		}
	}
	return n
}

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
	g.die(11)
	g.pass(time.Minute)
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
	g.die(10)
	g.pass(time.Minute)
	g.wantAlive(11)
}

// TestGuardForgets: memory does not grow with those who have ended, guards among them.
func TestGuardForgets(t *testing.T) {
	g := newGuardWorld(t)
	g.run(10, runner, agent)
	for i := range 10_000 {
		g.now = g.now.Add(10 * time.Millisecond)
		pid := 1000 + i%500
		g.die(pid)
		g.run(pid, 10, i%3-1)
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
	g.die(10)
	g.pass(time.Minute)
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
	g.die(10)
	g.pass(time.Minute)
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
	g.die(11)
	g.pass(time.Minute)
	g.wantAlive(10, 12, 13)
	g.die(10)
	g.pass(time.Minute)
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
	g.die(11)
	g.pass(time.Minute)
	g.wantAlive(10)
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
	g.die(10)
	g.pass(time.Minute)
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
	g.die(20)
	g.pass(time.Minute)
	g.wantAlive(10, 12, 13, 30, 32, 33)
	g.die(10)
	g.pass(time.Minute)
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
	g.die(20)
	g.pass(time.Minute)
	g.wantAlive(10, 12, 21)
	g.die(10)
	g.pass(time.Minute)
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
	g.die(10)
	g.pass(time.Minute)
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
