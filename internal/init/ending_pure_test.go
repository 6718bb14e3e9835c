package pid1

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/proc"
)

// ending lets a daemon die that left process 11, with whatever is below that, and
// passes time until its ending has begun.
func (w *world) ending(v verdict) {
	w.t.Helper()
	w.verdict = always(v)
	w.daemonDies()
	w.pass(graceful)
}

// TestEndingPolite: the whole subtree is told at once, and who obeys is not killed.
func TestEndingPolite(t *testing.T) {
	w := newWorld(t, nil)
	w.start(20, 11)
	w.start(21, 20)
	w.start(22, 20)
	w.ending(lost)
	w.wantSent("11 [terminated continued]", "20 [terminated continued]", "21 [terminated continued]", "22 [terminated continued]")
	w.wantAlive()
	w.pass(time.Second)
	w.wantLogged(1, "terminated processes have ended")
	if w.counts.killed != 0 || len(w.ledger.endings) != 0 || len(w.ledger.orphans) != 0 {
		t.Errorf("%+v, endings %v, orphans %v", w.counts, w.ledger.endings, w.ledger.orphans)
	}
	if due := w.ledger.due(); !due.IsZero() {
		t.Errorf("something is due in %v", due.Sub(w.now))
	}
}

// TestEndingStubborn: SIGTERM comes once, SIGKILL when the grace is over.
func TestEndingStubborn(t *testing.T) {
	w := newWorld(t, nil)
	w.start(20, 11)
	w.stubborn[11], w.stubborn[20] = true, true
	w.ending(lost)
	w.wantSent("11 [terminated continued]", "20 [terminated continued]")
	w.pass(graceful - time.Millisecond)
	w.wantAlive(11, 20)
	w.pass(50 * time.Millisecond)
	w.wantSent("11 [terminated continued]", "20 [terminated continued]", "11 [killed]", "20 [killed]")
	w.wantAlive()
	if w.counts.killed != 2 || w.counts.terminated != 1 {
		t.Errorf("%+v", w.counts)
	}
}

func TestEndingWithoutGrace(t *testing.T) {
	w := newWorld(t, func(cfg *config.Config) { cfg.KillGrace = 0 })
	w.start(20, 11)
	w.ending(lost)
	w.wantSent("11 [killed]", "20 [killed]")
	w.pass(time.Second)
	if w.counts.killed != 2 {
		t.Errorf("%+v", w.counts)
	}
}

// TestGenerations: ending the adapter orphans its CLI, and ending that its shell: they
// are no new orphans with a grace of their own, and not judged again.
func TestGenerations(t *testing.T) {
	w := newWorld(t, nil)
	w.start(20, 11)
	w.start(21, 20)
	w.stubborn[20], w.stubborn[21] = true, true
	w.ending(lost)
	w.pass(graceful / 2)
	w.wantAlive(20, 21)
	if w.procs[20].PPID != self || w.counts.adopted != 1 || len(w.asked) != 1 {
		t.Errorf("parent %d, %+v, asked %d times", w.procs[20].PPID, w.counts, len(w.asked))
	}
	w.pass(graceful)
	w.wantAlive()
	if w.counts.adopted != 1 || w.counts.terminated != 1 || w.counts.killed != 2 {
		t.Errorf("%+v", w.counts)
	}
}

// TestStartedMeanwhile: what a member starts while it is being ended belongs to it,
// and is told as well, also when its parent has gone at the next look.
func TestStartedMeanwhile(t *testing.T) {
	w := newWorld(t, nil)
	w.stubborn[11] = true
	w.ending(lost)
	w.start(30, 11)
	w.stubborn[30] = true
	w.pass(time.Second)
	w.die(11)
	w.pass(time.Second)
	w.wantAlive(30)
	w.wantSent("11 [terminated continued]", "30 [terminated continued]")
	w.pass(graceful)
	w.wantAlive()
}

// TestLineUnseen: who was started and orphaned between two looks belongs to the
// ending if it is in a session that a member leads; the runner's session tells nothing.
func TestLineUnseen(t *testing.T) {
	w := newWorld(t, nil)
	w.start(20, 11)
	w.setsid(20, 20)
	w.stubborn[20] = true
	w.ending(lost)
	w.start(30, self)
	w.setsid(30, 20)
	w.stubborn[30] = true
	w.start(31, self) // in the session of main and runner
	w.verdict = always(healthy)
	w.pass(time.Second)
	w.wantSent("11 [terminated continued]", "20 [terminated continued]", "30 [terminated continued]")
	if w.counts.adopted != 2 {
		t.Errorf("%+v", w.counts)
	}
	w.pass(graceful)
	w.wantAlive(31)
}

// TestExempt: a kept process below an orphan lives on with all that is below it, and
// so does what is orphaned of that while the ending goes on.
func TestExempt(t *testing.T) {
	w := newWorld(t, nil)
	w.setLeader(11)
	w.start(20, 11) // kept
	w.start(21, 20)
	w.start(22, 21)
	w.start(23, 11)
	for pid := 20; pid <= 23; pid++ {
		w.setsid(pid, 11)
	}
	w.stubborn[11] = true
	v := lost
	v.exempt = map[proc.ID]bool{w.procs[20].ID: true}
	w.ending(v)
	w.wantSent("11 [terminated continued]", "23 [terminated continued]")
	w.start(24, 22) // below it, meanwhile
	w.setsid(24, 11)
	w.verdict = always(verdict{keep: "SBINIT_KEEP=1", abandoned: true})
	w.look()
	w.die(21) // 22 is ours now
	w.look()
	w.start(25, 22)
	w.start(26, 25)
	w.setsid(26, 11)
	w.die(25) // 26 as well, and was never seen below anybody
	w.look()
	w.pass(2 * graceful)
	w.wantAlive(20, 22, 24, 26)
	if w.counts.kept != 3 {
		t.Errorf("%+v", w.counts) // 20, 22 and 26
	}
}

// TestExemptFromOneEndingOfTwo: two orphans of one session are ended at the same time,
// and below one of them somebody is kept.
func TestExemptFromOneEndingOfTwo(t *testing.T) {
	w := newWorld(t, nil)
	w.setLeader(11)
	w.start(40, runner)
	w.start(41, 40)
	for _, pid := range []int{40, 41} {
		w.setsid(pid, 11)
	}
	w.stubborn[11] = true
	v := lost
	v.exempt = map[proc.ID]bool{w.procs[41].ID: true}
	w.procs[40] = reparented(w.procs[40])
	w.ending(v)
	w.wantSent("11 [terminated continued]", "40 [terminated continued]")
	w.verdict = always(healthy)
	w.pass(2 * graceful)
	w.wantAlive(41)
}

func reparented(p proc.Stat) proc.Stat {
	p.PPID = self
	return p
}

// TestLineSeen: the session tells nothing of a process that was seen below somebody
// else, a dev server of that session for example, whose launcher ends meanwhile.
func TestLineSeen(t *testing.T) {
	w := newWorld(t, nil)
	w.setLeader(11)
	w.stubborn[11] = true
	w.start(40, self) // was in the background before
	w.start(41, 40)
	w.setsid(40, 11)
	w.setsid(41, 11)
	w.verdict = func(q inquiry) *verdict {
		if q.subject.PID == 11 {
			return always(lost)(q)
		}
		return always(healthy)(q)
	}
	w.daemonDies()
	w.pass(graceful)
	w.wantSent("11 [terminated continued]")
	w.die(40)
	w.pass(2 * graceful)
	w.wantAlive(41)
}

// setLeader has process 11 lead a session from its start on.
func (w *world) setLeader(pid int) {
	w.onStart = func(started int) {
		if started == pid {
			w.setsid(pid, pid)
		}
	}
}

// TestEndingRefused: who may not be signalled is given up with an error, and not
// tried again; the others go.
func TestEndingRefused(t *testing.T) {
	w := newWorld(t, nil)
	w.start(20, 11)
	w.refuse[20] = unix.EPERM
	w.ending(lost)
	w.pass(graceful + endingLimit - time.Second)
	w.wantAlive(20)
	w.wantLogged(0, "could not be ended")
	w.pass(2 * time.Second)
	w.wantLogged(1, "could not be ended")
	w.wantLogged(1, "operation not permitted")
	w.pass(time.Hour)
	w.wantLogged(1, "could not be ended")
	w.wantLogged(1, "orphan terminated")
	if w.counts.failed != 1 || w.counts.adopted != 1 || w.counts.terminated != 1 {
		t.Errorf("%+v", w.counts)
	}
}

// TestEndingUnkillable: SIGKILL is sent, and an end that does not come is said.
func TestEndingUnkillable(t *testing.T) {
	w := newWorld(t, nil)
	w.immortal[11] = true
	w.ending(lost)
	w.pass(time.Hour)
	w.wantSent("11 [terminated continued]", "11 [killed]")
	w.wantLogged(1, "SIGKILL was sent")
	w.die(11)
	w.pass(time.Minute)
	if len(w.ledger.orphans) != 0 {
		t.Errorf("still known: %v", w.ledger.orphans)
	}
}

// TestEndingsSideBySide: two orphans are ended by clocks of their own.
func TestEndingsSideBySide(t *testing.T) {
	w := newWorld(t, nil)
	w.stubborn[11], w.stubborn[40] = true, true
	w.verdict = always(lost)
	w.daemonDies()
	w.pass(2 * time.Second)
	w.start(40, self)
	w.look()
	w.pass(2*graceful - 2*time.Second + 50*time.Millisecond)
	w.wantAlive(40)
	w.pass(2 * time.Second)
	w.wantAlive()
	if w.counts.terminated != 2 || w.counts.killed != 2 {
		t.Errorf("%+v", w.counts)
	}
}

// TestMemberLeavesItsNumber: another process with a member's number is nobody's.
func TestMemberLeavesItsNumber(t *testing.T) {
	w := newWorld(t, nil)
	w.start(20, 11)
	w.stubborn[11], w.stubborn[20] = true, true
	w.ending(lost)
	w.die(20)
	w.now = w.now.Add(time.Second)
	w.start(20, runner)
	w.pass(2 * graceful)
	w.wantAlive(20)
}
