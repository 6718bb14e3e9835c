package pid1

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

// drainLimit is how long the kernel may take over SIGKILL at the end. What is
// left then is in an uninterruptible sleep, held by a tracer, or not ours to
// kill, and the exit of PID 1 has to do for it.
const drainLimit = 2 * time.Second

// recessShare is which part of SBINIT_EXIT_GRACE terminal sessions may take to end before
// all others are told to.
const recessShare = 2

// A recess is the time in which the sessions end, and the others are left alone.
type recess struct {
	end  time.Time // zero: there is none
	full time.Time // when the whole grace is over
}

// beginDrain ends everybody when the main program has ended. The sessions come first:
// their callers are told why.
func (c *container) beginDrain(now time.Time) {
	c.closeSocket()
	if len(c.sessions) == 0 || c.cfg.ExitGrace == 0 {
		c.newDrain(c.cfg.ExitGrace, now)
		return
	}
	c.recess = recess{end: now.Add(c.cfg.ExitGrace / recessShare), full: now.Add(c.cfg.ExitGrace)}
	c.stopSessions()
}

func (c *container) inRecess() bool { return !c.recess.end.IsZero() }

// endRecess goes on when no session is left, or its time is over.
func (c *container) endRecess(now time.Time) {
	if c.drain == nil && c.inRecess() && (len(c.sessions) == 0 || reached(c.recess.end, now)) {
		c.newDrain(c.recess.full.Sub(now), now)
	}
}

// newDrain gives everybody that time until SIGKILL: as PID 1 the whole namespace, as a
// subreaper those below us, if we end anybody.
func (c *container) newDrain(grace time.Duration, now time.Time) {
	if c.watcher != nil {
		c.watcher.close()
	}
	c.drain = contain.NewLadder(c.rest(), max(grace, 0), drainLimit, now)
}

// rest are those that end with the main program.
func (c *container) rest() contain.Population {
	switch {
	case c.self == 1:
		return &contain.Namespace{FS: c.fs}
	case c.leaves():
		return noRest{}
	}
	return contain.NewTree(c.self, c.fs, c.fence)
}

// leaves says that we are a subreaper which ends nobody: the next one above adopts
// who is left, as it does from tini and catatonit. SBINIT_WAIT=all comes to an end
// only by a stop signal, which is meant for everybody.
func (c *container) leaves() bool {
	return c.self != 1 && !c.tracksOrphans() && c.cfg.Wait == config.WaitMain
}

// noRest is an empty population.
type noRest struct{}

func (noRest) Tell(...unix.Signal) contain.Tally { return contain.Tally{} }
func (noRest) Empty() bool                       { return true }
func (noRest) Survivors() []proc.Stat            { return nil }

func (c *container) stepDrain(now time.Time) {
	was := c.drain.Killing()
	c.drain.Step(now)
	if c.drain.Killing() && !was {
		c.log.Info("what is left is killed", log.Took("grace", c.cfg.ExitGrace))
	}
	if c.drain.Done() {
		c.drained(c.drain.Report())
	}
}

// drained logs what could not be ended.
func (c *container) drained(r contain.Report) {
	c.counts.killed += uint64(r.Killed)
	if r.Contained {
		return
	}
	c.counts.failed++
	if len(r.Survivors) == 0 {
		c.log.Error("exiting although processes are left", log.Took("after", r.Took))
	}
	for _, p := range r.Survivors {
		c.log.Error("exiting although a process is left", log.Number("pid", p.PID), log.Text("name", p.Comm()),
			log.Text("state", string(p.State)), log.Took("after", r.Took))
	}
}
