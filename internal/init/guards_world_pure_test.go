package pid1

import (
	"errors"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/proc"
)

// Entries of SBINIT_GUARD in these tests.
const (
	agent = iota
	helper
	nobody = -1
)

// A guardWorld is a world whose processes have names, and whose inspector answers.
// Orphans without an owner are kept, so nobody is signalled for another reason.
type guardWorld struct {
	*world
	entry map[int]int // which guard's name a process bears; absent: none
	alike map[int]int // whose environment a process has a variable in common with
}

func newGuardWorld(t *testing.T) *guardWorld {
	t.Helper()
	return withGuards(newWorld(t, guardSettings))
}

func guardSettings(cfg *config.Config) {
	cfg.Guard = []string{agent: "agent", helper: "helper"}
	cfg.Orphans = config.OrphansKeep
}

func withGuards(w *world) *guardWorld {
	g := &guardWorld{world: w, entry: map[int]int{}, alike: map[int]int{}}
	w.verdict = g.inspect
	return g
}

func (g *guardWorld) inspect(q inquiry) *verdict {
	v := &verdict{kind: q.kind, subject: q.subject, name: "x"}
	switch q.kind {
	case aboutNames, aboutHeirs:
		v.entries = map[proc.ID]int{}
		for _, id := range q.others {
			if g.procs[id.PID].ID == id {
				v.entries[id] = g.name(id.PID)
			}
		}
	case aboutOwner:
		for _, id := range q.others {
			if owner, ok := g.alike[q.subject.PID]; ok && owner == id.PID {
				v.owner = id
			}
		}
	case aboutMark:
		if g.unmarked {
			v.err = errors.New("operation not permitted")
		}
	}
	return v
}

func (g *guardWorld) name(pid int) int {
	if entry, ok := g.entry[pid]; ok {
		return entry
	}
	return nobody
}

// fork starts a process by the name, and in the session, of its parent.
func (g *guardWorld) fork(pid, parent int) {
	delete(g.entry, pid)
	if entry, ok := g.entry[parent]; ok {
		g.entry[pid] = entry
	}
	session := g.procs[parent].SID
	g.start(pid, parent)
	if parent > runner {
		g.setsid(pid, session)
	}
}

// exec gives a process another name.
func (g *guardWorld) exec(pid, entry int) { g.entry[pid] = entry }

// run starts a process with a name of its own, in a session of its own, so that
// sessions tell nothing.
func (g *guardWorld) run(pid, parent, entry int) {
	g.fork(pid, parent)
	g.exec(pid, entry)
	g.setsid(pid, pid)
}

// orphan starts a process and lets its parent, which nobody has seen, end.
func (g *guardWorld) orphan(pid, grandparent int) {
	const between = 9999
	g.run(between, grandparent, nobody)
	g.run(pid, between, nobody)
	g.die(between)
}

// end lets a process die, and a minute pass: time enough for whatever comes of it.
func (g *guardWorld) end(pid int) {
	g.die(pid)
	g.pass(time.Minute)
}

// settledAgent is an agent that has been one for a while.
func (g *guardWorld) settledAgent(pid int) {
	g.run(pid, runner, agent)
	g.pass(youngAge + time.Second)
}

// asksAbout counts the inquiries of a kind about one process.
func (g *guardWorld) asksAbout(kind inquiryKind, pid int) (n int) {
	for _, q := range g.asked {
		for _, id := range q.others {
			if q.kind == kind && id.PID == pid {
				n++
			}
		}
	}
	return n
}
