package pid1

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

// endingLimit is how long an ending tries SIGKILL until it says that it failed.
const endingLimit = 5 * time.Second

// An ending is the termination of one orphan, or of what a guard left, and of all
// that they started.
type ending struct {
	*contain.Ladder
	line   *line
	ledger *ledger
	root   proc.ID
	name   string
}

// newEnding ends the members and all below them, save who is exempt. Root and
// name are for the log: the orphan, or the guard whose end it is.
func (l *ledger) newEnding(root proc.ID, name string, members []proc.ID, exempt map[proc.ID]bool, s *proc.Snapshot) *ending {
	ln := &line{self: l.self, send: l.world.signal, exempt: exempt, members: map[proc.ID]unix.Signal{}, led: map[int]bool{}, spared: map[int]bool{}}
	for _, id := range members {
		ln.members[id] = 0
	}
	ln.extend(s)
	return &ending{line: ln, ledger: l, root: root, name: name}
}

// begin sends the first signals, with so much time until SIGKILL, and so much for that.
func (l *ledger) begin(e *ending, polite, hard time.Duration, now time.Time) {
	e.Ladder = contain.NewLadder(e.line, polite, hard, now)
	l.counts.terminated++
	e.Step(now)
	l.endings = append(l.endings, e)
}

// finish says how the ending came out. Who could not be ended is not tried
// again until the container's end.
func (e *ending) finish() {
	r := e.Report()
	e.ledger.counts.killed += uint64(r.Killed)
	if r.Contained {
		e.ledger.log.Info("terminated processes have ended", log.Number("pid", e.root.PID), log.Text("name", e.name),
			log.Number("killed", r.Killed), log.Took("after", r.Took))
		return
	}
	e.ledger.counts.failed++
	why := e.line.refused
	if why == nil {
		why = errors.New("SIGKILL was sent and has not ended them yet")
	}
	for id := range e.line.members {
		e.ledger.orphans[id.PID] = &orphan{Stat: proc.Stat{ID: id}, stage: keptForGood}
	}
	e.ledger.log.Error("terminated processes could not be ended", log.Number("pid", e.root.PID), log.Text("name", e.name),
		log.Number("left", len(e.line.members)), log.Cause(why))
}

// A line is an orphan with its descendants. Ending an adapter orphans its CLI,
// and ending that orphans its shell: whatever was below the orphan when its
// ending began, or is started by one of these, belongs to it, whoever its parent
// is by then.
type line struct {
	self    int
	send    func(proc.ID, ...unix.Signal) error
	members map[proc.ID]unix.Signal // the last signal that each has got
	exempt  map[proc.ID]bool        // kept, with all below them
	led     map[int]bool            // sessions and process groups that a member leads
	spared  map[int]bool            // those that somebody exempt is in
	refused error
}

// extend takes in what members have started, and drops who has ended.
func (l *line) extend(s *proc.Snapshot) {
	isMember := func(p *proc.Stat) bool { _, ok := l.members[p.ID]; return ok }
	isBarrier := func(p *proc.Stat) bool { return p.PID == l.self || l.exempt[p.ID] }
	s.Subtree(isMember, isBarrier, l.include)
	isExempt := func(p *proc.Stat) bool { return l.exempt[p.ID] }
	isSelf := func(p *proc.Stat) bool { return p.PID == l.self }
	s.Subtree(isExempt, isSelf, func(p *proc.Stat) { l.spared[p.SID], l.spared[p.PGID] = true, true })
	for id := range l.members {
		if p := s.Get(id); p == nil || !p.Alive() {
			delete(l.members, id)
		}
	}
}

func (l *line) include(p *proc.Stat) {
	if _, ok := l.members[p.ID]; !ok {
		l.members[p.ID] = 0
	}
	for _, group := range []int{p.PGID, p.SID} {
		if group == p.PID {
			l.led[group] = true
		}
	}
}

// claims says whether an orphan that was just noticed belongs here: it is a
// member already, or, if that may tell, in a session or process group that a
// member led. The runner's own session tells nothing.
func (l *line) claims(p *proc.Stat, byGroup bool) bool {
	if l.exempt[p.ID] {
		return false
	}
	_, member := l.members[p.ID]
	if !member && !(byGroup && (l.led[p.SID] || l.led[p.PGID])) {
		return false
	}
	l.include(p)
	return true
}

// spares says whether somebody exempt is in the session or process group of a
// process: whose it is then tells nothing.
func (l *line) spares(p *proc.Stat) bool {
	return l.exempt[p.ID] || l.spared[p.SID] || l.spared[p.PGID]
}

// Tell signals each member that has not had the signal.
func (l *line) Tell(sigs ...unix.Signal) contain.Tally {
	var t contain.Tally
	for id, had := range l.members {
		if had == sigs[0] {
			continue
		}
		switch err := l.send(id, sigs...); {
		case err == nil:
			l.members[id] = sigs[0]
			t.Signalled++
		case errors.Is(err, contain.ErrGone):
			delete(l.members, id)
		default:
			l.refused = err
			t.Refused++
		}
	}
	return t
}

// Empty goes by the last look, which is of this moment.
func (l *line) Empty() bool { return len(l.members) == 0 }

// Survivors are counted, not named: the members are.
func (l *line) Survivors() []proc.Stat { return nil }
