package pid1

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

// signal, inspect, spawned, watch, mark and sealed are what the ledger needs (tracker).

func (c *container) signal(id proc.ID, sigs ...unix.Signal) error {
	err := c.fence.Signal(id, sigs...)
	if err != nil && !errors.Is(err, contain.ErrGone) {
		c.log.Debug("process not signalled", log.Number("pid", id.PID), log.Cause(err))
	}
	return err
}

// inspect asks nobody where orphans are kept and there are no guards: nothing that is
// known of a session's processes has to be asked for.
func (c *container) inspect(q inquiry) bool { return c.inspector != nil && c.inspector.inspect(q) }

func (c *container) spawned(pid int) bool {
	_, worker := c.sessions[pid]
	return worker || pid == c.main.pid
}

func (c *container) watch(id proc.ID) {
	if p := c.watcher.snap.Get(id); p != nil {
		c.watcher.watch(p, time.Now())
	}
}

func (c *container) mark(pid int) uint64 { return c.fs.Mark(pid) }

func (c *container) sealed(pid int) bool { return c.fs.Sealed(pid) }
