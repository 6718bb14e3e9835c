package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// atOnce is what a descriptor that may block takes in one write when poll(2) says that
// it takes something: a pipe then has room for a page (pipe(7)).
const atOnce = 4096

// A descriptor is one end of something shared with a caller, which reads and writes
// without waiting. O_NONBLOCK belongs to the open file that the caller shares, so it
// is not touched: a socket is asked call by call, and a pipe or a terminal is
// opened once more.
type descriptor struct {
	fd      int
	socket  bool
	patient bool // it may block, but not after poll(2) said that it is ready
}

// openDescriptor makes one of an inherited descriptor; flags are O_RDONLY or O_WRONLY.
// Regular files and devices never block for long.
func openDescriptor(fd, flags int) (*descriptor, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, os.NewSyscallError("fstat", err)
	}
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	pipe, terminal := st.Mode&unix.S_IFMT == unix.S_IFIFO, err == nil
	if pipe || terminal {
		own, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), flags|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		if err == nil {
			return &descriptor{fd: own}, nil
		}
	}
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return &descriptor{fd: own, socket: st.Mode&unix.S_IFMT == unix.S_IFSOCK, patient: pipe || terminal}, nil
}

// Read is io.Reader's. unix.EAGAIN: there is nothing now.
func (d *descriptor) Read(b []byte) (int, error) {
	if d.patient && !d.ready(unix.POLLIN) {
		return 0, unix.EAGAIN
	}
	for {
		n, err := d.read(b)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (d *descriptor) read(b []byte) (int, error) {
	if d.socket {
		n, _, err := unix.Recvfrom(d.fd, b, unix.MSG_DONTWAIT)
		return n, err
	}
	return unix.Read(d.fd, b)
}

// Write writes what there is room for; unix.EAGAIN: none. It raises no SIGPIPE at
// a process that blocks it, or takes it from os/signal for other descriptors than 1 and 2.
func (d *descriptor) Write(b []byte) (int, error) {
	if d.patient {
		if !d.ready(unix.POLLOUT) {
			return 0, unix.EAGAIN
		}
		b = b[:min(len(b), atOnce)]
	}
	for {
		n, err := d.write(b)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

func (d *descriptor) write(b []byte) (int, error) {
	if d.socket {
		return unix.SendmsgN(d.fd, b, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	}
	return unix.Write(d.fd, b)
}

func (d *descriptor) ready(events int16) bool {
	fds := [1]unix.PollFd{{Fd: int32(d.fd), Events: events}}
	n, err := unix.Poll(fds[:], 0)
	return n == 1 && err == nil
}

func (d *descriptor) close() { unix.Close(d.fd) }
