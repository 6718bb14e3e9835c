package terminal

import "time"

// A timer of a session.
type timer uint8

const (
	openTimer timer = iota
	lifeTimer
	idleTimer
	stallTimer
	drainTimer
	flushTimer
	timerCount
)

// timerEvents are what happens when a timer's time has come.
var timerEvents = [timerCount]event{
	openTimer:  openTimeout,
	lifeTimer:  expired,
	idleTimer:  idled,
	stallTimer: stalled,
	drainTimer: drainTimeout,
	flushTimer: flushTimeout,
}

// timers hold when each one's time comes; zero is never.
type timers [timerCount]time.Time

// set starts a timer anew. 0 and less is never.
func (t *timers) set(which timer, now time.Time, after time.Duration) {
	t[which] = time.Time{}
	if after > 0 {
		t[which] = now.Add(after)
	}
}

func (t *timers) stop(which timer) { t[which] = time.Time{} }

// take says whether a timer's time has come, once.
func (t *timers) take(which timer, now time.Time) bool {
	if t[which].IsZero() || now.Before(t[which]) {
		return false
	}
	t.stop(which)
	return true
}

// due is when the first one's time comes; zero is never.
func (t *timers) due() (first time.Time) {
	for _, at := range t {
		first = earlier(first, at)
	}
	return first
}

// earlier is the first of two times, of which zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
