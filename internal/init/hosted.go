package pid1

import (
	"math"
	"time"

	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

// This file is the ledger's part in terminal sessions: a worker owns what it starts, as
// a guard does (guards.go). It is known by having been started by us, not by a name;
// nobody inherits from it; and it ends what it owns by itself unless it is killed.

// ofSession stands for a worker where guards have an entry of SBINIT_GUARD.
const ofSession = math.MaxInt

// knowKin begins to keep who descends from whom, if that was not needed before.
func (l *ledger) knowKin() {
	if l.kin == nil {
		l.kin, l.marks = newKinship(l.self, l.world.spawned), newMarks()
	}
}

// hosts enters a worker that was just started with that mark.
func (l *ledger) hosts(worker *proc.Stat, mark uint64, now time.Time) {
	l.kin.see(worker, nil, now)
	k := l.kin.all[worker.ID]
	k.entry, k.again, k.mark, k.bears = ofSession, true, mark, mark
	l.marks.of[mark] = k
}

// unhost forgets the mark of a session of which nobody is left.
func (l *ledger) unhost(s session) { delete(l.marks.of, s.mark) }

// loses remembers a session whose worker had no time to end it, and asks again whose the
// orphans are that came before that was known.
func (l *ledger) loses(s session, now time.Time) {
	if k := l.marks.of[s.mark]; k != nil {
		l.lost = k
		l.placeAgain(now)
	}
}

// bySeal is the session that was lost last, if an orphan may be of it that has another
// mark than it was given: what a worker starts cannot get rid of the seal that goes with
// the mark. Orphans of sessions that were not lost stay below their workers.
func (l *ledger) bySeal(k *kin) *kin {
	if l.lost == nil || k.Start < l.lost.Start || !l.world.sealed(k.PID) {
		return nil
	}
	return l.lost
}

// endSession ends at once what a worker that has gone had no time to end.
func (l *ledger) endSession(g *kin, s *proc.Snapshot, now time.Time) {
	if left := l.kin.descendants(g.ID); len(left) > 0 {
		l.endGuarded(g, left, s, now)
	}
}

// entryName is what a guard is known by.
func (l *ledger) entryName(entry int) string {
	if entry == ofSession {
		return "terminal session"
	}
	return l.cfg.Guard[entry]
}

// ownerEnded logs why processes are ended that have done nothing wrong.
func (l *ledger) ownerEnded(g *kin, processes int) {
	what, key := "guarded daemon has ended: what it started is terminated", "guard"
	if g.entry == ofSession {
		what, key = "terminal session's worker has gone: what it left is terminated", "owner"
	}
	l.log.Warn(what, log.Number("pid", g.PID), log.Text(key, l.entryName(g.entry)), log.Number("processes", processes))
}

// patience is the time between SIGTERM and SIGKILL for what an owner left, and the time
// for SIGKILL. For a session it is what its worker would have taken.
func (l *ledger) patience(entry int) (polite, hard time.Duration) {
	if entry != ofSession {
		return l.cfg.KillGrace, endingLimit
	}
	polite = min(l.cfg.KillGrace, l.cfg.Terminal.Cleanup/5)
	return polite, l.cfg.Terminal.Cleanup - polite
}
