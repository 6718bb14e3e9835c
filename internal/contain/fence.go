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

// kernel is what a Fence asks of the kernel.
type kernel interface {
	Stat(pid int) (proc.Stat, error)
	Open(pid int) (fd int, err error)
	Send(fd int, sig unix.Signal) error
	Close(fd int)
}

// linux is the kernel.
type linux struct{ *proc.FS }

func (linux) Open(pid int) (int, error)          { return proc.OpenPidfd(pid) }
func (linux) Send(fd int, sig unix.Signal) error { return proc.SignalPidfd(fd, sig) }
func (linux) Close(fd int)                       { unix.Close(fd) }

// Fence signals processes that it has identified.
type Fence struct {
	kernel kernel
	pidfd  bool // pidfd_open and pidfd_send_signal work here
	root   int
	below  map[proc.ID]bool // known to be below root; who is, stays
}

// NewFence returns a fence that reads identities from fs.
func NewFence(fs *proc.FS, pidfd bool) *Fence { return newFence(linux{fs}, pidfd) }

func newFence(k kernel, pidfd bool) *Fence {
	return &Fence{kernel: k, pidfd: pidfd, below: map[proc.ID]bool{}}
}

// begin starts a pass over who is below the subreaper with number root.
func (f *Fence) begin(root int) {
	f.root = root
	clear(f.below)
}

// Signal sends sigs in order to the process named by id. With pidfds the
// identity is read after the descriptor is open, so that what is signalled is
// what was read. Without them only a child of ours can be signalled: its number
// is not given out again before we reap it, which the caller must not do
// meanwhile. Errors: ErrGone, ErrUnidentified, or the kernel's (unix.EPERM).
func (f *Fence) Signal(id proc.ID, sigs ...unix.Signal) error {
	return f.signal(id, sigs, func(proc.Stat) error { return nil })
}

// SignalBelow is Signal to a process that has to be below the root of this
// pass, which is read after the descriptor is open too: a walk is not one
// moment, and a number given out anew during it makes a stranger look like
// somebody's child.
func (f *Fence) SignalBelow(id proc.ID, sigs ...unix.Signal) error {
	return f.signal(id, sigs, f.checkBelow)
}

func (f *Fence) signal(id proc.ID, sigs []unix.Signal, check func(proc.Stat) error) error {
	if !f.pidfd {
		return f.signalChild(id, sigs)
	}
	fd, err := f.kernel.Open(id.PID)
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	if err != nil {
		return err
	}
	defer f.kernel.Close(fd)
	s, err := f.identify(id)
	if err == nil {
		err = check(s)
	}
	if err != nil {
		return err
	}
	for _, sig := range sigs {
		if err := f.kernel.Send(fd, sig); err != nil {
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
	s, err := f.kernel.Stat(id.PID)
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

// checkBelow climbs from a process to the root, or to one known to be below it.
// A parent that ends meanwhile breaks the climb; the next pass tries again.
func (f *Fence) checkBelow(s proc.Stat) error {
	at := s
	for at.PPID != f.root {
		parent, err := f.kernel.Stat(at.PPID)
		if err != nil || at.PPID <= 1 || parent.Start > at.Start {
			return ErrUnidentified
		}
		if f.below[parent.ID] {
			break
		}
		at = parent
	}
	f.below[s.ID] = true
	return nil
}

func goneOr(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}
