package pid1_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// leaks is a script that leaves one abandoned and one intended process behind, and
// becomes the recorder.
func leaks(t *testing.T) []string {
	t.Helper()
	return script("(%s mute </dev/null >/dev/null &) ; %s", testns.As(t, "server", testns.Tool(t)), startShapes(t, []string{"pipes"}, ""))
}

// leakGoes sees orphan handling at work: the abandoned process goes, the other stays.
func leakGoes(t *testing.T, c *testns.Container) {
	t.Helper()
	c.One("server")
	killDaemons(t, c, "pipes")
	gone(t, c, "pipes")
	killDaemons(t, c, canaryName)
	gone(t, c, canaryName)
	c.One("server")
	healthy(t, c)
}

// TestFaultPidsLimit reaches the limit of processes by a fork bomb, as --pids-limit
// of docker has it. A Go runtime that needs one more thread then dies.
func TestFaultPidsLimit(t *testing.T) {
	testns.RequirePidsLimit(t)
	each(t, func(t *testing.T, o testns.Options) {
		o.PidsMax = 64
		bombed(t, o)
	})
}

// TestFaultProcessLimit is the same by RLIMIT_NPROC, which binds who is not root.
func TestFaultProcessLimit(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.UID, o.GID, o.NProc = 4711, 4711, 64
		bombed(t, o)
	})
}

func bombed(t *testing.T, o testns.Options) {
	t.Helper()
	tool := testns.Tool(t)
	bomb := testns.As(t, "bomb", tool)
	env := []string{
		"SBINIT_ORPHANS=terminate", "SBINIT_ORPHAN_GRACE=5s", "SBINIT_KILL_GRACE=500ms", "SBINIT_SCAN_INTERVAL=100ms",
		"SBINIT_LOG_LEVEL=debug", "SBINIT_EXIT_GRACE=200ms",
	}
	c := sbinit(t, o, env, script("(%s bomb 100000 &) ; exec %s record", bomb, tool)...)
	full := func() bool {
		threads := 0
		for _, p := range c.Processes() {
			threads += p.Threads
		}
		return threads >= 60
	}
	c.WaitFor(t, "the limit", full)
	ready(t, c)
	for range 20 {
		healthy(t, c)
	}
	said(t, c, "orphan terminated")
	gone(t, c, "bomb")
	healthy(t, c)
	finish(t, c)
}

// TestFaultPidsLimitAtEnd ends the container while the bomb is at work.
func TestFaultPidsLimitAtEnd(t *testing.T) {
	testns.RequirePidsLimit(t)
	each(t, func(t *testing.T, o testns.Options) {
		o.PidsMax = 64
		tool := testns.Tool(t)
		c := sbinit(t, o, []string{"SBINIT_EXIT_GRACE=200ms"}, script("%s bomb 100000 & exec %s record", testns.As(t, "bomb", tool), tool)...)
		ready(t, c)
		c.WaitFor(t, "the limit", func() bool { return len(c.Find("bomb")) > 40 })
		finish(t, c)
	})
}

// TestFaultLowPidsLimit: either the container runs, or sbinit says why it cannot. The
// Go runtime of a program that is to do nothing has had 4 to 6 threads when main
// began, on 2 to 64 processors, and dies if it cannot make one of them: nothing can
// be said then. So 8 are enough to say something, and these with tasksNeeded to run.
func TestFaultLowPidsLimit(t *testing.T) {
	t.Parallel()
	testns.RequirePidsLimit(t)
	const speaks, runs = 8, 15
	for limit := 1; limit <= runs; limit++ {
		c := sbinit(t, testns.Options{PidsMax: limit}, nil, testns.Tool(t), "exit", "0")
		s, said := c.Wait(t), c.Stderr()
		switch {
		case limit < speaks && s == testns.Status{Code: 2} && strings.HasPrefix(said, "runtime: failed to create new OS thread"):
		case limit < runs && s == testns.Status{Code: 125} && strings.Contains(said, "pids.max") && strings.Count(said, "\n") == 1:
		case limit >= speaks && s == testns.Status{}:
		default:
			t.Errorf("limit %d: %v, said\n%s", limit, s, said)
		}
	}
}

// TestFaultStderr has a standard error that is closed, that nobody reads any more, or
// whose reader is stuck, and much to say.
func TestFaultStderr(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for _, kind := range []testns.Stream{testns.Closed, testns.Broken, testns.Full} {
			o.Stderr = kind
			c := sbinit(t, o, with("SBINIT_LOG_LEVEL=debug", "SBINIT_ORPHANS=terminate", "SBINIT_NO_SUCH=1"),
				script("(%[1]s mute </dev/null >/dev/null 2>&1 &) ; exec %[1]s record", testns.Tool(t))...)
			ready(t, c)
			chatter(t, c)
			gone(t, c, "mute")
			begin := time.Now()
			finish(t, c)
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("stream %d: the end took %v", kind, took)
			}
		}
	})
}

// chatter makes sbinit write a thousand lines at the level debug, more than it keeps
// for a slow reader, and sees that it forwards nevertheless.
func chatter(t *testing.T, c *testns.Container) {
	t.Helper()
	const lines = 1000
	for range lines {
		c.Signal(40)
	}
	c.WaitFor(t, "the signals", func() bool { return strings.Count(c.Stdout(), "signal 40 ") == lines })
	healthy(t, c)
}

// TestFaultStuckStderrDrops: what could not be written is counted, and said when the
// reader is back.
func TestFaultStuckStderrDrops(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.Stderr = testns.Full
		c := sbinit(t, o, []string{"SBINIT_LOG_LEVEL=debug"}, testns.Tool(t), "record")
		ready(t, c)
		chatter(t, c)
		c.Unstick(2)
		c.WaitFor(t, "the count", func() bool { healthy(t, c); return strings.Contains(c.Stderr(), " log lines dropped") })
		finish(t, c)
	})
}

// TestFaultStreams: with no standard descriptor at all the duty is done.
func TestFaultStreams(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.Stdin, o.Stdout, o.Stderr = testns.Closed, testns.Closed, testns.Closed
		c := sbinit(t, o, with("SBINIT_ORPHANS=terminate"),
			script("(%s mute &) ; exec %s mute", testns.As(t, "orphan", testns.Tool(t)), testns.As(t, "main", testns.Tool(t)))...)
		c.One("main")
		gone(t, c, "orphan")
		c.Signal(unix.SIGTERM)
		ends(t, c, 143)
	})
}

// TestFaultDescriptors: a low limit of open files, and more parents than it allows to
// watch.
func TestFaultDescriptors(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for _, limit := range []uint64{20, 32} {
			o.NoFile = limit
			tool := testns.Tool(t)
			c := sbinit(t, o, with("SBINIT_ORPHANS=terminate"), script(
				"i=0; while [ $i -lt 60 ]; do %[1]s wide 1 & i=$((i+1)); done; (%[2]s wide 3 >/dev/null &) ; exec %[1]s record",
				tool, testns.As(t, "orphan", tool))...)
			c.WaitFor(t, "60 parents", func() bool { return strings.Count(c.Stdout(), "ready\n") == 61 })
			gone(t, c, "orphan")
			parents := slices.DeleteFunc(c.Find("wide"), func(p testns.Process) bool { return p.Threads == 0 })
			c.Kill(parents[0], unix.SIGKILL)
			healthy(t, c)
			finish(t, c)
		}
	})
}

// TestFaultFewDescriptors: so few that sbinit cannot work is said, and no crash.
func TestFaultFewDescriptors(t *testing.T) {
	t.Parallel()
	testns.RequireNS(t)
	for limit := uint64(4); limit < 20; limit++ {
		c := sbinit(t, testns.Options{NoFile: limit}, nil, testns.Tool(t), "exit", "0")
		s := c.Wait(t)
		if s != (testns.Status{}) && (s != testns.Status{Code: 125} || !strings.Contains(c.Stderr(), "too many open files")) {
			t.Errorf("limit %d: %v, said\n%s", limit, s, c.Stderr())
		}
		if strings.Contains(c.Stderr(), "goroutine") {
			t.Errorf("limit %d: crashed\n%s", limit, c.Stderr())
		}
	}
}

// TestFaultNoProc: without /proc orphans cannot be seen; the rest of the duty is done.
func TestFaultNoProc(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		o.NoProc = true
		tool := testns.Tool(t)
		c := sbinit(t, o, with("SBINIT_EXIT_GRACE=300ms"), script("%[1]s litter 50; (%[1]s ignore 15 &) ; exec %[1]s record", tool)...)
		c.WaitFor(t, "ready", func() bool { return strings.Count(c.Stdout(), "ready\n") == 3 })
		said(t, c, "warn: orphans cannot be seen")
		c.WaitFor(t, "no zombie", func() bool { return len(zombies(c)) == 0 })
		healthy(t, c)
		finish(t, c)
	})
}

// TestFaultNoProcStatus: exit statuses need no /proc.
func TestFaultNoProcStatus(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.NoProc = true
		ends(t, sbinit(t, o, nil, testns.Tool(t), "exit", "7"), 7)
		ends(t, sbinit(t, o, nil, testns.Tool(t), "die", "15"), 143)
		ends(t, sbinit(t, o, nil, "no-such-program"), 127)
	})
}

// TestFaultProcReadOnly: sbinit writes nothing there.
func TestFaultProcReadOnly(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		o.ProcReadOnly = true
		c := sbinit(t, o, quick, leaks(t)...)
		leakGoes(t, c)
		finish(t, c)
	})
}

// TestFaultHidePID: with hidepid=2, and without the right to see through it, PID 1
// sees the processes of its own user, which is all there are here.
func TestFaultHidePID(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		o.HidePID, o.DockerCapabilities = true, true
		for _, id := range []int{0, 1000} {
			o.UID, o.GID = id, id
			c := sbinit(t, o, quick, leaks(t)...)
			leakGoes(t, c)
			finish(t, c)
		}
	})
}

// TestFaultHidePIDOfOthers: another user's orphan cannot be seen, so it is left alone,
// reaped when it ends, and ended with the container.
func TestFaultHidePIDOfOthers(t *testing.T) {
	t.Parallel()
	testns.RequireRoot(t)
	tool := testns.Tool(t)
	o := testns.Options{HidePID: true, DockerCapabilities: true}
	c := sbinit(t, o, quick, script("(%[1]s as 1000 %[2]s mute &) ; (%[1]s as 1000 %[1]s litter 20 &) ; %[3]s",
		tool, testns.As(t, "other", tool), startShapes(t, nil, ""))...)
	c.One("other")
	c.WaitFor(t, "the zombies' line", func() bool { return strings.Contains(c.Stdout(), "ready\n") })
	c.WaitFor(t, "no zombie", func() bool { return len(zombies(c)) == 0 })
	canary(t, c)
	c.One("other")
	healthy(t, c)
	finish(t, c)
}

// TestFaultNoPidfd: seccomp profiles older than pidfds refuse them, by one error or
// the other. Orphans are noticed by the tick.
func TestFaultNoPidfd(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for _, errno := range []syscall.Errno{unix.ENOSYS, unix.EPERM} {
			o.SeccompErrno = map[int]syscall.Errno{unix.SYS_PIDFD_OPEN: errno, unix.SYS_PIDFD_SEND_SIGNAL: errno}
			c := sbinit(t, o, quick, leaks(t)...)
			leakGoes(t, c)
			finish(t, c)
		}
	})
}

// TestFaultNoPidfdSignal: pidfds can be opened, and not used.
func TestFaultNoPidfdSignal(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.SeccompErrno = map[int]syscall.Errno{unix.SYS_PIDFD_SEND_SIGNAL: unix.EPERM}
		c := sbinit(t, o, quick, leaks(t)...)
		leakGoes(t, c)
		finish(t, c)
	})
}

// TestFaultNoSocketDiag: who cannot be asked about is not taken for abandoned.
func TestFaultNoSocketDiag(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.SeccompErrno = map[int]syscall.Errno{unix.SYS_SOCKET: unix.EPERM}
		c := sbinit(t, o, with("SBINIT_LOG_LEVEL=info"), script("%s", startShapes(t, []string{"pipes", "sockets"}, ""))...)
		sockets := c.One("sockets")
		killDaemons(t, c, "pipes", "sockets")
		gone(t, c, "pipes")
		said(t, c, fmt.Sprintf(`info: orphan's descriptors cannot be read.*"pid": %d,`, sockets.PID))
		canary(t, c)
		c.One("sockets")
		finish(t, c)
	})
}

// TestFaultReadOnlyRoot: sbinit writes nothing anywhere.
func TestFaultReadOnlyRoot(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		o.ReadOnlyRoot = true
		c := sbinit(t, o, quick, leaks(t)...)
		leakGoes(t, c)
		finish(t, c)
	})
}

// TestFaultUser: an init without privilege, over processes of its own user.
func TestFaultUser(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		o.UID, o.GID, o.ReadOnlyRoot, o.DockerCapabilities = 1000, 1000, true, true
		c := sbinit(t, o, quick, leaks(t)...)
		leakGoes(t, c)
		finish(t, c)
	})
}
