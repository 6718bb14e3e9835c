//go:build soak

package soak

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// A caller is a connection to the control socket.
type caller struct {
	*net.UnixConn
	w      *world
	reader *wire.Reader
}

func (w *world) call() *caller {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: w.socket, Net: "unix"})
	if err != nil {
		w.t.Fatalf("connecting: %v", err)
	}
	conn.SetDeadline(time.Now().Add(testns.WaitLimit))
	return &caller{conn, w, wire.NewReader(conn)}
}

func (c *caller) hangUp() { c.Close() }

func (c *caller) write(text []byte) {
	if _, err := c.Write(text); err != nil {
		c.w.t.Fatalf("telling sbinit %.50q: %v", text, err)
	}
}

// rest is all that comes until the end.
func (c *caller) rest() []byte {
	text, err := io.ReadAll(c)
	if err != nil {
		c.w.t.Fatalf("the connection does not end: %v", err)
	}
	return text
}

// next is the next message; nil: there is none any more.
func (c *caller) next() wire.WorkerMessage {
	line, err := c.reader.Line()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		c.w.t.Fatalf("reading from a session: %v", err)
	}
	m, err := wire.DecodeWorker(line)
	if err != nil {
		c.w.t.Fatalf("came %.200q: %v", line, err)
	}
	return m
}

// ready waits until the session's program runs.
func (c *caller) ready() wire.Ready {
	m := c.next()
	r, ok := m.(wire.Ready)
	if !ok {
		c.w.t.Fatalf("came %T %+v, and not that the session is ready", m, m)
	}
	return r
}

// ended reads all, and returns the last message.
func (c *caller) ended() (last wire.WorkerMessage) {
	for m := c.next(); m != nil; m = c.next() {
		last = m
	}
	return last
}
