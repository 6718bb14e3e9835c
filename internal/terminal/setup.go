package terminal

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/signals"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// statusRefused is a worker's exit status for a session that ended in error, or was none.
const statusRefused = 1

// spareThreads are there before the program is, which may use up all processes.
const spareThreads = 2

// A Superior guards a worker: should that be killed, the superior ends what it leaves.
type Superior interface {
	// Descriptor becomes readable when there is something to receive.
	Descriptor() int
	// Receive calls fn for each signal that was passed on, and returns true once the
	// superior has gone.
	Receive(fn func(unix.Signal)) (gone bool)
	// Report is the last call: exit status, and whether nobody is left.
	Report(code int, contained bool)
}

// Setup is what a worker is started with.
type Setup struct {
	Config      config.Config
	In, Out     int      // the caller's descriptors; may be one and the same
	Environ     []string // of which the program gets the listed part
	Source      *signals.Source
	Superior    Superior // nil: the init, whose end is ours, and which goes by our exit status (wire.Outcome)
	Descriptors []int    // inherited ones above 2, which the program does not get
}

// Worker serves one session, and returns the exit status.
func Worker(s Setup) int {
	logger := log.New(s.Config, 2)
	defer logger.Close()
	w, err := newWorker(s, logger)
	if err != nil {
		logger.Error("session refused", log.Text("code", string(err.Code)), log.Text("error", err.Message))
		return w.refuse(*err)
	}
	return w.run()
}

// newWorker checks all that a session needs before there is one. The worker is good for
// a refusal in any case.
func newWorker(s Setup, logger *log.Logger) (*worker, *wire.Error) {
	w := &worker{log: logger, source: s.Source, superior: s.Superior}
	in, errIn := openDescriptor(s.In, unix.O_RDONLY)
	out, errOut := openDescriptor(s.Out, unix.O_WRONLY)
	if errIn != nil || errOut != nil {
		return w, &wire.Error{Code: wire.CodeInternal, Message: "standard input and output have to be open"}
	}
	w.connection = newConnection(in, out)
	if s.Superior == nil && broughtTerminal(in.fd) {
		s.Config.Terminal = forPerson(s.Config.Terminal)
	}
	for _, fd := range slices.Compact([]int{s.In, s.Out}) {
		letGo(fd)
	}
	for _, fd := range s.Descriptors {
		if s.Superior == nil || fd != s.Superior.Descriptor() {
			unix.Close(fd)
		}
	}
	inherit.ReserveThreads(spareThreads)
	fs, err := container()
	if err != nil {
		return w, &wire.Error{Code: wire.CodeCannotContain, Message: err.Error()}
	}
	other, err := otherUser(s.Config.Terminal.User)
	if err != nil {
		return w, &wire.Error{Code: wire.CodeBadSetting, Message: err.Error()}
	}
	w.recipe = recipe{environ: s.Environ, more: s.Config.Terminal.Env, user: other}
	w.contain(s.Config, fs)
	return w, nil
}

// CanContain says why no session can be contained here.
func CanContain() error {
	fs, err := container()
	if err == nil {
		fs.Close()
	}
	return err
}

// container makes this process the one that orphans below it come to, and refuses
// where it could not find or identify them.
func container() (*proc.FS, error) {
	if err := proc.HavePidfd(); err != nil {
		return nil, fmt.Errorf("nothing can be contained without pidfds (a seccomp profile may forbid them): %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become a child subreaper: %w", err)
	}
	fs, err := proc.Open()
	if err != nil {
		return nil, fmt.Errorf("nothing can be contained without /proc: %w", err)
	}
	return fs, nil
}

// letGo puts /dev/null in a standard descriptor's place, whose open file we have another
// descriptor for; any other is closed.
func letGo(fd int) {
	if fd <= 2 {
		null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			return // nothing is lost: we hold it twice until we end
		}
		defer unix.Close(null)
		_ = unix.Dup3(null, fd, 0)
		return
	}
	unix.Close(fd)
}

// limits are those of a session, from the settings.
func limits(t config.Terminal) wire.Limits {
	return wire.Limits{
		Lifetime: t.Lifetime, Idle: t.Idle, IOTimeout: t.IO, CleanupTimeout: t.Cleanup,
		DrainLimit: t.DrainLimit, Descendants: t.Descendants, Scan: t.Scan,
	}
}
