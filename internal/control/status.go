package control

import "time"

// Request is what asks for a Status, byte for byte; the newline is part of it.
const Request = `{"type":"status"}` + "\n"

// MaxLine is more than any answer has, in bytes. It fits into the kernel's default
// buffer of a socket (net.core.wmem_default), so that the init writes it at once.
const MaxLine = 64 << 10

// Status is what an init knows at one moment. Counts are since its start.
type Status struct {
	Version string
	Commit  string
	Uptime  time.Duration
	Phase   Phase
	Policy  string // SBINIT_ORPHANS
	Blind   bool   // orphans cannot be seen: there is no usable /proc

	Main     Program   // PID 0: there is none, a pause
	Guards   []Program // living processes that own what they start (SBINIT_GUARD)
	Sessions []Session
	Orphans  Orphans
	Counts   Counts
	Limits   Limits
	Omitted  int // guards and sessions that the line had no room for
}

// A Phase is where in its life the container is.
type Phase string

// A container's life: its main program runs; or it has ended, and the rest is waited
// for (SBINIT_WAIT=all); or everything is being ended.
const (
	Running   Phase = "running"
	Lingering Phase = "lingering"
	Ending    Phase = "ending"
)

// A Program is a process with the name that it is known by: of a guard the entry of
// SBINIT_GUARD that it matches.
type Program struct {
	PID  int
	Name string
}

// A Session is one terminal session.
type Session struct {
	PID       int // of its worker
	CallerPID int // of whoever opened it, by SO_PEERCRED; 0: outside this PID namespace
	CallerUID int
	Age       time.Duration
}

// Orphans are those alive now, by what becomes of them.
type Orphans struct {
	Waiting   int // for their grace to pass, or for a verdict
	Tolerated int // nothing wrong with them now; looked at again at each tick
	Kept      int // never looked at again
	Owned     int // by a guard or a session, and end with it
	Ending    int // got a signal, or are about to; all below them counted too
}

// Total is all of them.
func (o Orphans) Total() int { return o.Waiting + o.Tolerated + o.Kept + o.Owned + o.Ending }

// Counts are since the init's start.
type Counts struct {
	Reaped     uint64 // exits taken by wait
	Adopted    uint64 // live processes that were re-parented to the init
	Terminated uint64 // endings begun: of an orphan, or of what a guard or session left
	Killed     uint64 // processes that needed SIGKILL
	Kept       uint64 // orphans that are kept for good
	Failed     uint64 // endings that did not end everybody, and faults in a feature
	Forwarded  uint64 // signals to the main program
	LogDropped uint64 // log lines that nobody took in time

	SessionsOpened   uint64  // a worker was started
	SessionsRefused  uint64  // none was: too many, or it could not be started
	SessionsEnded    []Tally // by reason, in a fixed order
	SessionsEscaped  uint64  // ended with something left that the worker could not end
	ConnectionsShut  uint64  // callers that said nothing in time, were too many, or another user's
	StatusesAnswered uint64
}

// A Tally is how often something was.
type Tally struct {
	Name string
	N    uint64
}

// Limits are what the init allows at once.
type Limits struct {
	Sessions    int // SBINIT_TERMINAL_SESSIONS
	Connections int // that have not said yet what they want
}
