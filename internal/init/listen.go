package pid1

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// errLive says that somebody listens at the socket's path: another container's init,
// where the folder is shared.
var errLive = errors.New("another process listens there")

const (
	// backlog is how many callers the kernel keeps until they are accepted (listen(2)).
	backlog = 64
	// lockLimit is how long another init may take to make its socket in the same folder.
	lockLimit = 100 * time.Millisecond
	lockPause = 5 * time.Millisecond
)

// listen makes a socket at that path that its owner alone may connect to. What a dead
// init has left there is replaced, what somebody listens at never. Other inits may be
// about to do the same, so the folder is locked (flock(2)) until callers can connect.
func listen(path string) (fd int, err error) {
	folder, err := lock(filepath.Dir(path))
	if err != nil {
		return -1, err
	}
	defer unix.Close(folder)
	fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	if err := bind(fd, path); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func lock(folder string) (fd int, err error) {
	fd, err = unix.Open(folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: folder, Err: err}
	}
	for deadline := time.Now().Add(lockLimit); ; time.Sleep(lockPause) {
		err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return fd, nil
		case err == unix.EINTR, err == unix.EWOULDBLOCK && time.Now().Before(deadline):
		default:
			unix.Close(fd)
			return -1, &os.PathError{Op: "flock", Path: folder, Err: err}
		}
	}
}

// bind gives the socket its name and makes it listen. The mode is that of the moment:
// no moment is left in which others may connect.
func bind(fd int, path string) error {
	old := unix.Umask(0o177)
	defer unix.Umask(old)
	name := &unix.SockaddrUnix{Name: path}
	err := unix.Bind(fd, name)
	if err == unix.EADDRINUSE {
		if err := removeStale(path); err != nil {
			return err
		}
		err = unix.Bind(fd, name)
	}
	if err != nil {
		return os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(fd, backlog); err != nil {
		_ = unix.Unlink(path) // nobody else would know that it is ours
		return os.NewSyscallError("listen", err)
	}
	return nil
}

// removeStale removes a socket that nobody listens at. Anything else stays: connect(2)
// refuses a file that is no socket as well.
func removeStale(path string) error {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return errors.New("a file that is no socket is there")
	}
	probe, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(probe)
	switch err := unix.Connect(probe, &unix.SockaddrUnix{Name: path}); err {
	case unix.ECONNREFUSED:
		return os.NewSyscallError("unlink", unix.Unlink(path))
	case nil, unix.EAGAIN:
		return errLive
	default:
		return os.NewSyscallError("connect", err)
	}
}
