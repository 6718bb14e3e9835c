package terminal

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// openLimit is how long a caller may take for its `open`.
const openLimit = 5 * time.Second

// A state of a session. None comes back.
type state uint8

const (
	opening  state = iota // nothing runs yet
	running               // the program runs
	ending                // the program and what it started are being ended
	draining              // nobody is left, or nothing more can be done; the last output is read
	closing               // all has been said, and is on its way
	over
	states
)

// An event is anything that happens to a session.
type event uint8

const (
	opened event = iota // the caller's messages
	typed
	resized
	signalled
	closed
	invalid      // what the caller sent is none
	ended        // the caller's input has ended
	broken       // the caller takes no more output, and never will
	stopped      // sbinit is told to stop
	failed       // something of ours failed, or the program could not be started
	exited       // the leader has ended
	crowded      // there are too many descendants
	cleaned      // the ladder is done
	drained      // there is no more output, or no more is taken
	flushed      // all output is written
	openTimeout  // the clock's: no `open` came
	expired      // the lifetime is over
	idled        // nothing came and went
	stalled      // the caller has not taken output for too long
	drainTimeout // the last output took too long
	flushTimeout // and so did the last lines
	events
)

// An occurrence is an event with what belongs to it.
type occurrence struct {
	event     event
	open      wire.Open
	data      []byte
	resize    wire.Resize
	signal    unix.Signal
	err       *wire.Error // of invalid, failed and crowded
	status    unix.WaitStatus
	result    result // of cleaned
	truncated bool   // of drained
}

// A result is what the ladder came to.
type result struct {
	contained bool
	killed    int
	survivors []wire.Survivor
}

// A program is what runs on the terminal.
type program interface {
	// start may change the limits to those that the caller asked for.
	start(open wire.Open) (pid int, err *wire.Error)
	input(data []byte) *wire.Error
	resize(size wire.Resize)
	signal(sig unix.Signal) *wire.Error
	// end begins to end all processes; not politely is at once.
	end(politely bool)
}

// A caller is who is told.
type caller interface {
	say(m wire.WorkerMessage)
	// mute says that there is no use in saying anything more. It returns true if
	// something was said that will not arrive.
	mute() (lost bool)
}

// A session is one from `open` to `end`. It reads no clock: its owner calls tick.
type session struct {
	program program
	caller  caller
	limits  wire.Limits // the most that is granted, then what is

	state     state
	follows   *occurrence // what an action has led to
	began     time.Time
	now       time.Time
	timers    timers
	reason    wire.Reason
	result    result
	reaped    int  // set by the owner
	unread    bool // likewise: there may be more output to read
	truncated bool // output was lost
}

// newSession begins to wait for an `open`.
func newSession(p program, c caller, limits wire.Limits, now time.Time) *session {
	s := &session{program: p, caller: c, limits: limits, began: now, now: now}
	s.timers.set(openTimer, now, openLimit)
	return s
}

// A cell says what an event means in a state. One without an action means nothing.
type cell struct {
	next state
	do   func(*session, occurrence)
}

var table = [states][events]cell{
	opening: {
		opened:      {running, (*session).start},
		typed:       {ending, (*session).unexpected},
		resized:     {ending, (*session).unexpected},
		signalled:   {ending, (*session).unexpected},
		closed:      {ending, (*session).unexpected},
		invalid:     {ending, (*session).refuse},
		failed:      {ending, (*session).refuse},
		openTimeout: {ending, (*session).late},
		ended:       {ending, (*session).finish},
		stopped:     {ending, (*session).finish},
		broken:      {ending, (*session).hush},
	},
	running: {
		opened:    {ending, (*session).repeated},
		typed:     {running, (*session).input},
		resized:   {running, (*session).resize},
		signalled: {running, (*session).send},
		invalid:   {ending, (*session).refuse},
		failed:    {ending, (*session).refuse},
		crowded:   {ending, (*session).refuse},
		exited:    {ending, (*session).left},
		closed:    {ending, (*session).finish},
		ended:     {ending, (*session).finish},
		stopped:   {ending, (*session).finish},
		expired:   {ending, (*session).finish},
		idled:     {ending, (*session).finish},
		broken:    {ending, (*session).hush},
		stalled:   {ending, (*session).hush},
	},
	ending: {
		exited:  {ending, (*session).tell},
		cleaned: {draining, (*session).drain},
		broken:  {ending, (*session).quiet},
		stalled: {ending, (*session).quiet},
	},
	draining: {
		drained:      {closing, (*session).conclude},
		drainTimeout: {closing, (*session).cut},
		broken:       {closing, (*session).abandon},
		stalled:      {closing, (*session).abandon},
	},
	closing: {
		flushed:      {over, (*session).quiet},
		flushTimeout: {over, (*session).quiet},
		broken:       {over, (*session).quiet},
		stalled:      {over, (*session).quiet},
	},
}

// handle does what the table says, and then what follows from that.
func (s *session) handle(o occurrence) {
	for next := &o; next != nil; next = s.follows {
		s.follows = nil
		if c := table[s.state][next.event]; c.do != nil {
			s.state = c.next
			c.do(s, *next)
		}
	}
}

// tick handles the events of the clock.
func (s *session) tick(now time.Time) {
	s.now = now
	for t := range s.timers {
		if s.timers.take(timer(t), now) {
			s.handle(occurrence{event: timerEvents[t]})
		}
	}
}

// code is the exit status: 2 says that something may be left.
func (s *session) code() int {
	switch {
	case !s.result.contained:
		return 2
	case s.truncated:
		return 1
	}
	switch s.reason {
	case wire.ReasonInvalid, wire.ReasonOutputStalled, wire.ReasonDescendants, wire.ReasonError:
		return 1
	}
	return 0
}
