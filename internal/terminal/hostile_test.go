package terminal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// A way is one in which a session with hostile programs can end.
type way struct {
	name   string
	relay  string   // the caller has a socket, and does this at the end
	env    []string // of `sbinit terminal`
	do     func(*session)
	reason wire.Reason // "" is no word
	code   int
}

// killed is no exit status.
const killed = -1

func (s *session) hangUp() { s.Input().Close() }

var ways = []way{
	{name: "exit", do: func(s *session) { s.types("exit\n") }, reason: wire.ReasonExited},
	{name: "leader KILL", do: func(s *session) { s.Kill(s.leader(), unix.SIGKILL) }, reason: wire.ReasonExited},
	{name: "close", do: func(s *session) { s.send(wire.Close{}) }, reason: wire.ReasonClosed},
	{name: "end of input", do: (*session).hangUp, reason: wire.ReasonEOF},
	{name: "half-closed", relay: "half", do: (*session).hangUp, reason: wire.ReasonEOF},
	{name: "invalid", do: func(s *session) { s.raw("{}\n") }, reason: wire.ReasonInvalid, code: 1},
	{name: "worker TERM", do: func(s *session) { s.Kill(s.worker(), unix.SIGTERM) }, reason: wire.ReasonShutdown},
	{name: "worker KILL", do: func(s *session) { s.Kill(s.worker(), unix.SIGKILL) }, code: 1},
	{name: "front TERM", do: func(s *session) { s.Kill(s.front(), unix.SIGTERM) }, reason: wire.ReasonShutdown},
	{name: "front KILL", do: func(s *session) { s.Kill(s.front(), unix.SIGKILL) }, reason: wire.ReasonShutdown, code: killed},
	{name: "expired", env: []string{"SBINIT_TERMINAL_LIFETIME=5s"}, do: func(*session) {}, reason: wire.ReasonExpired},
	{name: "idle", env: []string{"SBINIT_TERMINAL_IDLE=1500ms"}, do: func(*session) {}, reason: wire.ReasonIdle},
	{name: "output stalled", relay: "stall", env: []string{"SBINIT_TERMINAL_IO_TIMEOUT=300ms"}, do: func(s *session) {
		s.types("yes\n")
		s.hangUp()
	}, code: 1},
	{name: "close during yes", do: func(s *session) {
		s.types("yes\n")
		s.shows("y\r\ny\r\n")
		s.send(wire.Close{})
	}, reason: wire.ReasonClosed},
}

// leader is the shell that has started all.
func (s *session) leader() testns.Process {
	worker := s.worker()
	all := slices.DeleteFunc(s.Find("sh"), func(p testns.Process) bool { return p.PPID != worker.PID || p.SID != p.PID })
	if len(all) != 1 {
		s.t.Fatalf("leaders: %v", all)
	}
	return all[0]
}

// infested is a session in which a shell runs hostile programs, each as a job of its own.
// It ends with "exit", and becomes yes with anything else.
func infested(t *testing.T, o testns.Options, w way, programs ...testns.HostileProgram) *session {
	t.Helper()
	argv := []string{testns.Build(t), "terminal"}
	if w.relay != "" {
		argv = append(testns.Self("relay", w.relay), argv...)
	}
	o.Stdin, o.NotPID1 = testns.Pipe, true
	o.Env = testns.Environ(append(w.env, "SBINIT_KILL_GRACE=50ms", "SBINIT_TERMINAL_DESCENDANTS=20000")...)
	s := &session{Container: testns.Start(t, o, testns.Yard(t, argv...)...), t: t}
	s.infest(programs)
	return s
}

func (s *session) infest(programs []testns.HostileProgram) {
	s.t.Helper()
	script := "set -m\n"
	for _, p := range programs {
		for _, arg := range p.Argv {
			script += "'" + strings.ReplaceAll(arg, "'", `'\''`) + "' "
		}
		script += "&\n"
	}
	script += `read line; [ "$line" = exit ] && exit 3; exec yes`
	s.send(wire.Open{Cols: 80, Rows: 24, Argv: []string{"sh", "-c", script}})
	message[wire.Ready](s)
	s.WaitFor(s.t, "all to be ready", func() bool {
		s.read()
		return strings.Count(s.shown.String(), "ready\r\n") == len(programs)
	})
}

// over checks what a caller sees of the end, and that nobody is left.
func (s *session) over(w way) {
	s.t.Helper()
	if w.reason == "" {
		s.gone(w.code)
		return
	}
	e := message[wire.End](s)
	code := w.code
	if e.OutputTruncated && w.name == "close during yes" {
		code = 1 // how much it had written by then is its own affair
	}
	if e.Reason != w.reason || !e.Contained || len(e.Survivors) > 0 || e.OutputTruncated != (code == 1 && w.code == 0) {
		s.t.Errorf("ended with %+v, want %s", e, w.reason)
	}
	if w.code == killed {
		s.WaitFor(s.t, "the worker's end", func() bool { return len(s.InYard()) == 0 })
		s.StrangersUnharmed(s.t)
		return
	}
	s.gone(code)
}

// TestHostile: however a session with hostile programs ends, nobody is left, no stranger
// is hit, and the caller is told as it should be. Those that are small run all at once,
// and those that are thousands alone.
func TestHostile(t *testing.T) {
	crowds := []string{"chain", "wide", "siblings", "continuers"}
	programs := testns.HostilePrograms(t)
	isCrowd := func(p testns.HostileProgram) bool { return slices.Contains(crowds, p.Name) }
	small := slices.DeleteFunc(slices.Clone(programs), isCrowd)
	if len(programs)-len(small) != len(crowds) {
		t.Fatalf("no crowds: %v", programs)
	}
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for i, w := range ways {
			t.Run(w.name, func(t *testing.T) {
				s := infested(t, o, w, small...)
				w.do(s)
				s.over(w)
			})
			crowd := programs[slices.IndexFunc(programs, func(p testns.HostileProgram) bool { return p.Name == crowds[i%len(crowds)] })]
			if o.AsNobody && i >= len(crowds) || w.name == "expired" {
				continue // there is little that is different without privilege
			}
			t.Run(w.name+", "+crowd.Name, func(t *testing.T) {
				s := infested(t, o, w, crowd)
				w.do(s)
				s.over(w)
			})
		}
	})
}

// TestBothKilled: front and worker, one after the other, while the first one's end is
// being cleaned up after. Then it is on the init.
func TestBothKilled(t *testing.T) {
	programs := slices.DeleteFunc(testns.HostilePrograms(t), func(p testns.HostileProgram) bool {
		return !slices.Contains([]string{"ignorer", "daemon", "subreaper", "vfork"}, p.Name)
	})
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for _, order := range [][2]string{{"terminal", "sbinit-worker"}, {"sbinit-worker", "terminal"}} {
			t.Run(fmt.Sprint(order), func(t *testing.T) {
				o.Stdin = testns.Pipe
				o.Env = testns.Environ("SBINIT_ORPHANS=terminate", "SBINIT_ORPHAN_GRACE=0", "SBINIT_KILL_GRACE=50ms", "SBINIT_LOG_LEVEL=error")
				argv := []string{"env", "SBINIT_KILL_GRACE=60s", "SBINIT_TERMINAL_CLEANUP_TIMEOUT=60s", testns.Build(t), "terminal"}
				s := &session{Container: testns.Start(t, o, append([]string{testns.Build(t), "--"}, testns.Yard(t, argv...)...)...), t: t}
				s.infest(programs)
				first, second, leader := s.One(order[0]), s.One(order[1]), s.leader()
				s.Kill(first, unix.SIGKILL)
				s.WaitFor(t, "the other one to begin", func() bool {
					return !slices.ContainsFunc(s.Find("sh"), func(p testns.Process) bool { return p.PID == leader.PID })
				})
				s.Kill(second, unix.SIGKILL)
				s.WaitFor(t, "everybody's end", func() bool { return len(s.InYard()) == 0 })
				s.StrangersUnharmed(t)
			})
		}
	})
}
