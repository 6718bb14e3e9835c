package doctor

import (
	"errors"
	"strings"
	"testing"
)

// TestProbesAreWhole: what can lack says what that costs and how to give it.
func TestProbesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range append([]probe{settings, idle}, probes...) {
		if seen[p.name] || len(p.name) > 12 || strings.ContainsAny(p.costs+p.remedy.docker+p.remedy.build, "\n") {
			t.Errorf("%q is there twice, too long, or has a line break", p.name)
		}
		seen[p.name] = true
		if says := p.costs != "" && p.remedy.docker+p.remedy.build != ""; !says && (len(p.need) > 0 || p.costs != "" || p.remedy != (remedy{})) {
			t.Errorf("%s does not say all of its lack", p.name)
		}
	}
}

// TestStates: what is needed makes the whole fail, what is only worse does not.
func TestStates(t *testing.T) {
	needed := &probe{name: "needed", need: everything, costs: "all", remedy: remedy{docker: "--x"}}
	useful := &probe{name: "useful", costs: "some", remedy: remedy{docker: "--y", kubernetes: "z"}}
	all := findings{{probe: needed, detail: "fine"}, {probe: useful, detail: errors.New("a\x1bb").Error(), lacks: true}}
	want := "ok    needed       fine\nless  useful       a\\x1bb\n        costs: some\n        docker: --y\n        kubernetes: z\n" +
		"init, guard and terminal have what they need\n"
	if got := all.text(); got != want || !all.good() {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	all[0].lacks = true
	if got := all.text(); all.good() || !strings.HasPrefix(got, "lack  needed       fine\n        needed by: init, guard, terminal\n") {
		t.Error(got)
	}
}
