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

// kill ends the main program itself; what it started gets its turn in the drain.
func (m *program) kill() error {
	if m.pid == 0 {
		return nil
	}
	return unix.Kill(m.pid, unix.SIGKILL)
}
