package pid1

import (
	"os"
	"syscall"
	"time"
	"unsafe"

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
// through the runtime's own poller, so that no thread blocks in it. What the loop
// does whenever it wakes it does by raw system calls, none of which blocks: each
// of the others would also wake the runtime's monitor (entersyscall in
// runtime/proc.go), which costs twice as much as the loop itself.
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
	_, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(p.fd), unix.EPOLL_CTL_ADD, uintptr(fd), uintptr(unsafe.Pointer(&ev)), 0, 0)
	if errno != 0 {
		return os.NewSyscallError("epoll_ctl", errno)
	}
	return nil
}

func (p *poller) remove(fd int) {
	unix.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(p.fd), unix.EPOLL_CTL_DEL, uintptr(fd), 0, 0, 0) // ENOENT: it was not watched
}

// serve calls turn, and again each time something has become ready since it was
// called last, until it says that all is done. It is woken by what becomes ready:
// a turn that leaves a descriptor ready, having taken it, is not called for it.
func (p *poller) serve(turn func() (done bool)) error {
	return p.conn.Read(func(uintptr) bool { return turn() })
}

// take calls fn for each descriptor that is ready now. With more, others may be
// ready, or the same ones still: only signals are known to be read to the last.
func (p *poller) take(fn func(kind int32, fd int)) (more bool, err error) {
	n, errno := p.ready()
	if errno != 0 {
		return false, os.NewSyscallError("epoll_pwait", errno)
	}
	more = n == len(p.events)
	for _, ev := range p.events[:n] {
		more = more || ev.Pad != onSignal
		fn(ev.Pad, int(ev.Fd))
	}
	return more, nil
}

// ready fills in the descriptors that are ready now. It never blocks.
func (p *poller) ready() (int, unix.Errno) {
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), 0, 0, 0)
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
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
	_, _, errno := unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(t.fd), 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("timerfd_settime", errno)
	}
	return nil
}

// clear takes the expiry, so that the descriptor is no longer ready.
func (t *timer) clear() {
	var b [8]byte
	unix.RawSyscall(unix.SYS_READ, uintptr(t.fd), uintptr(unsafe.Pointer(&b[0])), 8) // EAGAIN: it was set anew meanwhile
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
