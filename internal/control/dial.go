package control

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrForeign says that another process than PID 1 listens at the socket: another
// container's init, where /run is shared, or somebody who wants to be taken for it.
var ErrForeign = errors.New("its server is not PID 1 of this container")

// Dial connects to the init's socket, and has it proved that PID 1 is what answers. The
// descriptor blocks, has FD_CLOEXEC, and the limit for each send and receive. Errors are
// those of connect(2): ENOENT and ECONNREFUSED say that there is no init's socket, EAGAIN
// that the init does not accept within the limit.
func Dial(path string, limit time.Duration) (fd int, err error) {
	fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	if err := dial(fd, path, limit); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("%s: %w", path, err)
	}
	return fd, nil
}

func dial(fd int, path string, limit time.Duration) error {
	if err := bound(fd, limit); err != nil {
		return err
	}
	if err := connect(fd, path); err != nil {
		return os.NewSyscallError("connect", err)
	}
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	switch {
	case err != nil:
		return os.NewSyscallError("getsockopt", err)
	case peer.Pid != 1:
		return ErrForeign
	}
	return nil
}

// bound limits how long connect, send and receive may take (socket(7)).
func bound(fd int, limit time.Duration) error {
	tv := unix.NsecToTimeval(max(limit, time.Millisecond).Nanoseconds())
	for _, option := range []int{unix.SO_SNDTIMEO, unix.SO_RCVTIMEO} {
		if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, option, &tv); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
	}
	return nil
}

// connect is connect(2). A Unix socket that was interrupted is not connected yet
// (net/unix/af_unix.c, unix_stream_connect), and tries again.
func connect(fd int, path string) error {
	for {
		err := unix.Connect(fd, &unix.SockaddrUnix{Name: path})
		if err != unix.EINTR {
			return err
		}
	}
}
