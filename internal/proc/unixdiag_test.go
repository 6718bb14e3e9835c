package proc

import (
	"encoding/binary"
	"errors"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestSockDiagRefused: where the kernel may not be asked, it cannot be told.
func TestSockDiagRefused(t *testing.T) {
	for _, call := range []int{unix.SYS_SOCKET, unix.SYS_SENDTO, unix.SYS_RECVFROM} {
		o := testns.Options{SeccompErrno: map[int]syscall.Errno{call: unix.EACCES}}
		c := testns.Start(t, o, testns.Self("abandoned-child", "sockets")...)
		c.Wait(t)
		if want := "false sock_diag: permission denied\n"; c.Stdout() != want {
			t.Errorf("without system call %d: %s%swant %s", call, c.Stdout(), c.Stderr(), want)
		}
	}
}

// TestKernelWithoutUnixDiag answers as such a kernel does: ENOENT, whatever is asked.
func TestKernelWithoutUnixDiag(t *testing.T) {
	none := func(uint32) ([]byte, error) { return nil, unix.ENOENT }
	if gone, err := peerGone(none, 1); gone || err != errNoUnixDiag {
		t.Errorf("%v, %v", gone, err)
	}
	if gone, err := peerGone(askUnixDiag, 1); gone || err != nil {
		t.Errorf("an inode that is no socket's: %v, %v", gone, err)
	}
}

func TestPeerGoneError(t *testing.T) {
	refused := func(uint32) ([]byte, error) { return nil, unix.EAGAIN }
	if gone, err := peerGone(refused, 1); gone || !errors.Is(err, unix.EAGAIN) || !strings.HasPrefix(err.Error(), "sock_diag: ") {
		t.Errorf("%v, %v", gone, err)
	}
}

// answer builds a unix_diag_msg with attributes.
func answer(kind, state byte, attributes ...[]byte) []byte {
	b := make([]byte, diagMessage)
	b[0], b[1], b[2] = unix.AF_UNIX, kind, state
	for _, a := range attributes {
		b = append(b, a...)
	}
	return b
}

// attribute is a struct rtattr, padded to four bytes.
func attribute(kind uint16, data ...byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(data)))
	b = append(binary.NativeEndian.AppendUint16(b, kind), data...)
	return append(b, make([]byte, (4-len(b)%4)%4)...)
}

func TestAnswerSaysGone(t *testing.T) {
	peer, shut := func(n byte) []byte { return attribute(unixDiagPeer, n, 0, 0, 0) }, func(n byte) []byte { return attribute(unixDiagShutdown, n) }
	const listen, closed = 10, 7 // include/net/tcp_states.h
	for name, c := range map[string]struct {
		answer []byte
		want   bool
	}{
		"peer lives":              {answer(unix.SOCK_STREAM, established, peer(9), shut(0)), false},
		"peer lives, other order": {answer(unix.SOCK_STREAM, established, shut(0), peer(9)), false},
		"no peer":                 {answer(unix.SOCK_STREAM, established, shut(0)), true},
		"peer 0":                  {answer(unix.SOCK_STREAM, established, peer(0), shut(0)), true},
		"half shut, no more in":   {answer(unix.SOCK_STREAM, established, peer(9), shut(1)), false},
		"half shut, no more out":  {answer(unix.SOCK_STREAM, established, peer(9), shut(2)), false},
		"shut both ways":          {answer(unix.SOCK_STREAM, established, peer(9), shut(3)), true},
		"sequence of packets":     {answer(unix.SOCK_SEQPACKET, established, peer(0)), true},
		"datagram":                {answer(unix.SOCK_DGRAM, established, peer(0)), false},
		"listening":               {answer(unix.SOCK_STREAM, listen), false},
		"unconnected":             {answer(unix.SOCK_STREAM, closed), false},
		"unknown attribute":       {answer(unix.SOCK_STREAM, established, attribute(99, 1, 2, 3, 4, 5), peer(9)), false},
		"attribute too short":     {answer(unix.SOCK_STREAM, established, []byte{3, 0, 2, 0, 0}), false},
		"attribute too long":      {answer(unix.SOCK_STREAM, established, []byte{200, 0, 2, 0, 9, 0, 0, 0}), false},
	} {
		if got := answerSaysGone(c.answer); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// FuzzDiagAnswer: nothing that a kernel might send makes PID 1 panic.
func FuzzDiagAnswer(f *testing.F) {
	header := make([]byte, nlHeader)
	f.Add(append(header, answer(unix.SOCK_STREAM, established, attribute(unixDiagPeer, 1, 0, 0, 0), attribute(unixDiagShutdown, 3))...))
	refusal := make([]byte, nlHeader+4)
	binary.NativeEndian.PutUint16(refusal[4:], unix.NLMSG_ERROR)
	f.Add(refusal)
	f.Fuzz(func(t *testing.T, b []byte) {
		message, err := diagAnswer(b)
		if err != nil {
			return
		}
		if gone := answerSaysGone(message); gone && message[2] != established {
			t.Error("a socket without a connection has lost a peer")
		}
	})
}
