package pid1_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestEndInStorm: the main program's end is noticed at once among the ends of many
// others. Which of sbinit's threads is asked first varies, hence the rounds.
func TestEndInStorm(t *testing.T) {
	t.Parallel()
	tool := testns.Tool(t)
	for range 20 {
		c := sbinit(t, testns.Options{}, []string{"SBINIT_EXIT_GRACE=0"}, "sh", "-c", `"$0" comets 8 20000 & exec "$1" mute`, tool,
			testns.As(t, "main", tool))
		ready(t, c)
		main := c.One("main")
		begin := time.Now()
		c.Kill(main, unix.SIGKILL)
		ends(t, c, 137)
		if took := time.Since(begin); took > 4*time.Second {
			t.Errorf("ended after %v", took)
		}
	}
}

// alive is how many orphans of a storm there are at a time.
const alive = 64

// inStorm starts a main program beside a storm of orphans.
func inStorm(t *testing.T, o testns.Options, main string, programs int) *testns.Container {
	t.Helper()
	c := sbinit(t, o, nil, script("%[1]s orphans %[2]d & exec %[1]s %[3]s", testns.Storm(t), alive, main)...)
	c.WaitFor(t, "all to be ready", func() bool { return strings.Count(c.Stdout(), "ready\n") == programs })
	return c
}

// calm ends the storm, and returns how many orphans there were.
func calm(t *testing.T, c *testns.Container) (orphans int) {
	t.Helper()
	c.Kill(c.One("orphans"), unix.SIGTERM)
	c.WaitFor(t, "the end of the storm", func() bool {
		_, rest, ok := strings.Cut(c.Stdout(), "orphans ")
		n, _ := fmt.Sscanf(rest, "%d\n", &orphans)
		return ok && n == 1
	})
	return orphans
}

// queued are real-time signals of either end, and those that the C libraries and the Go
// runtime keep from programs.
var queued = []unix.Signal{32, 33, 34, 35, 40, 64}

// flood sends that many signals, each of which the kernel has queued. Where it refuses
// because of RLIMIT_SIGPENDING the sender waits, as it would without an init between.
func flood(t *testing.T, c *testns.Container, count int, refused func() (goOn bool)) (sent map[unix.Signal]int) {
	t.Helper()
	sent = map[unix.Signal]int{}
	deadline := time.Now().Add(testns.WaitLimit)
	for n := 0; n < count; {
		sig := queued[n%len(queued)]
		switch err := c.Queue(sig, n); {
		case err == nil:
			sent[sig]++
			n++
		case err != unix.EAGAIN:
			t.Fatalf("signal %d: %v", int(sig), err)
		case !refused():
			return sent
		case time.Now().After(deadline):
			t.Fatalf("signal %d of %d is refused for %v\n%s", n, count, testns.WaitLimit, c.Dump())
		}
	}
	return sent
}

// tallied waits until the main program has got just these.
func tallied(t *testing.T, c *testns.Container, sent map[unix.Signal]int) {
	t.Helper()
	want := "tally"
	for _, sig := range queued {
		want += fmt.Sprintf(" %d=%d", int(sig), sent[sig])
	}
	main := c.One("tally")
	c.WaitFor(t, want, func() bool {
		c.Kill(main, unix.SIGUSR1)
		return strings.Contains(c.Stdout(), want+"\n")
	})
	c.Signal(unix.SIGTERM)
	ends(t, c, 0)
	if !strings.HasSuffix(c.Stdout(), want+"\n") {
		t.Errorf("more came than were sent, want %s\n%s", want, c.Dump())
	}
}

// limit is how many signals may wait for all processes of a user.
const limit = 1000

// alone makes the user nobody else's on the machine: RLIMIT_SIGPENDING counts what waits
// for all processes of a user (getrlimit(2)).
func alone(o testns.Options) testns.Options {
	o.SigPending = limit
	if !o.AsNobody {
		o.UID, o.GID = 100000+os.Getpid(), 100000+os.Getpid()
	}
	return o
}

// pending says whether a signal waits in the kernel for sbinit.
func pending(t *testing.T, c *testns.Container) bool {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.PID()))
	if err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(string(status), "\nShdPnd:\t0000000000000000\n")
}

// resources are what sbinit has open, and its threads.
func resources(t *testing.T, c *testns.Container) (descriptors, threads int) {
	t.Helper()
	fds, err1 := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.PID()))
	tasks, err2 := os.ReadDir(fmt.Sprintf("/proc/%d/task", c.PID()))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return len(fds), len(tasks)
}

// TestSignalStorm: none of 100,000 real-time signals is lost or doubled beside a storm of
// orphans, and sbinit does not grow by it: it has a pidfd on an orphan's parent at most.
func TestSignalStorm(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o = alone(o)
		begin := time.Now()
		c := inStorm(t, o, "tally", 2)
		before, _ := resources(t, c)
		sent := map[unix.Signal]int{}
		most, threads := 0, 0
		for range 100 {
			for sig, n := range flood(t, c, 1000, func() bool { return true }) {
				sent[sig] += n
			}
			fds, tasks := resources(t, c)
			most, threads = max(most, fds), max(threads, tasks)
		}
		sending := time.Since(begin)
		orphans := calm(t, c)
		tallied(t, c, sent)
		t.Logf("%d orphans in %v, all received in %v; at most %d descriptors, %d at first, and %d threads",
			orphans, sending, time.Since(begin), most, before, threads)
		if orphans < 100 {
			t.Errorf("a storm of %d orphans", orphans)
		}
		if most > before+alive || threads > 10 {
			t.Errorf("%d descriptors, %d at first, %d threads", most, before, threads)
		}
	})
}

// TestSignalsRefused has a main program that takes no signal for a while. Who sends more
// than there is room for is refused, as without an init: nothing that was accepted is
// lost.
func TestSignalsRefused(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, alone(o), nil, testns.Storm(t), "tally")
		ready(t, c)
		main := c.One("tally")
		c.Kill(main, unix.SIGSTOP)
		sent := flood(t, c, 3*limit, func() bool { return pending(t, c) })
		total := 0
		for _, n := range sent {
			total += n
		}
		if total > limit*3/4 {
			t.Fatalf("%d signals were accepted: no room was left for %d to be passed on", total, limit)
		}
		c.Kill(main, unix.SIGCONT)
		tallied(t, c, sent)
	})
}
