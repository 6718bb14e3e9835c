package terminal

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/signals"
)

// polls are the descriptors that a worker waits for.
type polls struct {
	fds []unix.PollFd // those below, then the signals'
}

// Places in polls.
const (
	pollIn = iota
	pollOut
	pollTTY
	pollSuperior
	pollSignals
)

// begin names those that do not change.
func (p *polls) begin(source *signals.Source, superior Superior) {
	p.fds = make([]unix.PollFd, pollSignals, pollSignals+2)
	for i := range p.fds {
		p.fds[i].Fd = -1
	}
	if superior != nil {
		p.fds[pollSuperior] = unix.PollFd{Fd: int32(superior.Descriptor()), Events: unix.POLLIN}
	}
	for _, fd := range source.Descriptors() {
		p.fds = append(p.fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
}

// wait sleeps until one is ready, or it is time.
func (p *polls) wait(milliseconds int) error {
	for i := range p.fds {
		p.fds[i].Revents = 0
	}
	if _, err := unix.Poll(p.fds, milliseconds); err != unix.EINTR {
		return err
	}
	return nil
}

func (p *polls) ready(place int) bool { return p.fds[place].Revents != 0 }

// signals calls fn for each that has come.
func (p *polls) signals(source *signals.Source, fn func(signals.Info)) error {
	for _, fd := range p.fds[pollSignals:] {
		if fd.Revents == 0 {
			continue
		}
		if err := source.Read(int(fd.Fd), fn); err != nil {
			return err
		}
	}
	return nil
}

func (p *polls) fromSuperior() bool { return p.ready(pollSuperior) }
func (p *polls) forgetSuperior()    { p.fds[pollSuperior].Fd = -1 }

// callerGone says that nobody can take output any more: the reading end of a pipe is
// closed, or a socket's peer.
func (p *polls) callerGone() bool {
	return p.fds[pollOut].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
}

// wait waits for whatever the worker has an interest in now.
func (w *worker) wait() error {
	w.interest(&w.polls.fds[pollIn], &w.polls.fds[pollOut])
	w.polls.fds[pollTTY] = w.ttyInterest()
	if w.more && w.listening() {
		return w.polls.wait(0)
	}
	return w.polls.wait(timeout(w.due(), time.Now()))
}
