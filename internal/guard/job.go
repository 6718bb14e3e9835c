package guard

import (
	"os"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/inherit"
)

// A job is what a shell with job control sees of a guard: front. It is stopped when
// the program is, and continued with it, so that the shell takes the terminal back
// and tells of it.
type job struct {
	front   int  // its number, for as long as it is our parent
	follows bool // the program's stops are front's: on a terminal, or stopped through front
	stops   int  // how often front was told of one
	halted  bool // the program was not continued since the last
}

// jobStops are the signals that stop a job and can be caught (signal(7)).
var jobStops = []unix.Signal{unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU}

// passed notes a signal that came through front.
func (j *job) passed(sig unix.Signal) { j.follows = j.follows || slices.Contains(jobStops, sig) }

// resume is for when the program goes on, or nobody is left. It relies on a
// parent's number, which is not given out again before its children have another.
func (j *job) resume() {
	if j.follows && os.Getppid() == j.front {
		_ = unix.Kill(j.front, unix.SIGCONT)
	}
}

// stopLike stops this process by the signal that has stopped the program, which
// the parent is told: PID 1 continues a job that was stopped at a terminal
// where nobody else could. A process group without such a shell above is not
// stopped (credentials(7), orphaned process group), as without a guard. Where
// signals come through os/signal, which handles them, it takes SIGSTOP.
func stopLike(sig unix.Signal) {
	if !inherit.Blocked() {
		sig = unix.SIGSTOP
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var set, old unix.Sigset_t
	set.Val[0] = 1 << (sig - 1)
	_ = unix.PthreadSigmask(unix.SIG_UNBLOCK, &set, &old)
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil)
}
