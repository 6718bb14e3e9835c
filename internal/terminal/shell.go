package terminal

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/signals"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// statusFailed is the exit status of a shell that could not do its job.
const statusFailed = 125

const (
	// closeLimit is how long a shell that was told to stop waits for its session's end.
	closeLimit = 15 * time.Second
	// hostLimit is how long a front may take to clean up after its worker.
	hostLimit = 15 * time.Second
)

// A Link is a connection to a worker.
type Link struct {
	FD   int // a stream socket
	Host int // our child that guards the worker; 0 if that is the init
}

// ShellSetup is what a shell is started with.
type ShellSetup struct {
	Config  config.Config
	Argv    []string // the program; none is the user's shell
	Environ []string
	Source  *signals.Source
	Dial    func() (Link, error)
}

// Shell gives a person at a terminal a session, and returns the program's exit status.
// Whatever happens, the terminal is left as it was.
func Shell(s ShellSetup) int {
	logger := log.New(s.Config, 2)
	defer logger.Close()
	h, err := newShell(s, logger)
	if err != nil {
		logger.Error("no session", log.Cause(err))
		return statusFailed
	}
	h.run()
	return h.status()
}

// A shell moves bytes between a person's terminal and a worker.
type shell struct {
	log    *log.Logger
	source *signals.Source
	screen *screen
	peer   *peer
	shown  []byte // output that waits for the screen
	modes  modes  // what the program has made of it
	more   bool   // the next message may be here already
	host   int    // our child, until it is reaped
	polls  []unix.PollFd

	exited   *wire.Exited
	failure  *wire.Error
	end      *wire.End
	told     unix.Signal // what told us to stop
	giveUp   time.Time   // when it has taken too long; zero: no hurry
	hostCode int         // exit status of our child
}

func newShell(s ShellSetup, logger *log.Logger) (*shell, error) {
	screen, err := openScreen()
	if err != nil {
		return nil, err
	}
	open := shellOpen(s, screen.size())
	if err := open.Check(); err != nil {
		return nil, err
	}
	link, err := s.Dial()
	if err != nil {
		return nil, err
	}
	h := &shell{log: logger, source: s.Source, screen: screen, peer: newPeer(link.FD), host: link.Host}
	h.peer.say(open)
	if link.Host == 0 {
		h.peer.rights = unix.UnixRights(screen.in.fd)
	}
	for range shellPlaces {
		h.polls = append(h.polls, unix.PollFd{Fd: -1})
	}
	for _, fd := range s.Source.Descriptors() {
		h.polls = append(h.polls, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	return h, screen.raw()
}

// run ends when the worker has said all, or can say no more.
func (h *shell) run() {
	defer h.await()
	defer h.leave()
	for !h.peer.gone || len(h.shown) > 0 {
		if !h.giveUp.IsZero() && !time.Now().Before(h.giveUp) {
			return
		}
		h.wait()
		h.hear()
		h.reap()
		h.read()
		if h.roomy() {
			h.more = h.peer.receive(h.take)
		}
		h.peer.flush()
		h.show()
	}
}

// leave gives the terminal back as it was found, also where the program was ended and
// could not do its part.
func (h *shell) leave() {
	if h.end == nil || h.end.Reason != wire.ReasonExited || h.exited == nil || h.exited.Signal != 0 {
		h.shown = append(h.shown, h.modes.reset()...)
		h.show()
	}
	h.screen.restore()
}

// roomy says whether more output is wanted.
func (h *shell) roomy() bool { return len(h.shown) < outputMark }

// await waits for the front of our own worker, which ends what the worker has left.
func (h *shell) await() {
	h.peer.close()
	h.polls[shellIn].Fd, h.polls[shellOut].Fd, h.polls[shellPeer].Fd = -1, -1, -1
	for deadline := time.Now().Add(hostLimit); h.host != 0 && time.Now().Before(deadline); h.reap() {
		h.poll(deadline)
		h.hear()
	}
}

// hear takes signals. What asks for an end closes the session; its own program has been
// told by its own terminal what a person typed.
func (h *shell) hear() {
	for _, fd := range h.polls[shellPlaces:] {
		if fd.Revents == 0 {
			continue
		}
		if err := h.source.Read(int(fd.Fd), h.signalled); err != nil {
			h.log.Error("signals cannot be read", log.Cause(err))
		}
	}
}

func (h *shell) signalled(i signals.Info) {
	switch {
	case i.Signal == unix.SIGWINCH:
		h.peer.say(h.screen.size())
	case i.Signal == unix.SIGCONT: // whoever had the terminal meanwhile has changed it
		_ = h.screen.raw()
		h.peer.say(h.screen.size())
	case signals.IsStop(i.Signal) || i.Signal == unix.SIGHUP:
		h.stop(i.Signal)
	}
}

// stop asks for the end of the session, once.
func (h *shell) stop(sig unix.Signal) {
	if h.told != 0 {
		return
	}
	h.told, h.giveUp = sig, time.Now().Add(closeLimit)
	h.peer.say(wire.Close{})
}

func (h *shell) reap() {
	_, _, _ = reap.Drain(64, func(e reap.Exit) {
		if e.PID == h.host && !e.Status.Stopped() {
			h.host, h.hostCode = 0, reap.Code(e.Status)
		}
	})
}

// read passes on what is typed. The end of it is a terminal that hung up.
func (h *shell) read() {
	if h.told != 0 || h.peer.room() == 0 || h.polls[shellIn].Revents == 0 {
		return
	}
	var typed [4096]byte
	n, err := h.screen.in.Read(typed[:min(len(typed), h.peer.room())])
	switch {
	case n > 0:
		h.peer.input(typed[:n])
	case err != unix.EAGAIN:
		h.stop(unix.SIGHUP)
	}
}

// take handles a message of the worker's.
func (h *shell) take(m wire.WorkerMessage) {
	switch m := m.(type) {
	case wire.Output:
		h.shown = append(h.shown, m.Data...)
	case wire.Exited:
		h.exited = &m
	case wire.Error:
		h.failure = &m
	case wire.End:
		h.end = &m
	}
}

// show writes to the screen. One that is gone takes no more, and its hang-up will come
// by other ways.
func (h *shell) show() {
	for len(h.shown) > 0 {
		n, err := h.screen.out.Write(h.shown)
		h.modes.see(h.shown[:n])
		h.shown = h.shown[:copy(h.shown, h.shown[n:])]
		if err == unix.EAGAIN {
			return
		}
		if err != nil {
			h.shown = nil
			h.stop(unix.SIGHUP)
		}
	}
}

// status says how it came out, in words too unless it is the program's own end.
func (h *shell) status() int {
	switch {
	case h.end != nil && !h.end.Contained, h.end == nil && h.hostCode == 2:
		h.log.Error("not contained: processes of the session are left")
		return statusFailed
	case h.told != 0:
		return 128 + int(h.told)
	case h.end == nil:
		h.log.Error("the session's worker has gone; what it left has been ended")
		return statusFailed
	case h.failure != nil && h.failure.Code.Reason() == h.end.Reason:
		h.log.Error("the session has failed", log.Cause(errors.New(h.failure.Message)))
		return failureStatus(h.failure.Code)
	case h.end.Reason != wire.ReasonExited || h.exited == nil:
		h.log.Error("the session was ended", log.Text("reason", string(h.end.Reason)))
		return statusFailed
	case h.exited.Signal != 0:
		return 128 + int(h.exited.Signal)
	}
	return h.exited.Code
}

// failureStatus is what a person's shell would say of a program that was not started.
func failureStatus(code wire.Code) int {
	switch code {
	case wire.CodeNotFound:
		return 127
	case wire.CodeNotRunnable:
		return 126
	}
	return statusFailed
}
