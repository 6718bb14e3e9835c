package pid1

import (
	"time"

	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

// This file is the ledger's part in SBINIT_GUARD: a process of a listed name
// owns what it starts, and when it ends so does all of that.

// observeGuards asks for names, and deals with guards that have ended.
func (l *ledger) observeGuards(now time.Time) {
	if ids := l.kin.unnamed(now); len(ids) > 0 && !l.world.inspect(inquiry{kind: aboutNames, others: ids}) {
		for _, id := range ids {
			l.kin.all[id].ask = true
		}
	}
	for _, g := range l.kin.ended() {
		heirs := l.kin.descendants(g.ID)
		if len(heirs) > 0 && !l.world.inspect(inquiry{kind: aboutHeirs, subject: g.ID, others: heirs}) {
			g.over = false
		}
	}
}

// isGuard says whether that process is a guard, or was until it ended.
func (l *ledger) isGuard(id proc.ID) bool {
	if l.kin == nil {
		return false
	}
	k := l.kin.all[id]
	return k != nil && k.entry >= 0
}

// named takes the names that processes bear now. An exec to another name ends
// what was a guard only because it had not got its own yet.
func (l *ledger) named(v verdict, now time.Time) {
	found := false
	for id, entry := range v.entries {
		k := l.kin.all[id]
		if k == nil {
			continue
		}
		found = found || k.entry < 0 && entry >= 0
		if k.entry < 0 && entry >= 0 {
			l.world.watch(id)
			l.log.Debug("guard found", log.Number("pid", id.PID), log.Text("guard", l.cfg.Guard[entry]))
		}
		k.entry = entry
	}
	if found {
		l.placeAgain(now)
	}
}

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
		l.own(o, owner)
		return true
	}
	if l.kin.all[o.ID].line {
		return false
	}
	if owner := l.kin.ownerByGroup(&o.Stat); owner != nil {
		l.kin.attribute(o.ID, owner.ID)
		l.own(o, owner)
		return true
	}
	guards := l.kin.guards()
	if len(guards) == 0 || !l.world.inspect(inquiry{kind: aboutOwner, subject: o.ID, others: guards, related: l.related(guards)}) {
		return false
	}
	o.stage, o.asked = judged, now
	return true
}

// own leaves an orphan to its guard. If that is being ended, it goes too.
func (l *ledger) own(o *orphan, owner *kin) {
	o.stage, o.due = owned, time.Time{}
	for _, e := range l.endings {
		if e.root == owner.ID {
			e.line.include(&o.Stat)
			delete(l.orphans, o.PID)
		}
	}
}

// attribute takes the inspector's answer about an orphan of unseen line.
func (l *ledger) attribute(o *orphan, owner proc.ID) {
	g := l.kin.all[owner]
	if g == nil || !g.living {
		l.unowned(o)
		return
	}
	l.kin.attribute(o.ID, owner)
	o.stage, o.due = owned, time.Time{}
	l.log.Debug("orphan attributed to a guard", log.Number("pid", o.PID), log.Text("name", o.Comm()), log.Number("guard", owner.PID))
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

// succeed decides what becomes of what a guard owned: a living descendant of the
// same name takes it over (a launcher handed over, a daemon forked), or it is
// ended.
func (l *ledger) succeed(v verdict, s *proc.Snapshot, now time.Time) {
	l.named(v, now)
	g := l.kin.all[v.subject]
	if g == nil {
		return // nobody is left
	}
	left := l.kin.descendants(g.ID)
	if heir := l.heir(g, left); heir != nil {
		l.kin.inherit(g, heir)
		l.log.Info("guard handed over", log.Number("pid", g.PID), log.Number("to", heir.PID), log.Text("guard", l.cfg.Guard[g.entry]))
		return
	}
	l.endGuarded(g, left, s, now)
}

// heir is the nearest descendant that bears the name of the same entry.
func (l *ledger) heir(g *kin, among []proc.ID) *kin {
	var nearest *kin
	for _, id := range among {
		k := l.kin.all[id]
		if k.entry == g.entry && (nearest == nil || l.kin.steps(id, g.ID) < l.kin.steps(nearest.ID, g.ID)) {
			nearest = k
		}
	}
	return nearest
}

func (l *ledger) endGuarded(g *kin, left []proc.ID, s *proc.Snapshot, now time.Time) {
	for _, id := range left {
		if o := l.orphans[id.PID]; o != nil && o.ID == id {
			delete(l.orphans, id.PID)
		}
	}
	e := l.newEnding(g.ID, l.cfg.Guard[g.entry], left, nil, s, now)
	l.log.Warn("guarded daemon has ended: what it started is terminated", log.Number("pid", g.PID),
		log.Text("guard", e.name), log.Number("processes", len(e.line.members)))
	l.begin(e, now)
}
