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

	// execTime is enough for a fork to execute its program, through a wrapper or two,
	// on a machine that is not short of everything.
	execTime = 50 * time.Millisecond
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
	endedAt time.Time // since when
	toldAt  time.Time // when that was last logged
	living  bool
	needed  bool // living, or above somebody living

	wait    time.Time // a guard's that has ended: when it is dealt with after all
	instead *kin      // a guard's: the one that it took over from, until it is asked again

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
	retry   time.Time    // when a guard that has ended is dealt with after all
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
