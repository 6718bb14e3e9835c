//go:build soak

package soak

import (
	"bytes"
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A nuisance is a caller that means no good. Its connection is closed when it returns.
type nuisance struct {
	session bool // that it said enough to get a worker
	bother  func(c *caller, r *rand.Rand)
}

// opening opens a session that says more than is read.
var opening = wire.Open{Cols: 80, Rows: 24, Argv: []string{"sh", "-c", "while echo xxxxxxxxxxxxxxxxxxxxxxxxx; do :; done"}}.Append(nil)

// decided is how much of a first line tells that it is no request for a status.
const decided = len(`{"type":"`) + 1

var nuisances = []nuisance{
	{false, func(c *caller, _ *rand.Rand) { c.linger() }},
	{false, func(c *caller, r *rand.Rand) { c.pour([]byte(control.Request[:1+r.IntN(len(control.Request)-1)])) }},
	{false, func(c *caller, r *rand.Rand) {
		c.pour([]byte(control.Request[:1+r.IntN(len(control.Request)-1)]))
		c.linger()
	}},
	{false, func(c *caller, _ *rand.Rand) { c.pour([]byte(control.Request)) }},
	{false, func(c *caller, _ *rand.Rand) { c.donate([]byte(control.Request[:decided])) }},
	{true, func(c *caller, r *rand.Rand) { c.pour([]byte{0, 0xff, byte(r.Uint32())}) }},
	{true, func(c *caller, _ *rand.Rand) { c.pour(bytes.Repeat([]byte("x"), 1<<20)) }},
	{true, func(c *caller, _ *rand.Rand) {
		c.pour(append([]byte(control.Request[:decided]), make([]byte, 1<<20)...))
	}},
	{true, func(c *caller, r *rand.Rand) { c.pour(opening[:decided+r.IntN(len(opening)-decided)]) }},
	{true, func(c *caller, _ *rand.Rand) { c.pour(opening) }},
	{true, func(c *caller, _ *rand.Rand) { c.pour(opening); c.linger() }},
	{true, func(c *caller, _ *rand.Rand) { c.pour(bytes.Repeat(opening, 2)); c.linger() }},
	{true, func(c *caller, _ *rand.Rand) { c.donate(opening); c.CloseWrite(); c.linger() }},
}

// pour says as much as is taken within a while; who is not listened to has had its turn.
func (c *caller) pour(text []byte) {
	c.SetDeadline(time.Now().Add(200 * time.Millisecond))
	_, _ = c.Write(text)
}

// donate sends descriptors along.
func (c *caller) donate(text []byte) {
	_, _, _ = c.WriteMsgUnix(text, unix.UnixRights(0, 1, 2, 0, 1, 2), nil)
}

// linger is how a caller takes its time. It does not read.
func (c *caller) linger() { time.Sleep(300 * time.Millisecond) }

// crowd is how many sessions may be open when somebody begins to bother.
const crowd = 10

// annoy has one nuisance, when those before have been dealt with.
func annoy(w *world, r *rand.Rand) {
	w.WaitFor(w.t, "sessions to end", func() bool { return len(w.status().Sessions) < crowd })
	n := nuisances[r.IntN(len(nuisances))]
	w.did("nuisances")
	if n.session {
		w.did("nuisances' sessions")
	}
	c := w.call()
	defer c.hangUp()
	n.bother(c, r)
}

// queued is a signal of which the kernel keeps each (signal(7), real-time signals).
const queued = 40

// sendSignals sends some to PID 1, and waits until the main program has got each.
func sendSignals(w *world, r *rand.Rand) {
	for range 1 + r.IntN(20) {
		w.did("signals")
		w.Signal(queued)
	}
	w.did("signals")
	w.Signal(unix.SIGWINCH)
	w.WaitFor(w.t, "signals to be forwarded", func() bool { return w.status().Counts.Forwarded == uint64(w.times("signals")) })
	pause(r)
}

// pause is between the acts of those who would do nothing else but that all the time.
func pause(r *rand.Rand) { time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond) }

// watchStatus sees that no count goes back, and that PID 1 sees what it should.
func watchStatus(w *world, r *rand.Rand) {
	before := w.status()
	pause(r)
	after := w.status()
	b, a := before.Counts, after.Counts
	if a.Reaped < b.Reaped || a.Adopted < b.Adopted || a.Terminated < b.Terminated || a.SessionsOpened < b.SessionsOpened ||
		after.Blind || after.Phase != control.Running {
		w.t.Errorf("the status was %+v, and is %+v", before, after)
	}
}
