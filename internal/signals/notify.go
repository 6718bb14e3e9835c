package signals

import (
	"encoding/binary"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// faults are the signals that stay the Go runtime's, which turns a fault of our
// own into a panic. One that a user sends comes through os/signal.
var faults = []unix.Signal{unix.SIGILL, unix.SIGTRAP, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV}

// openNotify makes a queue of what os/signal delivers of these signals. Two
// goroutines write: SIGCHLD must not be dropped because others flood.
func openNotify(list []unix.Signal) (queue, error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return queue{}, os.NewSyscallError("pipe2", err)
	}
	if err := unix.SetNonblock(p[0], true); err != nil {
		return queue{}, os.NewSyscallError("fcntl", err)
	}
	child := make(chan os.Signal, 1)   // a wake-up: one is as good as many
	others := make(chan os.Signal, 64) // a flood lost a TERM at 32
	for _, sig := range list {
		if sig == unix.SIGCHLD {
			signal.Notify(child, sig)
			go feed(p[1], child)
		} else {
			signal.Notify(others, sig)
		}
	}
	go feed(p[1], others)
	return queue{fd: p[0], decode: fromRecord}, nil
}

// notified are the signals that os/signal can deliver, less SIGURG, with which
// the runtime preempts, and SIGPIPE, which our own log may cause.
func notified() []unix.Signal {
	var list []unix.Signal
	for sig := unix.Signal(1); sig <= 64; sig++ {
		switch sig {
		case unix.SIGKILL, unix.SIGSTOP, unix.SIGURG, unix.SIGPIPE, unix.SIGPROF, 32, 33, 34:
		default:
			list = append(list, sig)
		}
	}
	return list
}

// feed writes each signal as a record, blocking while the pipe is full.
func feed(fd int, from <-chan os.Signal) {
	var record [recordSize]byte
	for sig := range from {
		binary.NativeEndian.PutUint32(record[:], uint32(sig.(syscall.Signal)))
		for {
			if _, err := unix.Write(fd, record[:]); err != unix.EINTR {
				break
			}
		}
	}
}

// fromRecord reads what feed wrote; os/signal does not tell the sender.
func fromRecord(b []byte) Info {
	return Info{Signal: unix.Signal(binary.NativeEndian.Uint32(b)), PID: Unknown}
}
