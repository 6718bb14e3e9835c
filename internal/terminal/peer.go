package terminal

import (
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A peer is the worker, as its caller has it.
type peer struct {
	socket   *descriptor
	reader   *wire.Reader
	queue    []byte
	sent     int64 // bytes of input
	accepted int64 // of which the worker has told that they were taken
	gone     bool  // nothing more comes

	rights []byte // of a descriptor that the first write brings along; nil: none
}

func newPeer(fd int) *peer {
	d := &descriptor{fd: fd, socket: true}
	return &peer{socket: d, reader: wire.NewReader(d)}
}

func (p *peer) say(m wire.CallerMessage) { p.queue = m.Append(p.queue) }

// room is how much input the worker's window leaves.
func (p *peer) room() int { return int(wire.Window - (p.sent - p.accepted)) }

// input sends what was typed, room bytes at most.
func (p *peer) input(data []byte) {
	p.say(wire.Input{Data: data})
	p.sent += int64(len(data))
}

// flush writes what there is room for. A worker that is gone is noticed by receive.
func (p *peer) flush() {
	for len(p.queue) > 0 && !p.gone {
		n, err := p.write()
		p.queue = p.queue[:copy(p.queue, p.queue[n:])]
		if err != nil {
			return
		}
	}
}

func (p *peer) write() (int, error) {
	if p.rights == nil {
		return p.socket.Write(p.queue)
	}
	n, err := unix.SendmsgN(p.socket.fd, p.queue, p.rights, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	if err == nil {
		p.rights = nil
	}
	return max(n, 0), err
}

// receive calls fn for each message that has come, and says whether there may be more,
// which the socket would not tell of.
func (p *peer) receive(fn func(wire.WorkerMessage)) (more bool) {
	for range batch {
		if p.gone {
			return false
		}
		line, err := p.reader.Line()
		if err == unix.EAGAIN {
			return false
		}
		var m wire.WorkerMessage
		if err == nil {
			m, err = wire.DecodeWorker(line)
		}
		if err != nil {
			p.gone = true
			return false
		}
		if a, ok := m.(wire.Accepted); ok {
			p.accepted = a.Offset
		}
		fn(m)
	}
	return true
}

func (p *peer) close() {
	p.gone = true
	p.socket.close()
}
