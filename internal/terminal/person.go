package terminal

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
)

// forPerson are the bounds of a session that a person sits at: none of time, more
// processes, and a line that may be down for a while.
func forPerson(t config.Terminal) config.Terminal {
	t.Lifetime, t.Idle, t.Descendants, t.IO = config.Off, config.Off, 4096, 10*time.Minute
	return t
}

// broughtTerminal says whether the caller on the control socket is a person's shell: it
// brings its terminal along with its first bytes (SCM_RIGHTS in unix(7)). Nothing that can
// be written in a message has that effect, so whoever passes messages of others on to the
// socket does not give them a person's bounds. Nothing is taken from the socket.
func broughtTerminal(fd int) bool {
	var first [1]byte
	ancillary := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(fd, first[:], ancillary, unix.MSG_PEEK|unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return false
	}
	messages, err := unix.ParseSocketControlMessage(ancillary[:n])
	if err != nil {
		return false
	}
	found := false
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
			found = found || err == nil
			unix.Close(fd)
		}
	}
	return found
}
