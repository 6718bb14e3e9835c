package contain

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
)

// ErrGone says that the process has ended; its number may be another's by now.
var ErrGone = errors.New("the process has ended")

// ErrUnidentified says that nothing was sent, because it could not be told
// that the number still is that process's.
var ErrUnidentified = errors.New("the process cannot be identified")

// Fence signals processes that it has identified.
type Fence struct {
	fs    *proc.FS
	pidfd bool // pidfd_open and pidfd_send_signal work here
}

// NewFence returns a fence that reads identities from fs.
func NewFence(fs *proc.FS, pidfd bool) *Fence { return &Fence{fs: fs, pidfd: pidfd} }

// Signal sends sigs in order to the process named by id. With pidfds the
// identity is read after the descriptor is open, so that what is signalled is
// what was read. Without them only a child of ours can be signalled: its number
// is not given out again before we reap it, which the caller must not do
// meanwhile. Errors: ErrGone, ErrUnidentified, or the kernel's (unix.EPERM).
func (f *Fence) Signal(id proc.ID, sigs ...unix.Signal) error {
	if !f.pidfd {
		return f.signalChild(id, sigs)
	}
	fd, err := proc.OpenPidfd(id.PID)
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if _, err := f.identify(id); err != nil {
		return err
	}
	for _, sig := range sigs {
		if err := proc.SignalPidfd(fd, sig); err != nil {
			return goneOr(err)
		}
	}
	return nil
}

func (f *Fence) signalChild(id proc.ID, sigs []unix.Signal) error {
	s, err := f.identify(id)
	if err != nil {
		return err
	}
	if s.PPID != os.Getpid() {
		return ErrUnidentified
	}
	for _, sig := range sigs {
		if err := unix.Kill(id.PID, sig); err != nil {
			return goneOr(err)
		}
	}
	return nil
}

// identify reads who has the number now.
func (f *Fence) identify(id proc.ID) (proc.Stat, error) {
	s, err := f.fs.Stat(id.PID)
	switch {
	case err == unix.ENOENT || err == unix.ESRCH:
		return s, ErrGone
	case err != nil:
		return s, ErrUnidentified
	case s.ID != id:
		return s, ErrGone
	}
	return s, nil
}

func goneOr(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}
