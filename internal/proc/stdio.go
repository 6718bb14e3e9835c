package proc

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// Abandoned says whether standard input and standard output of a process both
// are pipes or Unix sockets whose other end is gone: nobody can talk to it, and
// nobody hears it. An error says that it could not be told.
func (fs *FS) Abandoned(pid int) (bool, error) {
	gone, err := fs.leadsToNobody(pid, "fd/0", unix.O_RDONLY, unix.POLLHUP)
	if err != nil || !gone {
		return false, err
	}
	return fs.leadsToNobody(pid, "fd/1", unix.O_WRONLY, unix.POLLERR)
}

// leadsToNobody looks at one descriptor from outside. Only a pipe is opened:
// opening anything else could block, rewind a tape or answer a terminal.
func (fs *FS) leadsToNobody(pid int, name string, mode int, sign int16) (bool, error) {
	var link [64]byte
	p := fs.in(pid, name)
	n, err := unix.Readlinkat(fs.dir, string(p[:len(p)-1]), link[:])
	if err == unix.ENOENT {
		return false, nil // closed: a daemon's habit, no lost peer
	}
	if err != nil {
		return false, err
	}
	if inode, ok := numbered(link[:n], "socket:["); ok {
		return peerGone(askUnixDiag, inode)
	}
	if _, ok := numbered(link[:n], "pipe:["); !ok {
		return false, nil
	}
	fd, err := fs.openat(fs.in(pid, name), mode|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	return hasSign(fd, sign)
}

// hasSign polls for a condition that poll(2) reports unasked: POLLHUP on the
// reading end of a pipe without writers, POLLERR on the writing end of one
// without readers.
func hasSign(fd int, sign int16) (bool, error) {
	fds := []unix.PollFd{{Fd: int32(fd)}}
	for {
		_, err := unix.Poll(fds, 0)
		if err == unix.EINTR {
			continue
		}
		return fds[0].Revents&sign != 0, err
	}
}

// numbered reads the inode out of a link such as "pipe:[123]".
func numbered(link []byte, prefix string) (uint32, bool) {
	digits, ok := bytes.CutPrefix(link, []byte(prefix))
	if !ok {
		return 0, false
	}
	n, ok := parseUint(bytes.TrimSuffix(digits, []byte("]")))
	return uint32(n), ok
}
