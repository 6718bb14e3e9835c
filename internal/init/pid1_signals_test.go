package pid1_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestSignalsForwarded sends every signal there is: each comes once, no other does.
func TestSignalsForwarded(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, nil, testns.Tool(t), "record")
		ready(t, c)
		want := "ready\n"
		for sig := syscall.Signal(1); sig < 64; sig++ {
			if sig == unix.SIGKILL || sig == unix.SIGSTOP || sig == unix.SIGCHLD {
				continue
			}
			want += fmt.Sprintf("signal %d code 0 value 0\n", int(sig))
			c.Signal(sig)
			c.WaitFor(t, fmt.Sprintf("signal %d", int(sig)), func() bool { return len(c.Stdout()) >= len(want) })
		}
		if c.Stdout() != want {
			t.Errorf("the main program got\n%s", c.Stdout())
		}
		finish(t, c)
	})
}

// TestSignalsQueued floods sbinit with one real-time signal by kill(2), which is not told
// when no more can be queued: they are fewer than that.
func TestSignalsQueued(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		const sent = 2000
		c := sbinit(t, o, nil, testns.Tool(t), "record")
		ready(t, c)
		for range sent {
			c.Signal(40)
		}
		c.WaitFor(t, "all of them", func() bool { return strings.Count(c.Stdout(), "signal 40 ") == sent })
		finish(t, c)
	})
}

// TestSignalBeforeMain sends SIGTERM at different moments from the execution of
// sbinit on. The main program inherits it blocked, so it cannot die of it before it
// can tell.
func TestSignalBeforeMain(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		o.Blocked = []syscall.Signal{unix.SIGTERM}
		for i := range 30 {
			c := sbinit(t, o, nil, testns.Tool(t), "record")
			time.Sleep(time.Duration(i) * 200 * time.Microsecond) // which moment, not a wait for anything
			c.Signal(unix.SIGTERM)
			c.WaitFor(t, "SIGTERM", func() bool { return strings.Contains(c.Stdout(), "signal 15 ") })
			c.Signal(64)
			c.Wait(t)
		}
	})
}

func TestSignalRewrite(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_SIGNAL_REWRITE=TERM=INT,HUP=0,40=SIGUSR2"}, testns.Tool(t), "record")
		ready(t, c)
		for _, sig := range []syscall.Signal{unix.SIGTERM, unix.SIGHUP, 40, unix.SIGUSR1} {
			c.Signal(sig)
		}
		c.WaitFor(t, "three signals", func() bool { return strings.Count(c.Stdout(), "signal ") == 3 })
		for _, n := range []int{2, 12, 10} {
			if !strings.Contains(c.Stdout(), fmt.Sprintf("signal %d ", n)) {
				t.Errorf("signal %d is missing in\n%s", n, c.Stdout())
			}
		}
		finish(t, c)
	})
}

// TestSignalTarget has a child of the main program in its process group.
func TestSignalTarget(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		for target, want := range map[string]string{"group": "signal 10 ", "child": "signal 12 "} {
			env := []string{"SBINIT_FORWARD=" + target}
			c := sbinit(t, o, env, script("trap 'echo main' USR1; %s record & while :; do wait; done", testns.Tool(t))...)
			ready(t, c)
			child := c.One("record")
			c.Signal(unix.SIGUSR1)
			c.WaitFor(t, "the main program's answer", func() bool { return strings.Contains(c.Stdout(), "main\n") })
			c.Kill(child, unix.SIGUSR2)
			c.WaitFor(t, "the child's answer", func() bool { return strings.Contains(c.Stdout(), "signal 12 ") })
			if _, first, _ := strings.Cut(c.Stdout(), "signal"); !strings.HasPrefix("signal"+first, want) {
				t.Errorf("%s: the child got\n%s", target, c.Stdout())
			}
		}
	})
}

// TestSignalsBesideOwn: when sbinit gives up the terminal, the kernel sends it HUP and CONT
// in its own name. Those that somebody else has sent by then are passed on.
func TestSignalsBesideOwn(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		for _, sent := range [][]syscall.Signal{{}, {unix.SIGCONT}, {unix.SIGHUP}, {unix.SIGCONT, unix.SIGHUP}} {
			o.Stdin, o.Blocked = testns.Terminal, []syscall.Signal{unix.SIGHUP, unix.SIGCONT, unix.SIGUSR1}
			tool := testns.Tool(t)
			c := testns.Start(t, o, tool, "pending", "10", testns.As(t, "dumb-init", testns.Build(t)), tool, "record")
			ready(t, c)
			for _, sig := range append(sent, unix.SIGUSR1) {
				c.Signal(sig)
			}
			c.WaitFor(t, "the recorder", func() bool { return strings.HasPrefix(c.Stdout(), "ready\nready\n") })
			c.WaitFor(t, "all signals", func() bool { return strings.Count(c.Stdout(), "signal ") > len(sent) })
			c.Signal(64)
			ends(t, c, 0)
			for sig := range syscall.Signal(64) {
				got, want := strings.Count(c.Stdout(), fmt.Sprintf("signal %d ", int(sig))), 0
				if sig == unix.SIGUSR1 || slices.Contains(sent, sig) {
					want = 1
				}
				if got != want {
					t.Errorf("of %v the main program got signal %d %d times", sent, int(sig), got)
				}
			}
		}
	})
}

// TestSignalStopGrace has a main program that ignores SIGTERM. Repeated stop signals
// do not start the clock again.
func TestSignalStopGrace(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		const grace = 600 * time.Millisecond
		c := sbinit(t, o, []string{"SBINIT_STOP_GRACE=600ms"}, testns.Tool(t), "ignore", "15", "2")
		ready(t, c)
		begin := time.Now()
		for c.Running() && time.Since(begin) < testns.WaitLimit {
			if err := unix.Kill(c.PID(), unix.SIGTERM); err != nil && err != unix.ESRCH { // it may have ended by now
				t.Fatal(err)
			}
			time.Sleep(grace / 4)
		}
		ends(t, c, 137)
		if took := time.Since(begin); took < grace || took > 10*time.Second {
			t.Errorf("killed after %v, the grace is %v", took, grace)
		}
	})
}

// TestSignalStopDelay holds stop signals back, and no other.
func TestSignalStopDelay(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_STOP_DELAY=500ms"}, testns.Tool(t), "record")
		ready(t, c)
		begin := time.Now()
		c.Signal(unix.SIGTERM)
		c.Signal(unix.SIGUSR1)
		c.WaitFor(t, "both", func() bool { return strings.Count(c.Stdout(), "signal ") == 2 })
		if took := time.Since(begin); took < 500*time.Millisecond {
			t.Errorf("SIGTERM came after %v", took)
		}
		if want := "ready\nsignal 10 code 0 value 0\nsignal 15 code 0 value 0\n"; c.Stdout() != want {
			t.Errorf("the main program got\n%s", c.Stdout())
		}
		finish(t, c)
	})
}

// TestSignalRefused runs an unprivileged sbinit over a main program that became root.
func TestSignalRefused(t *testing.T) {
	testns.RequireRoot(t)
	tool := filepath.Join(testns.Dir(t), "setuid-tool")
	program, err := os.ReadFile(testns.Tool(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tool, program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(tool, 0o755|os.ModeSetuid|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	c := sbinit(t, testns.Options{UID: 1000, GID: 1000}, nil, tool, "setuid", "0")
	ready(t, c)
	c.Signal(unix.SIGUSR1)
	said(t, c, "warn: signal could not be forwarded.*operation not permitted")
	c.Signal(unix.SIGUSR1)
	c.Signal(unix.SIGUSR2)
	c.Kill(c.One("setuid"), unix.SIGKILL)
	ends(t, c, 137)
	if n := strings.Count(c.Stderr(), "could not be forwarded"); n != 1 {
		t.Errorf("said %d times:\n%s", n, c.Stderr())
	}
}

// TestSignalsNotOwn waits while sbinit is busy: what the Go runtime sends itself is
// not forwarded.
func TestSignalsNotOwn(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, quick, script("%[1]s comets 2 5000 & %[1]s litter 500; exec %[1]s record", testns.Tool(t))...)
		c.WaitFor(t, "the recorder", func() bool { return strings.Count(c.Stdout(), "ready\n") == 3 })
		healthy(t, c)
		if n := strings.Count(c.Stdout(), "signal "); n != 1 {
			t.Errorf("signals that nobody sent:\n%s", c.Stdout())
		}
		finish(t, c)
	})
}
