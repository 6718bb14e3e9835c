package wire

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/jsonline"
)

// A WorkerMessage comes from the worker. It is one of Ready, Output, Accepted,
// Exited, Error and End.
type WorkerMessage interface {
	// Append appends the message as one line with its newline, never longer than
	// MaxLine: text that is no UTF-8 is repaired, long text is cut. It does not
	// allocate if dst has room.
	Append(dst []byte) []byte
	fromWorker()
}

// Subreaper is the one way of containment there is.
const Subreaper = "subreaper"

// Ready says that the program runs.
type Ready struct {
	ID          string // of the Open
	PID         int    // the leader: the program that was started
	Containment string // Subreaper
	Limits      Limits // those that hold, after what the caller asked for
}

// Limits are the bounds of a session. DESIGN names the variable of each.
type Limits struct {
	Lifetime, Idle            time.Duration // 0 or less: none, and not sent
	IOTimeout, CleanupTimeout time.Duration
	DrainLimit                int // bytes of final output
	Descendants, Scan         int // processes
}

// Output is a `data` message of the worker. Offset counts the bytes before it since
// Ready. At most MaxData bytes of Data.
type Output struct {
	Offset int64
	Data   []byte
}

// Accepted says how many bytes of input were written to the terminal since Ready.
type Accepted struct{ Offset int64 }

// Exited is the end of the leader.
type Exited struct {
	Code   int         // exit status, if Signal is 0
	Signal unix.Signal // what ended it
}

// Error says what went wrong. It is a Go error too.
type Error struct {
	Code    Code
	Message string // for people; no dump of what was received
}

// Error is the message and its code.
func (e Error) Error() string { return e.Message + " (" + string(e.Code) + ")" }

// End is the last message.
type End struct {
	Reason    Reason
	Contained bool // false: throw the sandbox away
	Killed    int  // processes that got SIGKILL
	Reaped    int  // processes that were waited for
	// Survivors are those that are left. Append lists MaxSurvivors of them, and counts
	// the rest and Omitted in `survivors_omitted`.
	Survivors []Survivor
	Omitted   int
	// OutputTruncated says that output was lost at the end.
	OutputTruncated bool
	Duration        time.Duration // since the worker began
}

// A Survivor is a process that could not be ended.
type Survivor struct {
	PID    int
	Start  uint64 // clock ticks since boot, field 22 of proc_pid_stat(5)
	Name   string // any bytes; the first 48 are sent
	State  byte   // a letter, field 3 of proc_pid_stat(5)
	UID    uint32
	Tracer int // what holds it as a zombie; 0: nothing
}

func (Ready) fromWorker()    {}
func (Output) fromWorker()   {}
func (Accepted) fromWorker() {}
func (Exited) fromWorker()   {}
func (Error) fromWorker()    {}
func (End) fromWorker()      {}

// Append is defined by WorkerMessage.
func (r Ready) Append(dst []byte) []byte {
	dst = jsonline.AppendInteger(appendType(dst, "ready"), "protocol", Protocol)
	if r.ID != "" {
		dst = jsonline.AppendText(dst, "id", jsonline.Cut(r.ID, longestID))
	}
	dst = jsonline.AppendInteger(dst, "pid", int64(r.PID))
	dst = jsonline.AppendText(dst, "containment", r.Containment)
	dst = r.Limits.append(jsonline.AppendKey(dst, "limits"))
	return appendEnd(dst)
}

func (l Limits) append(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendLimit(dst, "lifetime_ms", l.Lifetime)
	dst = appendLimit(dst, "idle_ms", l.Idle)
	dst = jsonline.AppendInteger(dst, "io_timeout_ms", milliseconds(l.IOTimeout))
	dst = jsonline.AppendInteger(dst, "cleanup_timeout_ms", milliseconds(l.CleanupTimeout))
	dst = jsonline.AppendInteger(dst, "drain_limit", int64(l.DrainLimit))
	dst = jsonline.AppendInteger(dst, "descendants", int64(l.Descendants))
	return append(jsonline.AppendInteger(dst, "scan", int64(l.Scan)), '}')
}

// Append is defined by WorkerMessage.
func (o Output) Append(dst []byte) []byte {
	dst = jsonline.AppendInteger(appendType(dst, "data"), "offset", o.Offset)
	return appendEnd(appendData(dst, o.Data))
}

// Append is defined by WorkerMessage.
func (a Accepted) Append(dst []byte) []byte {
	return appendEnd(jsonline.AppendInteger(appendType(dst, "accepted"), "offset", a.Offset))
}

// Append is defined by WorkerMessage.
func (e Exited) Append(dst []byte) []byte {
	dst = appendType(dst, "exited")
	if e.Signal != 0 {
		return appendEnd(jsonline.AppendText(dst, "signal", signalName(e.Signal)))
	}
	return appendEnd(jsonline.AppendInteger(dst, "exit_code", int64(e.Code)))
}

// Append is defined by WorkerMessage.
func (e Error) Append(dst []byte) []byte {
	dst = jsonline.AppendText(appendType(dst, "error"), "code", string(e.Code))
	return appendEnd(jsonline.AppendText(dst, "message", jsonline.Cut(e.Message, longestMessage)))
}

// Append is defined by WorkerMessage.
func (e End) Append(dst []byte) []byte {
	listed := e.Survivors[:min(len(e.Survivors), MaxSurvivors)]
	dst = jsonline.AppendText(appendType(dst, "end"), "reason", string(e.Reason))
	dst = jsonline.AppendBool(dst, "contained", e.Contained)
	dst = jsonline.AppendInteger(dst, "killed", int64(e.Killed))
	dst = jsonline.AppendInteger(dst, "reaped", int64(e.Reaped))
	dst = appendSurvivors(dst, listed)
	if omitted := e.Omitted + len(e.Survivors) - len(listed); omitted > 0 {
		dst = jsonline.AppendInteger(dst, "survivors_omitted", int64(omitted))
	}
	dst = jsonline.AppendBool(dst, "output_truncated", e.OutputTruncated)
	return appendEnd(jsonline.AppendInteger(dst, "duration_ms", milliseconds(e.Duration)))
}

func appendSurvivors(dst []byte, list []Survivor) []byte {
	dst = append(jsonline.AppendKey(dst, "survivors"), '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.append(dst)
	}
	return append(dst, ']')
}

func (s Survivor) append(dst []byte) []byte {
	dst = jsonline.AppendInteger(append(dst, '{'), "pid", int64(s.PID))
	dst = jsonline.AppendInteger(dst, "start", int64(s.Start))
	dst = jsonline.AppendText(dst, "name", jsonline.Cut(s.Name, longestName))
	dst = jsonline.AppendText(dst, "state", string(rune(s.State)))
	dst = jsonline.AppendInteger(dst, "uid", int64(s.UID))
	if s.Tracer != 0 {
		dst = jsonline.AppendInteger(dst, "tracer", int64(s.Tracer))
	}
	return append(dst, '}')
}
