package terminal

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A cleaner ends what a session started.
type cleaner struct {
	fs     *proc.FS
	fence  *contain.Fence
	snap   proc.Snapshot
	polite time.Duration // between SIGTERM and SIGKILL
	limit  time.Duration // for all
	bound  int           // processes signalled in one pass
	ladder *contain.Ladder
}

// members calls fn for each process of a group in a session.
func (c *cleaner) members(group, session int, fn func(proc.ID)) {
	if c.snap.Take(c.fs) != nil {
		return
	}
	for i := range c.snap.Procs {
		if p := &c.snap.Procs[i]; p.PGID == group && p.SID == session && p.Alive() {
			fn(p.ID)
		}
	}
}

// signalGroup signals each process of a group in a session, identified. The leader
// of the session must not be reaped meanwhile: its number would be another's. Its
// error is unix.ESRCH if nobody is in it.
func (c *cleaner) signalGroup(group, session int, sig unix.Signal) error {
	var result error = unix.ESRCH
	c.members(group, session, func(id proc.ID) {
		if err := c.fence.Signal(id, sig); err == nil || result == unix.ESRCH {
			result = err
		}
	})
	return result
}

// begin starts the ladder, politely or at once. The leader is still a child of ours,
// and hung up first, with the foreground group: an interactive shell ignores SIGTERM.
// A leader of 0 has ended, and the kernel has hung up the group by itself.
func (c *cleaner) begin(politely bool, leader, foreground int, now time.Time) {
	polite := c.polite
	if !politely {
		polite = 0
	}
	if polite > 0 && leader > 0 {
		_ = unix.Kill(leader, unix.SIGHUP) // EPERM: another user's, which the ladder will tell of
		if foreground > 0 {
			_ = c.signalGroup(foreground, leader, unix.SIGHUP)
		}
	}
	tree := contain.NewTree(os.Getpid(), c.fs, c.fence)
	tree.Bound(c.bound)
	c.ladder = contain.NewLadder(tree, polite, c.limit-polite, now)
}

// result is the ladder's, once it is done.
func (c *cleaner) result() result {
	rep := c.ladder.Report()
	r := result{contained: rep.Contained, killed: rep.Killed}
	for _, p := range rep.Survivors {
		r.survivors = append(r.survivors, survivor(p))
	}
	return r
}

// survivor adds what /proc/PID/status says (proc_pid_status(5)).
func survivor(p proc.Stat) wire.Survivor {
	s := wire.Survivor{PID: p.PID, Start: p.Start, Name: p.Comm(), State: p.State}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/status")
	if err != nil {
		return s // it has ended after all
	}
	s.UID = uint32(statusNumber(status, "\nUid:\t"))
	s.Tracer = int(statusNumber(status, "\nTracerPid:\t"))
	return s
}

func statusNumber(status []byte, key string) uint64 {
	_, rest, _ := bytes.Cut(status, []byte(key))
	end := bytes.IndexAny(rest, "\t\n")
	if end < 0 {
		return 0
	}
	n, _ := strconv.ParseUint(string(rest[:end]), 10, 32)
	return n
}
