package contain

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }

func open(t *testing.T) *proc.FS {
	t.Helper()
	fs, err := proc.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fs.Close)
	return fs
}

// both runs a test with pidfds and without.
func both(t *testing.T, run func(t *testing.T, fs *proc.FS, f *Fence)) {
	for _, pidfd := range []bool{true, false} {
		t.Run(fmt.Sprintf("pidfd=%v", pidfd), func(t *testing.T) {
			fs := open(t)
			run(t, fs, NewFence(fs, pidfd))
		})
	}
}

// child starts a process that does nothing, and says who it is.
func child(t *testing.T, fs *proc.FS) (*exec.Cmd, proc.ID) {
	t.Helper()
	argv := testns.Self("holder")
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, identity(t, fs, cmd.Process.Pid)
}

func identity(t *testing.T, fs *proc.FS, pid int) proc.ID {
	t.Helper()
	s, err := fs.Stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// endsBy says by which signal a child ends; one that got none would wait for ever.
func endsBy(cmd *exec.Cmd) syscall.Signal {
	cmd.Wait()
	return cmd.ProcessState.Sys().(syscall.WaitStatus).Signal()
}

// eventually waits until the condition is true.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testns.WaitLimit); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", testns.WaitLimit, what)
		}
	}
}

// complain ends a program of this test binary.
func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

const term, kill = unix.SIGTERM, unix.SIGKILL
