package guard_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// forwarded are the signals that a guard passes on: those that can be caught, without
// SIGCHLD and without 64, which ends the recorder.
func forwarded() (list []unix.Signal) {
	for sig := unix.Signal(1); sig < 64; sig++ {
		if sig != unix.SIGKILL && sig != unix.SIGSTOP && sig != unix.SIGCHLD {
			list = append(list, sig)
		}
	}
	return list
}

// recorder is a guard with a program that prints the signals it gets.
func (h host) recorder(t *testing.T, env ...string) *guarded {
	t.Helper()
	g := h.guard(t, env, "--", testns.Tool(t), "record")
	g.ready(t)
	return g
}

var record = regexp.MustCompile(`signal (\d+) code`)

// recorded is what the recorder has got so far, by number.
func (g *guarded) recorded() (list []int) {
	for _, match := range record.FindAllStringSubmatch(g.Stdout(), -1) {
		sig, _ := strconv.Atoi(match[1])
		list = append(list, sig)
	}
	return list
}

// got waits until the recorder has got that many signals.
func (g *guarded) got(t *testing.T, n int) {
	t.Helper()
	g.WaitFor(t, fmt.Sprintf("%d signals", n), func() bool { return len(g.recorded()) >= n })
}

// finish ends the recorder; all that came before it in the channel has come by then.
func (g *guarded) finish(t *testing.T) {
	t.Helper()
	g.Kill(g.front(), 64)
	g.ends(t, 0)
}

// TestSignals: each signal reaches the program once, sent to the front, or to its
// process group.
func TestSignals(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		g := h.recorder(t)
		front := g.front()
		target := map[string]int{"front": front.HostPID, "group": -front.HostPID}
		n := 0
		for _, sig := range forwarded() {
			for _, to := range target {
				if err := unix.Kill(to, sig); err != nil {
					t.Fatal(err)
				}
				n++
				g.got(t, n)
			}
		}
		g.finish(t)
		want := []int{}
		for _, sig := range forwarded() {
			want = append(want, int(sig), int(sig))
		}
		if got := g.recorded(); !slices.Equal(got, append(want, 64)) {
			t.Errorf("recorded %v", got)
		}
	})
}

// TestSignalsToInit: a signal to PID 1 reaches the program once, by way of the guard.
func TestSignalsToInit(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		g := host{o: o, sbinit: true}.recorder(t)
		for i, sig := range []unix.Signal{unix.SIGTERM, unix.SIGUSR1, unix.SIGWINCH, 40} {
			g.Signal(sig)
			g.got(t, i+1)
		}
		g.finish(t)
		if got := g.recorded(); !slices.Equal(got, []int{15, 10, 28, 40, 64}) {
			t.Errorf("recorded %v", got)
		}
	})
}

// TestSignalFlood: what the kernel queues arrives, in order and without loss.
func TestSignalFlood(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		g := h.recorder(t)
		front := g.front()
		const n = 3000
		for i := range n {
			g.Kill(front, unix.Signal(40+i%2))
		}
		g.got(t, n)
		g.finish(t)
		count := map[int]int{}
		for _, sig := range g.recorded() {
			count[sig]++
		}
		if count[40] != n/2 || count[41] != n/2 {
			t.Errorf("got %v", count)
		}
	})
}

// TestSignalsBeforeTheProgram: what is sent while the guard starts is kept. The program
// has the signals blocked from its first moment on.
func TestSignalsBeforeTheProgram(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		o.Blocked = []syscall.Signal{unix.SIGUSR1, unix.SIGTERM, 64}
		for range 20 {
			g := host{o: o}.guard(t, nil, "--", testns.Tool(t), "record")
			g.Signal(unix.SIGUSR1)
			g.Signal(unix.SIGTERM)
			g.got(t, 2)
			g.finish(t)
		}
	})
}

// TestRewrite: a signal becomes another, or none.
func TestRewrite(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		g := h.recorder(t, "SBINIT_SIGNAL_REWRITE=TERM=INT,HUP=0,USR1=USR2")
		for _, sig := range []unix.Signal{unix.SIGHUP, unix.SIGTERM, unix.SIGUSR1} {
			g.Kill(g.front(), sig)
		}
		g.got(t, 2)
		g.finish(t)
		got := g.recorded()
		slices.Sort(got)
		if !slices.Equal(got, []int{2, 12, 64}) {
			t.Errorf("recorded %v", got)
		}
	})
}

// TestStopGrace: a program that does not stop in time is killed, one that does is not.
func TestStopGrace(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		const grace = 300 * time.Millisecond
		g := h.guard(t, append(atOnce, "SBINIT_STOP_GRACE="+grace.String()), "--", testns.Tool(t), "ignore", "15")
		g.ready(t)
		begin := time.Now()
		g.Kill(g.front(), unix.SIGTERM)
		g.ends(t, 137)
		if took := time.Since(begin); took < grace {
			t.Errorf("ended after %v", took)
		}

		g = h.guard(t, []string{"SBINIT_STOP_GRACE=20s"}, "--", testns.Tool(t), "sleep")
		g.ready(t)
		begin = time.Now()
		g.Kill(g.front(), unix.SIGTERM)
		g.ends(t, 143)
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("ended after %v", took)
		}
	})
}
