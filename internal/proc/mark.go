package proc

import (
	"bytes"
	"runtime"

	"golang.org/x/sys/unix"
)

// A mark is a number that a process passes on to all that it starts, whatever
// these do about their parents, sessions, groups and environments. It is kept in
// the soft limit RLIMIT_LOCKS, which Linux has ignored since 2.4.25 but still
// stores and inherits (getrlimit(2)). The hard limit stays.

// sealTop is above all marks.
const sealTop = 1 << 63

// MarkLimit is the limit to start a child with that bears a mark from its first moment;
// nil if this process's own cannot be read. It is a seal too: the hard limit is lower
// than this process's own, and nobody below can put it up again without CAP_SYS_RESOURCE
// (getrlimit(2)), whatever becomes of the mark.
func MarkLimit(mark uint64) *unix.Rlimit {
	var own unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_LOCKS, &own) != nil {
		return nil
	}
	return &unix.Rlimit{Cur: mark, Max: min(own.Max, sealTop) - 1}
}

// Sealed says whether the hard limit of a process is lower than this process's own.
func (fs *FS) Sealed(pid int) bool {
	var own unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_LOCKS, &own) != nil {
		return false
	}
	_, hard, err := fs.locks(pid)
	return err == nil && hard < own.Max
}

// SetMark marks a process. EPERM: it is another user's and this thread may not
// become that user; EINVAL: its hard limit is lower than the mark; ESRCH: it has
// ended, or its number is another's now, which has its limit back then.
func (fs *FS) SetMark(id ID, mark uint64) error {
	err := fs.setMark(id, mark)
	if err != unix.EPERM {
		return err
	}
	uid, gid, idErr := fs.owner(id.PID)
	if idErr != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer takeRealIdentity(uid, gid)()
	return fs.setMark(id, mark)
}

func (fs *FS) setMark(id ID, mark uint64) error {
	var old unix.Rlimit
	if err := unix.Prlimit(id.PID, unix.RLIMIT_LOCKS, nil, &old); err != nil {
		return err
	}
	if err := unix.Prlimit(id.PID, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: mark, Max: old.Max}, nil); err != nil {
		return err
	}
	if s, err := fs.Stat(id.PID); err == nil && s.ID == id {
		return nil
	}
	_ = unix.Prlimit(id.PID, unix.RLIMIT_LOCKS, &old, nil) // ESRCH: nobody has the number now
	return unix.ESRCH
}

// takeRealIdentity sets this thread's real uid and gid, which prlimit(2) compares
// with those of the process. The effective ones and all capabilities stay.
func takeRealIdentity(uid, gid int) (undo func()) {
	oldUID, oldGID := unix.Getuid(), unix.Getgid()
	setReal(uid, gid)
	return func() { setReal(oldUID, oldGID) }
}

// setReal is for one thread, unlike the functions of package syscall. Refused,
// nothing is changed, and prlimit says EPERM again.
func setReal(uid, gid int) {
	const same = ^uintptr(0)
	_, _, _ = unix.RawSyscall(sysSetresgid, uintptr(gid), same, same)
	_, _, _ = unix.RawSyscall(sysSetresuid, uintptr(uid), same, same)
}

// limitLocks begins the line of RLIMIT_LOCKS in /proc/PID/limits (fs/proc/base.c).
var limitLocks = []byte("\nMax file locks")

// Mark reads the mark of a process; 0 where there is none. Everybody may read it.
func (fs *FS) Mark(pid int) uint64 {
	soft, _, err := fs.locks(pid)
	if err != nil || soft == unix.RLIM_INFINITY {
		return 0
	}
	return soft
}

// locks reads the limits: unlike prlimit(2), /proc tells those of other users' processes.
func (fs *FS) locks(pid int) (soft, hard uint64, err error) {
	limits, err := fs.readOnce(fs.in(pid, "limits"))
	if err != nil {
		return 0, 0, err
	}
	_, line, _ := bytes.Cut(limits, limitLocks)
	soft, line = nextLimit(line)
	hard, _ = nextLimit(line)
	return soft, hard, nil
}

// nextLimit takes a word of such a line: a number, or "unlimited".
func nextLimit(line []byte) (limit uint64, rest []byte) {
	word, rest, _ := bytes.Cut(bytes.TrimLeft(line, " "), []byte(" "))
	if n, ok := parseUint(word); ok {
		return n, rest
	}
	return unix.RLIM_INFINITY, rest
}
