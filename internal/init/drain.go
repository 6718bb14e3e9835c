package pid1

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/proc"
)

// drainLimit is how long the kernel may take over SIGKILL at the end. What is
// left then is in an uninterruptible sleep, held by a tracer, or not ours to
// kill, and the exit of PID 1 has to do for it.
const drainLimit = 2 * time.Second

// population is whoever is to be ended at the end.
type population interface {
	// tell sends the signals to everybody who has not got them yet.
	tell(sigs ...unix.Signal)
	// empty says whether nobody is left. It proves it.
	empty() bool
	// survivors lists some of who is left, for the log.
	survivors() []proc.Stat
}

// A drain ends what is left when the main program has ended: SIGTERM and
// SIGCONT, SBINIT_EXIT_GRACE for handlers to run, SIGKILL. There is one
// absolute deadline, and it does not move.
type drain struct {
	who      population
	log      *logger
	counts   *counts
	begun    time.Time
	killAt   time.Time // zero: it has come
	deadline time.Time
	next     time.Time
	pause    time.Duration
	killing  bool
	done     bool
}

func newDrain(who population, cfg config.Config, log *logger, c *counts, now time.Time) *drain {
	killAt := now.Add(cfg.ExitGrace)
	return &drain{
		who: who, log: log, counts: c, begun: now, next: now, pause: firstPause,
		killAt: killAt, deadline: killAt.Add(drainLimit),
	}
}

// hurry skips what is left of the grace: somebody asked to stop once more.
func (d *drain) hurry(now time.Time) {
	if d.killing {
		return
	}
	d.killAt, d.deadline = now, now.Add(drainLimit)
}

func (d *drain) due() time.Time { return earliest(d.next, d.killAt, d.deadline) }

// step sends what is to be sent now and says through done when nobody is left
// or the deadline has passed.
func (d *drain) step(now time.Time) {
	if d.who.empty() {
		d.done = true
		return
	}
	if reached(d.killAt, now) {
		d.killing, d.killAt, d.pause = true, time.Time{}, firstPause
		d.log.info("what is left is killed", took("after", now.Sub(d.begun)))
	}
	if reached(d.deadline, now) {
		d.giveUp(now)
		return
	}
	if d.killing {
		d.who.tell(unix.SIGKILL)
	} else {
		d.who.tell(unix.SIGTERM, unix.SIGCONT)
	}
	d.next = now.Add(d.pause)
	d.pause = min(2*d.pause, lastPause/10)
}

func (d *drain) giveUp(now time.Time) {
	d.done = true
	d.counts.failed++
	left := d.who.survivors()
	if len(left) == 0 {
		d.log.error("exiting although processes are left", took("after", now.Sub(d.begun)))
	}
	for _, p := range left {
		d.log.error("exiting although a process is left", number("pid", p.PID), text("name", p.Comm()),
			text("state", string(p.State)), took("after", now.Sub(d.begun)))
	}
}
