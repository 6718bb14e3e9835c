package pid1

import (
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/signals"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// Failed is the exit status that says sbinit itself could not do its job.
const Failed = 125

// spareThreads are there before the main program is, which may use up all processes.
const spareThreads = 3

// Setup is what the init is started with.
type Setup struct {
	Config      config.Config
	Argv        []string // the main program; empty in pause mode
	Warnings    []config.Warning
	Personality config.Personality // whose exit statuses say why there is no main program
	Source      *signals.Source
	Descriptors []int // inherited ones above 2, for the main program alone
	Version     string
	Commit      string
}

// Run is the container's life. It returns the exit status for the container,
// Failed or another refusal, with a logged reason, if the main program could not be
// started.
func Run(s Setup) int {
	logger := log.New(s.Config, 2)
	defer logger.Close()
	for _, w := range s.Warnings {
		logger.Warn(w.String())
	}
	c, err := prepare(s, logger)
	if err != nil {
		logger.Error("cannot start", log.Cause(err))
		return s.Personality.Refusal(Failed)
	}
	if err := c.start(s); err != nil {
		c.closeSocket()
		c.notStarted(s.Argv, err)
		return s.Personality.Refusal(reap.ExitCode(err))
	}
	// From here on PID 1 may not bail out: every error is logged and survived.
	leaveCaller(s.Descriptors)
	c.forgetAfter(startOver)
	return c.serve()
}

// prepare acquires everything that the loop needs, before there is a program
// that depends on it.
func prepare(s Setup, logger *log.Logger) (*container, error) {
	if err := becomeReaper(s.Config, logger); err != nil {
		return nil, err
	}
	inherit.ReserveThreads(spareThreads)
	signals.LeaveRoom()
	logger.Info("settings", log.Text("effective", strings.Join(config.Effective(s.Config), " ")))
	l, err := newLoop(s.Source)
	if err != nil {
		return nil, err
	}
	c := &container{cfg: s.Config, log: logger, loop: l, self: os.Getpid(), version: s.Version, commit: s.Commit, began: time.Now()}
	c.sessions, c.outcomes.reasons = map[int]session{}, map[wire.Reason]uint64{}
	if err := c.openProc(); err != nil {
		logger.Warn("orphans cannot be seen: SBINIT_ORPHANS has no effect", log.Cause(err))
	}
	c.openSocket()
	c.terminal = findTerminal()
	if s.Config.StdinEOF == config.StdinEOFStop {
		if c.stdin, err = newStdinWatch(l.poll); err != nil {
			logger.Info("standard input cannot hang up: SBINIT_STDIN_EOF has no effect", log.Cause(err))
			c.stdin = nil
		}
	}
	return c, nil
}

// notStarted says why, and what may have been meant.
func (c *container) notStarted(argv []string, err error) {
	hint := ""
	if reap.ExitCode(err) == reap.ExitNotFound && len(argv) > 0 {
		hint = config.Misread(os.Args, len(argv), c.self == 1)
	}
	if hint == "" {
		c.log.Error("main program not started", log.Cause(err))
		return
	}
	c.log.Error("main program not started", log.Cause(err), log.Text("hint", hint))
}

// When memory is given back. A main program that ends by then does not wait for it, and
// work that goes on does not do so over and over.
const (
	startOver = time.Second
	workOver  = 10 * time.Second
)

// forgetAfter has forget called in a while: what only the start, an inspection or a
// caller needed is needed no more.
func (c *container) forgetAfter(pause time.Duration) {
	if c.forgetAt.IsZero() {
		c.forgetAt = time.Now().Add(pause)
	}
}

// forget gives back what is resident of the program's file.
func (c *container) forget() {
	c.forgetAt = time.Time{}
	if c.fs == nil {
		return
	}
	if err := c.fs.ForgetFile(); err != nil {
		c.log.Debug("pages of the program's file not given back", log.Cause(err))
	}
}

// becomeReaper makes orphans come to us where that is not so by itself.
func becomeReaper(cfg config.Config, logger *log.Logger) error {
	isPID1 := os.Getpid() == 1
	if cfg.Subreaper == config.SubreaperOn || cfg.Subreaper == config.SubreaperAuto && !isPID1 {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("become a child subreaper: %w", err)
		}
		return nil
	}
	if !isPID1 {
		logger.Warn("neither PID 1 nor a subreaper: orphans go to another process, SBINIT_SUBREAPER=on would bring them here")
	}
	return nil
}

// openProc finds out what /proc and pidfds offer here. Without /proc the plain
// duty of an init is done all the same.
func (c *container) openProc() error {
	fs, err := proc.Open()
	if err != nil {
		return err
	}
	pidfdErr := proc.HavePidfd()
	if pidfdErr != nil {
		c.log.Info("no pidfds here: orphans are noticed by the tick, and only children can be signalled", log.Cause(pidfdErr))
	}
	c.fs, c.fence, c.pidfds = fs, contain.NewFence(fs, pidfdErr == nil), pidfdErr == nil
	if !c.tracksOrphans() {
		return nil
	}
	in, err := newInspector(c.cfg)
	if err != nil {
		return err
	}
	if err := c.loop.poll.add(in.wake, onWake, unix.EPOLLIN); err != nil {
		return err
	}
	c.inspector = in
	c.track()
	return nil
}

// track makes what notices orphans, and what decides about them.
func (c *container) track() {
	c.watcher = newWatcher(c.self, c.fs, c.loop.poll, c.log, c.pidfds, c.cfg.ScanInterval)
	c.watcher.eager = len(c.cfg.Guard) > 0
	c.ledger = newLedger(c.self, c.cfg, c, c.log, &c.counts)
}

const socketless = "no control socket: no sessions are hosted, and sbinit's views read /proc"

// openSocket is for PID 1 alone. What goes wrong is no reason not to start.
func (c *container) openSocket() {
	if c.self != 1 || c.cfg.Socket == "" {
		return
	}
	var err error
	if c.socket, err = openSocket(c.cfg.Socket, c.loop.poll, c.log, &c.counts); err != nil {
		where, why := log.Text("path", c.cfg.Socket), log.Cause(err)
		if c.cfg.Socket == config.StandardSocket {
			c.log.Info(socketless, where, why)
		} else {
			c.log.Warn(socketless, where, why) // somebody wants it there
		}
		c.socket = nil
	}
}

func (c *container) closeSocket() {
	if c.socket != nil {
		c.socket.close()
		c.socket = nil
	}
}

// start starts the main program, and with it all clocks.
func (c *container) start(s Setup) error {
	if c.watcher != nil {
		c.watcher.beforeFork()
	}
	c.main = &program{target: c.cfg.Forward}
	if len(s.Argv) > 0 {
		c.main.name = path.Base(s.Argv[0])
		spec := c.spec(s)
		if c.terminal != nil && c.cfg.Session {
			c.released, c.terminal = c.terminal.release(), nil
		}
		pid, err := reap.Start(spec)
		if err != nil {
			return err
		}
		c.main.pid = pid
	}
	now := time.Now()
	if c.watcher != nil {
		c.watcher.afterFork(c.main.pid, now)
		if c.watcher.eager {
			c.watcher.lookNow() // what the main program starts is to bear its mark, if it is a guard
		}
		c.inspector.start(c.main.pid)
	}
	c.forwarder = &signals.Forwarder{
		Rewrite: c.cfg.Rewrite, Delay: c.cfg.StopDelay, Grace: c.cfg.StopGrace,
		Send: c.forward, Kill: c.killMain,
	}
	return nil
}

func (c *container) spec(s Setup) reap.Spec {
	spec := inherit.Program(s.Argv, inherit.Environ())
	spec.ProcessGroup = true
	spec.Session = c.cfg.Session
	spec.Foreground = c.terminal != nil
	spec.ListenPID = inherit.ListensAs(spec.Env, c.self)
	return spec
}

// leaveCaller lets go of what the main program has now and we have no use for:
// a working directory that could not be unmounted, the inherited descriptors.
func leaveCaller(descriptors []int) {
	_ = unix.Chdir("/") // ENOENT, EACCES: then we stay where we are
	for _, fd := range descriptors {
		_ = unix.Close(fd)
	}
}
