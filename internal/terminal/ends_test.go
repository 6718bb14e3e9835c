package terminal_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// crowd is a session with processes of every kind that does not go by itself.
func crowd(t *testing.T, o testns.Options) *session {
	t.Helper()
	s := bash(t, o, "SBINIT_KILL_GRACE=0")
	s.types("$TOOL ignore 1 2 15 & (setsid sleep 1000 &) ; sleep 1001 | $TOOL daemon $TOOL ignore 1 15 & nohup sleep 1002 >/dev/null & trap '' TERM\n")
	s.WaitFor(t, "all to run", func() bool { return len(s.Find("sleep")) == 3 && len(s.Find("ignore")) == 2 })
	s.runs("echo $((40+2))", "42")
	return s
}

// TestEnds: every way in which a session can end, from the caller's side and from that of
// the processes.
func TestEnds(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for name, c := range map[string]struct {
			do     func(*session)
			reason wire.Reason // "" is no word
			code   int
		}{
			"exit":          {func(s *session) { s.types("exit 3\nexit 3\n") }, wire.ReasonExited, 0},
			"leader killed": {func(s *session) { s.Kill(s.One("bash"), unix.SIGKILL) }, wire.ReasonExited, 0},
			"close":         {func(s *session) { s.send(wire.Close{}) }, wire.ReasonClosed, 0},
			"end of input":  {func(s *session) { s.Input().Close() }, wire.ReasonEOF, 0},
			"half a line":   {func(s *session) { s.raw(`{"type"`); s.Input().Close() }, wire.ReasonEOF, 0},
			"invalid":       {func(s *session) { s.raw("{}\n") }, wire.ReasonInvalid, 1},
			"front TERM":    {func(s *session) { s.Kill(s.front(), unix.SIGTERM) }, wire.ReasonShutdown, 0},
			"front HUP":     {func(s *session) { s.Kill(s.front(), unix.SIGHUP) }, wire.ReasonShutdown, 0},
			"worker TERM":   {func(s *session) { s.Kill(s.worker(), unix.SIGTERM) }, wire.ReasonShutdown, 0},
			"worker KILL":   {func(s *session) { s.Kill(s.worker(), unix.SIGKILL) }, "", 1},
			"front KILL":    {func(s *session) { s.Kill(s.front(), unix.SIGKILL) }, wire.ReasonShutdown, -1},
		} {
			t.Run(name, func(t *testing.T) {
				s := crowd(t, o)
				c.do(s)
				switch {
				case c.reason == "":
					s.gone(c.code)
				case c.code < 0:
					if e := message[wire.End](s); e.Reason != c.reason || !e.Contained {
						t.Errorf("%+v", e)
					}
					s.WaitFor(t, "the worker's end", func() bool { return len(s.InYard()) == 0 })
				default:
					s.ends(c.reason, c.code)
				}
			})
		}
	})
}

// TestWorkerKilledWhileEnding: the worker is killed in the middle of the end that the
// front has asked for. The front goes on where it was.
func TestWorkerKilledWhileEnding(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, []string{"SBINIT_KILL_GRACE=60s", "SBINIT_TERMINAL_CLEANUP_TIMEOUT=10s"},
			"sh", "-c", `trap '' TERM; trap 'echo told' HUP; $TOOL ignore 1 15 & echo ready; while :; do sleep 0.01; done`)
		s.shows("ready")
		front, worker := s.front(), s.worker()
		s.Kill(front, unix.SIGTERM)
		s.shows("told")
		s.Kill(worker, unix.SIGKILL)
		s.WaitFor(t, "the front to adopt", func() bool { return s.One("sh").PPID == front.PID })
		s.gone(1)
	})
}

// TestFinalOutput: a background holder of the terminal neither loses what the leader has
// written nor holds up the end.
func TestFinalOutput(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, nil, "sh", "-c", "stty raw; trap '' HUP; setsid sleep 1000 & exec seq 20000")
		s.ends(wire.ReasonExited, 0)
		var want strings.Builder
		for n := range 20000 {
			fmt.Fprintln(&want, n+1)
		}
		if s.shown.String() != want.String() {
			t.Errorf("%d bytes came, or others, want %d", s.shown.Len(), want.Len())
		}
	})
}

// TestOutputOfTheEnd: what handlers write when they are told to end is shown.
func TestOutputOfTheEnd(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, nil, "sh", "-c", `trap 'trap "" TERM; echo "farewell"; exit 5' HUP TERM; echo ready; while :; do sleep 0.01; done`)
		s.shows("ready")
		s.send(wire.Close{})
		if e := message[wire.Exited](s); e.Code != 5 {
			t.Errorf("%+v", e)
		}
		s.ends(wire.ReasonClosed, 0)
		if !strings.Contains(s.shown.String(), "farewell") {
			t.Errorf("shown: %q", s.shown.String())
		}
	})
}

// TestYesDuringClose: a program that never stops writing is ended, and what is cut off
// said.
func TestYesDuringClose(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, nil, "sh", "-c", "trap '' HUP TERM; exec yes")
		s.shows("y\r\ny\r\n")
		s.send(wire.Close{})
		if e := s.ends(wire.ReasonClosed, 1); !e.OutputTruncated {
			t.Errorf("%+v", e)
		}
	})
}

// TestClosedTerminal: a leader that lets go of its terminal and takes it again.
func TestClosedTerminal(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, nil, "sh", "-c", "exec </dev/null >/dev/null 2>&1; sleep 0.2; exec </dev/tty >/dev/tty 2>&1; echo back; read x; echo got $x")
		s.shows("back")
		s.runs("something", "got something")
		s.ends(wire.ReasonExited, 0)
	})
}

// TestNotContained: a child that a tracer outside of the session holds cannot be ended.
// Everything but status 2 would tell the caller that it may go on.
func TestNotContained(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, []string{"SBINIT_TERMINAL_CLEANUP_TIMEOUT=500ms"}, "sh", "-c", "echo ready; sleep 1000 & wait")
		s.shows("ready")
		held := s.One("sleep")
		s.Exec(t, testns.Tool(t), "trace", fmt.Sprint(held.PID))
		s.WaitFor(t, "the tracer", func() bool { return tracer(t, held) != 0 })
		s.send(wire.Close{})
		e := message[wire.End](s)
		if e.Contained || len(e.Survivors) != 1 || e.Survivors[0].PID != held.PID || e.Survivors[0].Tracer == 0 ||
			e.Survivors[0].Name != "sleep" || e.Survivors[0].State != 'Z' {
			t.Errorf("%+v, held %v", e, held)
		}
		if code := s.status(); code != 2 {
			t.Errorf("exit status %d", code)
		}
	})
}

// tracer is the number of a process's tracer; 0 if there is none.
func tracer(t *testing.T, p testns.Process) (pid int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.HostPID))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "TracerPid:")
	if _, err := fmt.Sscan(after, &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestStoppedWorker: a program of the same user stops the worker. The front continues it,
// so that the session goes on and keeps its bounds.
func TestStoppedWorker(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, nil, "sh", "-c", "read x; kill -STOP $PPID; setsid sleep 1000 & echo stop''ped; sleep 1000")
		s.types("now\n")
		s.shows("stopped")
		s.Kill(s.front(), unix.SIGTERM)
		s.gone(0)
		if len(s.Find("sbinit-worker")) > 0 {
			t.Error("the worker is left")
		}
	})
}
