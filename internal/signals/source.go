package signals

import (
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Info is one signal as it came.
type Info struct {
	Signal unix.Signal
	Code   int32 // si_code (sigaction(2)): SI_USER, SI_QUEUE, SI_TKILL, SI_KERNEL, ...
	PID    int32 // of the sender; 0 when it is outside this PID namespace, or Unknown
}

// Unknown is the sender when os/signal does not tell.
const Unknown = -1

// A Source yields the signals sent to this process, for each number in the
// order in which they came. SIGCHLD is a wake-up: several may come as one.
type Source struct {
	queues []queue
	buf    [32 * recordSize]byte
}

// A queue is a descriptor from which records of one size are read.
type queue struct {
	fd     int
	decode func([]byte) Info
	rest   bool // there may be more to read
}

// readBudget is how many reads of a queue others wait for. A flood of real-time signals
// may have no end.
const readBudget = 4

const recordSize = 128 // of struct signalfd_siginfo, and of our own records

// Open starts to take signals. Blocked says that the process has every signal
// blocked in all its threads, the faults aside, which package inherit's entry
// stub sees to: the kernel then keeps each signal until it is read, and none is
// lost. Without it they come through os/signal, which cannot deliver 27 and 32
// to 34, loses queued real-time signals, and does not tell the sender.
func Open(blocked bool) (*Source, error) {
	if !blocked {
		q, err := openNotify(notified())
		return &Source{queues: []queue{q}}, err
	}
	fd, err := openSignalfd()
	if err != nil {
		return nil, err
	}
	q, err := openNotify(faults)
	return &Source{queues: []queue{{fd: fd, decode: fromSignalfd}, q}}, err
}

// Descriptors are to be watched for reading; call Read with the one that is
// ready.
func (s *Source) Descriptors() []int {
	fds := make([]int, len(s.queues))
	for i, q := range s.queues {
		fds[i] = q.fd
	}
	return fds
}

// Read calls fn for each signal that waits at that descriptor, but for no more than a
// budget of them. What is left is read by ReadRest, and the descriptor may not become
// ready for it.
func (s *Source) Read(fd int, fn func(Info)) error {
	for i := range s.queues {
		if q := &s.queues[i]; q.fd == fd {
			return s.drain(q, fn)
		}
	}
	return nil
}

// Rest says whether a budget was used up, so that there may be more to read.
func (s *Source) Rest() bool {
	return slices.ContainsFunc(s.queues, func(q queue) bool { return q.rest })
}

// ReadRest goes on where a budget was used up, with another one.
func (s *Source) ReadRest(fn func(Info)) (err error) {
	for i := range s.queues {
		if q := &s.queues[i]; q.rest {
			err = errors.Join(err, s.drain(q, fn))
		}
	}
	return err
}

// drain reads until less comes than there was room for, which says that
// nothing is left, or until the budget is used up. The descriptors never block, and
// a raw call spares the runtime's monitor.
func (s *Source) drain(q *queue, fn func(Info)) error {
	q.rest = false
	for range readBudget {
		got, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(q.fd), uintptr(unsafe.Pointer(&s.buf[0])), uintptr(len(s.buf)))
		switch errno {
		case 0:
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			return nil
		default:
			return os.NewSyscallError("read signals", errno)
		}
		n := int(got)
		for b := s.buf[:n]; len(b) >= recordSize; b = b[recordSize:] {
			fn(q.decode(b))
		}
		if n < len(s.buf) {
			return nil
		}
	}
	q.rest = true
	return nil
}

// openSignalfd reads all signals but the faults (signalfd(2)).
func openSignalfd() (int, error) {
	bits := ^uint64(0)
	for _, sig := range faults {
		bits &^= 1 << (sig - 1)
	}
	var set unix.Sigset_t
	*(*uint64)(unsafe.Pointer(&set)) = bits
	fd, err := unix.Signalfd(-1, &set, unix.SFD_CLOEXEC|unix.SFD_NONBLOCK)
	return fd, os.NewSyscallError("signalfd4", err)
}

// fromSignalfd reads struct signalfd_siginfo (signalfd(2)).
func fromSignalfd(b []byte) Info {
	e := binary.NativeEndian
	return Info{Signal: unix.Signal(e.Uint32(b)), Code: int32(e.Uint32(b[8:])), PID: int32(e.Uint32(b[12:]))}
}
