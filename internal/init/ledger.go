package pid1

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

// An orphan is a live process that was re-parented to us.
type orphan struct {
	proc.Stat           // as it was then
	since     time.Time // when we noticed
	due       time.Time // when it is next judged; zero: at the next tick, if rechecked
	stage     stage
	passed    bool      // was in order when its first grace was over
	doomed    bool      // was found abandoned since, and is in its second grace
	asked     time.Time // the inspector
	guard     *kin      // if bereft
	spared    bool      // was counted and logged as one that stays: asked again whose it is, it may be judged again
}

type stage uint8

const (
	waiting     stage = iota // for its grace to pass
	judged                   // the inspector has it
	tolerated                // nothing wrong with it now; asked again at each tick
	keptForGood              // never asked again
	unplaced                 // the inspector was too busy to be asked for its guard
	owned                    // by a guard: ends with it
	bereft                   // of a guard that has ended: ends at once
)

// tracker is what the ledger needs of the world outside.
type tracker interface {
	// signal sends to one process, identified, in order.
	signal(id proc.ID, sigs ...unix.Signal) error
	// inspect asks for a verdict, which comes to ledger.decide; false: try later.
	inspect(q inquiry) bool
	// spawned says whether we started that child ourselves.
	spawned(pid int) bool
	// watch sees to it that the end of that process causes a look at once.
	watch(id proc.ID)
	// mark reads the mark that a process bears, 0 for none.
	mark(pid int) uint64
	// sealed says whether a process was started below a session's worker.
	sealed(pid int) bool
}

// counts are since start.
type counts struct {
	reaped, adopted, terminated, killed, kept, failed, forwarded uint64

	answered, shut uint64 // callers of the control socket: told a status, turned away
}

// A ledger knows every orphan and decides what becomes of it. It looks at
// snapshots, and reads no clock of its own.
type ledger struct {
	self    int
	cfg     config.Config
	world   tracker
	log     *log.Logger
	counts  *counts
	orphans map[int]*orphan
	endings []*ending
	seen    map[proc.ID]bool // at the last look
	kin     *kinship         // nil until there is an owner: SBINIT_GUARD, or a terminal session
	marks   marks
	lost    *kin // the session that was lost last
	blind   bool // an unreadable orphan was mentioned
	stalled bool // an inspection that takes too long was mentioned
}

func newLedger(self int, cfg config.Config, world tracker, logger *log.Logger, c *counts) *ledger {
	l := &ledger{self: self, cfg: cfg, world: world, log: logger, counts: c, orphans: map[int]*orphan{}, seen: map[proc.ID]bool{}}
	if len(cfg.Guard) > 0 {
		l.knowKin()
	}
	return l
}

// observe compares a snapshot with what was known.
func (l *ledger) observe(s *proc.Snapshot, now time.Time) {
	if l.kin != nil {
		l.kin.observe(s, now)
	}
	for pid, o := range l.orphans {
		if p := s.Get(o.ID); p == nil || !p.Alive() {
			delete(l.orphans, pid)
		}
	}
	for _, e := range l.endings {
		e.line.extend(s)
	}
	for i := range s.Procs {
		if p := &s.Procs[i]; p.PPID == l.self && p.Alive() && !l.world.spawned(p.PID) {
			l.adopt(p, now)
		}
	}
	clear(l.seen)
	for i := range s.Procs {
		l.seen[s.Procs[i].ID] = true
	}
	if l.kin != nil {
		l.observeGuards(s, now)
	}
}

// known says whether that child is an orphan already entered. A number is not
// given out again before reaped has forgotten it.
func (l *ledger) known(pid int) bool { return l.orphans[pid] != nil }

// adopt enters a new orphan, unless it belongs to an ending.
func (l *ledger) adopt(p *proc.Stat, now time.Time) {
	if l.known(p.PID) {
		return
	}
	if l.claimed(p) {
		return
	}
	o := &orphan{Stat: *p, since: now}
	l.orphans[p.PID] = o
	l.counts.adopted++
	l.log.Debug("orphan adopted", log.Number("pid", p.PID), log.Text("name", o.Comm()))
	if l.kin == nil || !l.place(o, now) {
		l.unowned(o)
	}
}

// claimed says whether an orphan belongs to an ending. Its session tells only if
// its line was never seen, no guard's mark tells more, and nobody exempt from any
// ending is in it: several may go on in one session.
func (l *ledger) claimed(p *proc.Stat) bool {
	if len(l.endings) == 0 {
		return false
	}
	spares := func(e *ending) bool { return e.line.spares(p) }
	byGroup := !l.seen[p.ID] && !l.marked(p.PID) && !slices.ContainsFunc(l.endings, spares)
	return slices.ContainsFunc(l.endings, func(e *ending) bool { return e.line.claims(p, byGroup) })
}

// unowned leaves an orphan to SBINIT_ORPHANS.
func (l *ledger) unowned(o *orphan) {
	if l.cfg.Orphans == config.OrphansKeep {
		o.stage = keptForGood
		return
	}
	o.stage, o.due = waiting, o.since.Add(l.cfg.OrphanGrace)
}

// reaped forgets an orphan whose status was taken.
func (l *ledger) reaped(pid int) { delete(l.orphans, pid) }

// askAgain is when somebody is asked about again for whom the inspector's queue had no
// room.
const askAgain = 100 * time.Millisecond

// stallLimit is how long an inspection may take until it is mentioned.
const stallLimit = 10 * time.Second

// ticked makes the tolerated orphans due, and says when an inspection stalls:
// the memory of a process can be made to keep its reader waiting.
func (l *ledger) ticked(now time.Time) {
	for _, o := range l.orphans {
		if o.stage == judged && !l.stalled && !o.asked.IsZero() && now.Sub(o.asked) > stallLimit {
			l.stalled = true
			l.log.Warn("a process cannot be inspected: orphans are not judged until it can", log.Number("pid", o.PID),
				log.Text("name", o.Comm()))
		}
		if o.stage == tolerated && o.due.IsZero() {
			o.due = now
		}
	}
}

// asks says whether names are to be read at each tick.
func (l *ledger) asks(now time.Time) bool { return len(l.cfg.Guard) > 0 && l.kin.young(now) }

func (l *ledger) due() time.Time {
	var first time.Time
	for _, o := range l.orphans {
		if o.stage != judged {
			first = earliest(first, o.due)
		}
	}
	for _, e := range l.endings {
		first = earliest(first, e.Due())
	}
	if l.kin != nil {
		first = earliest(first, l.kin.retry)
	}
	return first
}

// step asks for verdicts that are due and carries the endings on. The snapshot
// is of this moment.
func (l *ledger) step(s *proc.Snapshot, now time.Time) {
	for _, o := range l.orphans {
		if o.stage == judged || !reached(o.due, now) {
			continue
		}
		if o.stage == bereft {
			delete(l.orphans, o.PID)
			l.endBereft(o, s, now)
			continue
		}
		if o.stage == unplaced {
			if !l.place(o, now) {
				l.unowned(o)
			}
			continue
		}
		if l.kin != nil && l.kin.owner(o.ID) != nil {
			o.stage, o.due = owned, time.Time{}
			continue
		}
		if l.world.inspect(inquiry{kind: aboutOrphan, subject: o.ID, others: subtreeIDs(s, o.ID)}) {
			o.stage, o.asked = judged, now
		} else {
			o.due = now.Add(askAgain)
		}
	}
	left := l.endings[:0]
	for _, e := range l.endings {
		if e.Step(now); e.Done() {
			e.finish()
		} else {
			left = append(left, e)
		}
	}
	clear(l.endings[len(left):])
	l.endings = left
}
