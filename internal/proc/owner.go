package proc

import (
	"bytes"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// AsOwner runs read and, when it fails for lack of permission, once more with
// the file system identity of the process. Root in a container under docker's
// capabilities has no CAP_SYS_PTRACE and may not look into a process of
// another uid, but may take that uid (ptrace(2), "Ptrace access mode checking").
// Only this thread changes, and changes back before it returns.
func (fs *FS) AsOwner(pid int, read func() error) error {
	err := read()
	if !denied(err) {
		return err
	}
	uid, gid, idErr := fs.owner(pid)
	if idErr != nil || uid == os.Geteuid() {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	undo := takeIdentity(uid, gid)
	defer undo()
	return read()
}

func denied(err error) bool { return err == unix.EACCES || err == unix.EPERM }

// owner reads the real ids from /proc/PID/status, which anybody may read.
func (fs *FS) owner(pid int) (uid, gid int, err error) {
	status, err := fs.read(fs.in(pid, "status"))
	if err != nil {
		return 0, 0, err
	}
	uid, okUID := statusID(status, "\nUid:\t")
	gid, okGID := statusID(status, "\nGid:\t")
	if !okUID || !okGID {
		return 0, 0, unix.EINVAL
	}
	return uid, gid, nil
}

func statusID(status []byte, key string) (int, bool) {
	_, rest, ok := bytes.Cut(status, []byte(key))
	if !ok {
		return 0, false
	}
	word, _, _ := bytes.Cut(rest, []byte("\t"))
	n, ok := parseUint(word)
	return int(n), ok
}

// takeIdentity sets this thread's file system uid and gid (setfsuid(2)). The
// kernel takes the file capabilities away with uid 0; they are raised again,
// since a pipe made by root and inherited by that user is root's to open. It
// also makes the whole process undumpable (kernel/cred.c, commit_creds), which
// would hide /proc/1/exe and the like from root in a container.
func takeIdentity(uid, gid int) (undo func()) {
	dumpable, dumpErr := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	caps, capsErr := capabilities()
	oldGID, _ := unix.SetfsgidRetGid(gid)
	oldUID, _ := unix.SetfsuidRetUid(uid)
	if capsErr == nil {
		caps.raise()
	}
	return func() {
		unix.Setfsuid(oldUID)
		unix.Setfsgid(oldGID)
		if capsErr == nil {
			caps.set()
		}
		if dumpErr == nil {
			_ = unix.Prctl(unix.PR_SET_DUMPABLE, uintptr(dumpable), 0, 0, 0)
		}
	}
}

// capabilitySet is what capget(2) says of a thread.
type capabilitySet [2]unix.CapUserData

func capabilities() (caps capabilitySet, err error) {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	return caps, unix.Capget(&head, &caps[0])
}

func (caps capabilitySet) set() {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	_ = unix.Capset(&head, &caps[0]) // refused, the read that follows says so
}

// raise makes every permitted capability effective.
func (caps capabilitySet) raise() {
	for i := range caps {
		caps[i].Effective = caps[i].Permitted
	}
	caps.set()
}

// Capable says whether this thread has that capability now (capabilities(7)).
func Capable(capability int) bool {
	caps, err := capabilities()
	return err == nil && caps[capability/32].Effective&(1<<(capability%32)) != 0
}
