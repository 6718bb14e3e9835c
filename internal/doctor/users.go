package doctor

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
)

var errNotRoot = errors.New("not root: only this user's own processes")

// tryOtherUsers goes by capabilities, as there may be no process of another user to try
// it on; where there is one, it is tried.
func tryOtherUsers(p *patient) (string, error) {
	switch {
	case unix.Geteuid() != 0:
		return "", errNotRoot
	case p.fs == nil:
		return "", errUntried
	case !proc.Capable(unix.CAP_SYS_PTRACE) && !(proc.Capable(unix.CAP_SETUID) && proc.Capable(unix.CAP_SETGID)):
		return "", errors.New("without CAP_SETUID and CAP_SETGID, and without CAP_SYS_PTRACE")
	}
	pid, err := otherUsers(p.fs)
	switch {
	case err != nil:
		return "", err
	case pid == 0:
		return "the capabilities are there; no process of another user to try", nil
	}
	_, err = p.fs.RunsThis(pid)
	return "another user's process can be looked into", err
}

// otherUsers finds a living process of another user, or 0.
func otherUsers(fs *proc.FS) (int, error) {
	all, err := fs.Walk(nil)
	if err != nil {
		return 0, err
	}
	for _, s := range all {
		size, uid, err := fs.Resident(s.PID)
		if err == nil && size > 0 && s.Alive() && uid != unix.Geteuid() {
			return s.PID, nil
		}
	}
	return 0, nil
}

func tryKill(*patient) (string, error) {
	switch {
	case unix.Geteuid() != 0:
		return "", errNotRoot
	case !proc.Capable(unix.CAP_KILL):
		return "", errors.New("without CAP_KILL")
	}
	return "CAP_KILL is there", nil
}
