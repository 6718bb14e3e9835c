package pid1

import (
	"time"

	"github.com/sbinit/sbinit/internal/proc"
)

// youngAge is how long a process is asked for its name at each look: until then
// a fork may not have become what it is to be.
const youngAge = 5 * time.Second

// A kin is one process that was seen, living, or dead with living descendants.
type kin struct {
	proc.ID
	parent  proc.ID // who started it; zero: somebody outside, or not seen
	since   time.Time
	asked   time.Time
	entry   int  // of SBINIT_GUARD, whose name it bears; ofSession: a worker; -1: none
	line    bool // its line was seen: it had its parent when it was first seen
	parents bool // it had children
	orphan  bool // it lost its parent
	ask     bool // its name is to be read
	over    bool // a guard that has ended, and is being dealt with
	settled bool // and nobody inherited: all below it is ended
	living  bool
	needed  bool // living, or above somebody living

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
	led     map[int]proc.ID // sessions and process groups: the guard below which their leader was seen
}

func newKinship(self int, spawned func(int) bool) *kinship {
	return &kinship{self: self, spawned: spawned, all: map[proc.ID]*kin{}, led: map[int]proc.ID{}}
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
		ks.all[p.ID] = k
	}
	k.living = true
	if now.Sub(k.since) < youngAge && now.Sub(k.asked) >= time.Second {
		k.ask = true
	}
	if p.PPID == ks.self && !k.orphan && !ks.spawned(p.PID) {
		k.orphan, k.ask = true, true
	}
	if above := ks.all[k.parent]; above != nil && !above.parents {
		above.parents, above.ask = true, true
	}
}

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
		g := ks.owner(p.ID)
		if k := ks.all[p.ID]; k != nil && k.entry >= 0 {
			g = k // a guard leads its own
		}
		if g != nil {
			ks.led[p.PID] = g.ID
		}
	}
	for leader := range ks.led {
		if !inUse[leader] {
			delete(ks.led, leader)
		}
	}
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
// process group was seen. A guard younger than the process is not meant: numbers
// come again.
func (ks *kinship) ownerByGroup(p *proc.Stat) *kin {
	for _, group := range []int{p.SID, p.PGID} {
		if g := ks.all[ks.led[group]]; g != nil && g.Start <= p.Start {
			return g
		}
	}
	return nil
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

// descendants lists the living ones of a process.
func (ks *kinship) descendants(of proc.ID) []proc.ID {
	var list []proc.ID
	for id, k := range ks.all {
		if k.living && ks.below(id, of) {
			list = append(list, id)
		}
	}
	return list
}

// attribute enters a process whose line was not seen below a guard.
func (ks *kinship) attribute(id, guard proc.ID) {
	if k := ks.all[id]; k != nil && ks.all[guard] != nil && !ks.below(guard, id) {
		k.parent, k.line = guard, true
	}
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

// guardsBefore lists the living guards that were started no later than that. A session's
// worker has nothing in its environment that sbinit has not.
func (ks *kinship) guardsBefore(start uint64) []proc.ID {
	var list []proc.ID
	for id, k := range ks.all {
		if k.living && k.entry >= 0 && k.entry != ofSession && k.Start <= start {
			list = append(list, id)
		}
	}
	return list
}

// ended lists the guards that have ended since it was last asked.
func (ks *kinship) ended() []*kin {
	var list []*kin
	for _, k := range ks.all {
		if k.entry >= 0 && !k.living && !k.over {
			k.over = true
			list = append(list, k)
		}
	}
	return list
}

// inherit gives what a guard owned to its heir, which takes its place.
func (ks *kinship) inherit(guard, heir *kin) {
	for _, k := range ks.all {
		if k.parent == guard.ID && k != heir {
			k.parent = heir.ID
		}
	}
	heir.parent, heir.entry, heir.outer = guard.parent, guard.entry, guard.outer
	for group, owner := range ks.led {
		if owner == guard.ID {
			ks.led[group] = heir.ID
		}
	}
}
