package differential

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// reaps notes who waits for dead processes that nobody has waited for.
func reaps(r *run) {
	r.ready(2)
	r.WaitFor(r.t, "the end of zombies", func() bool {
		return !slices.ContainsFunc(r.Processes(), func(p testns.Process) bool { return !p.Alive() || p.Is("litter") })
	})
	r.finish()
	r.note("reaped by another", len(r.Reaped())) // all that came before the init's end is there by now
}

// reports notes the lines about them, where it is seen that there are no more.
func reports(r *run) {
	reaps(r)
	r.note("lines about them", strings.Count(strings.ToLower(r.Stderr()), "reaped zombie"))
}

// keepsOrphan has a daemon whose child is left when it dies, with pipes that lead to
// nobody. It notes whether the child is there when the init has done a lot else.
func keepsOrphan(r *run) {
	r.ready(2)
	daemon := r.find("the daemon", func(p testns.Process) bool { return p.Is("stdio") })
	child := r.find("its child", func(p testns.Process) bool { return p.PPID == daemon.PID && p.Is("ignore") })
	r.WaitFor(r.t, "it to ignore signals to the group", func() bool { return ignores(r, child, marker) })
	r.Kill(daemon, unix.SIGKILL)
	r.WaitFor(r.t, "the adoption", func() bool { return r.now(child).PPID != daemon.PID })
	r.pass(slices.Repeat([]unix.Signal{unix.SIGUSR1}, 50)...)
	r.note("orphan kept", r.now(child).Alive())
	r.note("adopted", r.now(child).PPID == r.init().PID)
	r.finish()
}

// leaves notes what becomes of a process that the main program left in its group, and
// the signals it has had, once an init that is a child has ended.
func leaves(r *run) {
	r.ready(1)
	left := r.find("the recorder", func(p testns.Process) bool { return p.Is("record") })
	r.Kill(r.init(), unix.SIGUSR2)
	r.ended()
	if err := unix.Kill(left.HostPID, last); err != nil {
		r.note("left", "nothing")
		return
	}
	r.WaitFor(r.t, "the record's end", func() bool { return r.received(last) == 1 })
	r.note("left", "the recorder, which has had: "+r.record())
}

// pauses notes the status with which a pause ends by a signal, and complaints. It is sent until then:
// one that comes before the init takes signals is lost to PID 1.
func pauses(sig unix.Signal) func(*run) {
	return func(r *run) {
		r.WaitFor(r.t, "the end", func() bool {
			if err := unix.Kill(r.PID(), sig); err != nil && err != unix.ESRCH {
				r.t.Fatal(err)
			}
			return !r.Running()
		})
		r.ended()
		r.note("stderr", said(r.Stderr()))
	}
}

// losesParent kills the script that has started the init, and notes what the main
// program gets.
func losesParent(r *run) {
	r.ready(1)
	init := r.init()
	r.Signal(unix.SIGKILL)
	r.ended()
	r.WaitFor(r.t, "the adoption of the init", func() bool { return r.now(init).PPID == 1 })
	before := r.received(marker)
	r.Kill(init, marker)
	r.WaitFor(r.t, "the marker", func() bool { return r.received(marker) > before })
	r.Kill(r.child(), last)
	r.WaitFor(r.t, "the record's end", func() bool { return r.received(last) == 1 })
	r.note("signals", r.record())
}
