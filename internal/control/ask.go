package control

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

var (
	errLate = errors.New("no answer in time")
	errCut  = errors.New("the connection ended before the answer did")
	errLong = errors.New("the answer has no end")
)

// Ask asks PID 1 for its status, and gives up when the limit has passed. Besides
// Dial's, errors are about the answer; none of them is ENOENT or ECONNREFUSED then.
func Ask(path string, limit time.Duration) (*Status, error) {
	deadline := time.Now().Add(limit)
	fd, err := Dial(path, limit)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	line, err := exchange(fd, deadline)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return Decode(line)
}

// NoSocket says of an error of Ask or Dial that there is no socket of this container's
// init, or none that we may use, rather than an init that does not answer.
func NoSocket(err error) bool {
	for _, reason := range []error{unix.ENOENT, unix.ENOTDIR, unix.EACCES, unix.ENOTSOCK, ErrForeign} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// exchange sends the request, which an empty buffer has room for, and reads a line.
func exchange(fd int, deadline time.Time) ([]byte, error) {
	if _, err := unix.SendmsgN(fd, []byte(Request), nil, nil, unix.MSG_NOSIGNAL); err != nil {
		return nil, os.NewSyscallError("sendmsg", err)
	}
	line := make([]byte, 0, MaxLine)
	for {
		left := time.Until(deadline)
		if left <= 0 {
			return nil, errLate
		}
		if err := bound(fd, left); err != nil {
			return nil, err
		}
		n, err := unix.Read(fd, line[len(line):cap(line)])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return nil, errLate
		case err != nil:
			return nil, os.NewSyscallError("read", err)
		case n == 0:
			return nil, errCut
		}
		line = line[:len(line)+n]
		switch {
		case bytes.IndexByte(line[len(line)-n:], '\n') >= 0:
			return line, nil
		case len(line) == MaxLine:
			return nil, errLong
		}
	}
}
