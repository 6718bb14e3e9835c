package pid1_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// A nuisance is a caller that means no good. It gets a connection, which is closed when it
// returns.
type nuisance func(fd, turn int)

// opening is what a proper caller says first.
var opening = wire.Open{Cols: 80, Rows: 24, Argv: []string{"sh", "-c", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxx; done"}}.Append(nil)

var nuisances = map[string]nuisance{
	"half a request": func(fd, turn int) { pour(fd, []byte(control.Request[:1+turn%17])); linger(fd) },
	"half an open":   func(fd, turn int) { pour(fd, opening[:20+turn%20]); linger(fd) },
	"nothing":        func(fd, _ int) { linger(fd) },
	"endless line":   func(fd, _ int) { pour(fd, bytes.Repeat([]byte("x"), 100<<20)) },
	"almost a request, endless": func(fd, _ int) {
		pour(fd, []byte(control.Request[:17]))
		pour(fd, bytes.Repeat([]byte(" "), 100<<20))
	},
	"binary":      func(fd, turn int) { pour(fd, []byte{0, 0xff, byte(turn)}) },
	"never reads": func(fd, _ int) { pour(fd, opening); linger(fd) },
	"small buffer": func(fd, _ int) {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1)
		pour(fd, []byte(control.Request))
	},
	"many requests": func(fd, _ int) { pour(fd, bytes.Repeat([]byte(control.Request), 10000)) },
	"half-closed": func(fd, turn int) {
		pour(fd, opening[:turn%len(opening)])
		_ = unix.Shutdown(fd, unix.SHUT_WR)
		linger(fd)
	},
	"closes within the request": func(fd, turn int) { pour(fd, []byte(control.Request[:turn%18])) },
	"closes within the open":    func(fd, turn int) { pour(fd, opening[:turn%len(opening)]) },
	"closes after the open":     func(fd, _ int) { pour(fd, opening) },
	"descriptors": func(fd, _ int) {
		rights := unix.UnixRights(0, 1, 2, 0, 1, 2)
		_ = unix.Sendmsg(fd, []byte(control.Request[:9]), rights, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		_ = unix.Sendmsg(fd, []byte(control.Request[9:]), rights, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	},
}

// pour writes as much as is taken within a while.
func pour(fd int, text []byte) {
	tv := unix.NsecToTimeval(int64(200 * time.Millisecond))
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &tv)
	for len(text) > 0 {
		n, err := unix.SendmsgN(fd, text, nil, nil, unix.MSG_NOSIGNAL)
		if err != nil {
			return
		}
		text = text[n:]
	}
}

// linger is how a caller takes its time.
func linger(fd int) {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
	_, _ = unix.Poll(fds, 300)
}

// annoy has so many callers, several at a time, of every kind.
func (h *hub) annoy(t *testing.T, callers int) {
	var kinds []nuisance
	for _, n := range nuisances {
		kinds = append(kinds, n)
	}
	turns := make(chan int)
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			for turn := range turns {
				fd, err := connect(h.path, h.uid)
				if err == nil {
					kinds[turn%len(kinds)](fd, turn)
				} else {
					t.Errorf("connecting: %v", err)
				}
				unix.Close(fd)
			}
		})
	}
	for turn := range callers {
		turns <- turn
	}
	close(turns)
	all.Wait()
}

// upkeep is what a process costs.
type upkeep struct{ descriptors, threads, kilobytes int }

func upkeepOf(t *testing.T, pid int) (u upkeep) {
	t.Helper()
	u.descriptors = len(descriptors(t, testns.Process{HostPID: pid}))
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]*int{"\nThreads:": &u.threads, "\nRssAnon:": &u.kilobytes} {
		_, rest, _ := strings.Cut(string(text), key)
		if _, err := fmt.Sscan(rest, value); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

// settled waits until nobody has a session or waits for one, and orphans' ends are over.
func (h *hub) settled(t *testing.T) upkeep {
	t.Helper()
	h.drained(t)
	h.WaitFor(t, "the last callers to be turned away", func() bool {
		sockets := map[string]bool{}
		for _, link := range descriptors(t, testns.Process{HostPID: h.PID()}) {
			if strings.HasPrefix(link, "socket:") {
				sockets[link] = true
			}
		}
		return len(sockets) == 1
	})
	return upkeepOf(t, h.PID())
}

// responsive sends a signal again and again until done, and returns how long one took to be
// forwarded at worst.
func responsive(t *testing.T, h *hub, done <-chan bool) (worst time.Duration) {
	t.Helper()
	for n := 1; ; n++ {
		begin := time.Now()
		h.Signal(unix.SIGWINCH)
		for strings.Count(h.Stdout(), "signal 28 ") < n {
			if time.Since(begin) > testns.WaitLimit {
				t.Fatalf("no signal is forwarded\n%s", h.Dump())
			}
			time.Sleep(time.Millisecond)
		}
		worst = max(worst, time.Since(begin))
		select {
		case <-done:
			return worst
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// reaping leaves an orphan to sbinit again and again until done, and returns how long the
// dead one was seen at worst.
func reaping(t *testing.T, h *hub, done <-chan bool) (worst time.Duration) {
	t.Helper()
	dead := map[int]time.Time{}
	for {
		now := time.Now()
		seen := map[int]bool{}
		for _, p := range h.Processes() {
			if p.PPID == 1 && !p.Alive() {
				seen[p.HostPID] = true
				if dead[p.HostPID].IsZero() {
					dead[p.HostPID] = now
				}
				worst = max(worst, now.Sub(dead[p.HostPID]))
			}
		}
		for pid := range dead {
			if !seen[pid] {
				delete(dead, pid)
			}
		}
		select {
		case <-done:
			return worst
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestCallersHostile: a thousand of them leave nothing behind, and keep PID 1 from nothing.
func TestCallersHostile(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		h := hosting(t, o, []string{"SBINIT_TERMINAL_CLEANUP_TIMEOUT=1s", "SBINIT_TERMINAL_IO_TIMEOUT=1s"}, testns.Tool(t), "record")
		ready(t, h.Container)
		h.annoy(t, 200)
		before := h.settled(t)
		done := make(chan bool)
		go func() {
			defer close(done)
			h.annoy(t, 1000)
		}()
		reaped := make(chan time.Duration, 1)
		go func() { reaped <- reaping(t, h, done) }()
		worst, corpse := responsive(t, h, done), <-reaped
		t.Logf("during: a signal took %v at worst, a dead child %v", worst, corpse)
		if limit := 5 * time.Second; worst > limit || corpse > limit {
			t.Errorf("a signal took %v, a dead child %v", worst, corpse)
		}
		after := h.settled(t)
		h.WaitFor(t, "sbinit to give memory back", func() bool {
			after = upkeepOf(t, h.PID())
			return after.kilobytes <= before.kilobytes+512
		})
		t.Logf("before %+v, after %+v; %s", before, after, h.status(t))
		if after.descriptors != before.descriptors || after.threads > before.threads {
			t.Errorf("before %+v, after %+v", before, after)
		}
		if h.count(t, "failed") != 0 || h.count(t, "sessions_escaped") != 0 {
			t.Errorf("%s", h.status(t))
		}
		h.session(t, "true").ends(wire.ReasonExited)
		finish(t, h.Container)
	})
}

// TestCallersFewDescriptors: where descriptors run out, those who call wait, and PID 1 does not
// spin.
func TestCallersFewDescriptors(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NoFile = 48
		h := recording(t, o)
		setLimit(t, h, 5) // the numbers below that are taken
		c := h.call(t)
		c.raw(control.Request)
		before := cpu(t, h.PID())
		time.Sleep(2 * time.Second) // measured is what is spent in it
		if spent := cpu(t, h.PID()) - before; spent > 200*time.Millisecond {
			t.Errorf("%v of 2 s were spent on waiting", spent)
		}
		healthy(t, h.Container)
		setLimit(t, h, 48)
		if text := c.closed(); !strings.HasPrefix(text, `{"type":"status",`) {
			t.Errorf("got %q", text)
		}
		finish(t, h.Container)
	})
}

// setLimit changes sbinit's soft limit of open files from inside: nobody else may where it
// is in a user namespace.
func setLimit(t *testing.T, h *hub, files int) {
	t.Helper()
	if status, out := h.Exec(t, "prlimit", "--pid", "1", fmt.Sprintf("--nofile=%d:", files)).Wait(t); status.Code != 0 {
		t.Fatalf("%v: %s", status, out)
	}
}
