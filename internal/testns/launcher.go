package testns

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The launcher's two stages are programs of this binary. The first sets up what
// belongs to the namespaces, as their PID 1; the second what belongs to the process
// which then executes the program under test.
const (
	stageNamespace = "@namespace"
	stageProcess   = "@process"
)

func init() {
	Register(stageNamespace, func([]string) int { return launch(namespaceStage) })
	Register(stageProcess, func([]string) int { return launch(processStage) })
}

// launch runs a stage on one thread, which is the one that executes the program:
// signal mask, ids and filters are a thread's own. A stage that returns has failed.
func launch(stage func(spec) error) int {
	runtime.LockOSThread()
	s, err := readSpec()
	if err == nil {
		err = closeOthers()
	}
	if err == nil {
		err = stage(s)
	}
	return failed(err)
}

func failed(err error) int {
	tell(report{Error: err.Error()})
	return 125
}

// closeOthers keeps the two descriptors, and what else the test process had open, from
// the program under test.
func closeOthers() error {
	return os.NewSyscallError("close_range", unix.CloseRange(specFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC))
}

// readSpec reads one line, and leaves the descriptor open for [waitForGo].
func readSpec() (spec, error) {
	var s spec
	var line []byte
	for buf := make([]byte, 4096); !bytes.HasSuffix(line, []byte("\n")); {
		n, err := unix.Read(specFD, buf)
		if err != nil && err != unix.EINTR || n == 0 {
			return s, fmt.Errorf("reading the spec: it ends after %d bytes, %v", len(line), err)
		}
		line = append(line, buf[:max(n, 0)]...)
	}
	return s, json.Unmarshal(line, &s)
}

// waitForGo says that all is ready, and waits for the end of the spec: by then the
// test has put this process into its cgroup. The system call is made without the
// runtime's knowledge, which would start a thread, and there may be none left.
func waitForGo() error {
	tell(report{Ready: true})
	var b [1]byte
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, specFD, uintptr(unsafe.Pointer(&b)), 1)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 || n != 0 {
			return fmt.Errorf("waiting for the end of the spec: %d bytes more, %v", n, errno)
		}
		return nil
	}
}

func namespaceStage(s spec) error {
	if err := s.mounts(); err != nil {
		return err
	}
	if !s.NotPID1 {
		return processStage(s)
	}
	return beMinimalInit(s)
}

// mounts makes the mounts of the new namespace. Those that could hold something of
// another container, or give it something of the machine's, are replaced.
func (s spec) mounts() error {
	steps := []struct {
		what string
		want bool
		do   func() error
	}{
		{"making mounts private", true, func() error {
			return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}},
		{"mounting /run", true, func() error {
			return unix.Mount("tmpfs", "/run", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755")
		}},
		{"mounting /proc", true, s.mountProc},
		{"setting kernel.pid_max", s.PidMax != 0, func() error {
			return os.WriteFile("/proc/sys/kernel/pid_max", []byte(strconv.Itoa(s.PidMax)), 0)
		}},
		{"showing the cgroup", s.Pids.Dir != "", func() error {
			return unix.Mount(s.Pids.Dir, s.Pids.Mount, "", unix.MS_BIND, "")
		}},
		{"making mounts read-only", s.ReadOnlyRoot, s.readOnlyRoot},
		{"making /proc read-only", s.ProcReadOnly, func() error {
			return setReadOnly("/proc", true, 0)
		}},
		{"hiding /proc", s.NoProc, func() error {
			return unix.Mount("tmpfs", "/proc", "tmpfs", unix.MS_RDONLY, "mode=555")
		}},
	}
	for _, step := range steps {
		if !step.want {
			continue
		}
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

func (s spec) mountProc() error {
	data := ""
	if s.HidePID {
		data = "hidepid=2"
	}
	return unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, data)
}

func (s spec) readOnlyRoot() error {
	for _, dir := range s.Writable {
		if err := unix.Mount(dir, dir, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("bind %s: %w", dir, err)
		}
	}
	if err := setReadOnly("/", true, unix.AT_RECURSIVE); err != nil {
		return err
	}
	for _, dir := range append([]string{"/proc"}, s.Writable...) {
		if err := setReadOnly(dir, false, 0); err != nil {
			return err
		}
	}
	return nil
}

// setReadOnly changes the mount at dir. mount_setattr(2) leaves its other flags as
// they are, which a remount in a user namespace may not change.
func setReadOnly(dir string, readOnly bool, flags uint) error {
	attr := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	if readOnly {
		attr = unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	}
	return os.NewSyscallError("mount_setattr "+dir, unix.MountSetattr(unix.AT_FDCWD, dir, flags, &attr))
}

// beMinimalInit starts the program as a child, and is then a PID 1 which waits for
// all that it gets, and tells. It ends only with the namespace: what the program
// leaves behind is there to be looked at.
func beMinimalInit(s spec) error {
	signal.Ignore(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM)
	if err := waitForGo(); err != nil {
		return err
	}
	pid, err := forkStage(s)
	if err != nil {
		return err
	}
	tell(report{Started: pid})
	for {
		var ws unix.WaitStatus
		switch got, err := unix.Wait4(-1, &ws, 0, nil); {
		case err == unix.EINTR:
		case err != nil:
			unix.Pause()
		case got == pid:
			status := statusOf(ws)
			tell(report{Exited: &status})
		default:
			tell(report{Reaped: &Reaped{PID: got, Status: statusOf(ws)}})
		}
	}
}

// forkStage starts the second stage, and returns when that has executed the program.
// With a terminal the session, and its foreground, are the program's, not the
// minimal init's.
func forkStage(s spec) (pid int, err error) {
	specRead, specWrite, err := pipe()
	if err != nil {
		return 0, err
	}
	reportRead, reportWrite, err := pipe()
	if err != nil {
		return 0, err
	}
	attr := &syscall.ProcAttr{
		Dir: "/", Env: os.Environ(),
		Files: []uintptr{0, 1, 2, specRead.Fd(), reportWrite.Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true, AmbientCaps: ambient(s)},
	}
	if s.terminal() {
		attr.Sys.Foreground, attr.Sys.Ctty = true, s.terminalFD()
	}
	pid, err = syscall.ForkExec(executable(), []string{executable(), selfPrefix + stageProcess}, attr)
	specRead.Close()
	reportWrite.Close()
	if err != nil {
		return 0, fmt.Errorf("forking: %w", err)
	}
	if err := json.NewEncoder(specWrite).Encode(s); err != nil {
		return 0, err
	}
	specWrite.Close()
	_, err = readReports(reportRead).waitStarted()
	return pid, err
}

func ambient(s spec) []uintptr {
	if !s.MapIDs {
		return nil
	}
	return allCapabilities()
}
