package pid1

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/signals"
)

// A container is the state of the loop. Fields from fs on are nil without
// /proc, from watcher on also where orphans are kept, until there is a session.
type container struct {
	cfg       config.Config
	log       *log.Logger
	loop      *loop
	self      int
	main      *program
	forwarder *signals.Forwarder
	terminal  *terminal     // nil: none to hand over
	released  []unix.Signal // what giving up the terminal brings, and nobody sent
	stdin     *stdinWatch   // nil: not watched
	counts    counts
	socket    *socket         // nil: none
	sessions  map[int]session // by their workers' numbers
	outcomes  outcomes
	began     time.Time
	version   string
	commit    string

	fs        *proc.FS
	fence     *contain.Fence
	pidfds    bool
	watcher   *watcher
	ledger    *ledger
	inspector *inspector

	forgetAt  time.Time // when forget is due
	stirred   bool      // something has happened that may be followed up, or make something due
	unreaped  bool      // more exits wait than the budget allowed
	arrears   arrears
	verdicts  []verdict
	refused   bool // a refusal to forward was mentioned
	mainEnd   bool // the main program has ended
	status    int  // its exit status
	lingering bool // SBINIT_WAIT=all: waiting for the rest to end by itself
	blind     bool // a fault has ended the handling of orphans
	recess    recess
	drain     *contain.Ladder
}

// receive passes a signal to whom it concerns in this phase.
func (c *container) receive(sig unix.Signal, now time.Time) {
	switch {
	case c.drain != nil:
		if signals.IsStop(sig) {
			c.drain.Hurry(now)
		}
	case c.inRecess():
		if signals.IsStop(sig) {
			c.newDrain(0, now)
		}
	case c.mainEnd || c.main.pid == 0:
		if signals.IsStop(sig) {
			c.beginDrain(now)
		}
	default:
		if sig == unix.SIGCONT && c.terminal != nil {
			c.terminal.continued(c.main.pid)
		}
		if !c.forwarder.Receive(sig, now) {
			c.log.Debug("signal dropped", log.Text("signal", signals.Name(sig)))
		}
		c.suspend(sig)
	}
}

// suspend stops us with the main program, for the shell that started us to notice.
// The kernel does not let PID 1 do this.
func (c *container) suspend(sig unix.Signal) {
	switch sig {
	case unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU:
		if c.cfg.Suspend {
			_ = unix.Kill(c.self, unix.SIGSTOP)
		}
	}
}

// forward passes a signal on to the main program. A refusal is mentioned once: a
// main program that changed its uid is out of the reach of an init without
// CAP_KILL, and will be at each signal.
func (c *container) forward(sig unix.Signal) {
	err := c.main.signal(sig)
	c.counts.forwarded++
	c.log.Debug("signal forwarded", log.Text("signal", signals.Name(sig)))
	if err == nil || errors.Is(err, unix.ESRCH) || c.refused {
		return
	}
	c.refused = true
	c.log.Warn("signal could not be forwarded to the main program", log.Text("signal", signals.Name(sig)), log.Cause(err))
}

// killMain ends a main program that took longer over a stop signal than it may.
func (c *container) killMain() {
	c.log.Warn("main program did not stop within SBINIT_STOP_GRACE and is killed", log.Took("grace", c.cfg.StopGrace))
	if err := c.main.kill(); err != nil && !errors.Is(err, unix.ESRCH) {
		c.log.Error("main program not killed", log.Cause(err))
	}
}
