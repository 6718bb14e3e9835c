package pid1

import (
	"time"

	"golang.org/x/sys/unix"
)

// A stdinWatch sees the end of standard input without reading from it: the
// other end hung up, and nothing is left to read (SBINIT_STDIN_EOF=stop).
type stdinWatch struct {
	hungUp bool
	next   time.Time // when to look again whether the rest was read
	ended  bool
}

// stdinPause is between two looks at what the main program has left unread.
const stdinPause = 100 * time.Millisecond

// newStdinWatch asks to be woken once, by hang-up only. A file or /dev/null
// cannot be polled and never hangs up (epoll_ctl(2), EPERM).
func newStdinWatch(poll *poller) (*stdinWatch, error) {
	err := poll.add(0, onStdin, unix.EPOLLRDHUP|unix.EPOLLET)
	return &stdinWatch{}, err
}

// woken looks for a hang-up on standard input.
func (w *stdinWatch) woken(now time.Time) {
	fds := []unix.PollFd{{Fd: 0, Events: unix.POLLRDHUP}}
	_, err := unix.Poll(fds, 0)
	if err == nil && fds[0].Revents&(unix.POLLHUP|unix.POLLRDHUP|unix.POLLERR) != 0 {
		w.hungUp, w.next = true, now
	}
}

func (w *stdinWatch) due() time.Time { return w.next }

// step says once that standard input has ended.
func (w *stdinWatch) step(now time.Time) (stop bool) {
	if w.ended || !w.hungUp || !reached(w.next, now) {
		return false
	}
	if left, err := unix.IoctlGetInt(0, unix.TIOCINQ); err == nil && left > 0 {
		w.next = now.Add(stdinPause)
		return false
	}
	w.ended, w.next = true, time.Time{}
	return true
}
