package differential

import (
	"maps"
	"slices"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }

// scenarios is the table.
var scenarios = slices.Concat(common, ofTini, ofDumbInit, ofCatatonit)

// TestScenarios runs each row on each subject that it is about.
func TestScenarios(t *testing.T) {
	testns.RequireNS(t)
	for _, s := range scenarios {
		for _, p := range peers {
			if !s.isOf(p) {
				continue
			}
			t.Run(p.String()+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				s.compare(t, p)
			})
		}
	}
}

// compare runs a row on a peer and on sbinit, under all the names there are.
func (s scenario) compare(t *testing.T, p *peer) {
	seen := map[bool]map[string]string{}
	for _, on := range p.subjects(t) {
		var facts map[string]string
		if !t.Run(on.String(), func(t *testing.T) { facts = s.run(t, on) }) {
			return
		}
		before := seen[on.ours]
		if before != nil && !maps.Equal(before, facts) {
			t.Errorf("%v: %q, by its first name %q", on, facts, before)
		}
		seen[on.ours] = facts
	}
	s.judge(t, p, seen[false], seen[true])
}

// judge wants the same of both, save where the row says otherwise.
func (s scenario) judge(t *testing.T, p *peer, theirs, ours map[string]string) {
	t.Helper()
	for _, fact := range slices.Sorted(maps.Keys(theirs)) {
		d := s.difference(p, fact)
		if d == nil {
			d = &difference{theirs: theirs[fact], ours: theirs[fact]}
		}
		if theirs[fact] != d.theirs || ours[fact] != d.ours {
			t.Errorf("%s:\n%s: %s\nsbinit: %s\nwant\n%s: %s\nsbinit: %s",
				fact, p, theirs[fact], ours[fact], p, d.theirs, d.ours)
		}
	}
	if len(ours) != len(theirs) {
		t.Errorf("facts %q, of sbinit %q", theirs, ours)
	}
	for _, d := range s.differs {
		if _, ok := theirs[d.fact]; !ok && (d.of == nil || d.of == p) {
			t.Errorf("the row has a difference in %s, which is not noted", d.fact)
		}
	}
}
