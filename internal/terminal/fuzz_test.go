package terminal

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A refuser is a program that runs, and refuses every signal, so that each message of
// that kind has an answer.
type refuser struct{ starts, ends int }

func (p *refuser) start(wire.Open) (int, *wire.Error) { p.starts++; return 42, nil }
func (p *refuser) input([]byte) *wire.Error           { return nil }
func (p *refuser) resize(wire.Resize)                 {}
func (p *refuser) end(bool)                           { p.ends++ }
func (p *refuser) signal(unix.Signal) *wire.Error {
	return &wire.Error{Code: wire.CodeSignalFailed, Message: "no"}
}

// A dialogue is a session with its connection, and a caller who says what he likes, when
// he likes, and reads or does not.
type dialogue struct {
	*session
	t       *testing.T
	program refuser
	conn    *connection
	caller  int // the other end of the connection
	script  []byte
	heard   []byte
	clock   time.Time
	given   int64
}

func newDialogue(t *testing.T, script []byte) *dialogue {
	d := &dialogue{t: t, script: script, clock: time.Unix(1000, 0)}
	d.conn, d.caller = pair(t)
	d.session = newSession(&d.program, d.conn, stageLimits, d.clock)
	return d
}

// mostPending is what may wait for the caller: answers until no more is taken from him,
// the last of which does not fit, and the end.
const mostPending = inputMark + 2*wire.MaxLine

// step does one thing of those that a worker does, or a caller.
func (d *dialogue) step(b byte) {
	size := 1 + int(b/6)*50
	switch b % 6 {
	case 0:
		n, err := unix.SendmsgN(d.caller, d.script[:min(size, len(d.script))], nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		if err == nil {
			d.script = d.script[n:]
		}
	case 1:
		d.receive()
	case 2:
		if d.conn.roomy() && d.state >= running && d.state < closing {
			d.conn.say(wire.Output{Offset: d.given, Data: make([]byte, wire.MaxData)})
			d.given += wire.MaxData
			d.active()
		}
	case 3:
		d.hear(size)
	case 4:
		if _, err := d.conn.flush(); err != nil && err != unix.EAGAIN {
			d.handle(occurrence{event: broken})
		}
	case 5:
		d.clock = d.clock.Add(time.Duration(size) * 100 * time.Millisecond)
		d.tick(d.clock)
	}
	if waiting := d.conn.pending(); waiting > mostPending {
		d.t.Fatalf("%d bytes wait", waiting)
	}
}

func (d *dialogue) receive() {
	d.conn.receive(func(m wire.CallerMessage, err error) {
		if err != nil {
			d.handle(fault(err))
			return
		}
		d.handle(occurrenceOf(m))
	})
}

func (d *dialogue) hear(size int) (n int) {
	buf := make([]byte, size)
	n, _, _ = unix.Recvfrom(d.caller, buf, unix.MSG_DONTWAIT)
	d.heard = append(d.heard, buf[:max(n, 0)]...)
	return n
}

// finish is a caller who hangs up his half, and takes all that comes.
func (d *dialogue) finish() {
	unix.Shutdown(d.caller, unix.SHUT_WR)
	for range 1000 {
		d.receive()
		d.handle(occurrence{event: cleaned, result: result{contained: true}})
		d.handle(occurrence{event: drained})
		d.step(4)
		if d.hear(1<<16) <= 0 && d.conn.pending() == 0 {
			break
		}
	}
	d.handle(occurrence{event: flushed})
}

// FuzzDialogue: whatever a caller sends, and however slowly he reads, little waits for him,
// every line is one of the protocol's, and the last one is the end, once.
func FuzzDialogue(f *testing.F) {
	open := wire.Open{Cols: 80, Rows: 24}.Append(nil)
	typed := wire.Input{Data: []byte("x")}.Append(nil)
	refused := wire.Signal{Signal: unix.SIGINT}.Append(nil)
	ready := []byte{246, 1, 4}
	f.Add(open, ready)
	f.Add(slices.Concat(open, bytes.Repeat(refused, 5000)), slices.Concat(ready, bytes.Repeat([]byte{252, 1}, 300)))
	f.Add(slices.Concat(open, typed, typed), slices.Concat(ready, bytes.Repeat([]byte{2, 4, 0, 1}, 20), []byte{3, 4, 5}))
	f.Add(slices.Concat(open, open), ready)
	f.Add(typed, []byte{246, 1, 5, 255, 255})
	f.Add([]byte("{\"type\":\n"), []byte{246, 1})
	f.Fuzz(func(t *testing.T, script, steps []byte) {
		d := newDialogue(t, script)
		for _, b := range steps[:min(len(steps), 2000)] {
			d.step(b)
		}
		d.finish()
		if d.state != over || d.program.ends != 1 || d.program.starts > 1 {
			t.Fatalf("state %d, ended %d times, started %d times", d.state, d.program.ends, d.program.starts)
		}
		d.check()
	})
}

// check looks at what the caller has got. One that was given up may lack the end.
func (d *dialogue) check() {
	ends := 0
	for line := range bytes.Lines(d.heard) {
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole && d.conn.muted {
			continue
		}
		m, err := wire.DecodeWorker(text)
		if err != nil || ends > 0 {
			d.t.Fatalf("%.200q: %v, after %d ends", line, err, ends)
		}
		if _, ok := m.(wire.End); ok {
			ends++
		}
	}
	if stalled := d.reason == wire.ReasonOutputStalled; ends != 1 && !stalled {
		d.t.Errorf("%d ends, reason %s", ends, d.reason)
	}
}
