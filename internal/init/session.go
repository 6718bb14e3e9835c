package pid1

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A session is one terminal session that was opened through the socket: a worker, our
// child, has the caller's connection. We are its front: what it cannot clean up, since
// it was killed, the ledger ends (hosted.go).
type session struct {
	worker proc.ID
	cred   unix.Ucred // of the caller
	began  time.Time
	mark   uint64
}

// killed stands for the reason of a session whose worker had no time for one.
const killed = "killed"

// outcomes counts how sessions ended.
type outcomes struct {
	opened, refused, escaped, killed uint64
	reasons                          map[wire.Reason]uint64
}

// openSessions starts one worker for those who want one, and refuses at once whom there
// is none for. Starting takes milliseconds, in which we do nothing else: the other
// callers wait until signals and exits have had their turn.
func (c *container) openSessions(now time.Time) {
	for len(c.socket.opening) > 0 {
		one := c.socket.opening[0]
		c.socket.opening = c.socket.opening[1:]
		if fault := c.cannotHost(); fault != nil {
			c.refuseSession(one.fd, *fault)
			continue
		}
		if err := c.host(one, now); err != nil {
			c.refuseSession(one.fd, wire.Error{Code: wire.CodeInternal, Message: "the session's worker cannot be started: " + err.Error()})
			continue
		}
		unix.Close(one.fd)
		c.stirred = true // for those who wait
		return
	}
}

// cannotHost says why there can be no session now.
func (c *container) cannotHost() *wire.Error {
	switch {
	case c.blind:
		return &wire.Error{Code: wire.CodeInternal, Message: "sbinit no longer handles orphans, after a fault"}
	case c.fs == nil:
		return &wire.Error{Code: wire.CodeCannotContain, Message: "nothing can be contained without /proc"}
	case len(c.sessions) >= c.cfg.Terminal.Sessions:
		return &wire.Error{Code: wire.CodeTooManySessions, Message: "as many sessions as SBINIT_TERMINAL_SESSIONS allows are open"}
	}
	return nil
}

// refuseSession says so in the words of the protocol, as far as the caller takes them.
func (c *container) refuseSession(fd int, fault wire.Error) {
	c.outcomes.refused++
	c.log.Info("terminal session refused", log.Text("code", string(fault.Code)))
	line := fault.Append(nil)
	line = wire.End{Reason: fault.Code.Reason(), Contained: true}.Append(line)
	_ = say(fd, line) // EPIPE, EAGAIN: its loss
	unix.Close(fd)
}

// host starts a worker. It has a mark before it starts anybody, which all of these
// inherit: whose they are is known however they leave their line.
func (c *container) host(from caller, now time.Time) error {
	fresh := c.trackSessions()
	if fresh {
		c.watcher.beforeFork()
	}
	mark := c.ledger.marks.next()
	pid, err := reap.Start(workerSpec(from.fd, mark, c.cfg.LogLevel.String()))
	if err != nil {
		return err
	}
	if fresh {
		c.watcher.afterFork(pid, now)
	}
	// Until we reap it, it has an entry in /proc, whatever becomes of it.
	stat, err := c.fs.Stat(pid)
	if err != nil {
		stat = proc.Stat{ID: proc.ID{PID: pid}}
	}
	c.sessions[pid] = session{worker: stat.ID, cred: from.cred, began: now, mark: mark}
	c.ledger.hosts(&stat, mark, now)
	c.outcomes.opened++
	c.log.Info("terminal session opened", log.Number("worker", pid), log.Number("caller", int(from.cred.Pid)), log.Number("uid", int(from.cred.Uid)))
	return nil
}

// workerSpec gives a worker what sbinit was started with, the connection as standard input
// and output, and no descriptor besides.
func workerSpec(connection int, mark uint64, level string) reap.Spec {
	env := append(inherit.Without(inherit.Environ(), "SBINIT_LOG_LEVEL"), "SBINIT_LOG_LEVEL="+level)
	spec := inherit.Self(wire.HostedArgv(), env)
	spec.Stdio = []int{connection, connection}
	spec.Session = true
	spec.Locks = proc.MarkLimit(mark)
	return spec
}

// trackSessions makes what a session's end is seen by, where orphans are kept and there
// are no guards: who has no sessions pays nothing for them. True: it was not there.
func (c *container) trackSessions() (fresh bool) {
	if c.ledger == nil {
		fresh = true
		c.track()
	}
	c.ledger.knowKin()
	return fresh
}

// sessionEnded takes the end of a worker. What it left is found by the look that follows.
func (c *container) sessionEnded(s session, status unix.WaitStatus) {
	delete(c.sessions, s.worker.PID)
	reason, contained, ok := wire.Outcome(reap.Code(status))
	switch {
	case !ok || status.Signaled():
		c.outcomes.killed++
		c.log.Warn("terminal session's worker has died", log.Number("worker", s.worker.PID),
			log.Number("status", reap.Code(status)))
	case !contained:
		c.outcomes.escaped++
		c.log.Error("terminal session was not contained: what is left of it is terminated", log.Number("worker", s.worker.PID))
	default:
		c.log.Info("terminal session ended", log.Number("worker", s.worker.PID), log.Text("reason", string(reason)))
	}
	if ok {
		c.outcomes.reasons[reason]++
	}
	switch {
	case c.ledger == nil:
	case ok && contained:
		c.ledger.unhost(s)
	default:
		c.ledger.loses(s, time.Now())
	}
	if c.watcher != nil {
		c.watcher.lookNow()
	}
	if c.socket != nil {
		c.socket.stir(time.Now())
	}
}

// killWorker ends a worker that was stopped, as its program may do: none of the session's
// bounds would hold any more.
func (c *container) killWorker(pid int) {
	c.log.Warn("terminal session's worker was stopped, and is killed", log.Number("worker", pid))
	_ = unix.Kill(pid, unix.SIGKILL) // not reaped yet, so that the number is its own
}

// stopSessions asks every worker to close its session.
func (c *container) stopSessions() {
	for pid := range c.sessions {
		_ = unix.Kill(pid, unix.SIGTERM) // not reaped yet, so that the number is its own
	}
}
