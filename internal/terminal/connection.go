package terminal

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

const (
	// outputMark is how many bytes may wait for the caller until no more is read from
	// the terminal, which stops the program that writes.
	outputMark = 64 << 10
	// inputMark is the same for the caller's own messages: a caller that does not read
	// the answers gets no more of them.
	inputMark = 2 * outputMark
	// batch is how many messages are handled until others get their turn.
	batch = 64
)

// A connection speaks the protocol with one caller.
type connection struct {
	in, out  *descriptor
	reader   *wire.Reader
	queue    []byte // what waits to be written, from sent on
	sent     int
	accepted int64 // not said yet, because the queue was full
	finished bool  // the input has ended, or is of no more use
	muted    bool
}

func newConnection(in, out *descriptor) *connection {
	return &connection{in: in, out: out, reader: wire.NewReader(in)}
}

// receive calls fn for each message that has come, and for an error the last time. It
// says whether there may be more.
func (c *connection) receive(fn func(wire.CallerMessage, error)) (more bool) {
	for range batch {
		if !c.listening() {
			return !c.finished
		}
		line, err := c.reader.Line()
		if err == unix.EAGAIN {
			return false
		}
		var m wire.CallerMessage
		if err == nil {
			m, err = wire.DecodeCaller(line)
		}
		if err != nil {
			c.finished = true
		}
		fn(m, err)
	}
	return true
}

// isEnd says whether an error is the end of input and no fault. A connection that was
// reset, or a terminal that hung up, has ended too.
func isEnd(err error) bool {
	var fault *wire.Error
	return err == io.EOF || err == io.ErrUnexpectedEOF || !errors.As(err, &fault)
}

// listening says whether input is wanted.
func (c *connection) listening() bool { return !c.finished && c.pending() < inputMark }

// roomy says whether output of the program is wanted.
func (c *connection) roomy() bool { return c.pending() < outputMark }

func (c *connection) pending() int { return len(c.queue) - c.sent }

// say queues a message.
func (c *connection) say(m wire.WorkerMessage) {
	if !c.muted {
		c.queue = m.Append(c.moved())
	}
}

// show queues output. What is said often is no interface, which would be garbage for a
// collector whose first run takes half as much memory as all of a worker.
func (c *connection) show(o wire.Output) {
	if !c.muted {
		c.queue = o.Append(c.moved())
	}
}

// moved is the queue, with what was written given up.
func (c *connection) moved() []byte {
	if c.sent > 0 {
		c.queue = c.queue[:copy(c.queue, c.queue[c.sent:])]
		c.sent = 0
	}
	return c.queue
}

// accept says how much input was taken, as soon as there is room for that.
func (c *connection) accept(offset int64) {
	if !c.roomy() {
		c.accepted = offset
		return
	}
	c.accepted = 0
	if !c.muted {
		c.queue = wire.Accepted{Offset: offset}.Append(c.moved())
	}
}

// mute drops what waits, and what will be said.
func (c *connection) mute() (lost bool) {
	lost = c.pending() > 0
	c.muted, c.queue, c.sent, c.accepted = true, nil, 0, 0
	return lost
}

// flush writes what there is room for. An error other than unix.EAGAIN is final.
func (c *connection) flush() (progress bool, err error) {
	for c.pending() > 0 {
		n, err := c.out.Write(c.queue[c.sent:])
		c.sent += n
		progress = progress || n > 0
		if err != nil {
			return progress, err
		}
	}
	c.queue, c.sent = c.queue[:0], 0
	if c.accepted > 0 {
		c.accept(c.accepted)
		return c.flush()
	}
	return progress, nil
}

// interest are the descriptors to poll, and what for. A hang-up is told unasked.
func (c *connection) interest(in, out *unix.PollFd) {
	*in, *out = unix.PollFd{Fd: -1}, unix.PollFd{Fd: -1}
	if c.listening() {
		*in = unix.PollFd{Fd: int32(c.in.fd), Events: unix.POLLIN}
	}
	if c.muted {
		return
	}
	*out = unix.PollFd{Fd: int32(c.out.fd)}
	if c.pending() > 0 {
		out.Events = unix.POLLOUT
	}
}
