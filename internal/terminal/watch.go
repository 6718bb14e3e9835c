package terminal

import (
	"time"

	"golang.org/x/sys/unix"
)

// Places in a shell's polls.
const (
	shellIn = iota
	shellOut
	shellPeer
	shellPlaces
)

// wait waits for what the shell has an interest in now.
func (h *shell) wait() {
	h.polls[shellIn].Fd, h.polls[shellOut].Fd, h.polls[shellPeer].Fd = -1, -1, -1
	if h.told == 0 && h.peer.room() > 0 && !h.peer.gone {
		h.polls[shellIn] = unix.PollFd{Fd: int32(h.screen.in.fd), Events: unix.POLLIN}
	}
	if len(h.shown) > 0 {
		h.polls[shellOut] = unix.PollFd{Fd: int32(h.screen.out.fd), Events: unix.POLLOUT}
	}
	if !h.peer.gone {
		h.polls[shellPeer] = unix.PollFd{Fd: int32(h.peer.socket.fd)}
		if h.roomy() {
			h.polls[shellPeer].Events |= unix.POLLIN
		}
		if len(h.peer.queue) > 0 {
			h.polls[shellPeer].Events |= unix.POLLOUT
		}
	}
	if h.more && h.roomy() {
		h.poll(time.Now())
		return
	}
	h.poll(h.giveUp)
}

func (h *shell) poll(deadline time.Time) {
	for i := range h.polls {
		h.polls[i].Revents = 0
	}
	_, _ = unix.Poll(h.polls, timeout(deadline, time.Now())) // EINTR: look around all the same
}
