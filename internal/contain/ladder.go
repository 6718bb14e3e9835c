package contain

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
)

// A Population is whoever a Ladder ends.
type Population interface {
	// Tell sends SIGTERM and SIGCONT to everybody who has not had them, or
	// SIGKILL to everybody.
	Tell(sigs ...unix.Signal) Tally
	// Empty says whether nobody is left, and only if that is proven.
	Empty() bool
	// Survivors lists who is left, a bounded number of them.
	Survivors() []proc.Stat
}

// A Tally counts one pass.
type Tally struct {
	Signalled int // processes that got their first signal of this kind; -1: not countable
	Unknown   int // processes that could not be identified, and got none
	Refused   int // processes that the kernel refused to signal
	Excess    int // processes beyond the bound of one pass
}

// A Report says how a Ladder came out.
type Report struct {
	Contained bool // nobody is left, proven
	Killed    int  // got SIGKILL
	Unknown   int  // in the last pass
	Refused   int  // in the last pass
	Excess    int  // the most that were beyond the bound of one pass
	Passes    int
	Took      time.Duration
	Survivors []proc.Stat
}

const (
	firstPause  = 2 * time.Millisecond
	politePause = 25 * time.Millisecond // longest between two looks while handlers run
)

// killPauses are between passes of SIGKILL: at once, then longer.
var killPauses = []time.Duration{0, time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond}

// A Ladder ends a population: SIGTERM and SIGCONT (a stopped process does
// nothing with a SIGTERM alone), time for handlers, then passes of SIGKILL,
// until it is empty or an absolute deadline has passed. It reads no clock and
// does not sleep: its owner calls Step when Due says so, or sooner, since the last
// may have ended.
type Ladder struct {
	who      Population
	begun    time.Time
	killAt   time.Time
	deadline time.Time
	next     time.Time
	pause    time.Duration // of the polite phase
	killing  bool
	killPass int
	done     bool
	report   Report
}

// NewLadder gives handlers the polite time, and the kernel the hard time over
// SIGKILL. With no polite time there is no SIGTERM.
func NewLadder(who Population, polite, hard time.Duration, now time.Time) *Ladder {
	return &Ladder{
		who: who, begun: now, killAt: now.Add(polite), deadline: now.Add(polite + hard),
		next: now, pause: firstPause,
	}
}

// Hurry skips what is left of the polite time.
func (l *Ladder) Hurry(now time.Time) {
	if l.killing || !now.Before(l.killAt) {
		return
	}
	l.deadline = l.deadline.Add(now.Sub(l.killAt))
	l.killAt, l.next = now, now
}

// Due is when Step has something to do.
func (l *Ladder) Due() time.Time {
	if l.killing || l.next.Before(l.killAt) {
		return l.next
	}
	return l.killAt
}

// Done says that nothing remains to be done; Report then says how it came out.
func (l *Ladder) Done() bool { return l.done }

// Killing says that the polite time is over.
func (l *Ladder) Killing() bool { return l.killing }

// Report is complete when Done.
func (l *Ladder) Report() Report { return l.report }

// Step makes a pass if one is due.
func (l *Ladder) Step(now time.Time) {
	if l.done {
		return
	}
	if l.who.Empty() {
		l.finish(now, true)
		return
	}
	if !now.Before(l.deadline) {
		l.report.Survivors = l.who.Survivors()
		l.finish(now, false)
		return
	}
	if now.Before(l.Due()) {
		return
	}
	l.killing = l.killing || !now.Before(l.killAt)
	l.report.Passes++
	if l.killing {
		l.kill(now)
		return
	}
	l.count(l.who.Tell(unix.SIGTERM, unix.SIGCONT))
	l.next = now.Add(l.pause)
	l.pause = min(2*l.pause, politePause)
}

func (l *Ladder) kill(now time.Time) {
	t := l.who.Tell(unix.SIGKILL)
	l.count(t)
	l.report.Killed += max(t.Signalled, 0)
	l.next = now.Add(killPauses[min(l.killPass, len(killPauses)-1)])
	l.killPass++
}

func (l *Ladder) count(t Tally) {
	l.report.Unknown, l.report.Refused = t.Unknown, t.Refused
	l.report.Excess = max(l.report.Excess, t.Excess)
}

func (l *Ladder) finish(now time.Time, contained bool) {
	l.done = true
	l.report.Contained, l.report.Took = contained, now.Sub(l.begun)
}
