package proc

import (
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Constants of the kernel's include/uapi/linux/unix_diag.h and sock_diag.h
// which x/sys does not have (sock_diag(7)).
const (
	sockDiagByFamily = 20
	udiagShowPeer    = 4
	unixDiagPeer     = 2
	unixDiagShutdown = 6
	shutdownBoth     = 3
	established      = 1
	nlHeader         = 16 // struct nlmsghdr
	diagMessage      = 16 // struct unix_diag_msg
)

// errNoUnixDiag is for kernels built without CONFIG_UNIX_DIAG.
var errNoUnixDiag = errors.New("sock_diag: this kernel tells nothing of Unix sockets")

// asker returns the unix_diag_msg and its attributes for the socket with that
// inode; unix.ENOENT if there is none.
type asker func(inode uint32) ([]byte, error)

// peerGone asks the kernel whether the other end of the Unix stream socket with
// that inode is gone: it has no peer left, or is shut down both ways. A socket
// of another family or network namespace is not found, and counts as one whose
// peer lives.
func peerGone(ask asker, inode uint32) (bool, error) {
	answer, err := ask(inode)
	if err == unix.ENOENT {
		return false, findsOurOwn(ask)
	}
	if err != nil {
		return false, os.NewSyscallError("sock_diag", err)
	}
	return answerSaysGone(answer), nil
}

// findsOurOwn asks about a socket that is there for certain: a kernel without
// unix_diag answers as if there were no socket at all (net/core/sock_diag.c).
func findsOurOwn(ask asker) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socketpair", err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	var st unix.Stat_t
	if err := unix.Fstat(pair[0], &st); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if _, err := ask(uint32(st.Ino)); err != nil {
		return errNoUnixDiag
	}
	return nil
}

// askUnixDiag is the asker that asks the kernel.
func askUnixDiag(inode uint32) ([]byte, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, diagRequest(inode), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	buf := make([]byte, 512)
	n, _, err := unix.Recvfrom(fd, buf, 0) // the kernel answers within sendto
	if err != nil {
		return nil, err
	}
	return diagAnswer(buf[:n])
}

func diagRequest(inode uint32) []byte {
	const size = nlHeader + 24
	b := make([]byte, 0, size)
	e := binary.NativeEndian
	b = e.AppendUint32(b, size)
	b = e.AppendUint16(b, sockDiagByFamily)
	b = e.AppendUint16(b, unix.NLM_F_REQUEST)
	b = e.AppendUint32(b, 1)             // sequence
	b = e.AppendUint32(b, 0)             // port: the kernel
	b = append(b, unix.AF_UNIX, 0, 0, 0) // family, protocol, padding
	b = e.AppendUint32(b, 0xffffffff)    // any state
	b = e.AppendUint32(b, inode)
	b = e.AppendUint32(b, udiagShowPeer)
	return e.AppendUint64(b, ^uint64(0)) // INET_DIAG_NOCOOKIE
}

func diagAnswer(b []byte) ([]byte, error) {
	if len(b) < nlHeader+4 {
		return nil, unix.EBADMSG
	}
	if binary.NativeEndian.Uint16(b[4:]) == unix.NLMSG_ERROR {
		return nil, unix.Errno(-int32(binary.NativeEndian.Uint32(b[nlHeader:])))
	}
	if len(b) < nlHeader+diagMessage {
		return nil, unix.EBADMSG
	}
	return b[nlHeader:], nil
}

// answerSaysGone reads a unix_diag_msg. A listening or unconnected socket has
// no peer and has lost none.
func answerSaysGone(b []byte) bool {
	kind, state := b[1], b[2]
	if state != established || kind != unix.SOCK_STREAM && kind != unix.SOCK_SEQPACKET {
		return false
	}
	peer, shut := uint32(0), byte(0)
	for b = b[diagMessage:]; len(b) >= 5; {
		size := int(binary.NativeEndian.Uint16(b))
		if size < 5 || size > len(b) {
			return false
		}
		switch kind := binary.NativeEndian.Uint16(b[2:]); {
		case kind == unixDiagPeer && size >= 8:
			peer = binary.NativeEndian.Uint32(b[4:])
		case kind == unixDiagPeer:
			return false
		case kind == unixDiagShutdown:
			shut = b[4]
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return peer == 0 || shut == shutdownBoth
}

// HaveUnixDiag asks the kernel about a socket that is there for certain.
func HaveUnixDiag() error { return findsOurOwn(askUnixDiag) }
