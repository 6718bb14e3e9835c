package pid1

import (
	"math/rand/v2"

	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

// marksKept is how many guards' marks are remembered, besides those of guards
// that are still needed.
const marksKept = 4096

// Marks of ours have this bit, which no limit in use comes near to.
const markBit = 1 << 62

// marks are the numbers (proc.FS.SetMark) that guards pass on to all they start,
// so that also an orphan of unseen line, of a guard that has ended, is known.
type marks struct {
	last    uint64
	of      map[uint64]*kin
	refused bool // was mentioned
}

// newMarks begins at random: another sbinit may work further up or down.
func newMarks() marks {
	return marks{last: markBit | rand.Uint64()>>34<<32, of: map[uint64]*kin{}}
}

// next is a mark that nobody has.
func (m *marks) next() uint64 {
	m.last++
	return m.last
}

// give gives a new guard a mark.
func (m *marks) give(k *kin, among *kinship) {
	if len(m.of) >= marksKept {
		m.forget(among)
	}
	k.mark = m.next()
	m.of[k.mark] = k
}

// forget drops the marks of guards that nobody living is known to descend from.
func (m *marks) forget(needed *kinship) {
	for mark, g := range m.of {
		if needed.all[g.ID] == nil {
			delete(m.of, mark)
		}
	}
}

// pass gives the marks of what is no guard any more to its heir; nil: to nobody.
func (m *marks) pass(from, heir *kin) {
	for mark, g := range m.of {
		switch {
		case g != from:
		case heir == nil:
			delete(m.of, mark)
		default:
			m.of[mark] = heir
		}
	}
	from.mark = 0
}

// markKin sees to it that these bear the mark of their guard.
func (l *ledger) markKin(all []*kin) {
	unmarked := map[uint64][]proc.ID{}
	for _, k := range all {
		guard := l.kin.guardOf(k)
		if guard == nil || guard.mark == 0 || guard.mark == k.bears {
			continue
		}
		k.bears = guard.mark
		unmarked[guard.mark] = append(unmarked[guard.mark], k.ID)
	}
	for mark, ids := range unmarked {
		if l.world.inspect(inquiry{kind: aboutMark, others: ids, mark: mark}) {
			continue
		}
		for _, id := range ids {
			l.kin.all[id].bears = 0
		}
	}
}

// notMarked says once that marks do not work here.
func (l *ledger) notMarked(err error) {
	if err == nil || l.marks.refused {
		return
	}
	l.marks.refused = true
	l.log.Info("guarded processes cannot be marked: who is forked and orphaned between two looks may be missed", log.Cause(err))
}
