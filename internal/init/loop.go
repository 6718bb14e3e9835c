package pid1

import (
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/signals"
)

// A loop holds what wakes PID 1.
type loop struct {
	poll   *poller
	timer  *timer
	source *signals.Source
}

func newLoop(source *signals.Source) (*loop, error) {
	poll, err := newPoller()
	if err != nil {
		return nil, err
	}
	tm, err := newTimer()
	if err != nil {
		return nil, err
	}
	l := &loop{poll: poll, timer: tm, source: source}
	for _, fd := range source.Descriptors() {
		// Edge-triggered, since they are read to the last each time: what is new is then
		// news to the runtime's poller too, whatever it is told of what is ready still.
		if err := poll.add(fd, onSignal, unix.EPOLLIN|unix.EPOLLET); err != nil {
			return nil, err
		}
	}
	return l, poll.add(tm.fd, onTimer, unix.EPOLLIN)
}
