package guard

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/signals"
)

// Failed is the exit status for a guard that could not do its job: the program
// was not started, or something was not contained.
const Failed = 125

// Setup is what a guard is started with.
type Setup struct {
	Config      config.Config
	Argv        []string // the program
	Args        []string // our own arguments, for the keeper to read again
	Warnings    []config.Warning
	Source      *signals.Source
	Descriptors []int // inherited ones above 2, for the program alone
}

// killLimit is how long a ladder tries SIGKILL until it says that it failed.
const killLimit = 5 * time.Second

// spareThreads are there before the program is, which may use up all processes.
const spareThreads = 3

// A subreaper is what front and keeper have in common.
type subreaper struct {
	cfg    config.Config
	log    *log.Logger
	source *signals.Source
	fs     *proc.FS
	fence  *contain.Fence
}

// newSubreaper makes this process the one that orphans below it come to, and
// refuses where it could not find or identify them.
func newSubreaper(s Setup) (*subreaper, error) {
	r := &subreaper{cfg: s.Config, source: s.Source}
	inherit.ReserveThreads(spareThreads)
	fs, err := proc.Open()
	if err != nil {
		return nil, fmt.Errorf("nothing can be contained without /proc: %w", err)
	}
	if err := proc.HavePidfd(); err != nil {
		return nil, fmt.Errorf("nothing can be contained without pidfds (a seccomp profile may forbid them): %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become a child subreaper: %w", err)
	}
	r.fs, r.fence = fs, contain.NewFence(fs, true)
	return r, nil
}

// forgetStart gives back the memory that only the start needed.
func (r *subreaper) forgetStart() {
	if err := r.fs.ForgetFile(); err != nil {
		r.log.Debug("pages of the program's file not given back", log.Cause(err))
	}
}

// ladder ends everybody below us.
func (r *subreaper) ladder(now time.Time) *contain.Ladder {
	return contain.NewLadder(contain.NewTree(os.Getpid(), r.fs, r.fence), r.cfg.KillGrace, killLimit, now)
}

// report logs what could not be contained.
func (r *subreaper) report(rep contain.Report) {
	if rep.Excess > 0 {
		r.log.Warn("more processes than one pass may signal", log.Number("excess", rep.Excess))
	}
	if rep.Contained {
		r.log.Info("contained", log.Number("killed", rep.Killed), log.Number("passes", rep.Passes), log.Took("took", rep.Took))
		return
	}
	r.log.Error("not contained", log.Number("left", len(rep.Survivors)), log.Number("unidentified", rep.Unknown),
		log.Number("refused", rep.Refused), log.Took("took", rep.Took))
	for _, p := range rep.Survivors {
		r.log.Error("process not ended", log.Number("pid", p.PID), log.Text("name", p.Comm()), log.Text("state", string(p.State)))
	}
}

// letGo puts /dev/null in the place of standard input and output, which are the
// program's, and closes what else it has: otherwise we would hold up an end of
// file or an EPIPE that somebody waits for. Without /dev/null, a descriptor that
// can be neither read nor written does as well.
func letGo(descriptors []int) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		null, err = unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	}
	for fd := range 2 {
		if err != nil || unix.Dup3(null, fd, 0) != nil {
			unix.Close(fd)
		}
	}
	unix.Close(null)
	for _, fd := range descriptors {
		unix.Close(fd)
	}
	_ = unix.Chdir("/") // ENOENT, EACCES: then we stay where we are
}

// onTerminal says whether a standard descriptor is our controlling terminal: then
// the program has to be in our process group for the shell above to see one job.
func onTerminal() bool {
	for fd := range 3 {
		if _, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err == nil {
			return true
		}
	}
	return false
}
