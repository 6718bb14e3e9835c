package wire

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/jsonline"
)

// A CallerMessage goes to the worker. It is one of Open, Input, Resize, Signal and
// Close.
type CallerMessage interface {
	// Append appends the message as one line with its newline. It does not allocate
	// if dst has room.
	Append(dst []byte) []byte
	fromCaller()
}

// Open is the first message, and comes once: it starts the program.
type Open struct {
	// Cols and Rows are the size of the terminal, 1 to MaxSide.
	Cols, Rows int
	// Cwd is absolute. Empty: the directory of the worker.
	Cwd string
	// Argv is the program and its arguments. Empty: the user's login shell.
	Argv []string
	// Env adds to the environment, each NAME=value, no name twice.
	Env []string
	// Lifetime and Idle ask for less than the worker's own limits, in whole
	// milliseconds. 0 asks for nothing.
	Lifetime, Idle time.Duration
	// ID names the session for the caller, who gets it back in Ready. At most MaxID
	// characters. Empty: none.
	ID string
}

// Input is a `data` message of the caller: what is typed. At most MaxData bytes.
// Empty data is legal, and does not renew the idle limit.
type Input struct{ Data []byte }

// Resize gives the terminal another size, 1 to MaxSide.
type Resize struct{ Cols, Rows int }

// Signal goes to the foreground process group of the terminal.
type Signal struct{ Signal unix.Signal }

// Close ends the session.
type Close struct{}

func (Open) fromCaller()   {}
func (Input) fromCaller()  {}
func (Resize) fromCaller() {}
func (Signal) fromCaller() {}
func (Close) fromCaller()  {}

// Append is defined by CallerMessage. Check says whether o can be sent.
func (o Open) Append(dst []byte) []byte {
	dst = appendType(dst, "open")
	dst = jsonline.AppendInteger(dst, "protocol", Protocol)
	dst = jsonline.AppendInteger(dst, "cols", int64(o.Cols))
	dst = jsonline.AppendInteger(dst, "rows", int64(o.Rows))
	if o.Cwd != "" {
		dst = jsonline.AppendText(dst, "cwd", o.Cwd)
	}
	if len(o.Argv) > 0 {
		dst = appendList(dst, "argv", o.Argv)
	}
	if len(o.Env) > 0 {
		dst = appendVariables(dst, "env", o.Env)
	}
	dst = appendLimit(dst, "lifetime_ms", o.Lifetime)
	dst = appendLimit(dst, "idle_ms", o.Idle)
	if o.ID != "" {
		dst = jsonline.AppendText(dst, "id", o.ID)
	}
	return appendEnd(dst)
}

// Append is defined by CallerMessage.
func (i Input) Append(dst []byte) []byte {
	return appendEnd(appendData(appendType(dst, "data"), i.Data))
}

// Append is defined by CallerMessage.
func (r Resize) Append(dst []byte) []byte {
	dst = jsonline.AppendInteger(appendType(dst, "resize"), "cols", int64(r.Cols))
	return appendEnd(jsonline.AppendInteger(dst, "rows", int64(r.Rows)))
}

// Append is defined by CallerMessage.
func (s Signal) Append(dst []byte) []byte {
	return appendEnd(jsonline.AppendText(appendType(dst, "signal"), "signal", signalName(s.Signal)))
}

// Append is defined by CallerMessage.
func (Close) Append(dst []byte) []byte { return appendEnd(appendType(dst, "close")) }
