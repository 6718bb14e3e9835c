package pid1_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// TestSession: all of what a caller sends reaches the worker, in whatever pieces it comes.
func TestSession(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o)
		open := wire.Open{Cols: 80, Rows: 24, Argv: []string{"sh", "-c", "stty -echo; read a; echo got $a"}, ID: "x"}
		all := string(wire.Input{Data: []byte("hello\n")}.Append(open.Append(nil)))
		for _, cut := range []int{len(all), 1, 9, 17, 18, 19, 40, len(all) - 1} {
			c := h.call(t)
			c.raw(all[:cut])
			c.raw(all[cut:])
			if r := message[wire.Ready](c); r.ID != "x" {
				t.Errorf("cut at %d: %+v", cut, r)
			}
			c.shows("got hello\r\n")
			c.ends(wire.ReasonExited)
		}
		h.counts(t, "sessions_opened", 8)
		h.counts(t, "exited", 8)
		h.drained(t)
		finish(t, h.Container)
	})
}

// TestSessionSlowly: a caller who sends byte for byte.
func TestSessionSlowly(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o)
		c := h.call(t)
		for _, b := range wire.Open(wire.Open{Cols: 80, Rows: 24, Argv: []string{"true"}}).Append(nil) {
			c.raw(string(rune(b)))
		}
		c.ends(wire.ReasonExited)
		c = h.call(t)
		for _, b := range []byte(control.Request) {
			c.raw(string(rune(b)))
		}
		if text := c.closed(); !strings.HasPrefix(text, `{"type":"status",`) {
			t.Errorf("the status is %q", text)
		}
		finish(t, h.Container)
	})
}

// TestSessionProcess: a worker has its caller's connection and nothing of sbinit's or of the
// main program's, a session of its own, the mark, and what it starts has only the
// terminal.
func TestSessionProcess(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o)
		idle := h.call(t)
		idle.raw("{")
		other := h.session(t, testns.Tool(t), "mute")
		otherWorker := h.One("sbinit-worker")
		c := h.session(t, "sh", "-c", "echo ready; exec "+testns.As(t, "sleeper", testns.Tool(t))+" mute")
		c.shows("ready")
		program := h.One("sleeper")
		var worker testns.Process
		for _, p := range h.workers() {
			if p.PID != otherWorker.PID {
				worker = p
			}
		}
		if worker.PPID != 1 || worker.SID != worker.PID || program.PPID != worker.PID || program.SID != program.PID {
			t.Errorf("%v\n%v", worker, program)
		}
		sockets := map[string]bool{}
		for fd, link := range descriptors(t, worker) {
			if strings.HasPrefix(link, "socket:") {
				sockets[link] = true
			}
			if strings.Contains(link, "eventpoll") && fd > 20 || strings.Contains(link, "timerfd") {
				t.Errorf("the worker has sbinit's %d: %s", fd, link)
			}
		}
		if len(sockets) != 1 {
			t.Errorf("the worker has %d sockets: %v", len(sockets), descriptors(t, worker))
		}
		if open := descriptors(t, program); len(open) != 3 || !strings.HasPrefix(open[0], "/dev/pts/") {
			t.Errorf("the program has %v", open)
		}
		marks := map[string]bool{}
		for _, p := range []testns.Process{worker, program, otherWorker} {
			marks[lockLimit(t, p)] = true
		}
		if len(marks) != 2 || marks["unlimited"] || lockLimit(t, worker) != lockLimit(t, program) {
			t.Errorf("marks are %v, of each session one", marks)
		}
		c.send(wire.Close{})
		c.ends(wire.ReasonClosed)
		other.send(wire.Close{})
		other.ends(wire.ReasonClosed)
		finish(t, h.Container)
	})
}

// lockLimit is the soft limit of file locks, which Linux ignores.
func lockLimit(t *testing.T, p testns.Process) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", p.HostPID))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "Max file locks")
	return strings.Fields(rest)[0]
}

// TestSessionInherited: what the main program was started with is not the worker's.
func TestSessionInherited(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := hosting(t, o, nil, "sh", "-c", `exec "$0" -- "$TOOL" record 7</dev/zero`, testns.Build(t))
		ready(t, h.Container)
		c := h.session(t, testns.Tool(t), "mute")
		for fd, link := range descriptors(t, h.One("sbinit-worker")) {
			if link == "/dev/zero" {
				t.Errorf("the worker has %d", fd)
			}
		}
		c.send(wire.Close{})
		c.ends(wire.ReasonClosed)
		finish(t, h.Container)
	})
}

// TestSessionsLimit: one more than allowed is refused in words, until one has ended.
func TestSessionsLimit(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o, "SBINIT_TERMINAL_SESSIONS=2")
		first := h.session(t, testns.Tool(t), "mute")
		h.session(t, testns.Tool(t), "mute")
		c := h.call(t)
		c.send(wire.Open{Cols: 80, Rows: 24})
		if e := message[wire.Error](c); e.Code != wire.CodeTooManySessions {
			t.Errorf("%+v", e)
		}
		c.ends(wire.ReasonError)
		h.counts(t, "sessions_refused", 1)
		first.send(wire.Close{})
		first.ends(wire.ReasonClosed)
		h.counts(t, "closed", 1)
		h.session(t, testns.Tool(t), "mute")
		h.counts(t, "sessions_opened", 3)
		finish(t, h.Container)
	})
}

// TestSessionsTogether: of those who come at once each has its turn, though nothing else
// happens.
func TestSessionsTogether(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o, "SBINIT_SCAN_INTERVAL=1h")
		stop := func(sig unix.Signal) {
			if err := unix.Kill(h.PID(), sig); err != nil {
				t.Fatal(err)
			}
		}
		stop(unix.SIGSTOP)
		var callers []*caller
		for range 8 {
			c := h.call(t)
			c.send(wire.Open{Cols: 80, Rows: 24, Argv: []string{testns.Tool(t), "mute"}})
			callers = append(callers, c)
		}
		began := time.Now()
		stop(unix.SIGCONT)
		for _, c := range callers {
			message[wire.Ready](c)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("the last was answered after %v", took)
		}
		finish(t, h.Container)
	})
}

// TestSessionRefused: what is no protocol is refused by a worker, and counted by reason.
func TestSessionRefused(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o)
		c := h.call(t)
		c.raw("{\"type\":\"status\" }\n")
		message[wire.Error](c)
		c.ends(wire.ReasonInvalid)
		c = h.call(t)
		c.send(wire.Open{Cols: 80, Rows: 24, Argv: []string{"/no/such"}})
		message[wire.Error](c)
		c.ends(wire.ReasonError)
		h.counts(t, "invalid", 1)
		h.counts(t, "error", 1)
		h.counts(t, "sessions_ended/killed", 0)
		finish(t, h.Container)
	})
}

// TestSessionWithoutProc: nothing can be contained, which is said, and plain duty goes on.
func TestSessionWithoutProc(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.NoProc = true
		h := recording(t, o)
		c := h.call(t)
		c.send(wire.Open{Cols: 80, Rows: 24})
		if e := message[wire.Error](c); e.Code != wire.CodeCannotContain {
			t.Errorf("%+v", e)
		}
		c.ends(wire.ReasonError)
		healthy(t, h.Container)
		finish(t, h.Container)
	})
}

// TestSessionShell: a person's shell is the init's session, with the caller's folder.
func TestSessionShell(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o)
		e := h.Exec(t, "script", "-qec", "cd /tmp && stty cols 90 rows 30 && "+testns.Build(t)+" shell -- sh -c 'pwd; echo LC=$LC_X; stty size; exit 5'", "/dev/null")
		status, out := e.Wait(t)
		if status.Code != 5 || !strings.Contains(out, "/tmp\r\n") || !strings.Contains(out, "30 90\r\n") {
			t.Errorf("%v: %q", status, out)
		}
		h.counts(t, "sessions_opened", 1)
		h.counts(t, "exited", 1)
		finish(t, h.Container)
	})
}

// TestSessionPerson: a person's shell has no limit of time, because it brings its terminal
// along; a caller of the protocol has them, whatever it sends along.
func TestSessionPerson(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o, "SBINIT_TERMINAL_IDLE=500ms", "SBINIT_TERMINAL_LIFETIME=1s")
		e := h.Exec(t, "script", "-qec", testns.Build(t)+" shell -- sh -c 'sleep 2; exit 5'", "/dev/null")
		c := h.session(t, testns.Tool(t), "mute")
		c.ends(wire.ReasonIdle)
		zero, err := os.Open("/dev/zero")
		if err != nil {
			t.Fatal(err)
		}
		defer zero.Close()
		c = h.call(t)
		open := wire.Open{Cols: 80, Rows: 24, Argv: []string{testns.Tool(t), "mute"}}.Append(nil)
		if err := unix.Sendmsg(c.fd, open, unix.UnixRights(int(zero.Fd())), nil, 0); err != nil {
			t.Fatal(err)
		}
		c.ends(wire.ReasonIdle)
		if status, out := e.Wait(t); status.Code != 5 {
			t.Errorf("%v: %q", status, out)
		}
		h.counts(t, "sessions_opened", 3)
		h.counts(t, "exited", 1)
		finish(t, h.Container)
	})
}

// TestSessionsShutDown: at the end sessions are told why, and have ended, before others are
// told anything; then all goes.
func TestSessionsShutDown(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := hosting(t, o, []string{"SBINIT_EXIT_GRACE=40s", "SBINIT_LOG_LEVEL=info"},
			"sh", "-c", `trap 'exit 3' USR1; "$0" mute & echo ready; while :; do sleep 0.02; done`, testns.As(t, "leftover", testns.Tool(t)))
		ready(t, h.Container)
		leftover := h.One("leftover")
		gone := h.Watch(t, leftover)
		c := h.session(t, "sh", "-c", `trap "" HUP TERM; echo ready; while :; do sleep 1; done`)
		c.shows("ready")
		mute := h.call(t) // says nothing, and is not waited for
		endMain(t, h.Container)
		if e := message[wire.End](c); e.Reason != wire.ReasonShutdown || !e.Contained || e.Killed == 0 {
			t.Errorf("%+v", e)
		}
		select {
		case <-gone:
			if !strings.Contains(h.Stderr(), `"reason": "shutdown"`) {
				t.Error("the leftover was told to end before the session had ended")
			}
		default:
		}
		ends(t, h.Container, 3)
		if text := mute.closed(); text != "" {
			t.Errorf("who had said nothing got %q", text)
		}
		if _, err := os.Lstat(h.path); !os.IsNotExist(err) {
			t.Errorf("the socket is left: %v", err)
		}
	})
}

// TestSessionsShutDownHurry: a session that takes its time does not hold up a container
// that is told to stop again, nor longer than its share of the grace.
func TestSessionsShutDownHurry(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		for _, hurry := range []bool{true, false} {
			env := []string{"SBINIT_LOG_LEVEL=info", "SBINIT_TERMINAL_CLEANUP_TIMEOUT=5m", "SBINIT_KILL_GRACE=5m", "SBINIT_EXIT_GRACE=1s"}
			if hurry {
				env[3] = "SBINIT_EXIT_GRACE=5m"
			}
			h := recording(t, o, env...)
			c := h.session(t, "sh", "-c", `trap "" HUP TERM; echo ready; while :; do sleep 1; done`)
			c.shows("ready")
			h.Signal(64)
			said(t, h.Container, "main program ended")
			if hurry {
				h.Signal(unix.SIGTERM)
			}
			ends(t, h.Container, 0)
			c.closed()
		}
	})
}
