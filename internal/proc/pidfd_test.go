package proc

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestPidfd(t *testing.T) {
	cmd := pauser(executable(), []string{"x"})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fd, err := OpenPidfd(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if readable(t, fd) {
		t.Error("readable although the process lives")
	}
	if err := SignalPidfd(fd, unix.SIGTERM); err != nil {
		t.Error(err)
	}
	eventually(t, "the pidfd to become readable", func() bool { return readable(t, fd) })
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != unix.SIGTERM {
		t.Errorf("the process ended with %v", err)
	}
	if err := SignalPidfd(fd, unix.SIGTERM); !errors.Is(err, unix.ESRCH) {
		t.Errorf("signalling a reaped process: %v", err)
	}
	if _, err := OpenPidfd(cmd.Process.Pid); !errors.Is(err, unix.ESRCH) {
		t.Errorf("opening a reaped process: %v", err)
	}
}

func readable(t *testing.T, fd int) bool {
	t.Helper()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n == 1
}

func init() {
	testns.Register("have-pidfd", func([]string) int {
		fmt.Println(HavePidfd())
		return 0
	})
}

// TestHavePidfd: a profile may deny one of the two, by ENOSYS or EPERM.
func TestHavePidfd(t *testing.T) {
	for _, c := range []struct {
		refused map[int]syscall.Errno
		want    string
	}{
		{nil, "<nil>"},
		{map[int]syscall.Errno{unix.SYS_PIDFD_OPEN: unix.ENOSYS}, "pidfd_open: function not implemented"},
		{map[int]syscall.Errno{unix.SYS_PIDFD_OPEN: unix.EPERM}, "pidfd_open: operation not permitted"},
		{map[int]syscall.Errno{unix.SYS_PIDFD_SEND_SIGNAL: unix.EPERM}, "pidfd_send_signal: operation not permitted"},
	} {
		p := testns.Start(t, testns.Options{SeccompErrno: c.refused}, testns.Self("have-pidfd")...)
		if p.Wait(t); p.Stdout() != c.want+"\n" {
			t.Errorf("%s%swant %s", p.Stdout(), p.Stderr(), c.want)
		}
	}
}
