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
	k := l.kin.all[o.ID]
	if owner := l.kin.owner(o.ID); owner != nil {
		l.own(o, owner, now)
		return true
	}
	if owner := l.byMark(k); owner != nil {
		l.attribute(o, owner, "mark", now)
		return true
	}
	if k.line {
		return false
	}
	if owner := l.kin.ownerByGroup(&o.Stat); owner != nil {
		l.attribute(o, owner, "group", now)
		return true
	}
	guards := l.kin.guardsBefore(o.ID)
	if len(guards) == 0 {
		return false
	}
	if l.world.inspect(inquiry{kind: aboutOwner, subject: o.ID, others: guards, related: l.related(guards)}) {
		o.stage, o.asked = judged, now
	} else {
		o.stage, o.due = unplaced, now.Add(time.Second)
	}
	return true
}

// byMark is the guard whose mark a process was started with, or nil.
func (l *ledger) byMark(k *kin) *kin {
	if g := l.marks.of[l.world.mark(k.PID)]; g != nil && l.kin.mayOwn(g, k.ID) {
		return g
	}
	return l.bySeal(k)
}

// marked says whether a guard is known by the mark that a process bears.
func (l *ledger) marked(pid int) bool { return l.kin != nil && l.marks.of[l.world.mark(pid)] != nil }

// attributed takes the inspector's answer about an orphan of unseen line.
func (l *ledger) attributed(o *orphan, owner proc.ID, now time.Time) {
	g := l.kin.all[owner]
	if g == nil || g.entry < 0 || !l.kin.mayOwn(g, o.ID) {
		l.unowned(o)
		return
	}
	l.attribute(o, g, "environment", now)
}

// attribute enters an orphan below a guard that may have been forgotten already.
func (l *ledger) attribute(o *orphan, owner *kin, by string, now time.Time) {
	l.log.Debug("orphan attributed to a guard", log.Number("pid", o.PID), log.Text("name", o.Comm()),
		log.Number("guard", owner.PID), log.Text("by", by))
	k := l.kin.all[o.ID]
	l.remember(owner)
	k.parent, k.line = owner.ID, true
	l.own(o, owner, now)
}

// remember enters a guard that was forgotten again, below the outer one whose mark it
// bore, and has it dealt with.
func (l *ledger) remember(g *kin) {
	if l.kin.all[g.ID] != nil {
		return
	}
	l.kin.all[g.ID], g.over = g, false
	outer := l.marks.of[g.outer]
	if outer == nil || l.kin.all[g.parent] != nil || !l.kin.mayOwn(outer, g.ID) {
		return
	}
	l.remember(outer)
	g.parent = outer.ID
}

// own leaves an orphan to its guard. If what that owns is being ended, it goes too.
func (l *ledger) own(o *orphan, owner *kin, now time.Time) {
	o.stage, o.due = owned, time.Time{}
	owner = l.kin.settled(owner)
	if owner == nil {
		return
	}
	if e := l.endingOf(owner.ID); e != nil {
		e.line.include(&o.Stat)
		delete(l.orphans, o.PID)
		return
	}
	o.stage, o.due, o.guard = bereft, now, owner
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
	if e := l.endingOf(o.guard.ID); e != nil {
		e.line.include(&o.Stat)
		e.line.extend(s)
		return
	}
	l.endOf(o.guard, []proc.ID{o.ID}, s, now)
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
