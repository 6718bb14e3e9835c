package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// OpenPidfd is pidfd_open(2): a descriptor that stays with one process and
// becomes readable when it has ended. The error is ENOSYS on old kernels, and
// ENOSYS or EPERM under a seccomp profile without it.
func OpenPidfd(pid int) (int, error) {
	for {
		fd, err := unix.PidfdOpen(pid, 0)
		if err == unix.EINTR {
			continue
		}
		return fd, os.NewSyscallError("pidfd_open", err)
	}
}

// SignalPidfd is pidfd_send_signal(2). unix.ESRCH: the process has ended.
func SignalPidfd(fd int, sig unix.Signal) error {
	for {
		err := unix.PidfdSendSignal(fd, sig, nil, 0)
		if err != unix.EINTR {
			return os.NewSyscallError("pidfd_send_signal", err)
		}
	}
}

// HavePidfd tries both calls on this very process: a seccomp profile can deny
// what the kernel's version promises.
func HavePidfd() error {
	fd, err := OpenPidfd(os.Getpid())
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return SignalPidfd(fd, 0)
}
