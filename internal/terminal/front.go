package terminal

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/signals"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// reserve is the time by which a front is more patient than its worker should be.
const reserve = time.Second

// FrontConfig are the settings of the front of a worker. Signals reach the worker as they
// are; one that asks for the end starts the clock after which a worker that did not
// end is killed, for the front to clean up. The front's own ladder is the worker's.
func FrontConfig(c config.Config) config.Config {
	c.Rewrite, c.ExitOK, c.StopDelay = signals.Rewrite{}, config.ExitCodes{}, 0
	c.StopGrace = c.Terminal.Cleanup + 2*c.Terminal.IO + reserve
	c.KillGrace = politeTime(c)
	return c
}

// politeTime is between SIGTERM and SIGKILL: at most a fifth of all there is.
func politeTime(c config.Config) time.Duration { return min(c.KillGrace, c.Terminal.Cleanup/5) }

// refusalLimit bounds the time for the words of a refusal.
const refusalLimit = time.Second

// Refuse tells the caller on a descriptor that there is no session, in the words of the
// protocol, and returns the exit status.
func Refuse(fd int, code wire.Code, reason string) int {
	out, err := openDescriptor(fd, unix.O_WRONLY)
	if err != nil {
		return statusRefused // nobody is there to be told
	}
	defer out.close()
	return refuse(out, wire.Error{Code: code, Message: reason})
}

func refuse(out *descriptor, e wire.Error) int {
	c := &connection{out: out}
	c.say(e)
	c.say(wire.End{Reason: e.Code.Reason(), Contained: true})
	for deadline := time.Now().Add(refusalLimit); ; {
		_, err := c.flush()
		left := time.Until(deadline)
		if err != unix.EAGAIN || left <= 0 {
			return statusRefused
		}
		fds := [1]unix.PollFd{{Fd: int32(out.fd), Events: unix.POLLOUT}}
		_, _ = unix.Poll(fds[:], timeout(deadline, deadline.Add(-left)))
	}
}
