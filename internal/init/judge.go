package pid1

import (
	"time"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

// decide takes the inspector's verdict.
func (l *ledger) decide(v verdict, s *proc.Snapshot, now time.Time) {
	switch v.kind {
	case aboutNames:
		l.named(v, s, now)
	case aboutHeirs:
		l.succeed(v, s, now)
	case aboutMark:
		l.notMarked(v.err)
	default:
		if o := l.orphans[v.subject.PID]; o != nil && o.ID == v.subject && o.stage == judged {
			l.judge(o, v, s, now)
		}
	}
}

func (l *ledger) judge(o *orphan, v verdict, s *proc.Snapshot, now time.Time) {
	if v.name == "" {
		v.name = o.Comm()
	}
	switch {
	case v.gone:
		delete(l.orphans, o.PID)
	case v.kind == aboutOwner:
		l.attributed(o, v.owner, now)
	case v.keep != "":
		l.keep(o, v, now)
	case l.cfg.Orphans == config.OrphansReport:
		l.report(o, v, now)
	case l.cfg.Orphans == config.OrphansAbandoned && !v.abandoned:
		l.tolerate(o, v)
	case l.cfg.Orphans == config.OrphansAbandoned && o.grantAgain(now, l.cfg.OrphanGrace):
	default:
		l.end(o, v, s, now)
	}
}

// stays marks an orphan as one that is never judged again; true: for the first time.
func (o *orphan) stays() bool {
	first := !o.spared
	o.stage, o.due, o.spared = keptForGood, time.Time{}, true
	return first
}

func (l *ledger) keep(o *orphan, v verdict, now time.Time) {
	if !o.stays() {
		return
	}
	l.counts.kept++
	l.log.Info("orphan kept", log.Number("pid", o.PID), log.Text("name", v.name), log.Took("age", now.Sub(o.since)), log.Text("because", v.keep))
}

func (l *ledger) report(o *orphan, v verdict, now time.Time) {
	if !o.stays() {
		return
	}
	l.counts.kept++
	l.log.Warn("orphan would be terminated under SBINIT_ORPHANS=terminate",
		log.Number("pid", o.PID), log.Text("name", v.name), log.Took("age", now.Sub(o.since)))
}

// tolerate leaves an orphan alone until the next tick: its peer may die later.
func (l *ledger) tolerate(o *orphan, v verdict) {
	if v.err != nil && !l.blind {
		l.blind = true
		l.log.Info("orphan's descriptors cannot be read, so it is not taken for abandoned",
			log.Number("pid", o.PID), log.Text("name", v.name), log.Cause(v.err))
	}
	o.stage, o.due, o.passed, o.doomed = tolerated, time.Time{}, true, false
}

// grantAgain gives an orphan that was in order at first, and is abandoned now,
// the grace that the others got from adoption on.
func (o *orphan) grantAgain(now time.Time, grace time.Duration) bool {
	if !o.passed || o.doomed || grace == 0 {
		return false
	}
	o.stage, o.due, o.doomed = waiting, now.Add(grace), true
	return true
}

func (l *ledger) end(o *orphan, v verdict, s *proc.Snapshot, now time.Time) {
	delete(l.orphans, o.PID)
	e := l.newEnding(o.ID, v.name, []proc.ID{o.ID}, v.exempt, s)
	l.log.Warn("orphan terminated",
		log.Number("pid", o.PID), log.Text("name", v.name), log.Took("age", now.Sub(o.since)), log.Number("processes", len(e.line.members)),
		log.Text("hint", "SBINIT_KEEP=1 in its environment, SBINIT_ORPHAN_KEEP=+"+v.name+" or SBINIT_ORPHANS=keep would have kept it"))
	l.begin(e, l.cfg.KillGrace, endingLimit, now)
}

// subtreeIDs lists what is below a process.
func subtreeIDs(s *proc.Snapshot, id proc.ID) []proc.ID {
	var ids []proc.ID
	s.Descendants(id.PID, func(p *proc.Stat) { ids = append(ids, p.ID) })
	return ids
}
