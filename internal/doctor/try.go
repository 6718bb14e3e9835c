package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/inherit"
	pid1 "github.com/sbinit/sbinit/internal/init"
	"github.com/sbinit/sbinit/internal/proc"
)

// A patient is what is examined: this process, where it is.
type patient struct {
	fs     *proc.FS // nil: there is no usable /proc
	noProc error
	socket string // path; empty: off
}

var errUntried = errors.New("cannot be tried without /proc")

func tryLimits(*patient) (string, error) {
	return "open files and processes suffice", pid1.CheckLimits()
}

func tryProc(p *patient) (string, error) { return "it is this PID namespace's", p.noProc }

func tryPidfd(*patient) (string, error) {
	return "pidfd_open and pidfd_send_signal work", proc.HavePidfd()
}

// trySubreaper makes this process one; it has no children, and ends soon.
func trySubreaper(*patient) (string, error) {
	err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return "PR_SET_CHILD_SUBREAPER works", os.NewSyscallError("prctl", err)
}

// tryPTY opens both ends of a pseudo-terminal (pts(4)).
func tryPTY(*patient) (string, error) {
	const multiplexer = "/dev/ptmx"
	master, err := unix.Open(multiplexer, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", &os.PathError{Op: "open", Path: multiplexer, Err: err}
	}
	defer unix.Close(master)
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return "", os.NewSyscallError("unlock a pseudo-terminal", err)
	}
	n, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err != nil {
		return "", os.NewSyscallError("number of a pseudo-terminal", err)
	}
	path := "/dev/pts/" + strconv.Itoa(n)
	slave, err := unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", &os.PathError{Op: "open", Path: path, Err: err}
	}
	return multiplexer + " and " + path + " open", unix.Close(slave)
}

func tryStub(*patient) (string, error) {
	switch {
	case !inherit.Stub():
		return "", errors.New("the entry stub is not in this program")
	case !inherit.Blocked():
		return "", errors.New("the entry stub could not block signals")
	}
	return "the entry stub ran before the Go runtime", nil
}

// trySocket asks the init, or makes a socket beside where it would be.
func trySocket(p *patient) (string, error) {
	if p.socket == "" {
		return "", errors.New("SBINIT_SOCKET is off")
	}
	s, err := control.Ask(p.socket, 2*time.Second)
	switch {
	case err == nil:
		return "the init answers at " + p.socket + ": version " + s.Version, nil
	case errors.Is(err, unix.EACCES):
		return "", fmt.Errorf("%w: it is for root and the init's user", err)
	case !control.NoSocket(err) && !errors.Is(err, unix.ECONNREFUSED):
		return "", err
	}
	trial := filepath.Join(filepath.Dir(p.socket), ".sbinit-doctor-"+strconv.Itoa(os.Getpid()))
	if err := bind(trial); err != nil {
		return "", fmt.Errorf("nobody is at %s, and no socket can be made there: %w", p.socket, err)
	}
	return "nobody is at " + p.socket + ", and a socket can be made there", nil
}

func bind(path string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		return os.NewSyscallError("bind", err)
	}
	return os.NewSyscallError("unlink", unix.Unlink(path))
}

func tryHidepid(p *patient) (string, error) {
	if p.fs == nil {
		return "", errUntried
	}
	hides, err := p.fs.Hides()
	if hides {
		err = errors.New("/proc is mounted with hidepid")
	}
	return "/proc shows every process", err
}

func tryUnixDiag(*patient) (string, error) { return "it tells of Unix sockets", proc.HaveUnixDiag() }

// tryMark marks this process, and takes the mark back.
func tryMark(p *patient) (string, error) {
	if p.fs == nil {
		return "", errUntried
	}
	var old unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_LOCKS, nil, &old); err != nil {
		return "", os.NewSyscallError("prlimit", err)
	}
	self, err := p.fs.Stat(os.Getpid())
	if err != nil {
		return "", err
	}
	const mark = 1<<62 | 1
	if err := p.fs.SetMark(self.ID, mark); err != nil {
		return "", fmt.Errorf("prlimit of RLIMIT_LOCKS: %w", err)
	}
	got := p.fs.Mark(self.PID)
	if err := unix.Prlimit(0, unix.RLIMIT_LOCKS, &old, nil); err != nil {
		return "", os.NewSyscallError("prlimit", err)
	}
	if got != mark {
		return "", errors.New("a mark in RLIMIT_LOCKS does not come back from /proc/PID/limits")
	}
	return "processes can be marked", nil
}

func tryChildren(p *patient) (string, error) {
	if p.fs == nil {
		return "", errUntried
	}
	_, err := p.fs.AppendChildren(os.Getpid(), nil)
	return "/proc lists children", err
}
