package guard

import (
	"math"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/signals"
)

// A waiter sleeps until a signal, a message or a deadline. Front and keeper do
// one thing at a time and have no more than these three to wait for.
type waiter struct {
	source  *signals.Source
	signals []unix.PollFd
	channel *channel // nil once it has ended
}

func newWaiter(source *signals.Source, c *channel) *waiter {
	w := &waiter{source: source, channel: c}
	for _, fd := range source.Descriptors() {
		w.signals = append(w.signals, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	return w
}

// wait returns when something is there or the deadline has come; the zero
// deadline is never. It takes the signals, and says whether the channel is ready.
func (w *waiter) wait(deadline time.Time, fn func(signals.Info)) (message bool, err error) {
	fds := w.signals
	if c := w.channel; c != nil {
		fds = append(fds[:len(fds):len(fds)], unix.PollFd{Fd: int32(c.fd), Events: c.events()})
	}
	_, err = unix.Poll(fds, timeout(deadline))
	if err == unix.EINTR {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, fd := range fds[:len(w.signals)] {
		if fd.Revents != 0 {
			if err := w.source.Read(int(fd.Fd), fn); err != nil {
				return false, err
			}
		}
	}
	if w.channel == nil {
		return false, nil
	}
	w.channel.flush()
	return fds[len(w.signals)].Revents&^unix.POLLOUT != 0, nil
}

// ignoreChannel is for a channel that has ended, and would wake us for ever.
func (w *waiter) ignoreChannel() { w.channel = nil }

// timeout is in milliseconds, rounded up; -1 is for ever.
func timeout(deadline time.Time) int {
	if deadline.IsZero() {
		return -1
	}
	left := time.Until(deadline)
	return int(min(max(left+time.Millisecond-1, 0)/time.Millisecond, math.MaxInt32))
}
