package reap

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// plan is a [Spec] laid out for the kernel. The child reads it between fork and exec,
// when it cannot allocate.
type plan struct {
	paths     []*byte
	argv, env []*byte // end with nil
	dir       *byte   // nil for none
	close     []int
	stdio     []int

	switchUser bool
	uid, gid   uintptr

	session, group, foreground bool

	joins uintptr // number of an existing process group

	mask, ignored uint64
	noFile, locks *unix.Rlimit
	sigPending    *unix.Rlimit
	pidDigits     []byte // where the child writes its PID in the environment, if not nil
	report        int    // descriptor for a failure
}

// listenPID begins the entry of the environment that names the receiver of descriptors.
const listenPID = "LISTEN_PID="

// plan fails with EINVAL if there is nothing to execute, or if a string has a NUL byte.
func (s Spec) plan() (*plan, error) {
	if len(s.Paths) == 0 || len(s.Argv) == 0 {
		return nil, unix.EINVAL
	}
	p := &plan{
		close:      s.Close,
		stdio:      s.Stdio,
		session:    s.Session,
		group:      s.ProcessGroup || s.Foreground || s.Group != 0,
		joins:      uintptr(s.Group),
		foreground: s.Foreground,
		mask:       s.Mask,
		ignored:    s.Ignored,
		noFile:     s.NoFile,
		locks:      s.Locks,
		sigPending: s.SigPending,
	}
	if s.User != nil {
		p.switchUser, p.uid, p.gid = true, uintptr(s.User.UID), uintptr(s.User.GID)
	}
	var err error
	if p.paths, err = syscall.SlicePtrFromStrings(s.Paths); err != nil {
		return nil, err
	}
	p.paths = p.paths[:len(s.Paths)]
	if p.argv, err = syscall.SlicePtrFromStrings(s.Argv); err != nil {
		return nil, err
	}
	if p.env, err = syscall.SlicePtrFromStrings(s.Env); err != nil {
		return nil, err
	}
	if s.Dir != "" {
		if p.dir, err = unix.BytePtrFromString(s.Dir); err != nil {
			return nil, err
		}
	}
	if s.ListenPID {
		p.reservePID(s.Env)
	}
	return p, nil
}

// reservePID makes room for a PID in the entry LISTEN_PID. Several of them share it.
func (p *plan) reservePID(env []string) {
	entry := []byte(listenPID + "2147483647\x00") // as long as a PID can get
	for i, old := range env {
		if strings.HasPrefix(old, listenPID) {
			p.env[i] = &entry[0]
			p.pidDigits = entry[len(listenPID):]
		}
	}
}
