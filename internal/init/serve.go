package pid1

import (
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/signals"
)

// serve is the loop. It returns the exit status when nobody is left.
func (c *container) serve() int {
	c.unreaped, c.stirred = true, true // the main program may have ended before we looked
	if c.stdin != nil {
		c.stdin.woken(time.Now())
	}
	for !c.over() {
		if err := c.loop.poll.serve(c.turn); err != nil {
			c.log.Error("waiting failed", log.Cause(err))
		}
	}
	if c.terminal != nil && c.self != 1 {
		c.terminal.giveTo(c.terminal.group)
	}
	return c.status
}

// turn does all there is to do now, and says whether that was the last of it.
func (c *container) turn() (done bool) {
	for more := true; more; {
		if err := c.loop.source.ReadRest(c.signalled); err != nil {
			c.log.Error("signals not read", log.Cause(err))
		}
		var err error
		if more, err = c.loop.poll.take(c.dispatch); err != nil {
			c.log.Error("waiting failed", log.Cause(err))
		}
		c.reap()
		if c.stirred || c.drain != nil {
			c.settle(time.Now())
		}
		if c.over() {
			return true
		}
		more = more || c.busy()
	}
	return false
}

// settle does what is due, and sets the timer for what will be. The exit of an orphan
// changes neither, and does not come here.
func (c *container) settle(now time.Time) {
	c.stirred = false
	c.step(now)
	if err := c.loop.timer.set(c.due(now), now); err != nil {
		c.log.Error("timer not set", log.Cause(err))
	}
}

// over says whether nobody is left.
func (c *container) over() bool { return c.drain != nil && c.drain.Done() }

// busy says whether there is something to do at once.
func (c *container) busy() bool {
	return c.unreaped || c.loop.source.Rest() || c.socket != nil && len(c.socket.opening) > 0
}

// dispatch notes what woke us; exits are taken after it, in one place.
func (c *container) dispatch(kind int32, fd int) {
	c.stirred = c.stirred || kind != onSignal
	switch kind {
	case onSignal:
		if err := c.loop.source.Read(fd, c.signalled); err != nil {
			c.log.Error("signals not read", log.Cause(err))
		}
	case onTimer:
		c.loop.timer.clear()
	case onParent:
		c.parentEnded(fd)
	case onWake:
		c.verdicts = c.inspector.collect(c.verdicts)
		c.forgetAfter(workOver)
	case onStdin:
		c.stdin.woken(time.Now())
	default:
		c.called(kind, fd)
	}
}

// called is for the control socket, which a signal may just have closed.
func (c *container) called(kind int32, fd int) {
	c.forgetAfter(workOver)
	switch {
	case c.socket == nil:
	case kind == onSocket:
		c.socket.accept(time.Now())
	case kind == onCaller:
		c.socket.hear(fd)
	}
}

// parentEnded: whoever it had is ours now, and if it was a guard, whoever
// descends from it is to be dealt with at once.
func (c *container) parentEnded(fd int) {
	if c.watcher == nil {
		return
	}
	if id, ok := c.watcher.parentEnded(fd, time.Now()); ok && c.ledger.isGuard(id) {
		c.watcher.lookNow()
	}
}

func (c *container) signalled(info signals.Info) {
	if info.Signal == unix.SIGCHLD {
		c.unreaped = true
		return
	}
	c.stirred = true
	if i := slices.Index(c.released, info.Signal); i >= 0 && fromUs(info) {
		c.released = slices.Delete(c.released, i, i+1)
		return
	}
	c.receive(info.Signal, time.Now())
}

// step does what is due. What waits for a time is asked for its own.
func (c *container) step(now time.Time) {
	c.endRecess(now)
	switch {
	case c.drain != nil:
		c.stepDrain(now)
		return
	case c.inRecess():
		return
	}
	if c.stdin != nil && c.stdin.step(now) {
		c.log.Info("standard input ended: taken for SIGTERM")
		c.receive(unix.SIGTERM, now)
	}
	if !c.mainEnd {
		c.forwarder.Step(now)
	}
	if reached(c.forgetAt, now) {
		c.forget()
	}
	if c.socket != nil {
		c.stepSocket(now)
	}
	if c.ledger == nil {
		return
	}
	if c.arrears.first(c.unreaped, now) {
		c.stirred = true // the orphans have their turn after these
		return
	}
	defer c.survive("orphans are no longer handled", c.dropLedger)
	c.stepOrphans(now)
}

func (c *container) stepSocket(now time.Time) {
	defer c.survive("the control socket is closed", c.closeSocket)
	c.socket.answer(c.statusLine)
	c.openSessions(now)
	c.socket.step(now)
}

// survive turns a fault in a feature into its end: PID 1 has other duties, and must not
// die of this one.
func (c *container) survive(what string, off func()) {
	fault := recover()
	if fault == nil {
		return
	}
	c.log.Error(what+": a fault in sbinit, please report it",
		log.Text("fault", fmt.Sprint(fault)), log.Text("stack", string(debug.Stack())))
	c.counts.failed++
	off()
}

// due is the next time at which step has something to do.
func (c *container) due(now time.Time) time.Time {
	switch {
	case c.drain != nil:
		return c.drain.Due()
	case c.inRecess():
		return c.recess.end
	}
	due := c.forgetAt
	if !c.mainEnd {
		due = earliest(due, c.forwarder.Due())
	}
	if c.socket != nil {
		due = earliest(due, c.socket.due())
	}
	if c.stdin != nil {
		due = earliest(due, c.stdin.due())
	}
	if c.ledger != nil {
		due = earliest(due, c.watcher.due())
		if !c.watcher.failed(now) {
			due = earliest(due, c.ledger.due())
		}
	}
	return due
}
