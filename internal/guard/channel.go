package guard

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// A message is one packet between front and keeper:
//
//	keeper -> front   started  PID       the program runs
//	                  failed   CODE      it could not be started; the keeper has said why
//	                  stopped  SIGNAL    it was stopped; front stops as well
//	                  ended    STATUS    wait status; nobody is left below the keeper
//	                  escaped  STATUS    the same, but somebody could not be ended
//	front -> keeper   signal   NUMBER    pass it on to the program
//	                  goOn     STOPS     continue the program, unless it was after that many stops
type message struct {
	kind  kind
	value int32
}

type kind int32

const (
	started kind = iota + 1
	failed
	stopped
	ended
	escaped
	signal
	goOn
)

const messageSize = 8

// A channel is one end of the socket pair. Its packets are whole or not there
// (unix(7), SOCK_SEQPACKET), and its end is the end of the other process.
type channel struct {
	fd     int
	unsent []message // until the other end has read some: the socket holds a few hundred
}

// newChannel returns both ends, neither inherited by a child.
func newChannel() (front, keeper *channel, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return &channel{fd: fds[0]}, &channel{fd: fds[1]}, nil
}

// send never waits and raises no SIGPIPE. Who has gone does not need the message.
func (c *channel) send(m message) {
	c.unsent = append(c.unsent, m)
	c.flush()
}

// flush sends what there is room for.
func (c *channel) flush() {
	for len(c.unsent) > 0 {
		var b [messageSize]byte
		binary.NativeEndian.PutUint32(b[:], uint32(c.unsent[0].kind))
		binary.NativeEndian.PutUint32(b[4:], uint32(c.unsent[0].value))
		switch err := unix.Sendto(c.fd, b[:], unix.MSG_NOSIGNAL, nil); err {
		case unix.EINTR:
		case unix.EAGAIN:
			return
		default:
			c.unsent = c.unsent[1:]
		}
	}
}

// events are those to poll for.
func (c *channel) events() int16 {
	if len(c.unsent) > 0 {
		return unix.POLLIN | unix.POLLOUT
	}
	return unix.POLLIN
}

// receive calls fn for each message that waits. It returns true at the end of
// the channel.
func (c *channel) receive(fn func(message)) (end bool) {
	var b [messageSize]byte
	for {
		n, _, err := unix.Recvfrom(c.fd, b[:], 0)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return false
		case err != nil || n == 0:
			return true
		case n == messageSize:
			e := binary.NativeEndian
			fn(message{kind(e.Uint32(b[:])), int32(e.Uint32(b[4:]))})
		}
	}
}

// maker is the number of the process that made the socket pair, the front
// (unix(7), SO_PEERCRED).
func (c *channel) maker() (int, error) {
	cred, err := unix.GetsockoptUcred(c.fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, os.NewSyscallError("getsockopt", err)
	}
	return int(cred.Pid), nil
}

// inheritable makes the descriptor survive an exec, or not.
func (c *channel) inheritable(yes bool) error {
	flags := unix.FD_CLOEXEC
	if yes {
		flags = 0
	}
	_, err := unix.FcntlInt(uintptr(c.fd), unix.F_SETFD, flags)
	return os.NewSyscallError("fcntl", err)
}
