package guard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// endLimit is the guard's own limit for SIGKILL, and time for a slow machine.
const endLimit = 20 * time.Second

// A cause is a way for a guard to end.
type cause struct {
	name   string
	signal unix.Signal
	to     func(g *guarded) testns.Process
}

func (g *guarded) daemon() testns.Process { return g.One("agentd") }

var (
	daemonKilled  = cause{"daemon killed", unix.SIGKILL, (*guarded).daemon}
	frontKilled   = cause{"front killed", unix.SIGKILL, (*guarded).front}
	keeperKilled  = cause{"keeper killed", unix.SIGKILL, (*guarded).keeper}
	frontStopped  = cause{"front told to stop", unix.SIGTERM, (*guarded).front}
	keeperStopped = cause{"keeper told to stop", unix.SIGTERM, (*guarded).keeper}

	kills  = []cause{daemonKilled, frontKilled, keeperKilled}
	causes = append(kills[:3:3], frontStopped, keeperStopped)
)

// now makes it happen.
func (g *guarded) now(c cause) { g.Kill(c.to(g), c.signal) }

// inYard starts a guard among strangers. Its daemon is called agentd, and has started
// the program.
func (h host) inYard(t testing.TB, env []string, program ...string) *guarded {
	t.Helper()
	return h.yard(t, env, append([]string{testns.Build(t), "guard", "--"}, agentd(t, program)...)...)
}

// agentd is a daemon that starts a program, and does nothing else.
func agentd(t testing.TB, program []string) []string {
	t.Helper()
	return append([]string{"sh", "-c", `"$@" & exec "$0" mute`, testns.As(t, "agentd", testns.Tool(t))}, program...)
}

// yard runs argv among strangers.
func (h host) yard(t testing.TB, env []string, argv ...string) *guarded {
	t.Helper()
	argv = testns.Yard(t, argv...)
	if h.sbinit {
		argv = append([]string{testns.Build(t), "--"}, argv...)
	}
	o := h.o
	o.Env = testns.Environ(env...)
	return &guarded{testns.Start(t, o, argv...), host{h.o, true}}
}

// below are the processes below the guard: all but front and keeper.
func (g *guarded) below() (list []testns.Process) {
	for _, p := range g.InYard() {
		if !p.Is("guard") && !p.Is("sbinit-keeper") {
			list = append(list, p)
		}
	}
	return list
}

// contained waits until nobody is left, and sees that no stranger was harmed.
func (g *guarded) contained(t *testing.T) {
	t.Helper()
	g.WaitFor(t, "everybody's end", func() bool { return len(g.InYard()) == 0 })
	g.StrangersUnharmed(t)
}

// shapes are trees of fifty.
func shapes(t testing.TB) map[string][]string {
	hostile := testns.Hostile(t)
	return map[string][]string{
		"chain":    {testns.Tool(t), "chain", "50"},
		"wide":     {testns.Tool(t), "wide", "49"},
		"sessions": {hostile, "tree", strings.Repeat("(s(d)(sd)(p)(i))", 10)},
		"orphans":  {hostile, "tree", strings.Repeat("(e(ids(e(ids(b(di)(t))))))", 8)},
	}
}

// TestContained: whatever ends, everybody does.
func TestContained(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		for shape, program := range shapes(t) {
			for _, cause := range causes {
				t.Run(shape+", "+cause.name, func(t *testing.T) {
					g := h.inYard(t, atOnce, program...)
					g.ready(t)
					watch := watch(t, g.below())
					begin := time.Now()
					g.now(cause)
					if took := watch.last(t).Sub(begin); took > 2*time.Second {
						t.Errorf("took %v", took)
					}
					g.contained(t)
				})
			}
		}
	})
}

// A watcher has the pidfds of several processes.
type watcher []unix.PollFd

func watch(t testing.TB, list []testns.Process) watcher {
	t.Helper()
	var w watcher
	for _, p := range list {
		fd, err := unix.PidfdOpen(p.HostPID, 0)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		w = append(w, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	return w
}

// last waits for the last of them to end.
func (w watcher) last(t testing.TB) time.Time {
	t.Helper()
	for deadline := time.Now().Add(endLimit); len(w) > 0; {
		if _, err := unix.Poll(w, 1000); err != nil && err != unix.EINTR {
			t.Fatal(err)
		}
		left := w[:0]
		for _, p := range w {
			if p.Revents == 0 {
				left = append(left, p)
			}
		}
		if w = left; time.Now().After(deadline) {
			t.Fatalf("%d have not ended after %v", len(w), endLimit)
		}
	}
	return time.Now()
}

// TestStopPassesThrough: a daemon that ignores SIGTERM goes on, and so does its guard.
func TestStopPassesThrough(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		g := h.recorder(t)
		g.Kill(g.front(), unix.SIGTERM)
		g.got(t, 1)
		g.Kill(g.front(), unix.SIGTERM)
		g.got(t, 2)
		g.keeper()
		g.finish(t)
	})
}

// TestStopGraceEndsAll: a daemon that ignores SIGTERM is killed after the grace, and
// with it everybody.
func TestStopGraceEndsAll(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		env := append(atOnce, "SBINIT_STOP_GRACE=50ms")
		tool := testns.Tool(t)
		g := h.yard(t, env, testns.Build(t), "guard", "--", "sh", "-c", `"$0" chain 20 & exec "$0" ignore 15`, tool)
		g.WaitFor(t, "ready", func() bool { return strings.Count(g.Stdout(), "ready") == 2 })
		g.Kill(g.front(), unix.SIGTERM)
		g.contained(t)
		g.WaitFor(t, "the status", func() bool { return strings.Contains(g.Stdout(), "status 137\n") })
	})
}

// TestHandlersRun: within the grace everybody may end in its own way, the stopped
// ones included, and nobody waits longer than that takes.
func TestHandlersRun(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		for _, cause := range causes {
			t.Run(cause.name, func(t *testing.T) {
				t.Parallel()
				dir := testns.Dir(t)
				script := `for i in 1 2 3 4 5; do "$0" cleanup 300 $1/$i & done; wait`
				g := host{o: o}.inYard(t, []string{"SBINIT_KILL_GRACE=30s"}, "sh", "-c", script, testns.Tool(t), dir)
				g.WaitFor(t, "ready", func() bool { return strings.Count(g.Stdout(), "ready") == 5 })
				one := g.Find("cleanup")[0]
				g.Kill(one, unix.SIGSTOP)
				g.WaitFor(t, "its stop", func() bool { return g.state(one) == 'T' })
				begin := time.Now()
				g.now(cause)
				g.contained(t)
				if took := time.Since(begin); took < 300*time.Millisecond || took > 20*time.Second {
					t.Errorf("took %v", took)
				}
				for i := 1; i <= 5; i++ {
					if _, err := os.Stat(filepath.Join(dir, fmt.Sprint(i))); err != nil {
						t.Error(err)
					}
				}
			})
		}
	})
}

// state is that of a process now; 0 if it has gone.
func (g *guarded) state(of testns.Process) byte {
	for _, p := range g.Processes() {
		if p.HostPID == of.HostPID {
			return p.State
		}
	}
	return 0
}

// TestGrace: who does not end within the grace is killed then.
func TestGrace(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		const grace = 700 * time.Millisecond
		for _, cause := range causes {
			t.Run(cause.name, func(t *testing.T) {
				t.Parallel()
				g := host{o: o}.inYard(t, []string{"SBINIT_KILL_GRACE=" + grace.String()}, testns.Tool(t), "ignore", "15")
				g.ready(t)
				watch := watch(t, []testns.Process{g.One("ignore")})
				begin := time.Now()
				g.now(cause)
				if took := watch.last(t).Sub(begin); took < grace || took > grace+5*time.Second {
					t.Errorf("killed after %v", took)
				}
				g.contained(t)
			})
		}
	})
}

// TestHurry: whoever tells the keeper a second time does not wait for the grace.
func TestHurry(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		g := host{o: o}.inYard(t, []string{"SBINIT_KILL_GRACE=10m"}, testns.Tool(t), "ignore", "15")
		g.ready(t)
		daemon := watch(t, []testns.Process{g.daemon()})
		g.now(keeperStopped)
		daemon.last(t)
		g.One("ignore")
		g.now(keeperStopped)
		g.contained(t)
	})
}

// TestNoHurry: an init that ends its container while handlers run does not cut them
// short.
func TestNoHurry(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		file := filepath.Join(testns.Dir(t), "clean")
		g := host{o: o}.inYard(t, []string{"SBINIT_KILL_GRACE=30s"}, testns.Tool(t), "cleanup", "500", file)
		g.ready(t)
		daemon := watch(t, []testns.Process{g.daemon()})
		g.now(daemonKilled)
		daemon.last(t)
		g.now(keeperStopped)
		g.contained(t)
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	})
}

// TestNested: a guard's program is a guard.
func TestNested(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		for _, env := range [][]string{atOnce, {"SBINIT_KILL_GRACE=200ms"}} {
			for _, victim := range []func(fronts, keepers []testns.Process) testns.Process{
				func(fronts, _ []testns.Process) testns.Process { return fronts[0] },
				func(fronts, _ []testns.Process) testns.Process { return fronts[1] },
				func(_, keepers []testns.Process) testns.Process { return keepers[0] },
				func(_, keepers []testns.Process) testns.Process { return keepers[1] },
			} {
				sbinit := testns.Build(t)
				g := h.yard(t, env, sbinit, "guard", "--", sbinit, "guard", "--", testns.Hostile(t), "tree", "(i)(sd)(sd(id(t)))")
				g.ready(t)
				fronts, keepers := g.Find("guard"), g.Find("sbinit-keeper")
				if len(fronts) != 2 || len(keepers) != 2 {
					t.Fatal(g.Dump())
				}
				g.Kill(victim(fronts, keepers), unix.SIGKILL)
				g.contained(t)
			}
		}
	})
}

// TestNestedStatus: the inner guard's status is the program's, and so is the outer's.
func TestNestedStatus(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		h.guard(t, nil, "--", testns.Build(t), "guard", "--", testns.Tool(t), "exit", "9").ends(t, 9)
	})
}

// TestPairKilled: front and keeper killed in the same instant have nobody left who
// could act. The daemon lands on PID 1, whose policy for orphans takes it.
func TestPairKilled(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		env := append(atOnce, "SBINIT_ORPHAN_GRACE=300ms", "SBINIT_SCAN_INTERVAL=100ms")
		runner := testns.Self("stdio", "-stderr", "inherit", "--", testns.Build(t), "guard", "--", testns.Tool(t), "mute")
		g := host{o, true}.yard(t, env, runner...)
		g.ready(t)
		daemon := g.daemonOf(t, "sbinit-keeper")
		front, keeper, starter := g.front(), g.keeper(), g.One("stdio")
		for _, p := range []testns.Process{front, keeper, starter} { // front would continue a keeper
			g.Kill(p, unix.SIGSTOP)
		}
		for _, p := range []testns.Process{keeper, front, starter} { // its front's death continues it as well
			g.Kill(p, unix.SIGKILL)
		}
		g.WaitFor(t, "the daemon's escape", func() bool {
			for _, p := range g.InYard() {
				if p.PID == daemon.PID && p.PPID == 1 {
					return true
				}
			}
			return false
		})
		g.contained(t)
		g.said(t, "orphan terminated")
	})
}

// daemonOf waits for the child of the process called name.
func (g *guarded) daemonOf(t *testing.T, name string) (child testns.Process) {
	t.Helper()
	g.WaitFor(t, "a child of "+name, func() bool {
		parent := g.One(name)
		for _, p := range g.InYard() {
			if p.PPID == parent.PID {
				child = p
				return true
			}
		}
		return false
	})
	return child
}
