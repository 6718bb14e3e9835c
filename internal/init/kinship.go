package pid1

import (
	"cmp"
	"slices"
	"time"

	"github.com/sbinit/sbinit/internal/proc"
)

// Until a process is of this age, a fork may not have become what it is to be: it
// is asked for its name again at each tick. The pause is less than a second's tick,
// which may come a little early.
const (
	youngAge = 5 * time.Second
	askPause = 900 * time.Millisecond
)

// A kin is one process that was seen, living, or dead with living descendants.
type kin struct {
	proc.ID
	parent  proc.ID // who started it; zero: somebody outside, or not seen
	since   time.Time
	asked   time.Time
	found   time.Time // when it was found to be a guard
	entry   int       // of SBINIT_GUARD, whose name it bears; ofSession: a worker; -1: none
	again   bool      // and did so when it was asked again later
	line    bool      // its line was seen: it had its parent when it was first seen
	parents bool      // it had children
	orphan  bool      // it lost its parent
	ask     bool      // its name is to be read
	over    bool      // a guard that has ended, and is being dealt with
	settled bool      // and nobody inherited: all below it is ended
	living  bool
	needed  bool // living, or above somebody living

	instead *kin // a guard's: the one that it took over from, until it is asked again

	mark  uint64 // a guard's; 0: none
	outer uint64 // a guard's: the mark it bore before
	bears uint64 // the mark it was given
}

// A kinship knows who descends from whom, also over those who have died. Keys are
// number and start time; an entry goes when it has no living descendant.
type kinship struct {
	self    int
	spawned func(pid int) bool
	all     map[proc.ID]*kin
	led     map[int]*kin // sessions and process groups: the guard below which their leader was seen
	newest  time.Time    // when somebody was last seen, or found to be a guard, for the first time
}

func newKinship(self int, spawned func(int) bool) *kinship {
	return &kinship{self: self, spawned: spawned, all: map[proc.ID]*kin{}, led: map[int]*kin{}}
}

// observe compares a snapshot with what was known.
func (ks *kinship) observe(s *proc.Snapshot, now time.Time) {
	for _, k := range ks.all {
		k.living, k.needed = false, false
	}
	for i := range s.Procs {
		if p := &s.Procs[i]; p.PID != ks.self && p.Alive() {
			ks.see(p, s.Parent(i), now)
		}
	}
	for _, k := range ks.all {
		if k.living {
			ks.need(k)
		}
	}
	for id, k := range ks.all {
		if !k.needed {
			delete(ks.all, id)
		}
	}
	ks.noteLeaders(s)
}

// see enters a living process, or brings its entry up to date. Names are read
// again when a process first has children and when it is orphaned.
func (ks *kinship) see(p, parent *proc.Stat, now time.Time) {
	k := ks.all[p.ID]
	if k == nil {
		k = &kin{ID: p.ID, since: now, entry: -1, ask: true}
		k.line = ks.spawned(p.PID) || p.PPID != ks.self
		if parent != nil && parent.PID != ks.self {
			k.parent = parent.ID
		}
		ks.all[p.ID], ks.newest = k, now
	}
	k.living = true
	unsure := now.Sub(k.since) < youngAge || k.entry >= 0 && !k.again
	if unsure && now.Sub(k.asked) >= askPause {
		k.ask = true
	}
	if p.PPID == ks.self && !k.orphan && !ks.spawned(p.PID) {
		k.orphan, k.ask = true, true
	}
	if above := ks.all[k.parent]; above != nil && !above.parents {
		above.parents, above.ask = true, true
	}
}

// young says whether somebody is to be asked for a name at each tick.
func (ks *kinship) young(now time.Time) bool { return now.Sub(ks.newest) < youngAge }

// steps is how far below a guard a process is.
func (ks *kinship) steps(id, guard proc.ID) int {
	n := 0
	for k := ks.all[id]; k != nil && k.ID != guard; k = ks.all[k.parent] {
		n++
	}
	return n
}

// need marks a kin and all above it.
func (ks *kinship) need(k *kin) {
	for ; k != nil && !k.needed; k = ks.all[k.parent] {
		k.needed = true
	}
}

// noteLeaders remembers below which guard the leader of each session and process
// group was, for as long as somebody is in it.
func (ks *kinship) noteLeaders(s *proc.Snapshot) {
	inUse := map[int]bool{}
	for i := range s.Procs {
		p := &s.Procs[i]
		inUse[p.SID], inUse[p.PGID] = true, true
		if p.PID != p.SID && p.PID != p.PGID {
			continue
		}
		k := ks.all[p.ID]
		if k == nil || !k.living {
			continue
		}
		delete(ks.led, p.PID) // the number may be another's than it was
		if g := ks.guardOf(k); g != nil {
			ks.led[p.PID] = g
		}
	}
	for leader := range ks.led {
		if !inUse[leader] {
			delete(ks.led, leader)
		}
	}
}

// guardOf is a guard itself, or the owner of what is none.
func (ks *kinship) guardOf(k *kin) *kin {
	if k.entry >= 0 {
		return k
	}
	return ks.owner(k.ID)
}

// owner is the nearest guard above a process, or nil.
func (ks *kinship) owner(id proc.ID) *kin {
	k := ks.all[id]
	if k == nil {
		return nil
	}
	for k = ks.all[k.parent]; k != nil; k = ks.all[k.parent] {
		if k.entry >= 0 {
			return k
		}
	}
	return nil
}

// ownerByGroup is the guard below which the leader of a process's session or
// process group was seen, also if it has been forgotten since. A group is within a
// session, so it tells more. A guard younger than the process is not meant: numbers
// come again.
func (ks *kinship) ownerByGroup(p *proc.Stat) *kin {
	for _, group := range []int{p.PGID, p.SID} {
		if g := ks.led[group]; g != nil && g.Start <= p.Start && ks.mayOwn(g, p.ID) {
			return g
		}
	}
	return nil
}

// mayOwn says whether a guard can be above a process: it is neither that itself nor
// below it.
func (ks *kinship) mayOwn(guard *kin, id proc.ID) bool {
	return guard.ID != id && !ks.below(guard.ID, id)
}

// below says whether one process descends from another.
func (ks *kinship) below(id, above proc.ID) bool {
	for k := ks.all[id]; k != nil; k = ks.all[k.parent] {
		if k.parent == above {
			return true
		}
	}
	return false
}

// descendants lists the living ones of a process, by age.
func (ks *kinship) descendants(of proc.ID) []proc.ID {
	var list []proc.ID
	for id, k := range ks.all {
		if k.living && ks.below(id, of) {
			list = append(list, id)
		}
	}
	slices.SortFunc(list, byAge)
	return list
}

func byAge(a, b proc.ID) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), a.PID-b.PID)
}

// endedBetween lists the guards between an heir and the guard that hands over, the
// nearest to the heir first, that bore the same name and have ended as well.
func (ks *kinship) endedBetween(heir, guard *kin) []*kin {
	var list []*kin
	for k := ks.all[heir.parent]; k != nil && k != guard; k = ks.all[k.parent] {
		if k.entry == guard.entry && !k.living && !k.settled {
			list = append(list, k)
		}
	}
	return list
}

// settled is the nearest guard, from this one upwards, that has ended without an heir,
// or nil.
func (ks *kinship) settled(guard *kin) *kin {
	for guard != nil && !guard.settled {
		guard = ks.owner(guard.ID)
	}
	return guard
}

// unnamed lists who is to be asked for a name.
func (ks *kinship) unnamed(now time.Time) []proc.ID {
	var list []proc.ID
	for id, k := range ks.all {
		if k.living && k.ask && k.entry != ofSession {
			k.ask, k.asked = false, now
			list = append(list, id)
		}
	}
	return list
}

// living lists all who live.
func (ks *kinship) living() []*kin {
	var list []*kin
	for _, k := range ks.all {
		if k.living {
			list = append(list, k)
		}
	}
	return list
}

// guardsBefore lists the living guards that may own a process: older ones. A session's
// worker has nothing in its environment that sbinit has not.
func (ks *kinship) guardsBefore(p proc.ID) []proc.ID {
	var list []proc.ID
	for id, k := range ks.all {
		if k.living && k.entry >= 0 && k.entry != ofSession && k.Start <= p.Start && ks.mayOwn(k, p) {
			list = append(list, id)
		}
	}
	return list
}

// ended lists the guards that have ended since it was last asked, by age.
func (ks *kinship) ended() []*kin {
	var list []*kin
	for _, k := range ks.all {
		if k.entry >= 0 && !k.living && !k.over && !k.settled {
			k.over = true
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b *kin) int { return byAge(a.ID, b.ID) })
	return list
}

// inherit gives what a guard owned to its heir, which takes its place. That may be a
// fork which has not become what it is to be, until it was asked again.
func (ks *kinship) inherit(guard, heir *kin, now time.Time) {
	for _, k := range ks.all {
		if k.parent == guard.ID && k != heir {
			k.parent = heir.ID
		}
	}
	heir.parent, heir.entry, heir.outer = guard.parent, guard.entry, guard.outer
	guard.instead = nil
	if !heir.again {
		heir.instead, ks.newest = guard, now
	}
	ks.lead(guard, heir)
}

// giveBack undoes that a guard was handed over to what proves to be none.
func (ks *kinship) giveBack(k *kin) {
	guard := k.instead
	if guard == nil {
		return
	}
	ks.all[guard.ID], guard.over, guard.parent = guard, false, k.parent
	k.parent, k.instead, k.again = guard.ID, nil, false
}

// lead has the sessions and process groups of one guard be those of another; nil: of
// nobody.
func (ks *kinship) lead(guard, heir *kin) {
	for group, owner := range ks.led {
		switch {
		case owner != guard:
		case heir == nil:
			delete(ks.led, group)
		default:
			ks.led[group] = heir
		}
	}
}

// mistaken says whether what was taken for a guard may have been a fork of one that
// had not become what it was to be: it bore the name of its guard's entry, and ended
// before it was asked again.
func (ks *kinship) mistaken(k *kin) bool {
	owner := ks.owner(k.ID)
	return !k.again && owner != nil && owner.entry == k.entry
}
