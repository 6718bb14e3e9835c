package terminal

import (
	"time"

	"github.com/sbinit/sbinit/internal/reap"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// start runs the program, with what the caller asks for of what it may have.
func (s *session) start(o occurrence) {
	s.timers.stop(openTimer)
	s.limits.Lifetime = lesser(s.limits.Lifetime, o.open.Lifetime)
	s.limits.Idle = lesser(s.limits.Idle, o.open.Idle)
	pid, err := s.program.start(o.open)
	if err != nil {
		s.follows = &occurrence{event: failed, err: err}
		return
	}
	s.caller.say(wire.Ready{ID: o.open.ID, PID: pid, Containment: wire.Subreaper, Limits: s.limits})
	s.timers.set(lifeTimer, s.now, s.limits.Lifetime)
	s.active()
}

// lesser is the smaller one of a limit and a wish; 0 and less is none.
func lesser(limit, asked time.Duration) time.Duration {
	if asked <= 0 || limit > 0 && limit < asked {
		return limit
	}
	return asked
}

// active is called for input and output, which an idle session has none of.
func (s *session) active() {
	if s.state == running {
		s.timers.set(idleTimer, s.now, s.limits.Idle)
	}
}

func (s *session) input(o occurrence) {
	if len(o.data) > 0 {
		s.active()
	}
	if err := s.program.input(o.data); err != nil {
		s.follows = &occurrence{event: invalid, err: err}
	}
}

func (s *session) resize(o occurrence) { s.program.resize(o.resize) }

// send is for a signal, of which a failure does not end the session.
func (s *session) send(o occurrence) {
	if err := s.program.signal(o.signal); err != nil {
		s.caller.say(*err)
	}
}

// unexpected is another message than `open` where that has to come first.
func (s *session) unexpected(o occurrence) {
	o.err = &wire.Error{Code: wire.CodeOpenExpected, Message: "the first message has to be open"}
	s.refuse(o)
}

func (s *session) repeated(o occurrence) {
	o.err = &wire.Error{Code: wire.CodeOpenRepeated, Message: "a session is opened once"}
	s.refuse(o)
}

func (s *session) late(o occurrence) {
	o.err = &wire.Error{Code: wire.CodeOpenTimeout, Message: "no open came within " + openLimit.String()}
	s.refuse(o)
}

// refuse ends the session because of an error.
func (s *session) refuse(o occurrence) {
	s.caller.say(*o.err)
	s.end(o.err.Code.Reason())
}

// left is the leader's end, which is the session's.
func (s *session) left(o occurrence) {
	s.tell(o)
	s.end(wire.ReasonExited)
}

// tell is the leader's end, when the session's has begun.
func (s *session) tell(o occurrence) {
	m := wire.Exited{Code: reap.Code(o.status)}
	if o.status.Signaled() {
		m = wire.Exited{Signal: o.status.Signal()}
	}
	s.caller.say(m)
}

// reasons are those of events that need no more words.
var reasons = map[event]wire.Reason{
	closed:  wire.ReasonClosed,
	ended:   wire.ReasonEOF,
	stopped: wire.ReasonShutdown,
	expired: wire.ReasonExpired,
	idled:   wire.ReasonIdle,
}

func (s *session) finish(o occurrence) { s.end(reasons[o.event]) }

// hush ends a session of which nobody takes the output.
func (s *session) hush(o occurrence) {
	s.quiet(o)
	s.end(wire.ReasonOutputStalled)
}

// quiet gives the caller up.
func (s *session) quiet(occurrence) {
	s.timers.stop(stallTimer)
	s.truncated = s.caller.mute() || s.truncated
}

// end begins the end. A crowd gets no time to grow.
func (s *session) end(reason wire.Reason) {
	s.reason = reason
	for _, t := range []timer{openTimer, lifeTimer, idleTimer} {
		s.timers.stop(t)
	}
	s.program.end(reason != wire.ReasonDescendants)
}

// drain waits for the last output.
func (s *session) drain(o occurrence) {
	s.result, s.unread = o.result, true
	s.timers.set(drainTimer, s.now, s.limits.IOTimeout)
}

// cut ends the wait for the last output. A stranger who has opened the terminal keeps it
// from saying that this was all.
func (s *session) cut(o occurrence) {
	o.truncated = s.unread
	s.conclude(o)
}

// abandon ends it since nobody takes it.
func (s *session) abandon(o occurrence) {
	s.quiet(o)
	s.cut(o)
}

// conclude says the last word.
func (s *session) conclude(o occurrence) {
	s.truncated = s.truncated || o.truncated
	s.timers.stop(drainTimer)
	s.timers.set(flushTimer, s.now, s.limits.IOTimeout)
	s.caller.say(wire.End{
		Reason: s.reason, Contained: s.result.contained, Killed: s.result.killed, Reaped: s.reaped,
		Survivors: s.result.survivors, OutputTruncated: s.truncated, Duration: s.now.Sub(s.began),
	})
}
