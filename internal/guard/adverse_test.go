package guard_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// killLimit is how long a guard tries.
const killLimit = 5 * time.Second

// TestNotContained: who is held by a tracer outside cannot be ended. The guard says so
// in time, by its log and its status.
func TestNotContained(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		t.Parallel()
		o.NotPID1 = true
		var all []hold
		for _, cause := range kills {
			g, held := host{o: o}.held(t)
			g.now(cause)
			all = append(all, hold{g, cause, held, time.Now()})
		}
		for _, h := range all {
			t.Run(h.cause.name, h.isReported)
		}
	})
}

// A hold is a guard that has begun to end somebody whom it cannot.
type hold struct {
	*guarded
	cause cause
	held  testns.Process
	begun time.Time
}

func (h hold) isReported(t *testing.T) {
	h.said(t, fmt.Sprintf(`error: not contained .*\n.*process not ended .*"pid": %d, "name": "sleep", "state": "Z"`, h.held.PID))
	want := "status 125\n"
	if h.cause.name == frontKilled.name {
		want = "status -1\n"
	}
	h.WaitFor(t, want, func() bool { return strings.Contains(h.Stdout(), want) })
	if took := time.Since(h.begun); took < killLimit || took > killLimit+4*time.Second {
		t.Errorf("said after %v", took)
	}
	h.WaitFor(t, "the end of all others", func() bool { // a keeper that has said so may not be reaped yet
		left := h.InYard()
		return len(left) == 1 && left[0].PID == h.held.PID
	})
	h.StrangersUnharmed(t)
}

// held starts a guard in a yard, of whose processes one has a tracer outside.
func (h host) held(t *testing.T) (g *guarded, held testns.Process) {
	t.Helper()
	g = h.inYard(t, atOnce, testns.As(t, "sleep", testns.Tool(t)), "sleep")
	g.ready(t)
	held = g.One("sleep")
	g.Exec(t, testns.Tool(t), "trace", fmt.Sprint(held.PID))
	g.WaitFor(t, "the tracer", func() bool { return tracer(t, held) != 0 })
	return g, held
}

// tracer is the number of a process's tracer; 0 if there is none.
func tracer(t *testing.T, p testns.Process) (pid int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.HostPID))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "\nTracerPid:\t")
	fmt.Sscan(rest, &pid)
	return pid
}

// TestLetGo: the tracer ends within the limit, and nothing is wrong then.
func TestLetGo(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		g, held := host{o: o}.held(t)
		g.now(daemonKilled)
		g.WaitFor(t, "the end of the held one", func() bool { return g.state(held) == 'Z' })
		g.Kill(g.One("trace"), unix.SIGKILL)
		g.contained(t)
		g.WaitFor(t, "the status", func() bool { return strings.Contains(g.Stdout(), "status 137\n") })
		if g.Stderr() != "" {
			t.Errorf("said: %s", g.Stderr())
		}
	})
}

// TestNumbersGivenOutAgain: with few process numbers those of the dead are soon those
// of others, of strangers too.
func TestNumbersGivenOutAgain(t *testing.T) {
	testns.RequirePidMax(t)
	tool, hostile := testns.Tool(t), testns.Hostile(t)
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1, o.PidMax = true, 400
		for name, program := range map[string][]string{
			"comets":     {tool, "comets", "8", "20000"},
			"respawner":  {tool, "respawn", "100000"},
			"watchdogs":  {tool, "watchdogs", "100000"},
			"continuers": {hostile, "conts", "40"},
			"tree":       {hostile, "tree", strings.Repeat("(f(r)(sd(ir)))", 5)},
		} {
			for _, cause := range kills {
				t.Run(name+", "+cause.name, func(t *testing.T) {
					g := host{o: o}.inYard(t, atOnce, program...)
					g.ready(t)
					g.endsHostile(t, cause)
				})
			}
		}
	})
}

// TestForkBomb: nobody can start anything any more, the guard's own threads included.
func TestForkBomb(t *testing.T) {
	testns.RequirePidsLimit(t)
	for _, cause := range kills {
		for range 3 {
			t.Run(cause.name, func(t *testing.T) {
				o := testns.Options{NotPID1: true, PidsMax: 150}
				g := host{o: o}.inYard(t, atOnce, testns.Hostile(t), "bomb", "100000")
				g.ready(t)
				g.endsHostile(t, cause)
			})
		}
	}
}

// TestUnreliableWait: that wait knows no child is not enough to say that nobody is
// left; the walks find them.
func TestUnreliableWait(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		o.SeccompErrno = map[int]syscall.Errno{unix.SYS_WAITID: unix.ECHILD}
		for _, cause := range kills {
			g := host{o: o}.guard(t, atOnce, append([]string{"--"}, agentd(t, []string{testns.Tool(t), "chain", "50"})...)...)
			g.ready(t)
			g.now(cause)
			g.WaitFor(t, "everybody's end", func() bool { return len(g.InYard()) == 0 })
			if n := len(g.Reaped()); n > 1 {
				t.Errorf("%s: %d processes came to PID 1", cause.name, n)
			}
		}
	})
}
