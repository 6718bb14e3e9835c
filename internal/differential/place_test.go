package differential

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// placed notes where the main program stands, and the init: group, session, terminal,
// working directory. An init that has passed a signal on has settled.
func placed(r *run) {
	r.ready(1)
	r.pass(unix.SIGUSR1)
	init, child := r.init(), r.child()
	r.note("group", whose(child.PGID, child.PID, init.PGID))
	r.note("session", whose(child.SID, child.PID, init.SID))
	r.note("cwd", cwd(r, child))
	r.note("cwd of the init", cwd(r, init))
	if r.Input() != nil {
		r.note("foreground", r.foreground(init, child))
		r.note("terminal", controlled(r, child))
		r.note("terminal of the init", controlled(r, init))
	}
	r.finish()
}

func whose(id, own, init int) string {
	switch id {
	case own:
		return "its own"
	case init:
		return "the init's"
	}
	return "another"
}

func cwd(r *run, p testns.Process) string {
	r.t.Helper()
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.HostPID))
	if err != nil {
		r.t.Fatal(err)
	}
	return dir
}

// foreground says whose the terminal is.
func (r *run) foreground(init, child testns.Process) string {
	r.t.Helper()
	group, err := unix.IoctlGetInt(int(r.Input().Fd()), unix.TIOCGPGRP)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, p := range r.Processes() {
		switch {
		case p.HostPID != group:
		case p.PID == child.PGID:
			return "the program"
		case p.PID == init.PGID:
			return "the init"
		default:
			return "another"
		}
	}
	return "nobody"
}

// controlled says whether a process has a controlling terminal (field 7 of
// proc_pid_stat(5)).
func controlled(r *run, p testns.Process) string {
	r.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.HostPID))
	if err != nil {
		r.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	if strings.Fields(rest)[4] == "0" {
		return "none"
	}
	return "controlling"
}

// converses is a person at an interactive shell: what that says of job control, ctrl-C
// for a program of it, its exit status.
func converses(r *run) {
	r.WaitFor(r.t, "the prompt", func() bool { return strings.HasSuffix(r.Stdout(), "> ") })
	r.note("complains", strings.Contains(r.Stdout(), "job control"))
	r.answers("echo $((40+2))\n", "42\r\n> ")
	r.answers("$TOOL sleep\n", "ready")
	r.answers("\x03", "> ")
	r.answers("echo status $?\n", "status 130\r\n> ")
	r.types("exit 5\n")
	r.ended()
}

// answers types at the terminal, and waits for what comes out.
func (r *run) answers(typed, want string) {
	r.t.Helper()
	before := len(r.Stdout())
	r.types(typed)
	r.WaitFor(r.t, fmt.Sprintf("%q after %q", want, typed), func() bool {
		return strings.Contains(r.Stdout()[before:], want)
	})
}

func (r *run) types(text string) {
	r.t.Helper()
	if _, err := r.Input().WriteString(text); err != nil {
		r.t.Fatal(err)
	}
}

// getsKeys notes the signals that keys of the terminal bring: ctrl-C, ctrl-\, and what
// a hang-up or a new size may have brought before.
func getsKeys(r *run) {
	r.ready(1)
	r.answers("\x03", "signal 2 ")
	r.answers("\x1c", "signal 3 ")
	r.pass(unix.SIGUSR1)
	r.note("signals", r.finish())
}

// stopsByKey is ctrl-Z below a shell, which waits for the init to stop.
func stopsByKey(r *run) {
	r.ready(1)
	init, child := r.init(), r.child()
	r.types("\x1a")
	r.whoStops(init, child)
}

// isStopped is ctrl-Z as PID 1: nobody above could continue the program. What it gets
// from the init after that it has not had while it is stopped: of the two signals that
// are sent, one after the other, the second ends it.
func isStopped(r *run) {
	r.ready(1)
	init, child := r.init(), r.child()
	before := switches(r, child)
	r.types("\x1a")
	r.WaitFor(r.t, "the stop", func() bool { return r.stopped(child) || switches(r, child) != before })
	r.Kill(init, unix.SIGUSR1)
	r.WaitFor(r.t, "an answer", func() bool {
		return strings.Contains(r.Stdout(), "usr") || pending(r, child, unix.SIGUSR1)
	})
	r.Kill(init, marker)
	r.WaitFor(r.t, "its end", func() bool { return !r.Running() || r.stopped(child) && pending(r, child, marker) })
	r.note("stays stopped", r.Running())
}

// switches is how often a process has gone to sleep, or stopped.
func switches(r *run, p testns.Process) string {
	r.t.Helper()
	return procStatus(r, p, "voluntary_ctxt_switches")
}
