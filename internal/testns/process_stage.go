package testns

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// processStage sets up the calling thread and executes the program under test. What
// takes rights away comes after what needs them.
func processStage(s spec) error {
	path, err := lookPath(s)
	if err != nil {
		return err
	}
	steps := []struct {
		what string
		do   func() error
	}{
		{"changing directory", func() error { return unix.Chdir(s.Dir) }},
		{"setting limits", s.limits},
		{"dropping capabilities", s.dropBounding},
		{"installing the filter", s.installFilter},
		{"changing ids", s.changeIDs},
		{"setting signals", s.setSignals},
		{"closing descriptors", s.closeStreams},
		{"starting", waitForGo},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return fmt.Errorf("exec %s: %w", path, syscall.Exec(path, s.Argv, s.Env))
}

// lookPath finds the program in the PATH that it will have.
func lookPath(s spec) (string, error) {
	for _, v := range s.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			os.Setenv("PATH", path)
		}
	}
	return exec.LookPath(s.Argv[0])
}

// limits uses package syscall for NOFILE: that tells its Exec not to restore the
// limit which the Go runtime found at its start.
func (s spec) limits() error {
	if s.NoFile != 0 {
		if err := syscall.Setrlimit(unix.RLIMIT_NOFILE, &syscall.Rlimit{Cur: s.NoFile, Max: s.NoFile}); err != nil {
			return err
		}
	}
	for resource, limit := range map[int]uint64{unix.RLIMIT_NPROC: s.NProc, unix.RLIMIT_SIGPENDING: s.SigPending} {
		if limit == 0 {
			continue
		}
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	return nil
}

// changeIDs leaves the program without inherited capabilities, and in a privileged
// run with the wanted ids. The kernel forgets the parent death signal when ids change.
func (s spec) changeIDs() error {
	if err := clearInheritable(); err != nil {
		return err
	}
	if s.MapIDs || (s.UID == 0 && s.GID == 0) {
		return nil
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
		return os.NewSyscallError("setgroups", errno)
	}
	if err := setIDs(s.UID, s.GID); err != nil {
		return err
	}
	if s.NotPID1 {
		return nil
	}
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
}

// setSignals sets all dispositions by the plain system call: Go's os/signal knows
// neither 32 and 33 nor how to give a signal its default back.
func (s spec) setSignals() error {
	ignored, blocked := signalSet(s.Ignored), signalSet(s.Blocked)
	for sig := syscall.Signal(1); sig <= 64; sig++ {
		if sig == unix.SIGKILL || sig == unix.SIGSTOP {
			continue
		}
		var action struct{ handler, flags, restorer, mask uint64 }
		if ignored&(1<<(sig-1)) != 0 {
			action.handler = 1 // SIG_IGN
		}
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
		if errno != 0 {
			return os.NewSyscallError("rt_sigaction", errno)
		}
	}
	const setMask = 2 // SIG_SETMASK
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&blocked)), 0, 8, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("rt_sigprocmask", errno)
	}
	return nil
}

func signalSet(signals []syscall.Signal) (set uint64) {
	for _, sig := range signals {
		set |= 1 << (sig - 1)
	}
	return set
}

func (s spec) closeStreams() error {
	for fd, kind := range []Stream{s.Stdin, s.Stdout, s.Stderr} {
		if kind != Closed {
			continue
		}
		if err := unix.Close(fd); err != nil {
			return err
		}
	}
	return nil
}
