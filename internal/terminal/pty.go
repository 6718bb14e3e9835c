package terminal

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A tty is a pseudo-terminal: we have the master, the program and all that it starts
// the slave. As long as we hold the slave as well, the master does not report that
// nobody has it, which may change again while the program lives.
type tty struct {
	master int // non-blocking, and ours alone
	slave  *os.File
	input  []byte // not written yet
	taken  int64  // bytes of input written
	given  int64  // bytes of output read
	dry    bool   // no more output will be read
}

// openTTY makes one of that size, which belongs to the user that the program runs as.
func openTTY(size wire.Resize, owner *user) (*tty, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer master.Close()
	own, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		slave.Close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	t := &tty{master: own, slave: slave}
	if err := t.prepare(size, owner); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *tty) prepare(size wire.Resize, owner *user) error {
	if err := unix.SetNonblock(t.master, true); err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	if owner != nil {
		if err := t.slave.Chown(int(owner.uid), -1); err != nil {
			return fmt.Errorf("give the terminal to user %d: %w", owner.uid, err)
		}
	}
	modes, err := unix.IoctlGetTermios(t.master, unix.TCGETS)
	if err != nil {
		return os.NewSyscallError("ioctl", err)
	}
	modes.Iflag |= unix.IUTF8 // erasing takes whole characters (termios(3))
	if err := unix.IoctlSetTermios(t.master, unix.TCSETS, modes); err != nil {
		return os.NewSyscallError("ioctl", err)
	}
	return t.resize(size)
}

func (t *tty) resize(size wire.Resize) error {
	w := unix.Winsize{Col: uint16(size.Cols), Row: uint16(size.Rows)}
	return os.NewSyscallError("ioctl", unix.IoctlSetWinsize(t.master, unix.TIOCSWINSZ, &w))
}

// release lets go of the slave: from now on the master tells when nobody has it.
func (t *tty) release() { t.slave.Close() }

func (t *tty) close() {
	t.slave.Close()
	unix.Close(t.master)
	t.dry = true
}

// foreground is the number of the foreground process group; 0 if there is none.
func (t *tty) foreground() int {
	group, err := unix.IoctlGetInt(t.master, unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return max(group, 0)
}

// interrupt has the kernel signal the foreground process group itself, which it
// does for SIGINT, SIGQUIT and SIGTSTP (pty_signal in drivers/tty/pty.c): no number is
// looked up that could be another's by then.
func (t *tty) interrupt(sig unix.Signal) error {
	return unix.IoctlSetInt(t.master, unix.TIOCSIG, int(sig))
}

// enqueue queues input. More than the window is the caller's fault.
func (t *tty) enqueue(data []byte) *wire.Error {
	if len(t.input)+len(data) > wire.Window {
		return &wire.Error{Code: wire.CodeWindowExceeded, Message: "more than 65536 bytes of input are not accepted yet"}
	}
	t.input = append(t.input, data...)
	return nil
}

// write writes the input that there is room for, and says whether there was any.
func (t *tty) write() (progress bool) {
	for len(t.input) > 0 {
		n, err := unix.Write(t.master, t.input)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			break // EAGAIN: a program that does not read; EIO: nobody could
		}
		t.input = t.input[:copy(t.input, t.input[n:])]
		t.taken += int64(n)
		progress = true
	}
	return progress
}

// read fills b with output, as far as there is some. unix.EAGAIN: there is no more now;
// unix.EIO: nobody has the slave, and all was read.
func (t *tty) read(b []byte) (n int, err error) {
	for n < len(b) {
		got, err := rawRead(t.master, b[n:])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return n, err
		case got == 0:
			return n, unix.EIO
		default:
			n += got
		}
	}
	return n, nil
}

// rawRead is for a descriptor that never blocks. The Go runtime is not told of the
// system call: it would look for another thread to go on with meanwhile, which took a
// fifth of the worker's time when a program writes a lot.
func rawRead(fd int, b []byte) (int, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
