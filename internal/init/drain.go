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

// newDrain ends everybody when the main program has ended: as PID 1 the whole
// namespace, as a subreaper those below us, if we end anybody.
func (c *container) newDrain(now time.Time) *contain.Ladder {
	if c.watcher != nil {
		c.watcher.close()
	}
	return contain.NewLadder(c.rest(), c.cfg.ExitGrace, drainLimit, now)
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
