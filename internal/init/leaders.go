package pid1

import (
	"github.com/sbinit/sbinit/internal/proc"
)

// This file remembers who led sessions and process groups.

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
