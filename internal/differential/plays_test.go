package differential

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sbinit/sbinit/internal/testns"
)

// ends notes the exit status and what was printed.
func ends(r *run) {
	r.ended()
	r.note("stdout", r.Stdout())
}

// speaks notes the exit status, and on which streams something was said.
func speaks(r *run) {
	r.ended()
	r.note("stdout", said(r.Stdout()))
	r.note("stderr", said(r.Stderr()))
}

func said(text string) string {
	if text == "" {
		return "nothing"
	}
	return "something"
}

// logs notes what the init's own lines begin with.
func logs(r *run) {
	r.ended()
	r.note("log line", logStart.FindString(r.Stderr()))
}

var logStart = regexp.MustCompile(`^[^a-z]*[a-z-]+`)

// tellsVersion notes the version line that docker and podman ask for, with its numbers
// left out: Debian's change.
func tellsVersion(r *run) {
	r.ended()
	r.note("stdout", number.ReplaceAllString(r.Stdout(), "N"))
	r.note("stderr", number.ReplaceAllString(strings.TrimRight(r.Stderr(), "\n"), "N"))
}

var number = regexp.MustCompile(`\d+(\.\d+)+`)

func (r *run) ended() {
	r.t.Helper()
	r.note("status", r.Wait(r.t))
}

// ready waits until n programs have said so.
func (r *run) ready(n int) {
	r.t.Helper()
	r.WaitFor(r.t, fmt.Sprintf("%d times ready", n), func() bool { return strings.Count(r.Stdout(), "ready") >= n })
}

// init is the subject's process; a script may have started it.
func (r *run) init() testns.Process {
	r.t.Helper()
	return r.find("the init", func(p testns.Process) bool { return len(p.Args) > 0 && p.Args[0] == r.subject.path })
}

// child is the main program's process.
func (r *run) child() testns.Process {
	r.t.Helper()
	init := r.init()
	return r.find("the main program", func(p testns.Process) bool { return p.PPID == init.PID && p.Alive() })
}

// find waits for a process.
func (r *run) find(what string, is func(testns.Process) bool) (found testns.Process) {
	r.t.Helper()
	r.WaitFor(r.t, what, func() bool {
		all := r.Processes()
		i := slices.IndexFunc(all, is)
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	})
	return found
}

// now is a process as it is by now.
func (r *run) now(p testns.Process) testns.Process {
	r.t.Helper()
	return r.find("the process again", func(q testns.Process) bool { return q.HostPID == p.HostPID })
}
