package pid1

import (
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/signals"
)

// A program is the container's main program; pid 0 is pause mode, which has
// none.
type program struct {
	pid    int
	name   string
	target config.Forward
}

// signal sends to the main program's process group, or to it alone.
func (m *program) signal(sig unix.Signal) error {
	if m.pid == 0 {
		return nil
	}
	return signals.ToProgram(m.pid, m.target == config.ForwardGroup, sig)
}

// endSession tells who is left in the process group of a main program that has been
// reaped, and that led a session of its own, where no adoption makes them ours: a
// session ends with its leader. The number is no other group's: it stays taken while
// anybody has it, and nobody has become its leader since.
func (m *program) endSession() {
	if unix.Kill(m.pid, 0) == unix.ESRCH {
		_ = unix.Kill(-m.pid, unix.SIGTERM) // ESRCH: nobody is left
	}
}

// kill ends the main program itself; what it started gets its turn in the drain.
func (m *program) kill() error {
	if m.pid == 0 {
		return nil
	}
	return unix.Kill(m.pid, unix.SIGKILL)
}
