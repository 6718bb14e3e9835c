package terminal

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A stage is program and caller of a session under test, and its clock.
type stage struct {
	*session
	t        testing.TB
	clock    time.Time
	starts   int
	startErr *wire.Error
	inputErr *wire.Error
	typed    []byte
	sizes    []wire.Resize
	signals  []unix.Signal
	ends     []bool
	said     []wire.WorkerMessage
	hushed   bool
}

var stageLimits = wire.Limits{
	Lifetime: time.Hour, Idle: 5 * time.Minute, IOTimeout: 5 * time.Second, CleanupTimeout: 5 * time.Second,
	DrainLimit: 65536, Descendants: 256, Scan: 4096,
}

func newStage(t testing.TB) *stage {
	w := &stage{t: t, clock: time.Unix(1000, 0)}
	w.session = newSession(w, w, stageLimits, w.clock)
	return w
}

func (w *stage) start(wire.Open) (int, *wire.Error) {
	w.starts++
	return 42, w.startErr
}

func (w *stage) input(data []byte) *wire.Error {
	w.typed = append(w.typed, data...)
	return w.inputErr
}

func (w *stage) resize(size wire.Resize) { w.sizes = append(w.sizes, size) }

func (w *stage) signal(sig unix.Signal) *wire.Error {
	w.signals = append(w.signals, sig)
	return nil
}

func (w *stage) end(politely bool) { w.ends = append(w.ends, politely) }

func (w *stage) say(m wire.WorkerMessage) {
	if w.hushed {
		return
	}
	if _, ok := w.last().(wire.End); ok {
		w.t.Errorf("%T is said after the end", m)
	}
	w.said = append(w.said, m)
}

func (w *stage) mute() bool {
	w.hushed = true
	return false
}

func (w *stage) last() wire.WorkerMessage {
	if len(w.said) == 0 {
		return nil
	}
	return w.said[len(w.said)-1]
}

// occur makes an event, with whatever belongs to it.
func (w *stage) occur(e event) {
	o := occurrence{
		event: e, data: []byte("x"), resize: wire.Resize{Cols: 1, Rows: 2}, signal: unix.SIGINT,
		result: result{contained: true},
	}
	switch e {
	case invalid:
		o.err = &wire.Error{Code: wire.CodeBadJSON}
	case failed:
		o.err = &wire.Error{Code: wire.CodeInternal}
	case crowded:
		o.err = &wire.Error{Code: wire.CodeTooManyDescendants}
	}
	w.handle(o)
}

// pass lets time go by.
func (w *stage) pass(d time.Duration) {
	w.clock = w.clock.Add(d)
	w.tick(w.clock)
}

// to brings a session to a state by the shortest way.
func (w *stage) to(s state) {
	for _, e := range []event{opened, closed, cleaned, drained, flushed}[:s] {
		w.occur(e)
	}
	if w.state != s {
		w.t.Fatalf("in state %d, want %d", w.state, s)
	}
}

// outcomes is the table once more: in each state, where each event leads to.
var outcomes = [states]map[event]state{
	opening: {
		opened: running, typed: ending, resized: ending, signalled: ending, closed: ending, invalid: ending,
		ended: ending, broken: ending, stopped: ending, failed: ending, openTimeout: ending,
	},
	running: {
		opened: ending, invalid: ending, failed: ending, crowded: ending, exited: ending, closed: ending,
		ended: ending, stopped: ending, expired: ending, idled: ending, broken: ending, stalled: ending,
	},
	ending:   {cleaned: draining},
	draining: {drained: closing, drainTimeout: closing, broken: closing, stalled: closing},
	closing:  {flushed: over, flushTimeout: over, broken: over, stalled: over},
}

// TestEveryCell: each event in each state leads where it should, begins the end once,
// and says the last word once.
func TestEveryCell(t *testing.T) {
	for s := range states {
		for e := range events {
			t.Run(fmt.Sprintf("state %d event %d", s, e), func(t *testing.T) {
				w := newStage(t)
				w.to(s)
				w.occur(e)
				want, ok := outcomes[s][e]
				if !ok {
					want = s
				}
				if w.state != want {
					t.Errorf("leads to state %d, want %d", w.state, want)
				}
				if begun := w.state >= ending; begun != (len(w.ends) == 1) || len(w.ends) > 1 {
					t.Errorf("in state %d the end was begun %d times", w.state, len(w.ends))
				}
				if _, said := w.last().(wire.End); said != (w.state >= closing && !w.hushed || s >= closing) {
					t.Errorf("in state %d the last word is %#v", w.state, w.last())
				}
				if w.starts > 1 {
					t.Error("started twice")
				}
			})
		}
	}
}

func TestReasons(t *testing.T) {
	for e, want := range map[event]struct {
		reason wire.Reason
		code   int
	}{
		opened: {wire.ReasonInvalid, 1}, invalid: {wire.ReasonInvalid, 1}, failed: {wire.ReasonError, 1},
		crowded: {wire.ReasonDescendants, 1}, exited: {wire.ReasonExited, 0}, closed: {wire.ReasonClosed, 0},
		ended: {wire.ReasonEOF, 0}, stopped: {wire.ReasonShutdown, 0}, expired: {wire.ReasonExpired, 0},
		idled: {wire.ReasonIdle, 0}, broken: {wire.ReasonOutputStalled, 1}, stalled: {wire.ReasonOutputStalled, 1},
	} {
		w := newStage(t)
		w.occur(opened)
		w.occur(e)
		w.occur(cleaned)
		w.occur(drained)
		if w.reason != want.reason || w.code() != want.code {
			t.Errorf("event %d: %s, status %d, want %v", e, w.reason, w.code(), want)
		}
		if polite := e != crowded; w.ends[0] != polite {
			t.Errorf("event %d: politely: %v", e, w.ends[0])
		}
	}
}

func TestStatusOfWhatIsLeft(t *testing.T) {
	w := newStage(t)
	w.occur(opened)
	w.occur(closed)
	w.handle(occurrence{event: cleaned, result: result{survivors: []wire.Survivor{{PID: 7}}}})
	w.occur(drained)
	if e, ok := w.last().(wire.End); !ok || e.Contained || len(e.Survivors) != 1 || w.code() != 2 {
		t.Errorf("%#v, status %d", w.last(), w.code())
	}
}

func TestTruncated(t *testing.T) {
	for _, truncated := range []bool{false, true} {
		w := newStage(t)
		w.occur(opened)
		w.occur(exited)
		w.occur(cleaned)
		w.handle(occurrence{event: drained, truncated: truncated})
		if e := w.last().(wire.End); e.OutputTruncated != truncated || (w.code() == 1) != truncated {
			t.Errorf("%+v, status %d", e, w.code())
		}
	}
}

// TestStartFails: the program cannot be started.
func TestStartFails(t *testing.T) {
	w := newStage(t)
	w.startErr = &wire.Error{Code: wire.CodeNotFound, Message: "x"}
	w.occur(opened)
	if e, ok := w.last().(wire.Error); !ok || e.Code != wire.CodeNotFound || w.state != ending || w.reason != wire.ReasonError {
		t.Errorf("%#v, state %d, %s", w.last(), w.state, w.reason)
	}
}

// TestWindow: more input than the window ends the session.
func TestWindow(t *testing.T) {
	w := newStage(t)
	w.occur(opened)
	w.inputErr = &wire.Error{Code: wire.CodeWindowExceeded}
	w.occur(typed)
	if w.state != ending || w.reason != wire.ReasonInvalid {
		t.Errorf("state %d, %s", w.state, w.reason)
	}
}

// deadline checks that a session leaves a state when a time is over, and not before.
func (w *stage) deadline(what string, after time.Duration, leaves state) {
	w.t.Helper()
	if w.pass(after - 1); w.state != leaves {
		w.t.Errorf("%s: over too soon", what)
	}
	if w.pass(1); w.state == leaves {
		w.t.Errorf("%s: not over after %v", what, after)
	}
}

func TestDeadlines(t *testing.T) {
	w := newStage(t)
	w.deadline("open", openLimit, opening)
	if e := w.last().(wire.Error); e.Code != wire.CodeOpenTimeout {
		t.Errorf("%+v", e)
	}
	w = newStage(t)
	w.occur(opened)
	w.deadline("idle", stageLimits.Idle, running)
	w = newStage(t)
	w.limits.Idle = -1
	w.occur(opened)
	w.deadline("lifetime", stageLimits.Lifetime, running)
	w = newStage(t)
	w.limits.Lifetime, w.limits.Idle = -1, -1
	w.occur(opened)
	if w.pass(1000 * time.Hour); w.state != running {
		t.Error("no limits, and over")
	}
	w = newStage(t)
	w.to(draining)
	w.deadline("drain", stageLimits.IOTimeout, draining)
	w.deadline("flush", stageLimits.IOTimeout, closing)
}

// TestAskedLimits: a caller may ask for less, not for more.
func TestAskedLimits(t *testing.T) {
	for _, c := range []struct{ limit, asked, want time.Duration }{
		{time.Hour, 0, time.Hour}, {time.Hour, time.Minute, time.Minute}, {time.Hour, 2 * time.Hour, time.Hour},
		{-1, 0, -1}, {-1, time.Minute, time.Minute}, {time.Hour, time.Hour, time.Hour},
	} {
		w := newStage(t)
		w.limits.Lifetime, w.limits.Idle = c.limit, c.limit
		w.handle(occurrence{event: opened, open: wire.Open{Lifetime: c.asked, Idle: c.asked}})
		if l := w.last().(wire.Ready).Limits; l.Lifetime != c.want || l.Idle != c.want {
			t.Errorf("limit %v, asked %v: %v %v, want %v", c.limit, c.asked, l.Lifetime, l.Idle, c.want)
		}
	}
}

// TestIdleRenewed: by input that is not empty, by output, by nothing else.
func TestIdleRenewed(t *testing.T) {
	for what, c := range map[string]struct {
		do     func(*stage)
		renews bool
	}{
		"input":       {func(w *stage) { w.occur(typed) }, true},
		"output":      {func(w *stage) { w.active() }, true},
		"empty input": {func(w *stage) { w.handle(occurrence{event: typed}) }, false},
		"resize":      {func(w *stage) { w.occur(resized) }, false},
		"signal":      {func(w *stage) { w.occur(signalled) }, false},
	} {
		w := newStage(t)
		w.occur(opened)
		w.pass(stageLimits.Idle - 1)
		c.do(w)
		if w.pass(1); (w.state == running) != c.renews {
			t.Errorf("%s: state %d", what, w.state)
		}
		if c.renews {
			w.deadline(what, stageLimits.Idle-1, running)
		}
	}
}

// FuzzSession: whatever happens in whatever order, a session ends once, and comes to
// its end when time passes and the ladder does.
func FuzzSession(f *testing.F) {
	f.Add([]byte{byte(opened), byte(typed), byte(exited), byte(cleaned), byte(drained), byte(flushed)})
	f.Add([]byte{byte(opened), byte(opened), byte(stalled), byte(cleaned), byte(broken)})
	f.Add([]byte{byte(typed), byte(cleaned), byte(drainTimeout), byte(stalled)})
	f.Fuzz(func(t *testing.T, script []byte) {
		w := newStage(t)
		before := w.state
		for _, b := range script {
			if b >= byte(events) {
				w.pass(time.Duration(b) * time.Second)
			} else {
				w.occur(event(b))
			}
			if w.state < before {
				t.Fatalf("from state %d back to %d", before, w.state)
			}
			before = w.state
		}
		w.pass(stageLimits.Lifetime)
		w.occur(closed)
		w.occur(cleaned)
		w.pass(stageLimits.IOTimeout)
		w.pass(stageLimits.IOTimeout)
		if w.state != over || len(w.ends) != 1 || w.starts > 1 {
			t.Errorf("state %d, ended %d times, started %d times", w.state, len(w.ends), w.starts)
		}
	})
}
