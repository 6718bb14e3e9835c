package terminal

import (
	"fmt"
	"math"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/signals"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A worker is the program of a session, and its caller's other end.
type worker struct {
	log      *log.Logger
	source   *signals.Source
	superior Superior
	*connection
	recipe  recipe
	session *session
	cleaner cleaner
	census  census

	tty    *tty // nil until the program runs
	leader int  // its number; 0 before it runs and after it was reaped
	ending bool
	late   int  // bytes of output read since the end began
	hungUp bool // nobody has the slave, for now
	more   bool // the caller's next message may be here already
	output [wire.MaxData]byte
	now    time.Time
	polls  polls
}

// contain makes ready what a session needs.
func (w *worker) contain(cfg config.Config, fs *proc.FS) {
	t := cfg.Terminal
	w.cleaner = cleaner{
		fs: fs, fence: contain.NewFence(fs, true), polite: politeTime(cfg), limit: t.Cleanup, bound: t.Scan,
	}
	w.census = census{fs: fs, interval: cfg.ScanInterval}
	w.now = time.Now()
	w.session = newSession(w, w.connection, limits(t), w.now)
}

// run serves the session until all is said.
func (w *worker) run() int {
	w.polls.begin(w.source, w.superior)
	for w.session.state != over {
		if err := w.wait(); err != nil {
			w.log.Error("waiting failed", log.Cause(err))
		}
		w.now = time.Now()
		w.session.tick(w.now)
		w.hear()
		w.reap()
		w.listen()
		w.work()
		w.flush()
	}
	return w.report()
}

func (w *worker) report() int {
	if r := w.session.result; !r.contained {
		w.log.Error("not contained", log.Number("left", len(r.survivors)))
		for _, s := range r.survivors {
			w.log.Error("process not ended", log.Number("pid", s.PID), log.Text("name", s.Name), log.Text("state", string(rune(s.State))))
		}
	}
	if w.superior == nil {
		return wire.ExitStatus(w.session.reason, w.session.result.contained)
	}
	code := w.session.code()
	w.superior.Report(code, code != 2)
	return code
}

// refuse is for a session that cannot be.
func (w *worker) refuse(e wire.Error) int {
	if w.connection != nil {
		refuse(w.out, e)
	}
	if w.superior == nil {
		return wire.ExitStatus(e.Code.Reason(), true)
	}
	w.superior.Report(statusRefused, true)
	return statusRefused
}

// hear takes signals, from the kernel and from the superior, whose end is one too.
func (w *worker) hear() {
	stop := func(sig unix.Signal) {
		if signals.IsStop(sig) || sig == unix.SIGHUP {
			w.session.handle(occurrence{event: stopped})
		}
	}
	if err := w.polls.signals(w.source, func(i signals.Info) { stop(i.Signal) }); err != nil {
		w.log.Error("signals cannot be read", log.Cause(err))
	}
	if w.polls.fromSuperior() && w.superior.Receive(stop) {
		w.polls.forgetSuperior()
		w.log.Info("the front has gone: the session is ended")
		w.session.handle(occurrence{event: stopped})
	}
}

// reap takes every exit below us; the leader's ends the session.
func (w *worker) reap() {
	for more := true; more; {
		more, _, _ = reap.Drain(64, func(e reap.Exit) {
			if e.Status.Stopped() {
				return
			}
			w.session.reaped++
			if e.PID == w.leader {
				w.leader = 0
				w.session.handle(occurrence{event: exited, status: e.Status})
			}
		})
	}
}

// listen takes the caller's messages.
func (w *worker) listen() {
	if !w.polls.ready(pollIn) && !w.more {
		return
	}
	w.more = w.receive(func(m wire.CallerMessage, err error) {
		if err != nil {
			w.session.handle(fault(err))
			return
		}
		w.session.handle(occurrenceOf(m))
	})
}

func fault(err error) occurrence {
	if isEnd(err) {
		return occurrence{event: ended}
	}
	e := err.(*wire.Error)
	return occurrence{event: invalid, err: e}
}

func occurrenceOf(m wire.CallerMessage) occurrence {
	switch m := m.(type) {
	case wire.Open:
		return occurrence{event: opened, open: m}
	case wire.Input:
		return occurrence{event: typed, data: m.Data}
	case wire.Resize:
		return occurrence{event: resized, resize: m}
	case wire.Signal:
		return occurrence{event: signalled, signal: m.Signal}
	default:
		return occurrence{event: closed}
	}
}

// work moves what is between the caller and the terminal, and looks after the processes.
func (w *worker) work() {
	if w.tty != nil {
		w.feed()
		w.take()
	}
	if n, counted := w.census.count(w.now); counted && n > w.session.limits.Descendants {
		w.session.handle(occurrence{event: crowded, err: &wire.Error{
			Code:    wire.CodeTooManyDescendants,
			Message: fmt.Sprintf("%d processes, at most %d are allowed", n, w.session.limits.Descendants),
		}})
	}
	if l := w.cleaner.ladder; l != nil && !l.Done() {
		if l.Step(w.now); l.Done() {
			w.hungUp = false // it may have been the program's doing; now it is final
			w.session.handle(occurrence{event: cleaned, result: w.cleaner.result()})
		}
	}
	if w.session.state == draining && (w.tty == nil || w.tty.dry) {
		w.session.handle(occurrence{event: drained, truncated: w.late > w.session.limits.DrainLimit})
	}
}

// flush writes to the caller, and watches that it takes something.
func (w *worker) flush() {
	progress, err := w.connection.flush()
	if err != nil && err != unix.EAGAIN || w.polls.callerGone() {
		w.session.handle(occurrence{event: broken})
		return
	}
	timers := &w.session.timers
	switch {
	case w.pending() == 0:
		timers.stop(stallTimer)
	case progress || timers[stallTimer].IsZero():
		timers.set(stallTimer, w.now, w.session.limits.IOTimeout)
	}
	if w.session.state == closing && w.pending() == 0 {
		w.session.handle(occurrence{event: flushed})
	}
}

// due is when something is to be done that nobody tells of.
func (w *worker) due() time.Time {
	due := earlier(w.session.timers.due(), w.census.due)
	if l := w.cleaner.ladder; l != nil && !l.Done() {
		due = earlier(due, l.Due())
	}
	return due
}

// timeout is in milliseconds, rounded up, as poll(2) wants it; -1 is for ever.
func timeout(due, now time.Time) int {
	if due.IsZero() {
		return -1
	}
	return int(min(max(due.Sub(now)+time.Millisecond-1, 0)/time.Millisecond, math.MaxInt32))
}
