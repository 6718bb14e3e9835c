package reap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Exit is a change that wait(2) has told of: the end of a child, which is reaped by
// then, or that it was stopped.
type Exit struct {
	PID    int
	Status unix.WaitStatus
}

// Drain waits for children that have ended or stopped, and calls fn for each, but for
// no more than budget of them: a storm of exits must not keep the caller from its other
// duties. It never blocks.
//
// With more, the budget was used up, and Drain is to be called again. With none, there
// is no child left at all, of whatever state. Neither means that nothing has changed
// just now. Children of clone(2) without SIGCHLD as exit signal are included (__WALL in
// wait(2)). An error is one of wait4(2) that does not belong there, as by seccomp.
func Drain(budget int, fn func(Exit)) (more, none bool, err error) {
	for range budget {
		exit, errno := next()
		switch {
		case errno == unix.ECHILD:
			return false, true, nil
		case errno != 0:
			return false, false, os.NewSyscallError("wait4", errno)
		case exit.PID == 0:
			return false, false, nil
		}
		fn(exit)
	}
	return true, false, nil
}

// next returns the next change, with PID 0 if there is none. WNOHANG never blocks, so
// the scheduler need not know of the call.
func next() (Exit, unix.Errno) {
	const options = unix.WNOHANG | unix.WUNTRACED | unix.WALL
	for {
		var status int32
		pid, _, errno := unix.RawSyscall6(unix.SYS_WAIT4, ^uintptr(0),
			uintptr(unsafe.Pointer(&status)), options, 0, 0, 0)
		if errno != unix.EINTR {
			return Exit{PID: int(pid), Status: unix.WaitStatus(status)}, errno
		}
	}
}

// Continued says whether a child that was stopped goes on, once for each time. It
// takes no exit.
func Continued(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WCONTINUED|unix.WNOHANG, nil)
	return err == nil && info.Signo != 0
}
