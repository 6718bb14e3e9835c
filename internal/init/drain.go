package pid1

import (
	"time"

	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/log"
)

// drainLimit is how long the kernel may take over SIGKILL at the end. What is
// left then is in an uninterruptible sleep, held by a tracer, or not ours to
// kill, and the exit of PID 1 has to do for it.
const drainLimit = 2 * time.Second

// newDrain ends everybody when the main program has ended: as PID 1 the whole
// namespace, as a subreaper those below us.
func (c *container) newDrain(now time.Time) *contain.Ladder {
	if c.watcher != nil {
		c.watcher.close()
	}
	var who contain.Population = &contain.Namespace{FS: c.fs}
	if c.self != 1 {
		who = contain.NewTree(c.self, c.fs, c.fence)
	}
	return contain.NewLadder(who, c.cfg.ExitGrace, drainLimit, now)
}

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
