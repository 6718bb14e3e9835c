package pid1

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/signals"
)

// A terminal is standard input when it is our controlling terminal and we are
// in its foreground: then the main program's process group takes our place
// there, and job control is carried on from inside and outside (tcsetpgrp(3)).
type terminal struct {
	group int // foreground process group that we found; 0 when it is outside our PID namespace
}

// findTerminal returns nil where there is none to hand over: started in the
// background, we have no right to it.
func findTerminal() *terminal {
	group, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return nil
	}
	return &terminal{group: group}
}

// giveTo makes that group the foreground one. SIGTTOU, which the kernel sends
// who asks from the background, is blocked or caught.
func (t *terminal) giveTo(group int) {
	if group > 0 {
		_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, group) // a terminal that hung up needs no group
	}
}

// release gives the terminal up, for the session of the main program to take. When a
// session's leader does, the kernel sends HUP and CONT to the foreground group, which
// we are (tty_ioctl(4), TIOCNOTTY): release returns them, as signals that nobody sent.
func (t *terminal) release() []unix.Signal {
	if err := unix.IoctlSetInt(0, unix.TIOCNOTTY, 0); err != nil {
		return nil
	}
	if leader, err := unix.Getsid(0); err != nil || leader != os.Getpid() {
		return nil
	}
	return []unix.Signal{unix.SIGHUP, unix.SIGCONT}
}

// fromUs tells what release brings from what somebody sent at the same time: the kernel
// names who gave the terminal up as the sender. Where nobody is named it is taken for ours.
func fromUs(info signals.Info) bool {
	return info.PID == int32(os.Getpid()) || info.PID == signals.Unknown
}

// stopped is called when the main program was stopped. PID 1 has nobody above
// it who could ever continue the program, so ctrl-Z does nothing there, as
// without an init. Elsewhere we stop as well, for the shell that started us to
// take its terminal back.
func (t *terminal) stopped(main int, sig unix.Signal) {
	if os.Getpid() == 1 {
		if sig == unix.SIGTSTP {
			_ = unix.Kill(-main, unix.SIGCONT) // ESRCH: it left its group, and the terminal's reach
		}
		return
	}
	t.giveTo(t.group)
	_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
}

// continued is called when we were, before the main program is: if that shell
// has put us into the foreground, the terminal is the main program's again.
func (t *terminal) continued(main int) {
	if group, err := unix.IoctlGetInt(0, unix.TIOCGPGRP); err == nil && group == unix.Getpgrp() {
		t.giveTo(main)
	}
}
