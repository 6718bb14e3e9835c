package pid1

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/proc"
)

const (
	firstPause = 2 * time.Millisecond
	lastPause  = 250 * time.Millisecond
	giveUp     = 5 * time.Second // from the first SIGKILL, until an ending says that it failed
)

// An ending is the termination of one orphan and all that it started. Ending an
// adapter orphans its CLI, and ending that orphans its shell: whatever was
// below the orphan when it began, or is started by one of these, belongs to it,
// whoever its parent is by then.
type ending struct {
	ledger   *ledger
	root     proc.ID
	name     string
	members  map[proc.ID]sent
	exempt   map[proc.ID]bool // kept, with all below them
	sessions map[int]bool     // sessions and process groups led by a member
	killAt   time.Time        // zero: never
	giveUpAt time.Time
	next     time.Time
	pause    time.Duration
	refused  error
	killing  bool
	over     bool
}

// sent is the strongest signal a member got.
type sent uint8

const (
	nothing sent = iota
	terminated
	killed
)

func newEnding(l *ledger, root proc.ID, v verdict, s *snapshot, now time.Time) *ending {
	killAt := now.Add(l.cfg.KillGrace)
	e := &ending{
		ledger: l, root: root, name: v.name, exempt: v.exempt, pause: firstPause,
		members: map[proc.ID]sent{root: nothing}, sessions: map[int]bool{},
		killAt: killAt, giveUpAt: killAt.Add(giveUp),
	}
	e.extend(s)
	return e
}

// extend takes in what members have started, and drops who has ended.
func (e *ending) extend(s *snapshot) {
	isMember := func(p *proc.Stat) bool { _, ok := e.members[p.ID]; return ok }
	isBarrier := func(p *proc.Stat) bool { return p.PID == e.ledger.self || e.exempt[p.ID] }
	s.subtree(isMember, isBarrier, func(p *proc.Stat) { e.include(p) })
	for id := range e.members {
		if p := s.get(id); p == nil || !p.Alive() {
			delete(e.members, id)
		}
	}
}

func (e *ending) include(p *proc.Stat) {
	if _, ok := e.members[p.ID]; !ok {
		e.members[p.ID] = nothing
	}
	for _, led := range []int{p.PGID, p.SID} {
		if led == p.PID {
			e.sessions[led] = true
		}
	}
}

// claims says whether an orphan that was just noticed belongs here: it is a
// member already, or its line was never seen and it is in a session or process
// group that a member led. The runner's own session tells nothing.
func (e *ending) claims(p *proc.Stat) bool {
	if e.exempt[p.ID] {
		return false
	}
	if _, ok := e.members[p.ID]; !ok && !e.sessions[p.SID] && !e.sessions[p.PGID] {
		return false
	}
	e.include(p)
	return true
}

func (e *ending) due() time.Time { return earliest(e.next, e.killAt) }

// step signals whoever has not got the signal of the hour, and plans the next
// look.
func (e *ending) step(now time.Time) {
	if reached(e.killAt, now) {
		e.killing, e.killAt, e.pause = true, time.Time{}, firstPause
	}
	for id, had := range e.members {
		e.tell(id, had)
	}
	switch {
	case len(e.members) == 0:
		e.finish()
	case e.killing && reached(e.giveUpAt, now):
		e.fail()
	default:
		e.plan(now)
	}
}

// plan lets the pauses grow: soon after a signal much happens, later little.
func (e *ending) plan(now time.Time) {
	e.next = now.Add(e.pause)
	e.pause = min(2*e.pause, lastPause)
}

func (e *ending) tell(id proc.ID, had sent) {
	want, sigs := terminated, []unix.Signal{unix.SIGTERM, unix.SIGCONT}
	if e.killing {
		want, sigs = killed, []unix.Signal{unix.SIGKILL}
	}
	if had >= want {
		return
	}
	switch err := e.ledger.world.signal(id, sigs...); {
	case errors.Is(err, contain.ErrGone):
		delete(e.members, id)
	case err != nil:
		e.refused = err
	default:
		e.members[id] = want
		if want == killed {
			e.ledger.counts.killed++
		}
	}
}

func (e *ending) finish() {
	e.over = true
	e.ledger.log.info("orphan's processes have ended", number("pid", e.root.PID), text("name", e.name))
}

func (e *ending) fail() {
	e.over = true
	e.ledger.counts.failed++
	why := e.refused
	if why == nil {
		why = errors.New("SIGKILL was sent and has not ended them yet")
	}
	e.ledger.log.error("orphan's processes could not be ended", number("pid", e.root.PID), text("name", e.name),
		number("left", len(e.members)), cause(why))
}
