package contain

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/testns"
)

func TestSignalReachesTheRightOne(t *testing.T) {
	both(t, func(t *testing.T, fs *proc.FS, f *Fence) {
		cmd, id := child(t, fs)
		other, otherID := child(t, fs)
		if err := f.Signal(id, term); err != nil {
			t.Fatal(err)
		}
		if sig := endsBy(cmd); sig != term {
			t.Errorf("ended by %v", sig)
		}
		if err := f.Signal(otherID, kill); err != nil {
			t.Fatal(err)
		}
		if sig := endsBy(other); sig != kill {
			t.Errorf("the other ended by %v", sig)
		}
	})
}

// TestSignalsInOrder: a stopped process that gets CONT after STOP runs, the other
// way round it stays stopped.
func TestSignalsInOrder(t *testing.T) {
	both(t, func(t *testing.T, fs *proc.FS, f *Fence) {
		_, id := child(t, fs)
		stopped := func() bool {
			s, err := fs.Stat(id.PID)
			return err == nil && s.State == 'T'
		}
		if err := f.Signal(id, unix.SIGCONT, unix.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the stop", stopped)
		if err := f.Signal(id, unix.SIGSTOP, unix.SIGCONT); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the end of the stop", func() bool { return !stopped() })
	})
}

// TestSignalNotToAnotherWithThatNumber: the process that has the number now gets
// nothing, which the signal that ends it in the end shows.
func TestSignalNotToAnotherWithThatNumber(t *testing.T) {
	both(t, func(t *testing.T, fs *proc.FS, f *Fence) {
		cmd, id := child(t, fs)
		for _, start := range []uint64{0, id.Start - 1, id.Start + 1} {
			if err := f.Signal(proc.ID{PID: id.PID, Start: start}, kill); err != ErrGone {
				t.Errorf("start time %d instead of %d: %v", start, id.Start, err)
			}
		}
		if err := f.Signal(id, term); err != nil {
			t.Fatal(err)
		}
		if sig := endsBy(cmd); sig != term {
			t.Errorf("ended by %v", sig)
		}
	})
}

func TestSignalToNobody(t *testing.T) {
	both(t, func(t *testing.T, fs *proc.FS, f *Fence) {
		cmd, id := child(t, fs)
		cmd.Process.Kill()
		cmd.Wait()
		if err := f.Signal(id, term); err != ErrGone {
			t.Errorf("a reaped process: %v", err)
		}
	})
}

// TestSignalToZombie: who has ended and was not reaped yet takes signals without
// an error (kill(2)), and is nobody else.
func TestSignalToZombie(t *testing.T) {
	both(t, func(t *testing.T, fs *proc.FS, f *Fence) {
		cmd, id := child(t, fs)
		cmd.Process.Kill()
		eventually(t, "the end", func() bool {
			s, err := fs.Stat(id.PID)
			return err == nil && s.State == 'Z'
		})
		if err := f.Signal(id, term, unix.SIGCONT); err != nil {
			t.Error(err)
		}
	})
}

// TestSignalUnidentified: without an identity nothing is sent.
func TestSignalUnidentified(t *testing.T) {
	for _, pidfd := range []bool{true, false} {
		fs := open(t)
		cmd, id := child(t, fs)
		unreadable := open(t)
		unreadable.Close()
		if err := NewFence(unreadable, pidfd).Signal(id, kill); err != ErrUnidentified {
			t.Errorf("pidfd=%v: %v", pidfd, err)
		}
		if err := NewFence(fs, pidfd).Signal(id, term); err != nil {
			t.Fatal(err)
		}
		if sig := endsBy(cmd); sig != term {
			t.Errorf("pidfd=%v: ended by %v", pidfd, sig)
		}
	}
}

// TestSignalGrandchild: a number that somebody else reaps is safe only through a
// pidfd. Either signal ends the grandchild however far it is: the Go runtime drops one
// such as SIGUSR1 once it has its handlers.
func TestSignalGrandchild(t *testing.T) {
	both(t, func(t *testing.T, fs *proc.FS, f *Fence) {
		argv := testns.Self("parent")
		cmd := exec.Command(argv[0], argv[1:]...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		var pid int
		if _, err := fmt.Fscan(out, &pid); err != nil {
			t.Fatal(err)
		}
		id := identity(t, fs, pid)
		first := f.Signal(id, kill)
		want, ending := error(nil), "killed"
		if !f.pidfd {
			want, ending = ErrUnidentified, "terminated"
			if err := NewFence(fs, true).Signal(id, term); err != nil {
				t.Fatal(err)
			}
		}
		if first != want {
			t.Errorf("error %v, want %v", first, want)
		}
		var said string
		if _, err := fmt.Fscanf(out, "%q\n", &said); err != nil || said != ending {
			t.Errorf("the grandchild ended by %q (%v), want %q", said, err, ending)
		}
	})
}

func init() {
	testns.Register("parent", parent)
	testns.Register("unprivileged", unprivileged)
	testns.Register("signal", signalOther)
	testns.Register("reuse", reuse)
}

// parent starts a process, prints its number, and how it ended.
func parent([]string) int {
	argv := testns.Self("holder")
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		return complain(err)
	}
	fmt.Println(cmd.Process.Pid)
	fmt.Printf("%q\n", endsBy(cmd).String())
	return 0
}

// unprivileged has a process of user 1000 signal one of root's.
func unprivileged([]string) int {
	argv := testns.Self("holder")
	victim := exec.Command(argv[0], argv[1:]...)
	if err := victim.Start(); err != nil {
		return complain(err)
	}
	argv = testns.Self("signal", fmt.Sprint(victim.Process.Pid))
	other := exec.Command(argv[0], argv[1:]...)
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1000, Gid: 1000}}
	other.Stdout, other.Stderr = os.Stdout, os.Stderr
	if err := other.Run(); err != nil {
		return complain(err)
	}
	return 0
}

// signalOther PID sends a SIGKILL by way of a pidfd, and prints whether it was refused.
func signalOther(args []string) int {
	var pid int
	if _, err := fmt.Sscan(args[0], &pid); err != nil {
		return complain(err)
	}
	fs, err := proc.Open()
	if err != nil {
		return complain(err)
	}
	s, err := fs.Stat(pid)
	if err != nil {
		return complain(err)
	}
	err = NewFence(fs, true).Signal(s.ID, kill)
	fmt.Println(err, errors.Is(err, unix.EPERM))
	return 0
}

func TestSignalRefused(t *testing.T) {
	testns.RequireRoot(t)
	c := testns.Start(t, testns.Options{}, testns.Self("unprivileged")...)
	c.Wait(t)
	if want := "pidfd_send_signal: operation not permitted true\n"; c.Stdout() != want {
		t.Errorf("%s%swant %s", c.Stdout(), c.Stderr(), want)
	}
}

// TestSignalWithoutPidfd: the kernel's refusal is told as it is.
func TestSignalWithoutPidfd(t *testing.T) {
	o := testns.Options{SeccompErrno: map[int]syscall.Errno{unix.SYS_PIDFD_OPEN: unix.ENOSYS}}
	c := testns.Start(t, o, testns.Self("signal", "1")...)
	c.Wait(t)
	if want := "pidfd_open: function not implemented false\n"; c.Stdout() != want {
		t.Errorf("%s%swant %s", c.Stdout(), c.Stderr(), want)
	}
}

// reuse ends a child, starts others until one has its number, and signals the first
// by either way. It prints what that gave, and how the other was ended.
func reuse([]string) int {
	fs, err := proc.Open()
	if err != nil {
		return complain(err)
	}
	first, err := startUntil(func(pid int) bool { return pid >= reservedPIDs })
	if err != nil {
		return complain(err)
	}
	id, err := fs.Stat(first.Process.Pid)
	if err != nil {
		return complain(err)
	}
	first.Process.Kill()
	first.Wait()
	again, err := startUntil(func(pid int) bool {
		now, _ := fs.Stat(pid)
		return pid == id.PID && now.Start != id.Start // not within one tick of the clock
	})
	if err != nil {
		return complain(err)
	}
	fmt.Println("with a pidfd:", NewFence(fs, true).Signal(id.ID, kill))
	fmt.Println("without:", NewFence(fs, false).Signal(id.ID, kill))
	again.Process.Signal(term)
	fmt.Println("the other:", endsBy(again))
	return 0
}

// reservedPIDs are not given out again (kernel/pid.c, RESERVED_PIDS).
const reservedPIDs = 300

// startUntil starts processes, and ends them, until one has the number that is wanted.
func startUntil(wanted func(pid int) bool) (*exec.Cmd, error) {
	for {
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil || wanted(cmd.Process.Pid) {
			return cmd, err
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// TestNumberGivenOutAgain: in a PID namespace with few numbers a process gets the
// number of one that is gone.
func TestNumberGivenOutAgain(t *testing.T) {
	testns.RequirePidMax(t)
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.PidMax = reservedPIDs + 30
		c := testns.Start(t, o, testns.Self("reuse")...)
		c.Wait(t)
		const want = "with a pidfd: the process has ended\nwithout: the process has ended\nthe other: terminated\n"
		if c.Stdout() != want {
			t.Errorf("%s%swant %s", c.Stdout(), c.Stderr(), want)
		}
	})
}
