package pid1

import (
	"bytes"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/log"
)

const (
	callersMost  = 32              // who have not said yet what they want; the oldest gives way
	firstLine    = 5 * time.Second // for that
	acceptBudget = 16              // callers taken in until others get their turn
	acceptPause  = time.Second     // after accept(2) failed for want of something
	quietPause   = 2 * time.Second // without a caller, a request or a session's end
)

var errFewDescriptors = errors.New("the limit of open files is too low (ulimit -n)")

// A socket is the control socket. It finds out what each caller wants without reading
// anything: a status, which is one line, or a session, whose worker gets all of it.
type socket struct {
	fd      int
	path    string
	file    unix.Stat_t // what is ours at the path
	poll    *poller
	log     *log.Logger
	counts  *counts
	most    int
	callers []caller  // the oldest first
	asking  []int     // descriptors of those who want a status
	opening []caller  // who want a session
	paused  time.Time // until then nobody is accepted; zero: not paused
	quiet   time.Time // when it will have been quiet for a while; zero: it is
}

// A caller is a connection.
type caller struct {
	fd    int
	cred  unix.Ucred
	since time.Time
}

// openSocket begins to listen.
func openSocket(path string, poll *poller, logger *log.Logger, c *counts) (*socket, error) {
	s := &socket{path: path, poll: poll, log: logger, counts: c, most: callersAllowed()}
	if s.most == 0 {
		return nil, errFewDescriptors
	}
	var err error
	if s.fd, err = listen(path); err != nil {
		return nil, err
	}
	if err = unix.Lstat(path, &s.file); err == nil {
		err = poll.add(s.fd, onSocket, unix.EPOLLIN)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// callersAllowed leaves what parentsAllowed leaves, but for a half.
func callersAllowed() int {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) != nil || files.Cur/2 < descriptorsNeeded {
		return 0
	}
	return int(min((files.Cur/2-descriptorsNeeded)/2, callersMost))
}

// accept takes callers in. As long as some wait for a worker there is no hurry.
func (s *socket) accept(now time.Time) {
	s.stir(now)
	for range acceptBudget {
		if len(s.opening) > 0 {
			return
		}
		fd, _, err := unix.Accept4(s.fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch err {
		case nil:
			s.admit(fd, now)
		case unix.EINTR, unix.ECONNABORTED:
		case unix.EAGAIN:
			return
		default:
			s.pause(err, now)
			return
		}
	}
}

// stir says that callers leave garbage.
func (s *socket) stir(now time.Time) { s.quiet = now.Add(quietPause) }

// pause keeps a want of descriptors or memory from waking PID 1 all the time.
func (s *socket) pause(err error, now time.Time) {
	s.log.Debug("callers of the control socket have to wait", log.Cause(err))
	s.poll.remove(s.fd)
	s.paused = now.Add(acceptPause)
}

// admit lets root and our own user in (unix(7), SO_PEERCRED).
func (s *socket) admit(fd int, now time.Time) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Uid != 0 && int(cred.Uid) != unix.Geteuid() {
		s.shut(fd, "is another user's")
		return
	}
	if len(s.callers) >= s.most {
		s.drop(0, "said nothing, and others wait")
	}
	// Only what is new wakes us: what was looked at stays where it is.
	if err := s.poll.add(fd, onCaller, unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLET); err != nil {
		s.shut(fd, err.Error())
		return
	}
	s.callers = append(s.callers, caller{fd, *cred, now})
}

// hear looks at what a caller has sent.
func (s *socket) hear(fd int) {
	i := slices.IndexFunc(s.callers, func(c caller) bool { return c.fd == fd })
	if i < 0 {
		return
	}
	var sent [len(control.Request)]byte
	n, _, err := unix.Recvfrom(fd, sent[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err == unix.EAGAIN {
		return
	}
	if n <= 0 || err != nil {
		unix.Close(s.release(i)) // it has gone
		return
	}
	switch wishOf(sent[:n]) {
	case wantsStatus:
		s.asking = append(s.asking, fd)
	case wantsSession:
		s.opening = append(s.opening, s.callers[i])
	default:
		if ended(fd) {
			unix.Close(s.release(i))
		}
		return
	}
	s.release(i)
}

// What a caller wants.
type wish uint8

const (
	undecided wish = iota
	wantsStatus
	wantsSession
)

// wishOf goes by the beginning of the first line, of which no more than the request's
// length counts.
func wishOf(sent []byte) wish {
	switch request := []byte(control.Request); {
	case bytes.Equal(sent, request):
		return wantsStatus
	case bytes.HasPrefix(request, sent):
		return undecided
	default:
		return wantsSession
	}
}

// ended says whether nothing more will come.
func ended(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(fds, 0)
	return n > 0 && err == nil
}

// answer tells those who asked. A line fits into the buffer of a connection that nothing
// was written to yet; who has made it smaller gets what there is room for.
func (s *socket) answer(status func() []byte) {
	if len(s.asking) == 0 {
		return
	}
	line := status()
	for _, fd := range s.asking {
		var request [len(control.Request)]byte
		_, _, _ = unix.Recvfrom(fd, request[:], unix.MSG_DONTWAIT)
		_ = say(fd, line) // EPIPE, EAGAIN: its loss
		unix.Close(fd)
		s.counts.answered++
	}
	s.asking = s.asking[:0]
}

// say writes without waiting.
func say(fd int, line []byte) error {
	_, err := unix.SendmsgN(fd, line, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	return err
}

// step ends what takes too long.
func (s *socket) step(now time.Time) {
	for len(s.callers) > 0 && reached(s.callers[0].since.Add(firstLine), now) {
		s.drop(0, "has not said within 5 s what it wants")
	}
	if reached(s.quiet, now) {
		s.quiet = time.Time{}
		debug.FreeOSMemory() // else the memory that a crowd has needed stays ours
	}
	if reached(s.paused, now) {
		s.paused = time.Time{}
		if err := s.poll.add(s.fd, onSocket, unix.EPOLLIN); err != nil {
			s.pause(err, now)
		}
	}
}

func (s *socket) due() time.Time {
	due := earliest(s.paused, s.quiet)
	if len(s.callers) > 0 {
		due = earliest(due, s.callers[0].since.Add(firstLine))
	}
	return due
}

// release waits no longer for a caller, and returns its descriptor.
func (s *socket) release(i int) (fd int) {
	fd = s.callers[i].fd
	s.poll.remove(fd)
	s.callers = slices.Delete(s.callers, i, i+1)
	return fd
}

// drop turns a caller away.
func (s *socket) drop(i int, why string) { s.shut(s.release(i), why) }

func (s *socket) shut(fd int, why string) {
	unix.Close(fd)
	s.counts.shut++
	s.log.Debug("a caller of the control socket was turned away: it " + why)
}

// close takes the socket away, and nobody else's that may be there by now.
func (s *socket) close() {
	var there unix.Stat_t
	if unix.Lstat(s.path, &there) == nil && there.Dev == s.file.Dev && there.Ino == s.file.Ino {
		_ = unix.Unlink(s.path) // EROFS, EACCES: it stays, and the next init replaces it
	}
	s.poll.remove(s.fd)
	unix.Close(s.fd)
	for len(s.callers) > 0 {
		s.drop(0, "comes when the container ends")
	}
	for _, c := range s.opening {
		s.shut(c.fd, "comes when the container ends")
	}
	for _, fd := range s.asking {
		s.shut(fd, "comes when the container ends")
	}
	s.opening, s.asking = nil, nil
}
