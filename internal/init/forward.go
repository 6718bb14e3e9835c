package pid1

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/signals"
)

// A forwarder passes signals on to the main program, and holds the clock that
// a stop signal starts.
type forwarder struct {
	cfg       config.Config
	send      func(unix.Signal) error // to the main program, group or child
	kill      func() error            // SIGKILL to the main program itself
	log       *logger
	counts    *counts
	held      []unix.Signal // stop signals, as received, until heldUntil
	heldUntil time.Time
	killAt    time.Time
	clock     bool // the stop clock was started once
	refused   bool // EPERM was mentioned
}

// receive takes a signal as it came.
func (f *forwarder) receive(sig unix.Signal, now time.Time) {
	as, ok := f.cfg.Rewrite.Apply(sig)
	if !ok {
		f.log.debug("signal dropped", text("signal", signals.Name(sig)))
		return
	}
	if !signals.IsStop(sig) {
		f.forward(as)
		return
	}
	if f.heldUntil.IsZero() {
		f.heldUntil = now.Add(f.cfg.StopDelay)
	}
	f.held = append(f.held, as)
	f.step(now)
}

func (f *forwarder) due() time.Time {
	if len(f.held) > 0 {
		return earliest(f.heldUntil, f.killAt)
	}
	return f.killAt
}

// step lets held stop signals go when their time has come, and ends a main
// program that did not stop in its own.
func (f *forwarder) step(now time.Time) {
	if reached(f.heldUntil, now) {
		for _, sig := range f.held {
			f.forward(sig)
			f.startClock(now)
		}
		f.held = nil
	}
	if reached(f.killAt, now) {
		f.killAt = time.Time{}
		f.log.warn("main program did not stop within SBINIT_STOP_GRACE and is killed", took("grace", f.cfg.StopGrace))
		f.mention(f.kill(), unix.SIGKILL)
	}
}

// startClock starts SBINIT_STOP_GRACE; a further stop signal does not start it
// anew.
func (f *forwarder) startClock(now time.Time) {
	if f.clock || f.cfg.StopGrace == config.Off {
		return
	}
	f.clock, f.killAt = true, now.Add(f.cfg.StopGrace)
}

func (f *forwarder) forward(sig unix.Signal) {
	f.log.debug("signal forwarded", text("signal", signals.Name(sig)))
	f.counts.forwarded++
	f.mention(f.send(sig), sig)
}

// mention logs a refusal once: a main program that changed its uid is out of
// the reach of an init without CAP_KILL, and will be at each signal.
func (f *forwarder) mention(err error, sig unix.Signal) {
	if err == nil || errors.Is(err, unix.ESRCH) || f.refused {
		return
	}
	f.refused = true
	f.log.warn("signal could not be forwarded to the main program", text("signal", signals.Name(sig)), cause(err))
}
