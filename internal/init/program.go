package pid1

import (
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
)

// A program is the container's main program; pid 0 is pause mode, which has
// none.
type program struct {
	pid    int
	target config.Forward
}

// signal sends to the main program's process group, or to it alone. Its number
// and its group's stay its own until it is reaped, after which nobody calls
// this.
func (m *program) signal(sig unix.Signal) error {
	if m.pid == 0 {
		return nil
	}
	if m.target == config.ForwardChild {
		return unix.Kill(m.pid, sig)
	}
	group, err := unix.Getpgid(m.pid)
	if err != nil || group <= 1 || group == unix.Getpgrp() {
		return unix.Kill(m.pid, sig)
	}
	return unix.Kill(-group, sig)
}

// kill ends the main program itself; what it started gets its turn in the drain.
func (m *program) kill() error {
	if m.pid == 0 {
		return nil
	}
	return unix.Kill(m.pid, unix.SIGKILL)
}
