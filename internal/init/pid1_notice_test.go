package pid1_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestNoticeAtOnce: with no grace, the child of a long-lived parent dies within 100 ms
// of it, in 99 of 100 cases.
func TestNoticeAtOnce(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		const parents = 100
		env := []string{"SBINIT_ORPHAN_GRACE=0"}
		child := testns.As(t, "child", testns.Tool(t))
		parent := strings.Join(append(testns.Self("stdio", "-stderr", "inherit", "--"), child, "mute"), " ")
		c := sbinit(t, o, env, script("i=0; while [ $i -lt %d ]; do %s & i=$((i+1)); done; exec %s record", parents, parent, testns.Tool(t))...)
		c.WaitFor(t, "the parents", func() bool { return strings.Count(c.Stdout(), "ready\n") == parents+1 })
		time.Sleep(3 * time.Second) // long-lived: longer than a tick

		children := map[int]testns.Process{}
		for _, p := range c.Find("child") {
			children[p.PPID] = p
		}
		var took []time.Duration
		for _, p := range c.Find("stdio") {
			died, orphan := c.Watch(t, p), c.Watch(t, children[p.PID])
			c.Kill(p, unix.SIGKILL)
			began := <-died
			ended := <-orphan
			if began.IsZero() || ended.IsZero() {
				t.Fatalf("not ended:\n%s", c.Dump())
			}
			took = append(took, ended.Sub(began))
		}
		slices.Sort(took)
		t.Logf("of %d: half within %v, 99%% within %v, all within %v", len(took), took[len(took)/2], took[len(took)*99/100-1], took[len(took)-1])
		if p99 := took[len(took)*99/100-1]; len(took) != parents || p99 > 100*time.Millisecond {
			t.Errorf("%d orphans, 99%% within %v", len(took), p99)
		}
		finish(t, c)
	})
}

// TestNoticeByTick: started and orphaned between two looks.
func TestNoticeByTick(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		env := []string{"SBINIT_ORPHANS=terminate", "SBINIT_ORPHAN_GRACE=0"}
		c := sbinit(t, o, env, testns.Tool(t), "record")
		ready(t, c)
		server := testns.As(t, "server", testns.Tool(t))
		for range 3 {
			c.Exec(t, "sh", "-c", "setsid "+server+" daemon </dev/null >/dev/null 2>&1").Wait(t)
			began := time.Now()
			gone(t, c, "server")
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("noticed after %v", took)
			}
		}
		finish(t, c)
	})
}

// TestNoticeByExit: a child that nobody saw as a parent has started somebody and ended.
// No tick comes.
func TestNoticeByExit(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		env := []string{"SBINIT_ORPHANS=terminate", "SBINIT_ORPHAN_GRACE=0", "SBINIT_ORPHAN_KEEP=sh", "SBINIT_SCAN_INTERVAL=1h"}
		o.Stdin = testns.Pipe
		tool := testns.Tool(t)
		c := sbinit(t, o, env, script(`
			(exec 3<&0; sh -c 'echo held; read go <&3; %s mute </dev/null >/dev/null 2>&1 3<&- &' &)
			exec %s record`, testns.As(t, "server", tool), tool)...)
		c.WaitFor(t, "both", func() bool { return strings.Contains(c.Stdout(), "held\n") && strings.Contains(c.Stdout(), "ready\n") })
		time.Sleep(2 * time.Second) // until the start is over, and nothing else wakes sbinit
		fmt.Fprintln(c.Input(), "go")
		gone(t, c, "sh")
		gone(t, c, "server")
		said(t, c, `warn: orphan terminated.*"name": "server"`)
		finish(t, c)
	})
}

// TestNoticeIdle: a quiet container costs a wake-up in four seconds at most, and no
// CPU time to speak of. sbinit ticks slower once nothing was started for a minute.
func TestNoticeIdle(t *testing.T) {
	t.Parallel()
	testns.RequireNS(t)
	for _, policy := range []string{"abandoned", "keep"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			c := sbinit(t, testns.Options{}, []string{"SBINIT_ORPHANS=" + policy}, script(
				"(%s mute </dev/null >/dev/null 2>&1 &) ; exec %s record", testns.As(t, "server", testns.Tool(t)), testns.Tool(t))...)
			ready(t, c)
			time.Sleep(65 * time.Second)
			const watched = 24 * time.Second
			used := cpu(t, c.PID())
			wakes := wakeUps(t, c.PID(), watched)
			used = cpu(t, c.PID()) - used
			t.Logf("%d wake-ups and %v of CPU time in %v", wakes, used, watched)
			if wakes > int(watched/(4*time.Second)) || used > 20*time.Millisecond {
				t.Errorf("%d wake-ups and %v of CPU time in %v", wakes, used, watched)
			}
			finish(t, c)
		})
	}
}

// wakeUps counts the tenths of a second in which any thread of a process ran. (One
// wake-up of a Go program is several context switches.)
func wakeUps(t *testing.T, pid int, watched time.Duration) (n int) {
	t.Helper()
	before := switches(t, pid)
	for begin := time.Now(); time.Since(begin) < watched; {
		time.Sleep(100 * time.Millisecond)
		now := switches(t, pid)
		if now != before {
			n++
		}
		before = now
	}
	return n
}

// switches counts how often the threads of a process went to sleep.
func switches(t *testing.T, pid int) (n int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatalf("threads of %d: %v", pid, err)
	}
	for _, task := range tasks {
		status, err := os.ReadFile(task)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := bytes.Cut(status, []byte("\nvoluntary_ctxt_switches:\t"))
		count, _, _ := strings.Cut(string(rest), "\n")
		one, err := strconv.Atoi(count)
		if err != nil {
			t.Fatalf("%s: %v", task, err)
		}
		n += one
	}
	return n
}
