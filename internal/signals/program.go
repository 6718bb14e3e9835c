package signals

import "golang.org/x/sys/unix"

// ToProgram sends to a child of ours, or with group to the process group that it
// is in by now. Its number stays its own until we reap it, after which nobody
// may call this. Our own group is never sent to.
func ToProgram(pid int, group bool, sig unix.Signal) error {
	if !group {
		return unix.Kill(pid, sig)
	}
	id, err := unix.Getpgid(pid)
	if err != nil || id <= 1 || id == unix.Getpgrp() {
		return unix.Kill(pid, sig)
	}
	return unix.Kill(-id, sig)
}
