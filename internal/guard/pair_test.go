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

// These are the three promises of the pair, each with a process that has left its
// session and its parent.

func TestDaemonKilled(t *testing.T) { pairEnds(t, daemonKilled) }
func TestFrontKilled(t *testing.T)  { pairEnds(t, frontKilled) }
func TestKeeperKilled(t *testing.T) { pairEnds(t, keeperKilled) }

func pairEnds(t *testing.T, c cause) {
	t.Helper()
	testns.RequireNS(t)
	program := []string{testns.Tool(t), "daemon", testns.Tool(t), "ignore", "1", "15"}
	g := host{o: testns.Options{NotPID1: true}}.inYard(t, atOnce, program...)
	g.ready(t)
	w := watch(t, append(g.below(), g.keeper()))
	g.now(c)
	w.last(t)
	g.contained(t)
}

// TestKeeperStopped: a keeper that somebody has stopped keeps its promise all the same,
// with a front and without.
func TestKeeperStopped(t *testing.T) {
	testns.RequireNS(t)
	program := []string{testns.Tool(t), "daemon", testns.Tool(t), "ignore", "1", "15"}
	for _, c := range []cause{daemonKilled, frontKilled} {
		t.Run(c.name, func(t *testing.T) {
			g := host{o: testns.Options{NotPID1: true}}.inYard(t, atOnce, program...)
			g.ready(t)
			w := watch(t, append(g.below(), g.keeper()))
			victim := c.to(g)
			g.Kill(g.keeper(), unix.SIGSTOP)
			g.Kill(victim, c.signal)
			w.last(t)
		})
	}
}

// TestGroupKilled: a signal to the process group of the front, as from a runner that
// ends a job, does not reach the keeper.
func TestGroupKilled(t *testing.T) {
	testns.RequireNS(t)
	o := testns.Options{NotPID1: true}
	g := host{o: o}.guard(t, atOnce, append([]string{"--"}, agentd(t, []string{testns.Tool(t), "chain", "5"})...)...)
	g.ready(t)
	w := watch(t, g.below())
	if err := unix.Kill(-g.front().HostPID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.last(t)
	g.WaitFor(t, "everybody's end", func() bool { return len(g.InYard()) == 0 })
}

// TestPairIsIdle: nobody wakes a pair whose daemon does nothing.
func TestPairIsIdle(t *testing.T) {
	testns.RequireNS(t)
	g := host{o: testns.Options{NotPID1: true}}.recorder(t)
	before := map[string]int{"front": wakeUps(t, g.front()), "keeper": wakeUps(t, g.keeper())}
	time.Sleep(2 * time.Second) // nothing is waited for: that nothing happens is the point
	after := map[string]int{"front": wakeUps(t, g.front()), "keeper": wakeUps(t, g.keeper())}
	for who := range after {
		if n := after[who] - before[who]; n > 2 {
			t.Errorf("%s was woken %d times in two seconds", who, n)
		}
	}
	g.finish(t)
}

// wakeUps counts the voluntary context switches of all threads.
func wakeUps(t *testing.T, p testns.Process) (n int) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.HostPID))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v has no threads: %v", p, err)
	}
	for _, file := range files {
		status, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "\nvoluntary_ctxt_switches:\t")
		var one int
		fmt.Sscan(rest, &one)
		n += one
	}
	return n
}
