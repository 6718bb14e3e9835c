package log

import (
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	sinkLines = 256                    // lines that wait for a slow reader of stderr; more are dropped
	sinkFlush = 500 * time.Millisecond // at exit, for the last lines
)

// A sink writes log lines to standard error from a thread of its own, so that
// a reader which is stuck, or gone, stops nothing else. It never makes the
// descriptor non-blocking: it is shared with the container's programs.
type sink struct {
	fd      int
	lines   chan []byte
	done    chan struct{}
	dropped atomic.Uint64 // and not said yet
	lost    atomic.Uint64 // dropped since start
}

func newSink(fd int) *sink {
	s := &sink{fd: fd, lines: make(chan []byte, sinkLines), done: make(chan struct{})}
	go s.run()
	return s
}

// Write queues one line, or drops and counts it.
func (s *sink) Write(line []byte) (int, error) {
	select {
	case s.lines <- append([]byte(nil), line...):
	default:
		s.dropped.Add(1)
		s.lost.Add(1)
	}
	return len(line), nil
}

// Sync is zapcore's; there is nothing to wait for.
func (s *sink) Sync() error { return nil }

// close writes what is queued, for at most sinkFlush.
func (s *sink) close() {
	close(s.lines)
	select {
	case <-s.done:
	case <-time.After(sinkFlush):
	}
}

// run holds its thread with SIGPIPE and SIGTTOU blocked: caught, one line to a
// terminal with tostop set raises SIGTTOU for as long as it is not written.
func (s *sink) run() {
	runtime.LockOSThread()
	var set unix.Sigset_t
	set.Val[0] = 1<<(unix.SIGPIPE-1) | 1<<(unix.SIGTTOU-1)
	_ = unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil)
	defer close(s.done)
	for line := range s.lines {
		if n := s.dropped.Swap(0); n > 0 {
			s.write([]byte("sbinit: warn: " + strconv.FormatUint(n, 10) + " log lines dropped: standard error was not read\n"))
		}
		s.write(line)
	}
}

// write gives up on errors other than a full non-blocking descriptor: there is
// nowhere left to report them to.
func (s *sink) write(line []byte) {
	for len(line) > 0 {
		n, err := unix.Write(s.fd, line)
		switch {
		case err == unix.EAGAIN:
			fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLOUT}}
			_, _ = unix.Poll(fds, -1)
		case err == unix.EINTR:
		case err != nil:
			return
		default:
			line = line[n:]
		}
	}
}
