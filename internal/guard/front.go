package guard

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/signals"
)

// keeperName is the argv[0] by which this program knows that it is a keeper.
const keeperName = "sbinit-keeper"

// KeeperArgs says whether argv is that of a keeper: then fd is its end of the
// channel, and args the command line of the front that started it.
func KeeperArgs(argv []string) (fd int, args []string, ok bool) {
	if len(argv) < 3 || argv[0] != keeperName {
		return 0, nil, false
	}
	fd, err := strconv.Atoi(argv[1])
	return fd, append([]string{"sbinit"}, argv[2:]...), err == nil
}

// A front is the process that the caller knows.
type front struct {
	*subreaper
	channel  *channel
	waiter   *waiter
	keeper   int // 0 once it was reaped
	forward  signals.Forwarder
	terminal bool

	program int  // its number, 0 before it runs
	status  int  // exit status to give
	over    bool // the program has ended, or could not be started
	safe    bool // and the keeper says that nobody is left
	ladder  *contain.Ladder
}

// Front runs the program below a keeper, and returns its exit status.
func Front(s Setup) int {
	logger := log.New(s.Config, 2)
	defer logger.Close()
	for _, w := range s.Warnings {
		logger.Warn(w.String())
	}
	f, err := newFront(s, logger)
	if err != nil {
		logger.Error("guard not started", log.Cause(err))
		return Failed
	}
	letGo(s.Descriptors)
	return f.run()
}

func newFront(s Setup, logger *log.Logger) (*front, error) {
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
	f := &front{subreaper: r, channel: ours, waiter: newWaiter(s.Source, ours), terminal: onTerminal(), status: 128 + int(unix.SIGKILL)}
	f.forward = signals.Forwarder{
		Rewrite: s.Config.Rewrite, Delay: s.Config.StopDelay, Grace: s.Config.StopGrace,
		Send: f.send, Kill: func() { f.send(unix.SIGKILL) },
	}
	return f, f.startKeeper(s, theirs)
}

// startKeeper starts this very program again. It is given all that we were
// started with, for the program to have.
func (f *front) startKeeper(s Setup, theirs *channel) (err error) {
	if err := theirs.inheritable(true); err != nil {
		return err
	}
	spec := reap.Spec{
		Paths:        []string{"/proc/self/exe"},
		Argv:         append([]string{keeperName, strconv.Itoa(theirs.fd)}, s.Args...),
		Env:          inherit.Environ(),
		Close:        inherit.Closed(),
		ProcessGroup: true,
		Mask:         inherit.SignalMask(),
		Ignored:      inherit.IgnoredSignals(),
	}
	if limit, ok := inherit.NoFile(); ok {
		spec.NoFile = &limit
	}
	if f.keeper, err = reap.Start(spec); err != nil {
		return fmt.Errorf("start the keeper: %w", err)
	}
	return nil
}

// run ends when the program has, or the keeper, and nobody is left below us.
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

// step ends those whom the keeper has left us, if it left any.
func (f *front) step(now time.Time) (code int, done bool) {
	f.forward.Step(now)
	if f.keeper != 0 {
		return 0, false
	}
	if f.over && !f.safe {
		return Failed, true // the keeper has used up the time, and named who is left
	}
	if f.ladder == nil {
		if !f.over {
			f.log.Info("the keeper has gone: what it left is ended")
		}
		f.ladder = f.subreaper.ladder(now)
	}
	f.ladder.Step(now)
	if !f.ladder.Done() {
		return 0, false
	}
	f.report(f.ladder.Report())
	if !f.ladder.Report().Contained {
		return Failed, true
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
	case info.PID > 0 && int(info.PID) == f.keeper:
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

func (f *front) send(sig unix.Signal) { f.channel.send(message{signal, int32(sig)}) }

// take handles a message of the keeper's.
func (f *front) take(m message) {
	switch m.kind {
	case started:
		f.program = int(m.value)
	case stopped:
		stopLike(unix.Signal(m.value))
	case failed:
		f.over, f.safe, f.status = true, true, int(m.value)
	case ended, escaped:
		f.over, f.safe, f.status = true, m.kind == ended, reap.Code(unix.WaitStatus(m.value))
	}
}

// reap takes every exit: the keeper's, and after it those of whoever it left.
func (f *front) reap() {
	for more := true; more; {
		more, _, _ = reap.Drain(64, func(e reap.Exit) {
			switch {
			case e.Status.Stopped():
			case e.PID == f.keeper:
				f.channel.receive(f.take) // its last words
				f.keeper = 0
			case e.PID == f.program:
				f.status = reap.Code(e.Status)
			}
		})
	}
}
