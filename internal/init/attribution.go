package pid1

import (
	"slices"
	"time"

	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

// This file finds the guard that an orphan belongs to. Where its line was not
// seen, since it was forked and orphaned between two looks, evidence tells: the
// mark that it bears; the leader of its session or process group; its environment.

// placeAgain asks once more whose the orphans are that came before their guard
// was known to be one.
func (l *ledger) placeAgain(now time.Time) {
	for _, o := range l.orphans {
		if o.stage != owned && o.stage != judged && now.Sub(o.since) < youngAge {
			l.place(o, now)
		}
	}
}

// place says whether an orphan has an owner, or is being looked into.
func (l *ledger) place(o *orphan, now time.Time) bool {
	if l.kin.all[o.ID] == nil {
		l.kin.see(&o.Stat, nil, now)
	}
	if owner := l.kin.owner(o.ID); owner != nil {
		l.own(o, owner, now)
		return true
	}
	if g, ok := l.byMark(o.ID); ok {
		l.attribute(o, g, "mark", now)
		return true
	}
	if l.kin.all[o.ID].line {
		return false
	}
	if owner := l.kin.ownerByGroup(&o.Stat); owner != nil {
		l.attribute(o, guarded{owner.ID, owner.entry}, "group", now)
		return true
	}
	guards := l.kin.guardsBefore(o.Start)
	if len(guards) == 0 || !l.world.inspect(inquiry{kind: aboutOwner, subject: o.ID, others: guards, related: l.related(guards)}) {
		return false
	}
	o.stage, o.asked = judged, now
	return true
}

// byMark is the guard whose mark a process was started with.
func (l *ledger) byMark(id proc.ID) (g guarded, ok bool) {
	mark := l.world.mark(id.PID)
	if k := l.kin.all[id]; k.mark != 0 {
		mark = k.outer
	}
	g, ok = l.marks.of[mark]
	return g, ok && g.guard != id
}

// attributed takes the inspector's answer about an orphan of unseen line.
func (l *ledger) attributed(o *orphan, owner proc.ID, now time.Time) {
	g := l.kin.all[owner]
	if g == nil || g.entry < 0 {
		l.unowned(o)
		return
	}
	l.attribute(o, guarded{owner, g.entry}, "environment", now)
}

// attribute enters an orphan below a guard that may have been forgotten already.
func (l *ledger) attribute(o *orphan, g guarded, by string, now time.Time) {
	l.log.Debug("orphan attributed to a guard", log.Number("pid", o.PID), log.Text("name", o.Comm()),
		log.Number("guard", g.guard.PID), log.Text("by", by))
	owner := l.kin.all[g.guard]
	if owner == nil {
		o.stage, o.due, o.guarded = bereft, now, g
		return
	}
	l.kin.attribute(o.ID, owner.ID)
	l.own(o, owner, now)
}

// own leaves an orphan to its guard. If that is being ended, it goes too.
func (l *ledger) own(o *orphan, owner *kin, now time.Time) {
	o.stage, o.due = owned, time.Time{}
	if !owner.settled {
		return
	}
	if e := l.endingOf(owner.ID); e != nil {
		e.line.include(&o.Stat)
		delete(l.orphans, o.PID)
		return
	}
	o.stage, o.due, o.guarded = bereft, now, guarded{owner.ID, owner.entry}
}

// endingOf is the ending of what that owner left, or nil if none goes on.
func (l *ledger) endingOf(owner proc.ID) *ending {
	i := slices.IndexFunc(l.endings, func(e *ending) bool { return e.root == owner })
	if i < 0 {
		return nil
	}
	return l.endings[i]
}

// endBereft ends an orphan whose owner has gone, with the others that the owner left.
func (l *ledger) endBereft(o *orphan, s *proc.Snapshot, now time.Time) {
	if e := l.endingOf(o.guard); e != nil {
		e.line.include(&o.Stat)
		e.line.extend(s)
		return
	}
	l.endOf(o.guarded, []proc.ID{o.ID}, s, now)
}

// related says which guards are above or below which: what these have in common
// tells them apart from the others.
func (l *ledger) related(guards []proc.ID) map[[2]proc.ID]bool {
	pairs := map[[2]proc.ID]bool{}
	for _, a := range guards {
		for _, b := range guards {
			if l.kin.below(a, b) {
				pairs[[2]proc.ID{a, b}] = true
			}
		}
	}
	return pairs
}
