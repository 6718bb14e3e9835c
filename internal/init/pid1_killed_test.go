package pid1_test

import (
	"fmt"
	"path"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// bystanders are a session and an orphan, which the end of another session is nothing to.
type bystanders struct {
	hub     *hub
	session *caller
	all     []testns.Process
}

// keeping starts sbinit with the settings, where orphans are left alone unless these say
// otherwise, and bystanders.
func keeping(t *testing.T, o testns.Options, env ...string) *bystanders {
	t.Helper()
	tool := testns.Tool(t)
	server := testns.As(t, "server", tool)
	h := hosting(t, o, append([]string{"SBINIT_LOG_LEVEL=debug", "SBINIT_KILL_GRACE=200ms"}, env...),
		"sh", "-c", `("$0" mute </dev/null >/dev/null 2>&1 &); exec "$TOOL" record`, server)
	ready(t, h.Container)
	b := &bystanders{hub: h}
	b.session = h.session(t, testns.As(t, "neighbour", tool), "mute")
	b.all = []testns.Process{h.One("server"), h.One("neighbour"), h.workers()[0]}
	return b
}

// unharmed sees that all of them, and the main program, are there and at work, and nobody
// else is.
func (b *bystanders) unharmed(t *testing.T) {
	t.Helper()
	b.hub.drained(t, b.all...)
	for _, p := range b.all {
		if now := b.hub.One(path.Base(p.Args[0])); now.HostPID != p.HostPID {
			t.Errorf("%v has gone", p)
		}
	}
	b.session.send(wire.Close{})
	b.session.ends(wire.ReasonClosed)
	healthy(t, b.hub.Container)
	finish(t, b.hub.Container)
}

// newWorker is the one that is no bystander's.
func (b *bystanders) newWorker(t *testing.T) testns.Process {
	t.Helper()
	for _, p := range b.hub.workers() {
		if p.PID != b.all[2].PID {
			return p
		}
	}
	t.Fatalf("there is no worker:\n%s", b.hub.Dump())
	return testns.Process{}
}

// TestWorkerKilled: a session's worker is killed, and what its session started goes at once,
// whatever it is, whatever becomes of other orphans.
func TestWorkerKilled(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		for _, program := range testns.HostilePrograms(t) {
			t.Run(program.Name, func(t *testing.T) {
				b := keeping(t, o, "SBINIT_ORPHANS=keep", "SBINIT_TERMINAL_DESCENDANTS=4000")
				c := b.hub.session(t, append([]string{"sh", "-c", `"$@"; exec "$TOOL" mute`, "sh"}, program.Argv...)...)
				c.shows("ready")
				b.hub.Kill(b.newWorker(t), unix.SIGKILL)
				c.closed()
				b.hub.counts(t, "sessions_ended/killed", 1)
				said(t, b.hub.Container, `worker has died`)
				b.unharmed(t)
			})
		}
	})
}

// TestWorkerKilledSettings: the same whatever else is set, and whoever notices the end.
func TestWorkerKilledSettings(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		for _, env := range [][]string{
			{"SBINIT_ORPHANS=keep"},
			{"SBINIT_ORPHANS=keep", "SBINIT_GUARD=other"},
			{"SBINIT_ORPHANS=abandoned"},
			{"SBINIT_ORPHANS=abandoned", "SBINIT_GUARD=other"},
			{"SBINIT_ORPHANS=report"},
			{"SBINIT_ORPHANS=keep", "SBINIT_SCAN_INTERVAL=1h"},
		} {
			b := keeping(t, o, env...)
			c := b.hub.session(t, "sh", "-c", `"$TOOL" daemon "$TOOL" ignore 1 15; SBINIT_KEEP=1 setsid "$TOOL" mute & echo ready; wait`)
			c.shows("ready")
			b.hub.Kill(b.newWorker(t), unix.SIGKILL)
			c.closed()
			b.hub.counts(t, "sessions_ended/killed", 1)
			b.unharmed(t)
		}
	})
}

// TestWorkerKilledUnseen: processes leave their line, their session and their environment
// all the time, and no look has seen them when their worker is killed. What they cannot
// leave is the mark.
func TestWorkerKilledUnseen(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		b := keeping(t, o, "SBINIT_ORPHANS=keep", "SBINIT_SCAN_INTERVAL=1h")
		leaver := testns.As(t, "leaver", testns.Tool(t))
		for range 5 {
			c := b.hub.session(t, "sh", "-c",
				fmt.Sprintf(`echo ready; while :; do env -i %s daemon %s mute </dev/null >/dev/null 2>&1; done`, leaver, leaver))
			c.shows("ready")
			b.hub.WaitFor(t, "some who have left", func() bool { return len(b.hub.Find("leaver")) > 5 })
			b.hub.Kill(b.newWorker(t), unix.SIGKILL)
			c.closed()
			gone(t, b.hub.Container, "leaver")
		}
		b.unharmed(t)
	})
}

// TestWorkerKilledUnmarked: the same of processes that have given themselves another mark.
func TestWorkerKilledUnmarked(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.DockerCapabilities = true // CAP_SYS_RESOURCE would let them off
		b := keeping(t, o, "SBINIT_ORPHANS=keep", "SBINIT_SCAN_INTERVAL=1h")
		leaver := testns.As(t, "leaver", testns.Tool(t))
		for _, limits := range []string{"0:0", "5:", "4611686018427387904:4611686018427387905"} {
			c := b.hub.session(t, "sh", "-c", fmt.Sprintf(
				`echo ready; while :; do env -i %[1]s --locks=%[2]s %[3]s daemon %[3]s mute </dev/null >/dev/null 2>&1; done`, "/usr/bin/prlimit", limits, leaver))
			c.shows("ready")
			b.hub.WaitFor(t, "some who have left", func() bool { return len(b.hub.Find("leaver")) > 5 })
			b.hub.Kill(b.newWorker(t), unix.SIGKILL)
			c.closed()
			gone(t, b.hub.Container, "leaver")
		}
		b.unharmed(t)
	})
}

// TestWorkerKilledByProgram: the program kills its worker itself, or stops it: then no bound
// of the session would hold any more.
func TestWorkerKilledByProgram(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		b := keeping(t, o, "SBINIT_ORPHANS=keep")
		for _, deed := range []string{"kill -9 $PPID", "kill -STOP $PPID"} {
			c := b.hub.session(t, "sh", "-c", `"$TOOL" daemon "$TOOL" ignore 1 15; `+deed+`; while :; do sleep 1; done`)
			c.closed()
			b.hub.WaitFor(t, "the session's end", func() bool { return len(b.hub.workers()) == 1 })
		}
		b.unharmed(t)
	})
}

// TestWorkerEscaped: what a worker could not end in its time, sbinit goes on to end, and the
// caller is told.
func TestWorkerEscaped(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		b := keeping(t, o, "SBINIT_ORPHANS=keep", "SBINIT_TERMINAL_CLEANUP_TIMEOUT=1ms", "SBINIT_KILL_GRACE=0")
		c := b.hub.session(t, testns.Tool(t), "wide", "200")
		c.shows("ready")
		c.send(wire.Close{})
		if e := message[wire.End](c); e.Contained {
			t.Skipf("this machine ended 200 processes within a millisecond: %+v", e)
		}
		b.hub.counts(t, "sessions_escaped", 1)
		b.hub.counts(t, "closed", 1)
		b.unharmed(t)
	})
}

// TestWorkerKilledAtEnd: a worker that is killed while the container ends.
func TestWorkerKilledAtEnd(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o, "SBINIT_EXIT_GRACE=40s", "SBINIT_TERMINAL_CLEANUP_TIMEOUT=5m", "SBINIT_KILL_GRACE=5m", "SBINIT_ORPHANS=keep")
		c := h.session(t, "sh", "-c", `trap "" HUP TERM; echo ready; while :; do sleep 1; done`)
		c.shows("ready")
		worker := h.One("sbinit-worker")
		h.Signal(64)
		said(t, h.Container, "main program ended")
		h.Kill(worker, unix.SIGKILL)
		ends(t, h.Container, 0)
	})
}

// TestGuardInSession: a guard that was started in a session owns what it starts, and goes
// with the session.
func TestGuardInSession(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		tool := testns.Tool(t)
		agent, child := testns.As(t, "agent", tool), testns.As(t, "child", tool)
		b := keeping(t, o, "SBINIT_ORPHANS=keep", "SBINIT_GUARD=agent", "SBINIT_SCAN_INTERVAL=100ms")
		c := b.hub.session(t, "sh", "-c", fmt.Sprintf(`%s subreaper %s daemon %s mute & echo ready; wait`, agent, child, child))
		c.shows("ready")
		b.hub.counts(t, "sessions_opened", 2)
		said(t, b.hub.Container, "guard found")
		b.hub.Kill(b.hub.One("agent"), unix.SIGKILL)
		gone(t, b.hub.Container, "child")
		c.ends(wire.ReasonExited)
		b.unharmed(t)
	})
}
