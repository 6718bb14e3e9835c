package pid1

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// What a descriptor in the poller means.
const (
	onSignal int32 = iota
	onTimer
	onParent // a pidfd of a process that has children
	onWake   // another goroutine has something
	onStdin
	onSocket // somebody calls at the control socket
	onCaller // and says what is wanted
)

// A poller is the one place where PID 1 sleeps: an epoll descriptor, read
// through the runtime's own poller, so that no thread blocks in it.
type poller struct {
	fd     int
	conn   syscall.RawConn
	events [32]unix.EpollEvent
}

func newPoller() (*poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	conn, err := os.NewFile(uintptr(fd), "epoll").SyscallConn()
	if err != nil {
		return nil, err
	}
	return &poller{fd: fd, conn: conn}, nil
}

// add watches fd; kind comes back from wait with it.
func (p *poller) add(fd int, kind int32, events uint32) error {
	ev := unix.EpollEvent{Events: events, Fd: int32(fd), Pad: kind}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, fd, &ev))
}

func (p *poller) remove(fd int) {
	_ = unix.EpollCtl(p.fd, unix.EPOLL_CTL_DEL, fd, nil) // ENOENT: it was not watched
}

// wait sleeps until something is there, or with block false just looks, and
// calls fn for each descriptor that is ready.
func (p *poller) wait(block bool, fn func(kind int32, fd int)) error {
	n, waitErr := 0, error(nil)
	err := p.conn.Read(func(uintptr) bool {
		n, waitErr = unix.EpollWait(p.fd, p.events[:], 0)
		if waitErr == unix.EINTR {
			n, waitErr = 0, nil
		}
		return !block || n > 0 || waitErr != nil
	})
	if err == nil {
		err = waitErr
	}
	for _, ev := range p.events[:max(n, 0)] {
		fn(ev.Pad, int(ev.Fd))
	}
	return err
}

// A timer is a timerfd with one deadline: a Go timer would cost a thread
// switch each time.
type timer struct {
	fd int
	at time.Time
}

func newTimer() (*timer, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	return &timer{fd: fd}, os.NewSyscallError("timerfd_create", err)
}

// set makes the timer fire at that time; the zero time means never.
func (t *timer) set(at, now time.Time) error {
	if at.Equal(t.at) {
		return nil
	}
	t.at = at
	var spec unix.ItimerSpec
	if !at.IsZero() {
		spec.Value = unix.NsecToTimespec(max(at.Sub(now).Nanoseconds(), 1))
	}
	return os.NewSyscallError("timerfd_settime", unix.TimerfdSettime(t.fd, 0, &spec, nil))
}

// clear takes the expiry, so that the descriptor is no longer ready.
func (t *timer) clear() {
	var b [8]byte
	_, _ = unix.Read(t.fd, b[:]) // EAGAIN: it was set anew meanwhile
	t.at = time.Time{}
}

// earliest returns the first of the times, the zero time meaning never.
func earliest(times ...time.Time) time.Time {
	var first time.Time
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// reached says whether the time is set and has come.
func reached(t, now time.Time) bool { return !t.IsZero() && !t.After(now) }
