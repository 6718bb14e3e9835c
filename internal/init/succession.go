package pid1

import (
	"slices"
	"time"

	"github.com/sbinit/sbinit/internal/proc"
)

// This file is the kinship's part in a guard's end, and in its mistakes.

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

// ended lists the guards that have ended since it was last asked, by age.
func (ks *kinship) ended(now time.Time) []*kin {
	var ids []proc.ID
	ks.retry = time.Time{}
	for _, k := range ks.all {
		switch {
		case k.entry < 0 || k.living || k.over || k.settled:
		case now.Before(k.wait):
			ks.retry = earliest(ks.retry, k.wait)
		default:
			k.over = true
			ids = append(ids, k.ID)
		}
	}
	slices.SortFunc(ids, byAge)
	list := make([]*kin, len(ids))
	for i, id := range ids {
		list[i] = ks.all[id]
	}
	return list
}

// anyNew says whether somebody among them was first seen just now.
func (ks *kinship) anyNew(among []proc.ID, now time.Time) bool {
	return slices.ContainsFunc(among, func(id proc.ID) bool { return now.Sub(ks.all[id].since) < execTime })
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

// mistaken says whether what was taken for a guard may have been a fork of one that
// had not become what it was to be: it bore the name of its guard's entry, and ended
// before it was asked again.
func (ks *kinship) mistaken(k *kin) bool {
	owner := ks.owner(k.ID)
	return !k.again && owner != nil && owner.entry == k.entry
}
