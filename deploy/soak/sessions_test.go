//go:build soak

package soak

import (
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// job is what a session's program leaves in the background: out of its session, deaf.
const job = `"$0" daemon "$0" ignore 1 15 "$1"; setsid "$0" mute "$1" & `

// A way is how a session comes to its end.
type way struct {
	reason  wire.Reason // empty: its worker is killed
	program string      // of a shell, with the tool and the token, after its jobs were started
	deaf    int         // how many processes there are then that ignore signals; 0: it ends by itself
	end     func(c *caller, leader testns.Process)
}

var ways = []way{
	{wire.ReasonExited, `read -r line; exit 3`, 1, func(c *caller, _ testns.Process) {
		c.write(wire.Input{Data: []byte("go\n")}.Append(wire.Resize{Cols: 90, Rows: 30}.Append(nil)))
	}},
	{wire.ReasonExited, `exec "$0" sleep "$1"`, 1, func(c *caller, leader testns.Process) { c.w.Kill(leader, unix.SIGKILL) }},
	{wire.ReasonClosed, `exec "$0" ignore 1 2 15 "$1"`, 2, func(c *caller, _ testns.Process) { c.write(wire.Close{}.Append(nil)) }},
	{wire.ReasonClosed, `read -r line; while echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; do :; done`, 1, func(c *caller, _ testns.Process) {
		c.write(wire.Close{}.Append(wire.Input{Data: []byte("go\n")}.Append(nil)))
	}},
	{wire.ReasonEOF, `exec "$0" mute "$1"`, 1, func(c *caller, _ testns.Process) { c.CloseWrite() }},
	{wire.ReasonIdle, `exec "$0" mute "$1"`, 0, nil},
	{wire.ReasonExpired, `while sleep 0.1; do echo x; done`, 0, nil},
	{"", `exec "$0" ignore 1 15 "$1"`, 2, func(c *caller, leader testns.Process) { c.killWorker(leader, unix.SIGKILL, "killed") }},
	{"", `exec "$0" mute "$1"`, 1, func(c *caller, leader testns.Process) { c.killWorker(leader, unix.SIGSTOP, "stopped") }},
}

// openSession opens one, and ends it in one of the ways: nobody of it may be left.
func openSession(w *world, r *rand.Rand) {
	one, token := ways[r.IntN(len(ways))], w.token()
	open := wire.Open{Cols: 80, Rows: 24, Argv: []string{"sh", "-c", job + one.program, w.tool, token}}
	switch one.reason {
	case wire.ReasonIdle:
		open.Idle = 3 * time.Second
	case wire.ReasonExpired:
		open.Lifetime = 3 * time.Second
	}
	c := w.call()
	defer c.hangUp()
	c.write(open.Append(nil))
	pid := c.ready().PID
	if one.deaf > 0 {
		w.count(token, "ignore", one.deaf)
		one.end(c, w.leader(pid))
	}
	w.sessionEnded(one, c.ended())
	w.gone(token)
}

// leader finds a session's by its number inside.
func (w *world) leader(pid int) (found testns.Process) {
	w.WaitFor(w.t, "a session's leader", func() bool {
		for _, p := range w.processes() {
			if p.PID == pid {
				found = p
			}
		}
		return found.PID != 0
	})
	return found
}

func (c *caller) killWorker(leader testns.Process, sig unix.Signal, what string) {
	for _, p := range c.w.Processes() {
		if p.PID == leader.PPID && p.Is("sbinit-worker") {
			c.w.did("workers " + what)
			c.w.Kill(p, sig)
			return
		}
	}
	c.w.t.Fatalf("%v has no worker", leader)
}

// sessionEnded holds the last word against the way.
func (w *world) sessionEnded(one way, last wire.WorkerMessage) {
	w.did("sessions")
	end, ok := last.(wire.End)
	switch {
	case one.reason == "" && ok:
		w.t.Errorf("a session whose worker was killed ended with %+v", end)
	case one.reason == "":
		w.did("ended killed")
	case !ok || !end.Contained || end.Reason != one.reason:
		w.t.Errorf("the last word is %T %+v, want %s", last, last, one.reason)
	default:
		w.did("ended " + string(end.Reason))
	}
}
