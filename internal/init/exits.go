package pid1

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/reap"
)

// How many exits are taken before signals get their turn again; and at the end,
// before another pass over those who are left.
const (
	reapBudget  = 64
	drainBudget = 8192
)

// reap takes exits, up to the budget.
func (c *container) reap() {
	if !c.unreaped {
		return
	}
	budget := reapBudget
	if c.drain != nil {
		budget = drainBudget
	}
	more, none, err := reap.Drain(budget, c.exited)
	if err != nil {
		c.log.Error("waiting for children failed", log.Cause(err))
	}
	c.unreaped = more
	if none && c.lingering && c.drain == nil {
		c.beginDrain(time.Now())
	}
}

func (c *container) exited(e reap.Exit) {
	if e.Status.Stopped() {
		if _, ok := c.sessions[e.PID]; ok {
			c.killWorker(e.PID)
		}
		if e.PID == c.main.pid && c.terminal != nil {
			c.terminal.stopped(c.main.pid, e.Status.StopSignal())
		}
		return
	}
	c.counts.reaped++
	if e.PID == c.main.pid {
		c.stirred = true
		c.mainEnded(e.Status)
		return
	}
	if s, ok := c.sessions[e.PID]; ok {
		c.stirred = true
		c.sessionEnded(s, e.Status)
		return
	}
	if c.cfg.WarnReaped {
		c.log.Warn("reaped zombie process", log.Number("pid", e.PID))
	}
	if c.ledger != nil {
		c.ledger.reaped(e.PID)
		c.bereave()
	}
}

// mainEnded is the turn from the container's life to its end.
func (c *container) mainEnded(status unix.WaitStatus) {
	c.mainEnd = true
	c.status = reap.Code(status)
	c.log.Info("main program ended", log.Number("pid", c.main.pid), log.Number("status", c.status))
	if c.cfg.ExitOK.Has(c.status) {
		c.status = 0
	}
	if c.cfg.Wait == config.WaitAll {
		c.lingering = true
		return
	}
	if c.cfg.Session && c.self != 1 {
		c.main.endSession()
	}
	c.beginDrain(time.Now())
}
