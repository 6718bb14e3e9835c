package guard

import (
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/signals"
)

// A front is the process that the caller knows.
type front struct {
	*subreaper
	role     *Role
	channel  *channel
	waiter   *waiter
	inner    int // keeper or worker, 0 once it was reaped
	forward  signals.Forwarder
	terminal bool

	program int  // its number, 0 before it runs
	stops   int  // how often it was stopped, and we with it
	status  int  // exit status to give
	over    bool // the program has ended, or could not be started
	safe    bool // and the keeper says that nobody is left
	ladder  *contain.Ladder
}

// Front starts the inner process of a role, sees that nothing outlives it, and returns
// the exit status.
func Front(role *Role, s Setup) int {
	logger := log.New(s.Config, 2)
	defer logger.Close()
	for _, w := range s.Warnings {
		logger.Warn(w.String())
	}
	f, err := newFront(role, s, logger)
	if err != nil {
		logger.Error("guard not started", log.Cause(err))
		return role.refused
	}
	letGo(s.Descriptors)
	f.forgetStart()
	return f.run()
}

func newFront(role *Role, s Setup, logger *log.Logger) (*front, error) {
	r, err := newSubreaper(s)
	if err != nil {
		return nil, err
	}
	r.log = logger
	ours, theirs, err := newChannel()
	if err != nil {
		return nil, err
	}
	defer unix.Close(theirs.fd)
	f := &front{
		subreaper: r, role: role, channel: ours, waiter: newWaiter(s.Source, ours),
		terminal: role.job && onTerminal(), status: role.lost,
	}
	f.forward = signals.Forwarder{
		Rewrite: s.Config.Rewrite, Delay: s.Config.StopDelay, Grace: s.Config.StopGrace,
		Send: f.send, Kill: f.kill,
	}
	return f, f.startInner(s, theirs)
}

// startInner starts this very program again, with all that we were started with.
func (f *front) startInner(s Setup, theirs *channel) (err error) {
	if err := theirs.inheritable(true); err != nil {
		return err
	}
	spec := inherit.Self(f.role.argv(theirs.fd, s.Args), inherit.Environ())
	spec.Close = inherit.Closed()
	spec.ProcessGroup = f.role.ownGroup()
	if f.inner, err = reap.Start(spec); err != nil {
		return fmt.Errorf("start %s: %w", f.role.name, err)
	}
	return nil
}

// run ends when the inner process has, and nobody is left below us.
func (f *front) run() int {
	for {
		ready, err := f.waiter.wait(f.due(), f.signalled)
		if err != nil {
			f.log.Error("waiting failed", log.Cause(err))
		}
		if ready && f.channel.receive(f.take) {
			f.waiter.ignoreChannel()
		}
		f.reap()
		if code, done := f.step(time.Now()); done {
			return code
		}
	}
}

func (f *front) due() time.Time {
	if f.ladder != nil {
		return f.ladder.Due()
	}
	return f.forward.Due()
}

// step ends those whom the inner process has left us, if it left any.
func (f *front) step(now time.Time) (code int, done bool) {
	f.forward.Step(now)
	if f.inner != 0 {
		return 0, false
	}
	if f.over && !f.safe {
		return f.role.failed, true // it has used up the time, and named who is left
	}
	if f.ladder == nil {
		if !f.over {
			f.log.Info(f.role.name + " has gone: what it left is ended")
		}
		f.ladder = f.subreaper.ladder(now)
	}
	f.ladder.Step(now)
	if !f.ladder.Done() {
		return 0, false
	}
	f.report(f.ladder.Report())
	if !f.ladder.Report().Contained {
		return f.role.failed, true
	}
	if f.cfg.ExitOK.Has(f.status) {
		return 0, true
	}
	return f.status, true
}

// signalled passes a signal on, unless the program has it already, or it is the
// keeper's, which continues us with the program.
func (f *front) signalled(info signals.Info) {
	switch {
	case info.Signal == unix.SIGCHLD:
	case info.PID > 0 && int(info.PID) == f.inner:
	case f.terminal && toGroup(info):
	default:
		f.forward.Receive(info.Signal, time.Now())
	}
}

// toGroup says whether the kernel has sent a signal to our whole process group,
// which the program is in: SI_KERNEL is positive, what a process sends is not
// (sigaction(2)). A hang-up is sent to the leader of a session alone, and to the
// foreground group when that ends (tty_signal_session_leader, drivers/tty).
func toGroup(info signals.Info) bool {
	if info.Code <= 0 || !slices.Contains(fromTerminal, info.Signal) {
		return false
	}
	hangup := info.Signal == unix.SIGHUP || info.Signal == unix.SIGCONT
	session, err := unix.Getsid(0)
	return !hangup || err != nil || session != os.Getpid()
}

// fromTerminal are sent to process groups for the sake of a terminal (termios(3)).
var fromTerminal = []unix.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTSTP, unix.SIGWINCH, unix.SIGHUP, unix.SIGCONT,
	unix.SIGTTIN, unix.SIGTTOU}

// kill is for a program that did not stop in its time: the keeper kills it. A worker
// that did not end its session is killed itself, and what it leaves is ended here.
func (f *front) kill() {
	if f.role.job {
		f.send(unix.SIGKILL)
	} else if f.inner != 0 {
		_ = unix.Kill(f.inner, unix.SIGKILL)
	}
}

// send passes a signal on. A shell continues the whole job, the program with us, and
// that may be stopped again by now: SIGCONT is for the stop that we know of.
func (f *front) send(sig unix.Signal) {
	if f.terminal && sig == unix.SIGCONT {
		f.channel.send(message{goOn, int32(f.stops)})
		return
	}
	f.channel.send(message{signal, int32(sig)})
}

// take handles a message of the inner process's.
func (f *front) take(m message) {
	switch m.kind {
	case started:
		f.program = int(m.value)
	case stopped:
		f.stops++
		stopLike(unix.Signal(m.value))
	case failed:
		f.over, f.safe, f.status = true, true, int(m.value)
	case ended, escaped:
		f.over, f.safe, f.status = true, m.kind == ended, reap.Code(unix.WaitStatus(m.value))
	}
}

// reap takes every exit: the inner process's, and after it those of whoever it left.
func (f *front) reap() {
	for more := true; more; {
		more, _, _ = reap.Drain(64, func(e reap.Exit) {
			switch {
			case e.Status.Stopped():
				f.innerStopped(e.PID)
			case e.PID == f.inner:
				f.channel.receive(f.take) // its last words
				f.inner = 0
			case e.PID == f.program:
				f.status = reap.Code(e.Status)
			}
		})
	}
}

// innerStopped continues the inner process, which has no reason to be stopped and could
// not keep its promise. Where we are a job, that is for whoever is at the terminal.
func (f *front) innerStopped(pid int) {
	if pid == f.inner && !f.terminal {
		_ = unix.Kill(pid, unix.SIGCONT) // not reaped yet, so that the number is its own
	}
}
