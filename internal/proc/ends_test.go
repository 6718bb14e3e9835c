package proc

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// An end is a descriptor for a process, and what the test holds of the other side,
// nil if there is nothing.
type end struct{ own, other *os.File }

// gone closes the other side.
func (e end) gone() end {
	e.other.Close()
	return end{own: e.own}
}

// shut shuts the other side down, but keeps it.
func (e end) shut(t *testing.T, how int) end {
	t.Helper()
	if err := unix.Shutdown(int(e.other.Fd()), how); err != nil {
		t.Fatal(err)
	}
	return e
}

func files(t *testing.T, fds [2]int, err error) end {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	e := end{os.NewFile(uintptr(fds[0]), "own"), os.NewFile(uintptr(fds[1]), "other")}
	t.Cleanup(func() { e.own.Close(); e.other.Close() })
	return e
}

func pipeIn(t *testing.T) end {
	var fds [2]int
	err := unix.Pipe2(fds[:], unix.O_CLOEXEC)
	return files(t, fds, err)
}

func pipeOut(t *testing.T) end {
	e := pipeIn(t)
	return end{own: e.other, other: e.own}
}

func socket(t *testing.T, kind int) end {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	return files(t, fds, err)
}

func stream(t *testing.T) end { return socket(t, unix.SOCK_STREAM) }
func packet(t *testing.T) end { return socket(t, unix.SOCK_SEQPACKET) }

func opened(t *testing.T, path string, flags int) end {
	t.Helper()
	f, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return end{own: f}
}

func listening(t *testing.T) end {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return end{own: f}
}

func unconnected(t *testing.T) end {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return end{own: os.NewFile(uintptr(fd), "unconnected")}
}

// tcp is a connection whose other side has been closed.
func tcp(t *testing.T) end {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	f, err := client.(*net.TCPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	return end{own: f}
}

func terminal(t *testing.T) end {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close(); slave.Close() })
	return end{own: slave, other: master}
}

func hungUp(t *testing.T) end { return terminal(t).gone() }

func eventfd(t *testing.T) end {
	t.Helper()
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	return end{own: os.NewFile(uintptr(fd), "eventfd")}
}
