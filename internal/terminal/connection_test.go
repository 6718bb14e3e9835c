package terminal

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// pair is a connection, and a caller's end of it.
func pair(t *testing.T) (*connection, int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fds[0]); unix.Close(fds[1]) })
	d := &descriptor{fd: fds[0], socket: true}
	return newConnection(d, d), fds[1]
}

// TestQueueIsBounded: accepted offsets of a caller that does not read are not piled up.
func TestQueueIsBounded(t *testing.T) {
	c, _ := pair(t)
	for range outputMark / 100 {
		c.say(wire.Output{Data: make([]byte, 100)})
	}
	full := c.pending()
	if c.roomy() {
		t.Fatalf("%d bytes wait, and more is wanted", full)
	}
	for n := int64(1); n < 10000; n++ {
		c.accept(n)
	}
	if c.pending() != full {
		t.Errorf("%d bytes wait, then %d", full, c.pending())
	}
	for c.listening() {
		c.say(wire.Error{Code: wire.CodeSignalFailed})
	}
	if c.pending() > inputMark+wire.MaxLine {
		t.Errorf("%d bytes wait, and messages are still taken", c.pending())
	}
}

// TestAcceptedAfterAll: the last offset comes when there is room.
func TestAcceptedAfterAll(t *testing.T) {
	c, caller := pair(t)
	for c.roomy() {
		c.say(wire.Output{Data: make([]byte, wire.MaxData)})
	}
	c.accept(7)
	c.accept(9)
	var got strings.Builder
	buf := make([]byte, 1<<16)
	for !strings.Contains(got.String(), "accepted") {
		if _, err := c.flush(); err != nil && err != unix.EAGAIN {
			t.Fatal(err)
		}
		n, err := unix.Read(caller, buf)
		if err != nil {
			t.Fatal(err)
		}
		got.Write(buf[:n])
	}
	if text := got.String(); !strings.Contains(text, `"accepted","offset":9}`) || strings.Contains(text, `"offset":7`) {
		t.Errorf("%s", text[len(text)-200:])
	}
}

// TestOthersDescriptor: what the caller shares with us stays as it is.
func TestOthersDescriptor(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	in, err := openDescriptor(p[0], unix.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	if n, err := in.Read(make([]byte, 10)); n != 0 || err != unix.EAGAIN {
		t.Errorf("an empty pipe gives %d, %v", n, err)
	}
	out, err := openDescriptor(p[1], unix.O_WRONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer out.close()
	for err == nil {
		_, err = out.Write(make([]byte, 4096))
	}
	if err != unix.EAGAIN {
		t.Errorf("a full pipe gives %v", err)
	}
	for _, fd := range p {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil || flags&unix.O_NONBLOCK != 0 {
			t.Errorf("the caller's descriptor is non-blocking now (%v)", err)
		}
	}
}

// TestPatientDescriptor: what cannot be opened once more is asked first, and takes a
// page at once.
func TestPatientDescriptor(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	in, out := &descriptor{fd: p[0], patient: true}, &descriptor{fd: p[1], patient: true}
	if n, err := in.Read(make([]byte, 10)); n != 0 || err != unix.EAGAIN {
		t.Errorf("an empty pipe gives %d, %v", n, err)
	}
	total := 0
	var err error
	for err == nil {
		var n int
		n, err = out.Write(make([]byte, 3*atOnce))
		total += n
		if n > atOnce {
			t.Errorf("%d bytes at once", n)
		}
	}
	if err != unix.EAGAIN || total < 1<<16 {
		t.Errorf("%d bytes, then %v", total, err)
	}
}

// TestPausedInput: messages that are here already are not forgotten when none were taken for
// a while.
func TestPausedInput(t *testing.T) {
	c, caller := pair(t)
	for c.listening() {
		c.say(wire.Output{Data: make([]byte, wire.MaxData)})
	}
	if _, err := unix.Write(caller, wire.Close{}.Append(nil)); err != nil {
		t.Fatal(err)
	}
	if !c.receive(func(wire.CallerMessage, error) { t.Error("taken all the same") }) {
		t.Error("there is said to be nothing")
	}
	c.mute()
	got := 0
	if c.receive(func(m wire.CallerMessage, err error) { got++ }); got != 1 {
		t.Errorf("%d messages came", got)
	}
}

// TestManyMessages: those that are here already, but one call does not take, are said to be
// there.
func TestManyMessages(t *testing.T) {
	c, caller := pair(t)
	for range batch + 1 {
		c.show(wire.Output{Data: []byte("x")})
	}
	if _, err := c.flush(); err != nil {
		t.Fatal(err)
	}
	p, got := newPeer(caller), 0
	count := func(wire.WorkerMessage) { got++ }
	if more := p.receive(count); !more || got != batch {
		t.Errorf("%d messages, more %v", got, more)
	}
	if more := p.receive(count); more || got != batch+1 {
		t.Errorf("%d messages, more %v", got, more)
	}
}
