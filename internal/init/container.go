package pid1

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/signals"
)

// How many exits are taken before signals get their turn again; and at the end,
// before another pass over those who are left.
const (
	reapBudget  = 64
	drainBudget = 8192
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

	unreaped  bool // more exits wait than the budget allowed
	arrears   arrears
	bereaved  bool // a process with children may have ended
	verdicts  []verdict
	refused   bool // a refusal to forward was mentioned
	mainEnd   bool // the main program has ended
	status    int  // its exit status
	lingering bool // SBINIT_WAIT=all: waiting for the rest to end by itself
	blind     bool // a fault has ended the handling of orphans
	recess    recess
	drain     *contain.Ladder
}

// tracksOrphans says whether anything is ever done about an orphan.
func (c *container) tracksOrphans() bool {
	return c.cfg.Orphans != config.OrphansKeep || len(c.cfg.Guard) > 0
}

// serve is the loop. It returns the exit status when nobody is left.
func (c *container) serve() int {
	c.unreaped = true // the main program may have ended before we looked
	if c.stdin != nil {
		c.stdin.woken(time.Now())
	}
	for c.drain == nil || !c.drain.Done() {
		if err := c.loop.poll.wait(!c.busy(), c.dispatch); err != nil {
			c.log.Error("waiting failed", log.Cause(err))
		}
		c.reap()
		now := time.Now()
		c.step(now)
		if err := c.loop.timer.set(c.due(), now); err != nil {
			c.log.Error("timer not set", log.Cause(err))
		}
	}
	if c.terminal != nil && c.self != 1 {
		c.terminal.giveTo(c.terminal.group)
	}
	return c.status
}

// busy says whether there is something to do at once.
func (c *container) busy() bool {
	return c.unreaped || c.socket != nil && len(c.socket.opening) > 0
}

// dispatch notes what woke us; exits are taken after it, in one place.
func (c *container) dispatch(kind int32, fd int) {
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
	case onStdin:
		c.stdin.woken(time.Now())
	default:
		c.called(kind, fd)
	}
}

// called is for the control socket, which a signal may just have closed.
func (c *container) called(kind int32, fd int) {
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
	c.bereaved = true
	if c.watcher == nil {
		return
	}
	if id, ok := c.watcher.parentEnded(fd); ok && c.ledger.isGuard(id) {
		c.watcher.lookNow()
	}
}

func (c *container) signalled(info signals.Info) {
	if info.Signal == unix.SIGCHLD {
		c.unreaped = true
		return
	}
	if i := slices.Index(c.released, info.Signal); i >= 0 && fromUs(info) {
		c.released = slices.Delete(c.released, i, i+1)
		return
	}
	c.receive(info.Signal, time.Now())
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
	c.log.Debug("signal forwarded", log.Text("signal", signals.Name(sig)))
	c.counts.forwarded++
	err := c.main.signal(sig)
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
		c.mainEnded(e.Status)
		return
	}
	if s, ok := c.sessions[e.PID]; ok {
		c.sessionEnded(s, e.Status)
		return
	}
	if c.cfg.WarnReaped {
		c.log.Warn("reaped zombie process", log.Number("pid", e.PID))
	}
	if c.ledger != nil {
		c.ledger.reaped(e.PID)
		c.bereaved = true
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
	if c.socket != nil {
		c.stepSocket(now)
	}
	if c.ledger != nil && !c.arrears.first(c.unreaped, now) {
		defer c.survive("orphans are no longer handled", c.dropLedger)
		c.stepOrphans(now)
	}
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

func (c *container) dropLedger() {
	c.watcher.close()
	c.watcher, c.ledger, c.blind = nil, nil, true
}

// stepOrphans looks when a look is wanted, or when somebody is due: nobody is
// judged or signalled by an old snapshot.
func (c *container) stepOrphans(now time.Time) {
	if c.watcher.tick(now) {
		c.ledger.ticked(now)
		c.bereaved = true
		c.watcher.wanted = c.watcher.wanted || c.ledger.asks(now)
	}
	if c.bereaved && !now.Before(c.watcher.nextGlance) {
		c.bereaved = false
		c.watcher.glance(now, func(pid int) { c.meet(pid, now) })
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

// due is the next time at which step has something to do.
func (c *container) due() time.Time {
	switch {
	case c.drain != nil:
		return c.drain.Due()
	case c.inRecess():
		return c.recess.end
	}
	var due time.Time
	if !c.mainEnd {
		due = c.forwarder.Due()
	}
	if c.socket != nil {
		due = earliest(due, c.socket.due())
	}
	if c.stdin != nil {
		due = earliest(due, c.stdin.due())
	}
	if c.ledger != nil {
		due = earliest(due, c.watcher.due(), c.ledger.due())
		if c.bereaved {
			due = earliest(due, c.watcher.nextGlance)
		}
	}
	return due
}
