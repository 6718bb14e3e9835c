package pid1

import (
	"time"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/log"
)

// tracksOrphans says whether anything is ever done about an orphan.
func (c *container) tracksOrphans() bool {
	return c.cfg.Orphans != config.OrphansKeep || len(c.cfg.Guard) > 0
}

// bereave asks for a glance: the child that was reaped may have had children.
func (c *container) bereave() {
	if c.watcher.glanceAt.IsZero() {
		c.watcher.bereaved(time.Now())
		c.stirred = true
	}
}

// stepOrphans looks when a look is wanted, or when somebody is due: nobody is
// judged or signalled by an old snapshot.
func (c *container) stepOrphans(now time.Time) {
	if c.watcher.tick(now) {
		c.ledger.ticked(now)
		c.watcher.glanceAt = now
		c.watcher.wanted = c.watcher.wanted || c.ledger.asks(now)
	}
	if reached(c.watcher.glanceAt, now) {
		c.watcher.glance(func(pid int) { c.meet(pid, now) })
	}
	if c.watcher.failed(now) {
		return
	}
	due := len(c.verdicts) > 0 || reached(c.ledger.due(), now)
	if !due && !c.watcher.ready(now) {
		return
	}
	if err := c.watcher.look(now); err != nil {
		c.log.Error("processes not read", log.Cause(err))
		return
	}
	c.ledger.observe(&c.watcher.snap, now)
	for _, v := range c.verdicts {
		c.ledger.decide(v, &c.watcher.snap, now)
	}
	c.verdicts = c.verdicts[:0]
	c.ledger.step(&c.watcher.snap, now)
}

// meet enters a child that nobody knew. Where guards own processes it asks for a
// look: somebody's parent has ended.
func (c *container) meet(pid int, now time.Time) {
	if c.spawned(pid) || c.ledger.known(pid) {
		return
	}
	if p, err := c.fs.Stat(pid); err == nil && p.PPID == c.self && p.Alive() {
		c.ledger.adopt(&p, now)
		c.watcher.wanted = c.watcher.wanted || c.ledger.kin != nil
	}
}

func (c *container) dropLedger() {
	c.watcher.close()
	c.watcher, c.ledger, c.blind = nil, nil, true
}
