package differential

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// The recorder (tool record) prints each signal that it gets, lower numbers first
// where several wait, as the inits take them from the kernel. So what was sent before
// a marker has been passed on, or dropped, when the marker comes out. The last signal
// ends the recorder.
const (
	marker = syscall.Signal(63)
	last   = syscall.Signal(64)
)

var (
	jobControl = []syscall.Signal{unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU}
	faults     = []syscall.Signal{unix.SIGILL, unix.SIGTRAP, unix.SIGABRT, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS}
)

// all are the signals of that range which a process can catch, without some.
func all(from, to syscall.Signal, without ...syscall.Signal) (list []syscall.Signal) {
	without = append([]syscall.Signal{unix.SIGKILL, unix.SIGSTOP}, without...)
	for sig := from; sig <= to; sig++ {
		if !slices.Contains(without, sig) {
			list = append(list, sig)
		}
	}
	return list
}

// forwards sends signals to an init whose main program records, and notes which come
// through.
func forwards(sigs ...syscall.Signal) func(*run) {
	return func(r *run) {
		r.ready(1)
		r.pass(sigs...)
		r.note("signals", r.finish())
	}
}

// pass sends signals to the init, each with a marker after it.
func (r *run) pass(sigs ...syscall.Signal) {
	r.t.Helper()
	init := r.init()
	for _, sig := range sigs {
		before := r.received(marker)
		r.Kill(init, sig)
		r.Kill(init, marker)
		r.WaitFor(r.t, fmt.Sprintf("what comes of signal %d", int(sig)), func() bool { return r.received(marker) > before })
	}
}

// finish ends the recorder that is the main program, and returns what it has had.
func (r *run) finish() string {
	r.t.Helper()
	r.Kill(r.child(), last)
	r.ended()
	r.WaitFor(r.t, "the record's end", func() bool { return r.received(last) == 1 })
	return r.record()
}

// forwardsToGroup has a second recorder in the main program's group, and notes how many
// get a signal. Each is asked for its end first: a signal that was sent is shown by then.
func forwardsToGroup(sig syscall.Signal) func(*run) {
	return func(r *run) {
		r.ready(2)
		r.Kill(r.init(), sig)
		r.WaitFor(r.t, "the signal", func() bool { return r.received(sig) > 0 })
		main := r.child()
		other := r.find("the second recorder", func(p testns.Process) bool { return p.Is("record") && p.PPID == main.PID })
		r.Kill(other, last)
		r.WaitFor(r.t, "the second record's end", func() bool { return r.received(unix.SIGCHLD) == 1 })
		r.Kill(main, last)
		r.ended()
		r.WaitFor(r.t, "the record's end", func() bool { return r.received(last) == 2 })
		r.note("signals", r.record())
	}
}

// survives notes whether a child that is an init lives on when a fault's signal is sent
// to it, and what the main program has of it.
func survives(sig syscall.Signal) func(*run) {
	return func(r *run) {
		r.ready(1)
		r.Kill(r.init(), sig)
		r.WaitFor(r.t, "the signal's effect", func() bool { return !r.Running() || r.received(sig) > 0 })
		if r.Running() {
			r.note("signals", r.finish())
			return
		}
		r.note("signals", r.record())
		r.ended()
	}
}

// received counts a signal in what recorders have printed.
func (r *run) received(sig syscall.Signal) int {
	return strings.Count(r.Stdout(), fmt.Sprintf("signal %d ", int(sig)))
}

// record is all that recorders have printed, as `1 15*2`, ranges as `34-62`.
func (r *run) record() string {
	var list []string
	for sig := syscall.Signal(1); sig < marker; sig++ {
		n, first := r.received(sig), sig
		for n == 1 && sig+1 < marker && r.received(sig+1) == 1 {
			sig++
		}
		switch {
		case n == 0:
		case sig > first:
			list = append(list, fmt.Sprintf("%d-%d", int(first), int(sig)))
		case n > 1:
			list = append(list, fmt.Sprintf("%d*%d", int(sig), n))
		default:
			list = append(list, fmt.Sprint(int(sig)))
		}
	}
	return strings.Join(list, " ")
}

// suspends sends a signal of job control, of which init or child must stop, and notes
// who does. CONT brings all back.
func suspends(sig syscall.Signal) func(*run) {
	return func(r *run) {
		r.ready(1)
		init, child := r.init(), r.child()
		r.Kill(init, sig)
		r.whoStops(init, child)
		r.Kill(init, unix.SIGCONT)
		for _, sig := range []syscall.Signal{unix.SIGCONT, marker, marker - 1} {
			r.WaitFor(r.t, "the way back", func() bool { return r.received(sig) == 1 })
		}
		r.note("signals", r.finish())
	}
}

// whoStops waits for a stop, and notes whose. An init that has taken a marker after
// that, and another, has had the time to stop itself.
func (r *run) whoStops(init, child testns.Process) {
	r.t.Helper()
	r.WaitFor(r.t, "a stop", func() bool { return r.stopped(init) || r.stopped(child) })
	for _, mark := range []syscall.Signal{marker, marker - 1} {
		r.Kill(init, mark)
		r.WaitFor(r.t, "the init's turn", func() bool { return r.stopped(init) || !pending(r, init, mark) })
	}
	r.WaitFor(r.t, "the child's turn", func() bool {
		return r.stopped(child) || procStatus(r, child, "State") == "S (sleeping)" && !pending(r, child, unix.SIGSTOP)
	})
	r.note("init stops", r.stopped(init))
	r.note("child stops", r.stopped(child))
}

// stopped says whether a process is.
func (r *run) stopped(p testns.Process) bool {
	r.t.Helper()
	return strings.HasPrefix(procStatus(r, p, "State"), "T")
}

// pending says whether a signal waits for a process.
func pending(r *run, p testns.Process, sig syscall.Signal) bool {
	r.t.Helper()
	return hasSignal(procStatus(r, p, "SigPnd"), sig) || hasSignal(procStatus(r, p, "ShdPnd"), sig)
}

func ignores(r *run, p testns.Process, sig syscall.Signal) bool {
	r.t.Helper()
	return hasSignal(procStatus(r, p, "SigIgn"), sig)
}

func hasSignal(mask string, sig syscall.Signal) bool {
	set, err := strconv.ParseUint(mask, 16, 64)
	return err == nil && set&(1<<(sig-1)) != 0
}

// procStatus is one line of proc_pid_status(5); nothing of a process that has ended.
func procStatus(r *run, p testns.Process, key string) string {
	r.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.HostPID))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(status), "\n"+key+":\t")
	value, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(value)
}
