package pid1

import (
	"time"

	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

// This file is the ledger's part in SBINIT_GUARD: a process of a listed name
// owns what it starts, and when it ends so does all of that.

// observeGuards asks for names, and deals with guards that have ended.
func (l *ledger) observeGuards(s *proc.Snapshot, now time.Time) {
	l.release(now)
	if ids := l.kin.unnamed(now); len(l.cfg.Guard) > 0 && len(ids) > 0 && !l.world.inspect(inquiry{kind: aboutNames, others: ids}) {
		for _, id := range ids {
			l.kin.all[id].ask = true
		}
	}
	for _, g := range l.kin.ended(now) {
		switch {
		case g.entry == ofSession:
			l.endSession(g, s, now)
			continue
		case l.kin.mistaken(g):
			l.resign(g)
			continue
		}
		heirs := l.kin.descendants(g.ID)
		if len(heirs) > 0 && !l.world.inspect(inquiry{kind: aboutHeirs, subject: g.ID, others: heirs}) {
			g.over = false
		}
	}
}

// release finds another owner for orphans whose guard is none any more, or is above
// them no more: it was handed over to them.
func (l *ledger) release(now time.Time) {
	for _, o := range l.orphans {
		if o.stage == owned && l.kin.owner(o.ID) == nil && !l.place(o, now) {
			l.unowned(o)
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
func (l *ledger) named(v verdict, s *proc.Snapshot, now time.Time) {
	var asked []*kin
	found := false
	for id, entry := range v.entries {
		k := l.kin.all[id]
		if k == nil {
			continue
		}
		asked = append(asked, k)
		was := k.entry
		k.entry = entry
		switch {
		case was < 0 && entry >= 0:
			found = true
			l.foundGuard(k, now)
		case was >= 0 && entry < 0:
			l.resign(k)
		case entry >= 0 && entry != was:
			l.kin.giveBack(k)
		case entry >= 0 && now.Sub(k.found) >= askPause:
			k.again, k.instead = true, nil
		}
	}
	if !found {
		l.markKin(asked)
		return
	}
	l.markKin(l.kin.living())
	l.kin.noteLeaders(s)
	l.placeAgain(now)
}

// resign ends guardianship: what is below is the guard's that is above, if any. If it
// was handed over by mistake, that is the one that has ended.
func (l *ledger) resign(k *kin) {
	l.kin.giveBack(k)
	outer := l.kin.owner(k.ID)
	k.entry, k.again = -1, false
	l.kin.lead(k, outer)
	l.marks.pass(k, outer)
	l.log.Debug("guard is none any more", log.Number("pid", k.PID))
}

func (l *ledger) foundGuard(k *kin, now time.Time) {
	k.found, l.kin.newest = now, now
	l.world.watch(k.ID)
	k.outer = l.world.mark(k.PID)
	l.marks.give(k, l.kin)
	l.log.Debug("guard found", log.Number("pid", k.PID), log.Text("guard", l.cfg.Guard[k.entry]))
}

// succeed decides what becomes of what a guard owned: a living descendant of the
// same name takes it over (a launcher handed over, a daemon forked), or it is
// ended. What a launcher has only just forked may not bear the name yet.
func (l *ledger) succeed(v verdict, s *proc.Snapshot, now time.Time) {
	l.named(v, s, now)
	g := l.kin.all[v.subject]
	if g == nil || g.entry < 0 || g.settled {
		return // nobody is left to deal with
	}
	left := l.kin.descendants(g.ID)
	if heir := l.heir(g, left); heir != nil {
		for _, ended := range append(l.kin.endedBetween(heir, g), g) {
			l.kin.inherit(ended, heir, now)
			l.marks.pass(ended, heir)
		}
		l.log.Info("guard handed over", log.Number("pid", g.PID), log.Number("to", heir.PID), log.Text("guard", l.cfg.Guard[g.entry]))
		return
	}
	if g.wait.IsZero() && l.kin.anyNew(left, now) {
		g.over, g.wait = false, now.Add(execTime)
		l.kin.retry = earliest(l.kin.retry, g.wait)
		return
	}
	l.endGuarded(g, left, s, now)
}

// heir is the nearest descendant that bears the name of the same entry, and the
// oldest of several.
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
	g.settled = true
	l.endOf(g, left, s, now)
}

// endOf ends what a guard owned. The polite time counts from the first of it: a line
// of processes in which each forks and exits would have it anew with each of them.
func (l *ledger) endOf(g *kin, left []proc.ID, s *proc.Snapshot, now time.Time) {
	e := l.newEnding(g.ID, l.entryName(g.entry), left, nil, s)
	if g.endedAt.IsZero() {
		g.endedAt = now
	}
	if now.Sub(g.toldAt) >= time.Second {
		g.toldAt = now
		l.ownerEnded(g, len(e.line.members))
	}
	polite, hard := l.patience(g.entry)
	l.begin(e, max(0, polite-now.Sub(g.endedAt)), hard, now)
}
