package signals

import (
	"time"

	"golang.org/x/sys/unix"
)

// A Forwarder passes signals on to a program, and holds the clock that a stop
// signal starts. It reads no clock: its owner calls Step when Due says so.
type Forwarder struct {
	Rewrite Rewrite
	Delay   time.Duration     // how long a stop signal is held back
	Grace   time.Duration     // from a stop signal to Kill; negative: never
	Send    func(unix.Signal) // to the program
	Kill    func()            // called once, when the grace is over

	held      []unix.Signal // stop signals, rewritten, until heldUntil
	heldUntil time.Time
	killAt    time.Time
	clock     bool // the grace has begun once
}

// Receive takes a signal as it came; false says that it was dropped.
func (f *Forwarder) Receive(sig unix.Signal, now time.Time) bool {
	as, ok := f.Rewrite.Apply(sig)
	if !ok {
		return false
	}
	if !IsStop(sig) {
		f.Send(as)
		return true
	}
	if f.heldUntil.IsZero() {
		f.heldUntil = now.Add(f.Delay)
	}
	f.held = append(f.held, as)
	f.Step(now)
	return true
}

// Due is when Step has something to do; zero: never.
func (f *Forwarder) Due() time.Time {
	if len(f.held) > 0 && (f.killAt.IsZero() || f.heldUntil.Before(f.killAt)) {
		return f.heldUntil
	}
	return f.killAt
}

// Step lets held stop signals go when their time has come, and ends a program
// that did not stop in its own.
func (f *Forwarder) Step(now time.Time) {
	if len(f.held) > 0 && !now.Before(f.heldUntil) {
		for _, sig := range f.held {
			f.Send(sig)
		}
		f.held = nil
		f.startClock(now)
	}
	if !f.killAt.IsZero() && !now.Before(f.killAt) {
		f.killAt = time.Time{}
		f.Kill()
	}
}

// startClock starts the grace; a further stop signal does not start it anew.
func (f *Forwarder) startClock(now time.Time) {
	if f.clock || f.Grace < 0 {
		return
	}
	f.clock, f.killAt = true, now.Add(f.Grace)
}
