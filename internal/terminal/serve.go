package terminal

import (
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/signals"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// What follows makes a worker the [program] of its session.

func (w *worker) start(open wire.Open) (pid int, err *wire.Error) {
	size := wire.Resize{Cols: open.Cols, Rows: open.Rows}
	tty, openErr := openTTY(size, w.recipe.user)
	if openErr != nil {
		return 0, &wire.Error{Code: wire.CodeStartFailed, Message: "no pseudo-terminal can be had: " + openErr.Error()}
	}
	w.census.before()
	pid, startErr := reap.Start(w.recipe.spec(open, int(tty.slave.Fd())))
	if startErr != nil {
		tty.close()
		return 0, startError(startErr)
	}
	w.tty, w.leader = tty, pid
	w.census.after(w.now)
	_ = unix.Chdir("/")           // ENOENT, EACCES: then we stay where we are
	_ = w.cleaner.fs.ForgetFile() // it stays resident then
	return pid, nil
}

func (w *worker) input(data []byte) *wire.Error {
	w.census.stir(w.now)
	return w.tty.enqueue(data)
}

func (w *worker) resize(size wire.Resize) { _ = w.tty.resize(size) } // any size is good for the kernel

// signal sends to the foreground process group of the terminal.
func (w *worker) signal(sig unix.Signal) *wire.Error {
	var err error
	switch sig {
	case unix.SIGINT, unix.SIGQUIT, unix.SIGTSTP:
		err = w.tty.interrupt(sig)
	default:
		err = w.cleaner.signalGroup(w.tty.foreground(), w.leader, sig)
	}
	if err != nil {
		return &wire.Error{Code: wire.CodeSignalFailed, Message: signals.Name(sig) + " to the foreground process group: " + err.Error()}
	}
	return nil
}

func (w *worker) end(politely bool) {
	foreground := 0
	if w.tty != nil {
		foreground = w.tty.foreground()
		w.tty.release()
	}
	w.ending = true
	w.census.stop()
	w.cleaner.begin(politely, w.leader, foreground, w.now)
}

// ttyInterest is what the terminal is polled for. A hang-up is told unasked, and for
// ever, so that it is not polled when neither side is wanted.
func (w *worker) ttyInterest() unix.PollFd {
	if w.tty == nil {
		return unix.PollFd{Fd: -1}
	}
	fd := unix.PollFd{Fd: int32(w.tty.master)}
	if w.wantsOutput() {
		fd.Events |= unix.POLLIN
	}
	if len(w.tty.input) > 0 && !w.ending {
		fd.Events |= unix.POLLOUT
	}
	if fd.Events == 0 {
		fd.Fd = -1
	}
	return fd
}

func (w *worker) wantsOutput() bool { return w.roomy() && !w.tty.dry && !w.hungUp }

// feed writes the caller's input to the terminal.
func (w *worker) feed() {
	if !w.ending && w.tty.write() {
		w.accept(w.tty.taken)
	}
}

// take reads the terminal's output for the caller, one message of it: then it is the
// others' turn.
func (w *worker) take() {
	if !w.wantsOutput() {
		return
	}
	n, err := w.tty.read(w.output[:])
	if n > 0 {
		w.give(w.output[:n])
	}
	w.session.unread = err == nil
	if err != nil {
		w.exhausted(err)
	}
}

// give passes output on. What comes after the end began is bounded.
func (w *worker) give(output []byte) {
	if w.ending {
		room := w.session.limits.DrainLimit - w.late
		if w.late += len(output); len(output) > room {
			output = output[:max(room, 0)]
			w.tty.dry = true
		}
	}
	if len(output) > 0 {
		w.show(wire.Output{Offset: w.tty.given, Data: output})
		w.tty.given += int64(len(output))
	}
	w.session.active()
	w.census.stir(w.now)
}

// exhausted is when there is nothing to read. Before all processes have ended that may
// change; after, only somebody who could not be ended keeps the terminal from
// saying that nobody has it.
func (w *worker) exhausted(err error) {
	final := w.session.state == draining
	switch {
	case err != unix.EAGAIN && !final:
		w.hungUp = true
	case err != unix.EAGAIN, final && !w.session.result.contained:
		w.tty.dry = true
	}
}
